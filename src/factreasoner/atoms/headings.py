"""Headings that read as sentences, and labels that are of the name above them: "**Mayor:** Anne Lindboe"."""

from __future__ import annotations

import re
from collections.abc import Callable

from factreasoner.atoms.fragments import is_name, sentence_of_cell
from factreasoner.text.tree import Parse

Read = Callable[[str], Parse | None]

_NAME = re.compile(r"[^\W\d_a-z][^\W\d_]*(?:[ .'’-]+[^\W\d_]+)*\.?")
_LABELLED = re.compile(r"(?P<label>[^\W\d_][^:;.]{0,60}): (?P<value>[^:;]+)")
_PARTICIPLES = ("VBN", "VBD")
_COMPLEMENTS = ("dobj", "attr", "acomp", "ccomp", "xcomp", "aux", "auxpass", "neg")


def may_be_title(said: str, parse: Parse | None) -> bool:
    """Whether the verb of a heading may be a noun: "Heat pumps at a glance"."""
    if parse is None or said.endswith((".", "!")) or parse.root.tag not in ("VBZ", "VBP"):
        return False
    return parse.root.lemma != "be" and not parse.children(parse.root, *_COMPLEMENTS)


def sentence_under(heading: str, label: str, value: str, parse: Read) -> str:
    """ "The mayor of Oslo is Anne Lindboe"; empty where the heading is no name or the value may be none."""
    if not _is_proper(heading, parse) or not _is_of_something(label, parse) or not _is_value(value, parse):
        return ""
    named = label if label[1:2].isupper() else label[:1].lower() + label[1:]
    return sentence_of_cell(heading, heading, named, value, parse)


def open_label(text: str, parse: Read) -> str:
    """ "Mayor" of "Mayor: Anne Lindboe", which does not say of what; else nothing."""
    found = _LABELLED.fullmatch(text)
    if found is None or not _is_value(found["value"], parse):
        return ""
    label = found["label"]
    read = parse(label)
    done = read is not None and read.root.i == 0 and read.root.tag in _PARTICIPLES
    return label if done or _is_of_something(label, parse) else ""


def _is_of_something(label: str, parse: Read) -> bool:
    """Whether a label is a noun that is no name."""
    return is_name(parse(label)) and not _is_proper(label, parse)


def _is_proper(said: str, parse: Read) -> bool:
    """Whether words with capitals are a name: one of them reads as one without its capital, too."""
    read = parse(f"We saw {said.lower()} there.") if _NAME.fullmatch(said) else None
    return read is not None and any(word.tag == "NNP" for word in read.words[2:-2])


def _is_value(said: str, parse: Read) -> bool:
    """Whether what a label has is a name, a number or a date."""
    read = parse(said)
    if read is None or any(read.is_finite(word) for word in read.words):
        return False
    return read.root.pos in ("PROPN", "NUM") or bool(read.root.entity)
