"""The subject of a fact for that of a statement which says the same of "it" or "the company"."""

from __future__ import annotations

from factreasoner.text.tree import Parse, Word

_POINTERS = (["the"], ["this"], ["that"], ["these"], ["those"])
_TELLING = ("NOUN", "PROPN", "NUM", "VERB", "ADJ")
_LEAST_SHARED = 0.75
"""Share of what a fact tells of its subject that the statement tells too."""
_PLURAL = ("NNS", "NNPS")
_PERSONAL = ("he", "she", "it", "they", "this", "these", "those")
_MANY = ("they", "these", "those")
_SUBJECTS = ("nsubj", "nsubjpass")


def with_subject_of(statement: Parse, fact: Parse) -> str | None:
    """The statement with the fact's subject for its own.

    None where its own names what is meant, and where the fact says something else or points itself.
    """
    own, other = (parse.child(parse.root, *_SUBJECTS) for parse in (statement, fact))
    if own is None or other is None or not points(statement, own) or points(fact, other):
        return None
    if other.pos not in ("NOUN", "PROPN") or _is_plural(statement, own) != _is_plural(fact, other):
        return None
    said = {word.lemma for word in statement.words}
    told = [w.lemma for w in fact.words if w.pos in _TELLING and w not in fact.subtree(other)]
    if own.dep != other.dep or sum(lemma in said for lemma in told) < _LEAST_SHARED * len(told):
        return None
    alike = fact.root.lemma == statement.root.lemma or (own.lower in _PERSONAL and fact.root.lemma in said)
    if not alike or other.lemma in said:
        return None
    (start, end), (first, last) = _edges(statement, own), _edges(fact, other)
    name = fact.text[first:last]
    if first == 0 and start > 0 and fact.words[0].pos != "PROPN":
        name = name[0].lower() + name[1:]
    return f"{statement.text[:start]}{name}{statement.text[end:]}"


def points(parse: Parse, subject: Word) -> bool:
    """Whether a subject is a pronoun, or a noun with "the" or "this" alone."""
    if subject.lower in _PERSONAL:
        return True
    return subject.pos == "NOUN" and [child.lower for child in parse.children(subject)] in _POINTERS


def points_back(parse: Parse) -> bool:
    """Whether the subject of a clause is a noun with "the" or "this" alone."""
    subject = parse.child(parse.root, *_SUBJECTS)
    return subject is not None and subject.pos == "NOUN" and points(parse, subject)


def _is_plural(parse: Parse, subject: Word) -> bool:
    return subject.tag in _PLURAL or subject.lower in _MANY or bool(parse.children(subject, "conj"))


def _edges(parse: Parse, subject: Word) -> tuple[int, int]:
    """The characters of a subject, with all that hangs on it."""
    first, last = parse.edges(subject)
    return parse[first].start, parse[last].end


def keeps_antecedent(sentence: Parse, at: int, fact: Parse) -> bool:
    """Whether a fact made of the relative clause whose pronoun is at that character speaks of its antecedent.

    True where no relative clause begins there.
    """
    found = next(
        (word for word in sentence.words if word.start == at and word.tag in ("WDT", "WP", "WP$")), None
    )
    clause = found and next((word for word in sentence.above(found) if word.dep == "relcl"), None)
    if clause is None:
        return True
    subject = fact.child(fact.root, *_SUBJECTS)
    named = {word.lemma.lower() for word in fact.subtree(subject)} if subject else set()
    return sentence[clause.head].lemma.lower() in named
