"""The words of a parsed sentence that point to something named elsewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from factreasoner.atoms.expletives import is_expletive
from factreasoner.atoms.mentions import DEMONSTRATIVES, INSTITUTIONS, TIMES
from factreasoner.text.abbreviations import words
from factreasoner.text.persons import is_person
from factreasoner.text.tree import NOUNS, SUBJECTS, Parse, Word

Pointed = Literal["male", "female", "thing", "many"]
_FORMS: dict[Pointed, str] = {
    "male": "he him his",
    "female": "she her hers",
    "thing": "it its",
    "many": "they them their theirs",
}
PRONOUNS: dict[str, Pointed] = {word: kind for kind, forms in _FORMS.items() for word in forms.split()}


MOMENTS = words("year time")
_RESULTING = words("resulting aforementioned abovementioned")
"""Adjectives that say of their noun only that it was spoken of before, or comes of what was."""
_LEFT = words("remaining latter preceding")
"""Such adjectives behind "the" alone: "a remaining problem"."""
_UNIQUE = words("sun moon earth world sky sea universe internet public")
"""Nouns that "the" needs nothing before for: there is but one."""
_ONES = words("neither both either each")
_PLACES_IN_ORDER = words("former latter")
_MEASURES = words(
    "quantity amount rate level price cost size volume number value capacity speed weight length width",
    "height depth area temperature date duration",
)
_PARTS = words(
    "part portion half rest remainder majority minority difference ratio proportion percentage result",
    "outcome effect figure",
)
KINDS = words(
    "company firm corporation airline band duo city town village country river lake island film album",
    "song novel drug medication disease disorder syndrome species manuscript",
    "document passage",
)
"""Nouns for what has a name or a sort that was said before; "the public" and "the liver" need neither."""
_BELONGINGS = words(
    "symptom effect cause benefit feature complication factor advantage disadvantage ingredient example",
    "option treatment sign member component drawback challenge step reason",
)
_SORTS_OF_THESE = words("side risk treatment key warning")
"""Nouns before those that leave open what they belong to: "side effects"."""


class Anaphor(NamedTuple):
    """A pronoun, or "this" with its noun, if any; "the" with a noun that nothing else narrows.

    "The resulting" with its noun, and "that year", are such, too.
    """

    word: Word
    noun: Word | None = None

    @property
    def is_definite(self) -> bool:
        """Whether it is "the" with its noun, which need not point to anything."""
        return self.word.lower == "the"

    @property
    def said(self) -> str:
        """The pointing word, with its noun if any."""
        return f"{self.word.text} {self.noun.text}" if self.noun else self.word.text

    @property
    def is_moment(self) -> bool:
        """Whether it is "that year" or "that time"."""
        return self.word.lower == "that" and self.noun is not None and self.noun.lemma in MOMENTS

    @property
    def is_resulting(self) -> bool:
        """Whether it is "resulting" or the like with its noun."""
        return self.noun is not None and self.word.lower in _RESULTING | _LEFT | {"former"}

    @property
    def is_one_of_those(self) -> bool:
        """Whether it is "neither", "both" or "the latter" of what was named."""
        return self.noun is None and self.word.lower in _ONES | _PLACES_IN_ORDER

    @property
    def belongs(self) -> bool:
        """Whether it is "symptoms" or the like, which are of something."""
        return self.noun is None and self.word.tag == "NNS"


def anaphors(parse: Parse) -> Iterator[Anaphor]:
    """The pronouns and demonstratives of a sentence that stand for something; "it is clear that" does not."""
    for word in parse.words:
        if word.lower in PRONOUNS and word.tag in ("PRP", "PRP$"):
            if not (word.lower == "it" and is_expletive(parse, word)) and not _is_surname(parse, word):
                yield Anaphor(word)
        elif word.lower in DEMONSTRATIVES and word.tag in ("DT", "PDT", "JJ"):
            yield from _pointed_at(parse, word)
        elif _says_only_which(parse, word):
            yield Anaphor(word, parse[word.head])
        elif noun := definite(parse, word) or is_incomplete(parse, word):
            yield Anaphor(word, noun)
        elif _is_one_of_those(parse, word) or _belongs(parse, word):
            yield Anaphor(word)


def _is_surname(parse: Parse, word: Word) -> bool:
    """ "He" in "He et al."."""
    return word.text[0].isupper() and [w.lower for w in parse.words[word.i + 1 : word.i + 2]] == ["et"]


def _says_only_which(parse: Parse, word: Word) -> bool:
    """ "Resulting" before its noun, and "the latter" with one."""
    if word.dep != "amod" or parse[word.head].pos not in NOUNS:
        return False
    the = word.i > 0 and parse[word.i - 1].lower == "the"
    bare = the and word.lower == "former" and len(parse.subtree(parse[word.head])) == 3
    return bare or word.lower in _RESULTING or (the and word.lower in _LEFT)


def _is_one_of_those(parse: Parse, word: Word) -> bool:
    """ "Neither needs a cellar", "The former is cheap"; not "both of the cars" or "both cars"."""
    if word.dep not in (*SUBJECTS, "dobj", "pobj") or parse.children(word, "prep", "acl", "relcl", "conj"):
        return False
    the = word.i > 0 and parse[word.i - 1].lower == "the"
    return word.lower in _ONES or (the and word.lower in _PLACES_IN_ORDER)


def _belongs(parse: Parse, word: Word) -> bool:
    """ "Common side effects include ...", which does not say of what."""
    if word.tag != "NNS" or word.lemma not in _BELONGINGS or word.dep != "nsubj":
        return False
    others = [
        child
        for child in parse.children(word)
        if child.dep not in ("amod", "advmod", "cc", "conj", "punct") and child.lower not in _SORTS_OF_THESE
    ]
    return word.head == parse.root.i and parse.root.lemma == "include" and not others


def is_incomplete(parse: Parse, word: Word) -> Word | None:
    """The noun of "the" that is a part, a measure or a kind, where nothing says of what, or which one.

    "The northern part" and "the ratio" are such; "the rate of interest" and "the loan's rate" are not.
    """
    noun = parse[word.head]
    if word.lower != "the" or word.dep != "det" or noun.tag not in ("NN", "NNS"):
        return None
    before = [w for w in parse.children(noun) if w.i < noun.i and w.dep not in ("det", "punct")]
    if any(w.i > noun.i and w.text != "," for w in parse.subtree(noun)):
        return None
    if noun.lemma in KINDS | _MEASURES:
        return noun if not before else None
    told = any(w.dep not in ("amod",) or w.tag in ("JJS", "VBN", "VBG") for w in before)
    return noun if noun.lemma in _PARTS and not told else None


def _pointed_at(parse: Parse, word: Word) -> Iterator[Anaphor]:
    """What "this" or "such" is with its noun, each noun of a list, or alone; nothing for a day or a name."""
    head = parse[word.head]
    determines = word.dep in ("det", "amod", "predet")
    if not determines or head.pos not in NOUNS:
        told = word.lower in ("those", "that") and parse.children(word, "prep", "relcl", "acl", "amod")
        if word.dep in (*SUBJECTS, "dobj", "pobj") and word.lower != "such" and not told:
            yield Anaphor(word)
    elif head.lemma in TIMES:
        if word.lower == "that" and head.lemma in MOMENTS:
            yield Anaphor(word, head)
    elif head.pos != "PROPN":
        following = "".join(each.lower for each in parse.words[word.i + 1 : word.i + 2])
        if not (word.lower == "such" and following in ("as", "a", "an")):
            yield Anaphor(word, head)
            yield from (Anaphor(word, item) for item in _items_sharing(parse, head))


def _items_sharing(parse: Parse, first: Word) -> Iterator[Word]:
    """ "Processes" in "these elements and processes", which has no article of its own."""
    for item in parse.children(first, "conj"):
        if item.pos in NOUNS and not parse.children(item, "det", "poss", "nummod", "amod"):
            yield item
            yield from _items_sharing(parse, item)


def definite(parse: Parse, word: Word) -> Word | None:
    """The noun of "the" that has nothing else to say which one, but "in question"."""
    noun = parse[word.head]
    if word.lower != "the" or word.dep != "det" or noun.tag not in ("NN", "NNS", "NNP"):
        return None
    if noun.tag == "NNP" and noun.lower not in INSTITUTIONS and not is_person(noun.lower):
        return None
    measured = measured_by(parse, noun)
    before = f" {measured.lower}" if measured is not None else ""
    said = "".join(
        f" {w.lower}"
        for w in parse.subtree(noun)
        if w.dep not in ("punct", "case") and not _is_hyphened(parse, w, noun)
    )
    return (
        noun if re.fullmatch(rf" the{re.escape(f'{before} {noun.lower}')}(?: in question)?", said) else None
    )


def is_told_of(parse: Parse, noun: Word) -> bool:
    """Whether it is told what a bare "the striker" did once, so that somebody in particular is meant."""
    past = parse.is_finite(parse.root) and parse.finite(parse.root).tag == "VBD"
    return past and parse.subject(parse.root) == noun and noun.tag == "NN" and noun.lemma not in _UNIQUE


def measured_by(parse: Parse, noun: Word) -> Word | None:
    """ "Production" in "the production quantity": what the noun is an amount or a property of."""
    before = parse.children(noun, "compound")
    one = before[0] if len(before) == 1 and before[0].tag == "NN" and before[0].text.islower() else None
    return one if one is not None and noun.lemma in _MEASURES and one.i == noun.i - 1 else None


def _is_hyphened(parse: Parse, word: Word, noun: Word) -> bool:
    """ "U" and "-" in "U-boat"."""
    return noun.i - 2 <= word.i < noun.i and parse[noun.i - 1].text == "-"
