"""Nouns that point back: "the fellowship" after "the Google PhD Fellowship", "these topics"."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from factreasoner.atoms.anaphors import PRONOUNS, anaphors, definite
from factreasoner.atoms.happenings import happenings
from factreasoner.atoms.mentions import DEMONSTRATIVES, Mention
from factreasoner.atoms.noun_phrases import INDEFINITE, phrase
from factreasoner.atoms.plain_text import STAND_IN, Plain
from factreasoner.text.tree import Parse, Word

_PARTS = ("some", "many", "several", "most", "few", "any", "each", "either", "none", "all", "both", "half")

Kind: TypeAlias = tuple[str, bool]
"""The lemma of a noun, and whether it is plural."""


class Descriptions:
    """What a response has named or described so far, by the noun that says what it is."""

    def __init__(self) -> None:
        self._all: dict[Kind, list[str]] = {}
        self._last: dict[Kind, list[str]] = {}
        self._introduced: set[Kind] = set()
        self._qualified: set[str] = set()
        self._kinds_of_names: dict[Kind, str] = {}
        self._happened: dict[Kind, list[str]] = {}
        self._happened_last: dict[Kind, list[str]] = {}
        self._is_open = False

    def learn(self, parse: Parse, plain: Plain, named: Sequence[Mention]) -> None:
        """Add what a sentence describes, for the sentences after it."""
        self._last = {}
        self._is_open = _is_open(parse, named)
        owners = {mention.i: mention.name for mention in named if parse[mention.i].tag == "PRP$"}
        for mention in named:
            noun = parse[mention.i]
            if noun.tag in ("PRP", "PRP$"):
                # "It lent a picture to the National Gallery", said of the Tate Gallery, names two galleries
                if mention.proper:
                    self._add((mention.lemma.lower(), mention.kind == "many"), mention.name)
                continue
            kind = _kind(noun)
            determiner = parse.child(noun, "det")
            points = determiner is not None and (
                determiner.lower in DEMONSTRATIVES or definite(parse, determiner) is not None
            )
            if _is_one_of_several(parse, noun):
                continue
            named_so = mention.proper or points
            text = mention.name if named_so else phrase(parse, plain, noun, owners)
            self._describe(kind, text, parse, noun, named_so=named_so)
            if any(w.lower in INDEFINITE for w in parse.children(noun, "det", "nummod")):
                self._introduced.add(kind)
            if mention.name and mention.proper:
                self._add_kinds(mention, {_kind(other) for other in _called(parse, noun)})
            if mention.kind == "person" and mention.proper and _is_author(parse, noun):
                self._add(("author", False), mention.name)
        self._happened_last = {}
        for noun_said, description in happenings(parse, named):
            for happened in (self._happened, self._happened_last):
                happened.setdefault((noun_said, False), []).append(description)

    def _describe(self, kind: Kind, text: str, parse: Parse, noun: Word, *, named_so: bool) -> None:
        """Add a text of more than the noun, unless it is of a case that was only supposed."""
        if len(set(text.lower().split()) - {"the"}) > 1 and not _is_supposed(parse, noun):
            self._add(kind, text)
            if not named_so and _only_qualifies(parse, noun):
                self._qualified.add(text)

    def _add_kinds(self, mention: Mention, kinds: set[Kind]) -> None:
        """Of what kinds the bearer of a name is; one that is told of without a word on it may be of any.

        "The West Branch is a river. The East Branch is full of fish. The river ..."
        """
        for kind in kinds:
            self._kinds_of_names[kind] = mention.name
            self._add(kind, mention.name)
        if kinds or not mention.subject or mention.kind == "person":
            return
        typed = set(self._kinds_of_names.values())
        for kind, name in self._kinds_of_names.items():
            if not kind[1] and mention.name not in typed and name not in mention.name:
                self._all[kind].append(mention.name)

    def _add(self, kind: Kind, text: str) -> None:
        for known in (self._all, self._last):
            known.setdefault(kind, []).append(text)

    def add(self, lemma: str, name: str) -> None:
        """ "What kind of boat was the U-30" calls it a boat."""
        self._add((lemma, False), name)

    def meant(self, noun: Word, other: str = "", *, near: bool = False) -> str | None:
        """What a noun stands for, or what the noun `other` in its number would; `near`: in the last sentence.

        The one thing so described in the sentence before, else in all of the response before.

        Where none was, what the sentence before says that happened, else what any sentence before says.
        """
        kind = (other or _kind(noun)[0], _kind(noun)[1])
        if kind in self._last:
            return _one(self._all[kind] if self._is_open else self._last[kind])
        if near and kind in self._all:
            return None
        if kind in self._happened_last:
            told = kind in self._all or kind in self._introduced
            return None if told else _one(self._happened_last[kind])
        happened = () if kind in self._introduced else self._happened.get(kind, ())
        return _one(self._all.get(kind, happened))

    def knows(self, noun: Word) -> bool:
        """Whether such a thing was spoken of before, so that "the" surely points back."""
        return any(_kind(noun) in known for known in (self._introduced, self._all, self._happened))

    def only_qualifies(self, name: str) -> bool:
        """Whether a description says what something is like, and not what sort it is or whose."""
        return name in self._qualified

    def parts_no_names(self, noun: Word) -> bool:
        """Whether several that have names may be of that kind."""
        kind = _kind(noun)
        return kind in self._kinds_of_names and _one(self._all[kind]) is None


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


def _is_open(parse: Parse, named: Sequence[Mention]) -> bool:
    """Whether there is an "it" or "they" of which it is not clear what it stands for."""
    known = {mention.i for mention in named}
    return any(
        anaphor.word.tag == "PRP"
        and PRONOUNS[anaphor.word.lower] in ("thing", "many")
        and anaphor.word.i not in known
        for anaphor in anaphors(parse)
    )


def _is_supposed(parse: Parse, noun: Word) -> bool:
    """ "House" in "For a dry house, a pump is cheap", which is not the house of later sentences."""
    indefinite = any(w.lower in INDEFINITE for w in parse.children(noun, "det"))
    subject = parse.subject(parse.root)
    fronted = noun.dep == "pobj" and parse[noun.head].head == parse.root.i
    before = subject is not None and noun.i < subject.i
    return indefinite and fronted and before and parse.finite(parse.root).tag != "VBD"


def _only_qualifies(parse: Parse, noun: Word) -> bool:
    """ "A starter that is too young" of a general statement, which holds of other starters than later ones.

    "A child support case" is of a sort, and "a red bridge" that was built is one bridge; "baking results" may
    be of any baking.
    """
    general = parse.finite(parse.root).tag != "VBD"
    sorts = ("compound", "nmod") if noun.tag == "NN" else ()
    return general and not parse.children(noun, "poss", "prep", *sorts)


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


def _is_one_of_several(parse: Parse, noun: Word) -> bool:
    """ "Rivers" in "one of the longest rivers", which are not the rivers spoken of."""
    of = parse[noun.head]
    whole = parse[of.head]
    return noun.dep == "pobj" and of.lower == "of" and (whole.pos in ("NUM", "DET") or whole.lower in _PARTS)
