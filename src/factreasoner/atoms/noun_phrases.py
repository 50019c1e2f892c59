"""A noun with all that narrows it: what can stand for it where only its noun is said."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from factreasoner.atoms.lists import EXAMPLES, QUANTIFIERS
from factreasoner.atoms.mentions import DEMONSTRATIVES
from factreasoner.atoms.plain_text import Plain
from factreasoner.text.tree import Parse, Word

_LONGEST, _LONGEST_WITH_CLAUSE = 12, 18
"""Words of a description that may stand for another."""
INDEFINITE = ("a", "an", "one")
"""Words before a noun that is new."""
_SOME = ("some", "various", "several", "many", "numerous")
_BEFORE = ("amod", "compound", "nummod", "nmod", "poss", "det", "quantmod", "advmod")
_AFTER = ("prep", "acl")
_OF_VERBS = ("to", "with", "from", "into", "by", "at", "during", "after", "before", "through")
"""Prepositions that belong to the verb as often as to its object: "exposes the model to noise"."""


def phrase(parse: Parse, plain: Plain, noun: Word, owners: Mapping[int, str]) -> str:
    """A noun with all that narrows it; empty where that can't stand alone, or is too long to.

    `owners` are the names of possessive pronouns that were understood.
    """
    clauses = parse.children(noun, "relcl")
    listed = noun.dep == "conj" or bool(parse.children(noun, "conj"))
    shared = _shared_by_all(parse, noun) if listed else ()
    if (listed and not shared) or any(not _is_about(parse, clause, noun) for clause in clauses):
        return ""
    first = min(
        [parse.edges(c)[0] for c in parse.children(noun) if c.i < noun.i and c.dep in _BEFORE] + [noun.i]
    )
    last = noun.i if shared else _end(parse, noun)
    said = list(parse.words[first : last + 1])
    if any(_is_uneven(parse, word) for word in said):
        return ""
    known = owners if clauses else {}
    if any(last < clause.i for clause in clauses) or any(
        _is_open(word, noun, known)
        or (word.dep == "det" and first < word.i < noun.i)
        or _is_torn(parse, word, clauses)
        for word in said
    ):
        return ""
    said = [*_without_article(said, noun, keep=bool(shared), some=bool(clauses)), *shared]
    if not 1 < len(said) <= (_LONGEST_WITH_CLAUSE if clauses else _LONGEST):
        return ""
    text = _written(plain, said, owners)
    if said[0].i == 0 and said[0].pos != "PROPN":
        text = text[:1].lower() + text[1:]
    mass = noun.tag == "NN" and said[0].lower != "the" and not parse.children(noun, "poss")
    return f"the {text}" if first < said[0].i or clauses or mass else text


def _end(parse: Parse, noun: Word) -> int:
    """The last word of what narrows a noun from behind, examples and what follows a comma left out."""
    last = noun.i
    for child in parse.children(noun, *_AFTER, "relcl"):
        if child.dep == "prep" and child.lower in _OF_VERBS and noun.dep == "dobj":
            break
        if child.lemma == "base":  # "is set by the court based on its rules" says nothing of the court
            break
        start, end = parse.edges(child)
        if child.dep == "relcl":
            end = next((w.i - 1 for w in parse.words[start : end + 1] if w.text == ","), end)
        examples = [w.i for w in parse.words[start : end + 1] if w.lower in EXAMPLES and w.dep == "prep"]
        if start == last + 1 and not any(w.lower in EXAMPLES for w in parse.words[start : start + 2]):
            last = _before_examples(parse, min(examples)) if examples else end
    return last


def _before_examples(parse: Parse, opener: int) -> int:
    """The last word before ", such as A and B"."""
    last = opener - 1
    while parse[last].lower in ("such", ","):
        last -= 1
    return last


def _without_article(said: Sequence[Word], noun: Word, *, keep: bool, some: bool) -> list[Word]:
    """The words behind an article or quantifier; none where that does not tell which ones are meant.

    `keep` quantifiers; or leave out `some`.
    """
    left = list(said)
    while (
        len(left) > 1
        and left[0].head == noun.i
        and (left[0].dep == "det" or left[0].lower in (*QUANTIFIERS, *INDEFINITE))
    ):
        if keep and left[0].lower in _SOME:
            break
        if left.pop(0).lower not in ("the", *INDEFINITE, *(_SOME if some else ())):
            return []
    return left


def _shared_by_all(parse: Parse, noun: Word) -> tuple[Word, ...]:
    """ "In space" of "elements and processes in space": what follows a list and hangs on its first item."""
    first = noun
    while first.dep == "conj":
        first = parse[first.head]
    last = max(parse.subtree(item)[0].i for item in (noun, *_items(parse, first)))
    after = [c for c in parse.children(first, "prep") if c.i > last and c.lower not in EXAMPLES]
    return tuple(parse.subtree(after[0])) if len(after) == 1 else ()


def _items(parse: Parse, first: Word) -> Iterator[Word]:
    for item in parse.children(first, "conj"):
        yield item
        yield from _items(parse, item)


def _is_uneven(parse: Parse, item: Word) -> bool:
    """ "Water" in "a bowl of 1.5 litres and fresh water": one item is counted and the other not, so it may
    belong to what stands further off.
    """
    first = parse[item.head]
    return item.dep == "conj" and bool(parse.children(first, "nummod")) != bool(
        parse.children(item, "nummod")
    )


def _is_about(parse: Parse, clause: Word, noun: Word) -> bool:
    """Whether a relative clause follows its noun, without a comma, and has it for a subject."""
    subject = parse.subject(clause)
    return (
        subject is not None
        and subject.lower in ("that", "which", "who")
        and parse.is_finite(clause)
        and parse.edges(clause)[0] == subject.i
        and parse[subject.i - 1].text != ","
        and noun.i < subject.i
    )


def _is_open(word: Word, noun: Word, owners: Mapping[int, str]) -> bool:
    """Whether only the sentence around a description tells what a word of it stands for."""
    if word.tag == "PRP$":
        return word.i not in owners or noun.lower in owners[word.i].lower()
    return word.tag == "PRP" or (word.lower in DEMONSTRATIVES - {"that"})


def _is_torn(parse: Parse, word: Word, clauses: Sequence[Word]) -> bool:
    """Whether a verb of another clause was taken for a part of the description."""
    of_clause = any(word.i in {each.i for each in parse.subtree(clause)} for clause in clauses)
    return word.tag in ("VBZ", "VBP", "VBD") and not of_clause


def _written(plain: Plain, said: Sequence[Word], owners: Mapping[int, str]) -> str:
    parts: list[str] = []
    for word in said:
        shown = plain.shown(word.start, word.end) if word.i not in owners else f"{owners[word.i]}'s"
        joined = parts and plain.text[word.start - 1 : word.start].strip()
        parts.append(shown if joined or not parts else f" {shown}")
    return "".join(parts)
