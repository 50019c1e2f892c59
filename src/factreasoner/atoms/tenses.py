"""The form a verb takes in a statement of its own."""

from __future__ import annotations

from factreasoner.text.inflection import past, third_person
from factreasoner.text.tree import NOUNS, Parse, Word

_PLURAL_BE = {"VBD": "were", "VBZ": "are", "VBP": "are"}


def in_tense_of(parse: Parse, verb: Word, lemma: str) -> str:
    """A verb that has the tense, the number and the "can" of another one."""
    finite = parse.finite(verb)
    if finite.tag == "MD":
        return f"{finite.text} {lemma}"
    if finite.tag == "VBD" or (finite.lemma == "have" and finite is not verb):
        return past(lemma)
    return third_person(lemma) if finite.tag == "VBZ" else lemma


def with_own_subject(parse: Parse, verb: Word, participle: Word) -> str:
    """A participle with a subject as a verb in the tense of another: "rose" of "grew, with sales rising"."""
    subject, finite = parse.subject(participle), parse.finite(verb)
    plural = subject is not None and (
        subject.tag in ("NNS", "NNPS")
        or any(c.lower == "and" and subject.pos in NOUNS for c in parse.children(subject, "cc"))
    )
    if participle.lemma == "be" and plural and finite.tag in _PLURAL_BE:
        return _PLURAL_BE[finite.tag]
    if finite.tag in ("VBZ", "VBP"):
        return participle.lemma if plural else third_person(participle.lemma)
    return in_tense_of(parse, verb, participle.lemma)
