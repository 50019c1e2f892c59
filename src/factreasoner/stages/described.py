"""Nouns that point back: "the fellowship" after "the Google PhD Fellowship", "these topics"."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from factreasoner.language.tree import Parse, Word
from factreasoner.stages.lists import EXAMPLES, QUANTIFIERS
from factreasoner.stages.mentions import DEMONSTRATIVES, Mention, definite
from factreasoner.stages.plain_text import Plain

_LONGEST = 12
"""Words of a description that may stand for another."""
_INDEFINITE = ("a", "an", "one")
_BEFORE = ("amod", "compound", "nummod", "nmod", "poss", "det", "quantmod", "advmod")
_AFTER = ("prep", "acl")

Kind: TypeAlias = tuple[str, bool]
"""The lemma of a noun, and whether it is plural."""


class Descriptions:
    """What a response has named or described so far, by the noun that says what it is."""

    def __init__(self) -> None:
        self._all: dict[Kind, list[str]] = {}
        self._last: dict[Kind, list[str]] = {}
        self._introduced: set[Kind] = set()

    def learn(self, parse: Parse, plain: Plain, named: Sequence[Mention]) -> None:
        """Add what a sentence describes."""
        self._last = {}
        for mention in named:
            noun = parse[mention.i]
            kind = _kind(noun)
            determiner = parse.child(noun, "det")
            points = determiner is not None and (
                determiner.lower in DEMONSTRATIVES or definite(parse, determiner) is not None
            )
            text = mention.name if mention.proper or points else _description(parse, plain, noun)
            if len(set(text.lower().split()) - {"the"}) > 1:
                self._add(kind, text)
            if any(w.lower in _INDEFINITE for w in parse.children(noun, "det", "nummod")):
                self._introduced.add(kind)
            for other in _called(parse, noun):
                if mention.name and mention.proper:
                    self._add(_kind(other), mention.name)

    def _add(self, kind: Kind, text: str) -> None:
        for known in (self._all, self._last):
            known.setdefault(kind, []).append(text)

    def meant(self, noun: Word) -> str | None:
        """The one thing so described in the sentence before, else in all of the response before."""
        kind = _kind(noun)
        return _one(self._last[kind]) if kind in self._last else _one(self._all.get(kind, ()))

    def knows(self, noun: Word) -> bool:
        """Whether such a thing was spoken of before, so that "the" surely points back."""
        return _kind(noun) in self._introduced or _kind(noun) in self._all


def _kind(noun: Word) -> Kind:
    return noun.lemma.lower(), noun.tag in ("NNS", "NNPS")


def _one(names: Sequence[str]) -> str | None:
    """The longest of names that all say the same, as far as the shorter ones go."""
    if not names:
        return None
    longest = max(names, key=len)
    said = set(longest.lower().split())
    return longest if all(set(name.lower().split()) <= said | {"the"} for name in names) else None


def _called(parse: Parse, noun: Word) -> tuple[Word, ...]:
    """ "film" in "the film Ran", "Ran is a film" and "The last film was Ran"."""
    titles = tuple(w for w in parse.children(noun, "compound") if w.tag == "NN" and w.text.islower())
    verb = parse[noun.head]
    other = {"nsubj": "attr", "attr": "nsubj"}.get(noun.dep)
    attributes = parse.children(verb, other) if other and verb.lemma == "be" else ()
    return titles + tuple(w for w in attributes if w.pos == "NOUN" and parse.children(w, "det"))


def _description(parse: Parse, plain: Plain, noun: Word) -> str:
    """A noun with all that narrows it; empty where that can't stand alone, or is too long to."""
    if noun.dep == "conj" or parse.children(noun, "conj", "relcl"):
        return ""
    before = [c for c in parse.children(noun) if c.i < noun.i and c.dep in _BEFORE]
    first, last = min([parse.edges(c)[0] for c in before], default=noun.i), noun.i
    for child in parse.children(noun, *_AFTER):
        start, end = parse.edges(child)
        if start == last + 1 and not any(w.lower in EXAMPLES for w in parse.words[start : start + 2]):
            last = end
    said = list(parse.words[first : last + 1])
    if any(w.tag in ("PRP", "PRP$") or w.lower in DEMONSTRATIVES - {"that"} for w in said):
        return ""
    while said[0].head == noun.i and (said[0].dep == "det" or said[0].lower in QUANTIFIERS):
        if said.pop(0).lower not in ("the", *_INDEFINITE):
            return ""
    if not 1 < len(said) <= _LONGEST:
        return ""
    determined = first < said[0].i
    text = plain.shown(said[0].start, said[-1].end)
    return f"the {text}" if determined else text
