"""What in a window speaks against a claim: numbers, units, negations, antonyms, rival words, names."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from factreasoner.judges.embedded.numbers import UNITS_OF, Number
from factreasoner.judges.embedded.text import Text
from factreasoner.judges.embedded.windows import Window
from factreasoner.text.lexicon import AVERTING, CLASSES_OF, OPPOSITES, STEPS

CLASHES = ("number_clash", "unit_clash", "negation_clash", "antonym_clash", "exclusive_clash", "name_clash")

_NEGATION_REACH = 2
_NEEDING = frozenset({"need", "needs", "needing", "having"})
_APART_FROM = (("rather", "than"), ("instead", "of"))
_WORDS_BEFORE, _WORDS_AFTER = 2, 3
_SINGULAR = frozenset({"is", "was", "has"})
_NO_STRENGTH, _FULL_STRENGTH = 0.3, 0.7


class Polarity(NamedTuple):
    """Stems of a sentence: all of them, those no negation reaches, and those one does; and its negations."""

    stems: frozenset[str]
    affirmed: frozenset[str]
    negated: frozenset[str]
    negations: int


class Excerpt:
    """The tokens of a window (or of a whole passage), indexed."""

    def __init__(self, text: Text, window: Window) -> None:
        self._text, self._window = text, window
        low, high = window.low, window.high
        self.stems = frozenset(text.stems[low:high])
        self.numbers = tuple(number for number in text.numbers if low <= number.place < high)

    def has(self, claim: Text, number: Number) -> bool:
        """Whether a number of the claim stands there, if only as a label: "World War II" for "2"."""
        return number.is_said(self.numbers) or claim.label_at(number.place) in self.labels

    @cached_property
    def labels(self) -> frozenset[tuple[str, str]]:
        """The nouns with labels that stand there."""
        places = range(self._window.low, self._window.high)
        return frozenset((one.noun, one.label) for one in self._text.labels if one.place in places)

    @cached_property
    def words(self) -> frozenset[str]:
        """Every word that stands in the window."""
        return frozenset(self._text.words[self._window.low : self._window.high])

    @cached_property
    def name_slots(self) -> dict[tuple[str, ...], frozenset[str]]:
        """The names that stand in each place: after two words, or before three where a sentence begins."""
        text, high = self._text, self._window.high
        found: dict[tuple[str, ...], set[str]] = {}
        for slot, place in _slots(text, self._window.low, high):
            found.setdefault(slot, set()).add(text.words[place])
        return {slot: frozenset(words) for slot, words in found.items()}

    @cached_property
    def grams(self) -> frozenset[str]:
        """Runs of four characters of each word, by which misspelt and inflected words are alike."""
        return grams(self._text.words[self._window.low : self._window.high])

    @cached_property
    def sentences(self) -> tuple[Polarity, ...]:
        """What each sentence affirms and denies."""
        return tuple(
            polarity(self._text, part.low, part.high)
            for part in self._text.sentences
            if self._window.low <= part.low < self._window.high
        )


@dataclass(frozen=True)
class WeightedClaim:
    """A claim and the weight of each token; `content` are the indices of its content words, or all."""

    text: Text
    weights: Sequence[float]
    content: Sequence[int]


def grams(words: Sequence[str]) -> frozenset[str]:
    """Runs of four characters of the joined words; the whole of a shorter text."""
    joined = " ".join(words)
    return frozenset(joined[i : i + 4] for i in range(len(joined) - 3)) or frozenset((joined,))


def polarity(text: Text, low: int, high: int) -> Polarity:
    """Which content words among the tokens [low, high) a negation reaches.

    Those are the next two, in its clause or behind "that". "Avoid" and "rather than" negate the next one.
    """
    affirmed: set[str] = set()
    negated: set[str] = set()
    left = negations = 0
    for index in range(low, high):
        begins = index > low and text.clauses[index] != text.clauses[index - 1]
        if begins and text.words[index] != "that":
            left = 0
        averting = text.words[index] in AVERTING or text.words[max(index - 1, low) : index + 1] in _APART_FROM
        if index in text.negations:
            left = _NEGATION_REACH
            negations += 1
        elif text.content[index]:
            (negated if left > 0 else affirmed).add(text.stems[index])
            # "avoid the need to pay" is not paying
            left -= left != 1 or text.words[index] not in _NEEDING
        if averting:
            # "not avoid paying" is paying
            left = 0 if left > 0 else 1
            negations += 1
    return Polarity(frozenset(text.stems[low:high]), frozenset(affirmed), frozenset(negated), negations)


def clashes(claim: WeightedClaim, window: Excerpt) -> dict[str, float]:
    """Strength in [0, 1] of every clash of CLASHES between a claim and a window."""
    text = claim.text
    words = frozenset(text.words)
    missing = [i for i in claim.content if text.stems[i] not in window.stems]
    antonyms = [i for i in missing if OPPOSITES.get(text.words[i], frozenset()) & window.words - words]
    rivals = [
        i
        for i in missing
        if any(
            members & window.words - words
            for members in (*CLASSES_OF.get(text.words[i], ()), STEPS.get(text.words[i], frozenset()))
        )
    ]
    return {
        "number_clash": _strength(claim, window.stems, _other_numbers(text, window)),
        "unit_clash": _strength(claim, window.stems, _other_units(text, window)),
        "negation_clash": _negation(claim, window),
        "antonym_clash": _strength(claim, window.stems, antonyms),
        "exclusive_clash": _strength(claim, window.stems, rivals),
        "name_clash": _strength(claim, window.stems, _other_names(text, window)),
    }


def _strength(claim: WeightedClaim, stems: Collection[str], clashing: Sequence[int]) -> float:
    """How much a clash says: nothing unless the rest of the claim is there, all if most of it is."""
    return _agreement(claim, stems, clashing) if clashing else 0.0


def _agreement(claim: WeightedClaim, stems: Collection[str], apart: Sequence[int] = ()) -> float:
    rest = [i for i in claim.content if i not in apart]
    mass = sum(claim.weights[i] for i in rest)
    if not mass:
        return 0.0
    found = sum(claim.weights[i] for i in rest if claim.text.stems[i] in stems) / mass
    return min(1.0, max(0.0, (found - _NO_STRENGTH) / (_FULL_STRENGTH - _NO_STRENGTH)))


def _slots(text: Text, low: int, high: int) -> Iterator[tuple[tuple[str, ...], int]]:
    """Names in tokens [low, high) by the two words before them, and subjects by the three after them.

    A first word is capital whatever it is: only before a singular verb, without an article, is it a name.
    """
    openings = {part.low for part in text.sentences}
    for place in range(low, high):
        if text.names[place] and place - low >= _WORDS_BEFORE:
            yield ("after", *text.words[place - _WORDS_BEFORE : place]), place
        after = text.words[place + 1 : min(place + 1 + _WORDS_AFTER, high)]
        if place in openings and text.content[place] and len(after) == _WORDS_AFTER and after[0] in _SINGULAR:
            yield ("before", *after), place


def _other_names(text: Text, window: Excerpt) -> list[int]:
    """Names the window lacks while it has another one, unknown to the claim, in the same place."""
    words = frozenset(text.words)
    found = []
    for slot, place in _slots(text, 0, len(text.words)):
        there = window.name_slots.get(slot)
        if there and not there & words and text.stems[place] not in window.stems:
            found.append(place)
    return found


def _other_numbers(text: Text, window: Excerpt) -> list[int]:
    """Numbers the window lacks while it has another one of their kind."""
    return [
        number.place
        for number in text.numbers
        if number.kind
        and not window.has(text, number)
        and any(number.differs_from(n) for n in window.numbers)
    ]


def _other_units(text: Text, window: Excerpt) -> list[int]:
    """Numbers the window has, but only with another unit of the same measure."""
    found = []
    for number in text.numbers:
        measure = UNITS_OF.get(number.kind)
        there = [other.kind for other in window.numbers if other.value == number.value]
        if measure and number.kind not in there and any(UNITS_OF.get(kind) is measure for kind in there):
            found.append(number.place)
    return found


def _negation(claim: WeightedClaim, window: Excerpt) -> float:
    """Whether the window's sentence nearest to the claim denies what the claim affirms, or the reverse."""
    # a question's polarity asserts nothing ("who doesn't need it? adults")
    if not window.sentences or "?" in claim.text.raw:
        return 0.0
    terms = {claim.text.stems[i] for i in claim.content}
    nearest = max(window.sentences, key=lambda sentence: len(terms & sentence.stems))
    own = polarity(claim.text, 0, len(claim.text.stems))
    if own.negations == nearest.negations and own.negated & nearest.negated:
        return 0.0
    denied = (own.affirmed & nearest.negated) - nearest.affirmed
    affirmed = (own.negated & nearest.affirmed) - nearest.negated
    return _agreement(claim, nearest.stems) if denied or affirmed else 0.0
