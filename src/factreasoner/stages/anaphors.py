"""The words of a parsed sentence that point to something named elsewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from factreasoner.language.abbreviations import words
from factreasoner.language.persons import is_person
from factreasoner.language.tree import NOUNS, SUBJECTS, Parse, Word
from factreasoner.stages.expletives import is_expletive
from factreasoner.stages.mentions import DEMONSTRATIVES, INSTITUTIONS, TIMES

Pointed = Literal["male", "female", "thing", "many"]
_FORMS: dict[Pointed, str] = {
    "male": "he him his himself",
    "female": "she her hers herself",
    "thing": "it its itself",
    "many": "they them their theirs themselves",
}
PRONOUNS: dict[str, Pointed] = {word: kind for kind, forms in _FORMS.items() for word in forms.split()}


MOMENTS = words("year time")
_RESULTING = words("resulting aforementioned abovementioned")
"""Adjectives that say of their noun only that it was spoken of before, or comes of what was."""
_MEASURES = words(
    "quantity amount rate level price cost size volume number value capacity speed weight length width",
    "height depth area temperature date duration",
)


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
        return self.word.lower in _RESULTING


def anaphors(parse: Parse) -> Iterator[Anaphor]:
    """The pronouns and demonstratives of a sentence that stand for something; "it is clear that" does not."""
    for word in parse.words:
        if word.lower in PRONOUNS and word.tag in ("PRP", "PRP$"):
            if not (word.lower == "it" and is_expletive(parse, word)):
                yield Anaphor(word)
        elif word.lower in DEMONSTRATIVES and word.tag in ("DT", "PDT", "JJ"):
            yield from _pointed_at(parse, word)
        elif word.lower in _RESULTING and word.dep == "amod" and parse[word.head].pos in NOUNS:
            yield Anaphor(word, parse[word.head])
        elif noun := definite(parse, word):
            yield Anaphor(word, noun)


def _pointed_at(parse: Parse, word: Word) -> Iterator[Anaphor]:
    """What "this" or "such" is with its noun, each noun of a list, or alone; nothing for a day or a name."""
    head = parse[word.head]
    determines = word.dep in ("det", "amod", "predet")
    if not determines or head.pos not in NOUNS:
        if word.dep in (*SUBJECTS, "dobj", "pobj") and word.lower != "such":
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


def measured_by(parse: Parse, noun: Word) -> Word | None:
    """ "Production" in "the production quantity": what the noun is an amount or a property of."""
    before = parse.children(noun, "compound")
    one = before[0] if len(before) == 1 and before[0].tag == "NN" and before[0].text.islower() else None
    return one if one is not None and noun.lemma in _MEASURES and one.i == noun.i - 1 else None


def _is_hyphened(parse: Parse, word: Word, noun: Word) -> bool:
    """ "U" and "-" in "U-boat"."""
    return noun.i - 2 <= word.i < noun.i and parse[noun.i - 1].text == "-"
