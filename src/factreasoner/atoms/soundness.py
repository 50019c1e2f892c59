"""A second reading of what was split off: one clause that stands alone, read as it was in its sentence."""

from __future__ import annotations

from factreasoner.atoms.expletives import is_expletive
from factreasoner.atoms.wording import Draft
from factreasoner.text.lexicon import words
from factreasoner.text.tree import SUBJECTS, VERBS, Parse, Word

_POINTERS = words("he him his she her it its they them their this that these those others")
_PERSONAL = words("he his she her")


def is_sound(parse: Parse | None, draft: Draft, sentence: Parse) -> bool:
    """Whether a statement reads as one finite clause, whose verb and subject are those of its draft."""
    if parse is None or not parse.is_clause(parse.root):
        return False
    root = parse.root
    subject = parse.subject(root)
    assert subject is not None
    if draft.verb.lemma not in (root.lemma, parse.finite(root).lemma) and draft.verb.pos in VERBS:
        return False
    return (
        (subject.i < root.i or subject.dep == "expl")
        and not _is_compound(parse)
        and not _is_open(draft, sentence)
    )


def _is_compound(parse: Parse) -> bool:
    """Whether a second finite verb stands beside the main one."""
    beside = list(parse.children(parse.root, "conj", "ccomp"))
    for word in beside:
        beside += parse.children(word, "conj")
    return any(
        word.pos in VERBS and (parse.is_finite(word) or word.tag == parse.root.tag)
        for word in beside
        if word.dep == "conj" or word.i < parse.root.i
    )


def _is_open(draft: Draft, sentence: Parse) -> bool:
    """Whether it points to something that its sentence names before, and has no subject with a name itself.

    Not where the sentence is about one person, or begins with the same pronoun: the reviser names that.
    """
    subject = sentence.subject(sentence.root)
    person = subject is not None and (subject.entity == "PERSON" or subject.lower in _PERSONAL)
    for word in draft.line:
        if not isinstance(word, Word):
            continue
        if word.dep in SUBJECTS and word.pos in ("NOUN", "PROPN"):
            return False
        points = word.lower in _POINTERS and word.tag not in ("IN", "WDT", "RB")
        if points and not (word.lower in _PERSONAL and person) and not is_expletive(sentence, word):
            return any(before.pos in ("NOUN", "PROPN") for before in sentence.words[: word.i])
    return False
