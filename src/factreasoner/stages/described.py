"""Nouns that point back: "the fellowship" after "the Google PhD Fellowship", "these topics"."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from factreasoner.language.tree import Parse, Word
from factreasoner.stages.anaphors import definite
from factreasoner.stages.happenings import happenings
from factreasoner.stages.lists import EXAMPLES, QUANTIFIERS
from factreasoner.stages.mentions import DEMONSTRATIVES, Mention
from factreasoner.stages.plain_text import STAND_IN, Plain

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
        self._happened: dict[Kind, list[str]] = {}
        self._happened_last: dict[Kind, list[str]] = {}

    def learn(self, parse: Parse, plain: Plain, named: Sequence[Mention]) -> None:
        """Add what a sentence describes, for the sentences after it."""
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
            if mention.kind == "person" and mention.proper and _is_author(parse, noun):
                self._add(("author", False), mention.name)
        self._happened_last = {}
        for noun_said, description in happenings(parse, named):
            for happened in (self._happened, self._happened_last):
                happened.setdefault((noun_said, False), []).append(description)

    def _add(self, kind: Kind, text: str) -> None:
        for known in (self._all, self._last):
            known.setdefault(kind, []).append(text)

    def meant(self, noun: Word) -> str | None:
        """The one thing so described in the sentence before, else in all of the response before.

        Where none was, what the sentence before says that happened, else what any sentence before says.
        """
        kind = _kind(noun)
        if kind in self._last:
            return _one(self._last[kind])
        if kind in self._happened_last:
            told = kind in self._all or kind in self._introduced
            return None if told else _one(self._happened_last[kind])
        happened = () if kind in self._introduced else self._happened.get(kind, ())
        return _one(self._all.get(kind, happened))

    def knows(self, noun: Word) -> bool:
        """Whether such a thing was spoken of before, so that "the" surely points back."""
        return any(_kind(noun) in known for known in (self._introduced, self._all, self._happened))


def _kind(noun: Word) -> Kind:
    return noun.lemma.lower(), noun.tag in ("NNS", "NNPS")


def _one(names: Sequence[str]) -> str | None:
    """The longest of names that all say the same, as far as the shorter ones go; empty if one is unknown."""
    if not names:
        return None
    if not all(names):
        return ""
    longest = max(names, key=len)
    said = set(longest.lower().split())
    return longest if all(set(name.lower().split()) <= said | {"the"} for name in names) else None


def _is_author(parse: Parse, name: Word) -> bool:
    """Whether a name follows a title and "by"."""
    by = parse[name.head]
    first = parse.edges(name)[0]
    titled = by.lower == "by" and by.i == first - 1 and by.i > 0 and parse[by.i - 1].text == STAND_IN
    return titled and name.dep == "pobj"


def _called(parse: Parse, noun: Word) -> tuple[Word, ...]:
    """ "film" in "the film Ran", "Ran is a film" and "The last film was Ran"."""
    titles = tuple(w for w in parse.children(noun, "compound") if w.tag == "NN" and w.text.islower())
    verb = parse[noun.head]
    other = {"nsubj": "attr", "attr": "nsubj"}.get(noun.dep)
    attributes = parse.children(verb, other) if other and verb.lemma == "be" else ()
    return titles + tuple(w for w in attributes if w.pos == "NOUN" and parse.children(w, "det"))


def _before_examples(parse: Parse, opener: int) -> int:
    """The last word before ", such as A and B"."""
    last = opener - 1
    while parse[last].lower in ("such", ","):
        last -= 1
    return last


def _description(parse: Parse, plain: Plain, noun: Word) -> str:
    """A noun with all that narrows it; empty where that can't stand alone, or is too long to."""
    if noun.dep == "conj" or parse.children(noun, "conj", "relcl"):
        return ""
    before = [c for c in parse.children(noun) if c.i < noun.i and c.dep in _BEFORE]
    first, last = min([parse.edges(c)[0] for c in before], default=noun.i), noun.i
    for child in parse.children(noun, *_AFTER):
        if child.lemma == "base":  # "is set by the court based on its rules" says nothing of the court
            break
        start, end = parse.edges(child)
        examples = [w.i for w in parse.words[start : end + 1] if w.lower in EXAMPLES and w.dep == "prep"]
        if start == last + 1 and not any(w.lower in EXAMPLES for w in parse.words[start : start + 2]):
            last = _before_examples(parse, min(examples)) if examples else end
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
