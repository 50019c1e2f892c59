"""A second reading of what was split off: it must be one clause, said of what it was said of."""

from __future__ import annotations

from factreasoner.atoms.wording import Draft
from factreasoner.text.tree import VERBS, Parse, Word

_SINGULAR = frozenset({"he", "she", "it", "this", "that"})
_PLURAL = frozenset({"they", "we", "these", "those", "you"})


def is_sound(parse: Parse | None, draft: Draft) -> bool:
    """Whether a statement reads as one finite clause whose verb and subject are those of its draft."""
    if parse is None or not parse.is_clause(parse.root):
        return False
    root = parse.root
    subject = parse.subject(root)
    assert subject is not None
    if draft.verb.lemma not in (root.lemma, parse.finite(root).lemma) and draft.verb.pos in VERBS:
        return False
    if subject.i > root.i and subject.dep != "expl":
        return False
    return (
        _agrees(parse, subject, parse.finite(root))
        and not is_compound(parse)
        and not _is_torn(parse)
        and parse[0].tag not in ("CC", "WDT")
    )


def is_compound(parse: Parse) -> bool:
    """Whether a second finite verb stands beside the main one."""
    root = parse.root
    beside = list(parse.children(root, "conj"))
    for word in beside:
        beside += parse.children(word, "conj")
    return any(word.pos in VERBS and (parse.is_finite(word) or word.tag == root.tag) for word in beside)


def _agrees(parse: Parse, subject: Word, finite: Word) -> bool:
    """Whether subject and verb agree in number; open where either may be both."""
    plural = (
        subject.tag in ("NNS", "NNPS") or subject.lower in _PLURAL or bool(parse.children(subject, "conj"))
    )
    singular = (subject.tag in ("NN", "NNP") and not plural) or subject.lower in _SINGULAR
    if finite.lower in ("was", "is", "has", "does") or finite.tag == "VBZ":
        return not (plural and subject.tag != "NNPS" and subject.pos != "PROPN")
    if finite.lower in ("were", "are", "have", "do") or finite.tag == "VBP":
        return not (singular and subject.pos == "PRON")
    return True


def _is_torn(parse: Parse) -> bool:
    """Whether a preposition or conjunction lacks what it joins, or the clause begins amid another."""
    last = next((word for word in reversed(parse.words) if word.pos != "PUNCT"), None)
    if last is None or last.dep == "cc" or last.tag in ("DT", "PRP$", "WDT", "TO"):
        return True
    return last.dep == "prep" and not parse.children(last) and last.tag == "IN" and last.lower in _HUNGRY


_HUNGRY = frozenset({"of", "with", "from", "by", "as", "at", "than", "into", "during"})
