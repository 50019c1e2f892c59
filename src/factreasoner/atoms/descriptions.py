"""What adjectives and titles say in passing: "the Spanish actor Jo Roe" says that Jo Roe is an actor."""

from __future__ import annotations

from collections.abc import Iterator

from factreasoner.atoms.wording import Line, Wording
from factreasoner.text.abbreviations import words
from factreasoner.text.tree import Parse, Word

_MODIFIERS = ("amod", "compound", "nummod", "nmod")
_FIGURES = frozenset({"DATE", "TIME", "CARDINAL"})
_NUMBERED = words(
    "century decade era bc bce ad ce number page chapter year version model type section part volume",
    "figure table grade level step age room day",
)
"""Nouns before a name that say nothing of it."""


def descriptions(wording: Wording, verb: Word, subject: Line, be: str) -> Iterator[Line]:
    """Statements on the names of a clause, and on where its subject is from."""
    origin = _origin(wording.parse, verb)
    if origin and subject:
        yield (*subject, be, *origin)
    for word in wording.kept(verb):
        if word.tag == "NN" and word.text.islower() and word.lemma not in _NUMBERED:
            yield from _title(wording.parse, word, be)


def _origin(parse: Parse, verb: Word) -> Line:
    """ "Spanish" in "is a Spanish actress"."""
    noun = parse.child(verb, "attr")
    article = parse.child(noun, "det") if noun is not None else None
    if verb.lemma != "be" or noun is None or article is None or article.lower not in ("a", "an"):
        return ()
    before = [word for word in parse.words[article.i + 1 : noun.i] if word.text[0].isupper()]
    alone = bool(before) and before[-1].i - before[0].i + 1 == len(before)
    adjective = alone and before[-1].dep == "amod" and before[-1].entity == "NORP"
    return tuple(before) if adjective else ()


def _title(parse: Parse, noun: Word, be: str) -> Iterator[Line]:
    """ "X is a 2006 film" of "the 2006 film X"."""
    name = _name_after(parse, noun)
    if not name:
        return
    head = parse[noun.head] if noun.dep == "compound" else noun
    if any(word.lower in ("a", "an") for word in parse.children(head, "det")):
        return  # "a service ID" is an ID, "the service Uber" a service
    start = noun.i
    while start and parse[start - 1].dep in _MODIFIERS and parse[start - 1].head in (head.i, noun.i):
        start -= 1
    before = parse[start - 1] if start else None
    if before is not None and (
        before.text == "-" or before.dep == "poss" or before.tag in ("PRP$", "POS") or before.dep == "conj"
    ):
        return
    said = parse.words[start : noun.i + 1]
    article = "an" if said[0].lower[0] in "aeiou" else "a"
    yield (*name, be, article, *said)


def _name_after(parse: Parse, noun: Word) -> tuple[Word, ...]:
    """The proper name that directly follows a noun and is named by it."""
    end = noun.i + 1
    while end < len(parse) and parse[end].pos == "PROPN":
        end += 1
    name = parse.words[noun.i + 1 : end]
    if end < len(parse) and parse[end].text in ("–", "—", "-"):
        return ()  # "the flight London - Paris"
    if not name or not name[0].text[0].isupper() or any(word.entity in _FIGURES for word in name):
        return ()  # "the data store, worker node and network" names no node
    last = name[-1]
    titled = noun.dep == "compound" and noun.head == last.i
    apposed = last.dep == "appos" and last.head == noun.i
    return name if titled or apposed else ()
