"""Signs that a parse, or a statement made of it, can't be trusted, so that its sentence is kept whole."""

from __future__ import annotations

from itertools import pairwise

from factreasoner.atoms.joints import is_set_against
from factreasoner.atoms.wording import Line
from factreasoner.text.abbreviations import words
from factreasoner.text.tree import NOUNS, VERBS, Parse, Word

_TURNING = words("not never nor neither seldom rarely hardly scarcely")
"""Words at the beginning that turn the order of subject and verb."""


def is_doubtful(parse: Parse) -> bool:
    """Whether a parse has a finite verb for a noun, a verb for a part of a name, or two objects of a verb.

    Or a noun that may be a verb or has what verbs have ("picks up"), or a joint in a name: "an AND gate".
    """
    noun = any(word.tag in ("VBD", "VBZ", "VBP") and word.dep in ("pobj", "dobj") for word in parse.words)
    objects = any(len(parse.children(word, "dobj")) > 1 for word in parse.words)
    acting = any(word.pos == "NOUN" and parse.children(word, "prt") for word in parse.words)
    named = any(word.dep == "cc" and len(word.text) > 1 and word.text.isupper() for word in parse.words)
    return (
        noun
        or _is_inverted(parse)
        or objects
        or named
        or acting
        or any(_is_in_name(parse, word) or _may_be_verb(parse, word) for word in parse.words[1:])
    )


def _is_inverted(parse: Parse) -> bool:
    """ "Not only did she", "never has he": the auxiliary before its subject misleads a parse."""
    following = next((w for w in parse.words[1:4] if w.lemma in ("do", "be", "have") or w.tag == "MD"), None)
    return parse[0].lower in _TURNING and following is not None and following.pos in VERBS


def _may_be_verb(parse: Parse, noun: Word) -> bool:
    """ "Date" in "are for Germany and date from 2023": a bare noun beside what has a name or an article."""
    first = parse[noun.head]
    following = parse.words[noun.i + 1 : noun.i + 2]
    bare = not any(child.i < noun.i for child in parse.children(noun))
    told = first.pos == "PROPN" or parse.child(first, "det") is not None
    place = noun.dep == "conj" and first.dep == "pobj" and parse[noun.i - 1].dep == "cc"
    return place and noun.tag == "NN" and bare and told and any(w.dep == "prep" for w in following)


def _is_in_name(parse: Parse, verb: Word) -> bool:
    """ "Tarpenning" in "Marc Tarpenning", taken for what somebody does."""
    before = parse[verb.i - 1]
    named = verb.entity == "PERSON" == before.entity and before.pos == "PROPN"
    return named and verb.pos == "VERB" and verb.text[0].isupper() and before.head != verb.i


def is_torn(parse: Parse, line: Line) -> bool:
    """Whether a statement lacks its end or a link: "storage to" of "storage to and from a place".

    Or says what stands behind "rather than" without these words.
    """
    said = [bit for bit in line if isinstance(bit, Word) and bit.pos != "PUNCT"]
    if not said:
        return False
    following = parse.words[said[-1].i + 1 : said[-1].i + 2]
    if said[-1].lower in ("not", "n't", "n’t") or said[-1].tag == "WDT":
        return True  # "Acetaminophen does not."
    told = {word.i for word in said} - ({said[0].i} if _is_described(parse, said[0]) else set())
    if any(i - 1 not in told and is_set_against(parse, i) for i in told):
        return True
    cut = said[-1].dep == "prep" and any(word.dep == "cc" for word in following)
    return said[-1].dep == "cc" or cut or any(_is_gap(parse, *pair) for pair in pairwise(line))


def _is_described(parse: Parse, first: Word) -> bool:
    """Whether a statement begins with what a clause is said of: "instead of his brother, who died"."""
    nouns = [word for word in (first, parse[first.head]) if word.pos in NOUNS]
    return any(parse.children(noun, "relcl", "acl", "appos") for noun in nouns)


def _is_gap(parse: Parse, before: Word | str, after: Word | str) -> bool:
    """Whether a noun follows another where a clause or examples were: it was an item of these, or of both."""
    if isinstance(before, str) or isinstance(after, str) or before.pos not in (*NOUNS, "PRON"):
        return False
    between = parse.words[before.i + 1 : after.i]
    left_out = any(
        word.dep in ("relcl", "pcomp") or (word.dep == "conj" and parse.is_clause(word)) for word in between
    )
    return left_out and after.pos in ("DET", "NOUN", "ADJ", "PROPN", "NUM")
