"""What is measured on a (passage, claim) pair: the columns the embedded judge's model reads."""

from __future__ import annotations

from collections.abc import Sequence
from math import log
from typing import NamedTuple

import numpy as np

from factreasoner.judges.embedded.lexicon import ANTONYMS, EXCLUSIVE
from factreasoner.judges.embedded.text import Number, Text
from factreasoner.judges.embedded.windows import Array, Coverage, Passages

FEATURES = (
    "cover_1",
    "cover_2",
    "cover_3",
    "cover_all",
    "cover_named",
    "cover_focus",
    "missing_max",
    "missing_words",
    "content_words",
    "claim_length",
    "passage_length",
    "window_length",
    "precision",
    "bigrams",
    "order",
    "trigrams",
    "subject",
    "tail",
    "names_window",
    "names_passage",
    "names_missing",
    "name_count",
    "numbers_window",
    "numbers_passage",
    "numbers_missing",
    "number_clash",
    "number_count",
    "negation_clash",
    "claim_negated",
    "antonym_clash",
    "exclusive_clash",
    "substitution",
    "others_best",
    "gap",
    "is_best",
    "passages",
)
COLUMN = {name: column for column, name in enumerate(FEATURES)}

_OPPOSITES: dict[str, set[str]] = {}
for _left, _right in ANTONYMS:
    _OPPOSITES.setdefault(_left, set()).add(_right)
    _OPPOSITES.setdefault(_right, set()).add(_left)
_CLASS_OF: dict[str, list[frozenset[str]]] = {}
for _members in EXCLUSIVE:
    for _word in _members:
        _CLASS_OF.setdefault(_word, []).append(_members)


class Window(NamedTuple):
    """Tokens [low, high) of a passage and the characters [start, end) they span."""

    low: int
    high: int
    start: int
    end: int


def window_of(text: Text, first: int, size: int) -> Window:
    """The window of `size` sentences from sentence `first`; an empty one for a passage without sentences."""
    if not text.sentences:
        return Window(0, 0, 0, 0)
    last = min(first + size, len(text.sentences)) - 1
    low, _, start, _ = text.sentences[first]
    _, high, _, end = text.sentences[last]
    return Window(low, high, start, end)


def pair_features(
    passages: Passages, coverage: Coverage, row: int, claims: Sequence[Text]
) -> tuple[Array, list[Window]]:
    """Features of every claim against passage `row`, shape (n, len(FEATURES)), and the best windows."""
    text = passages.texts[row]
    values = np.zeros((len(claims), len(FEATURES)))
    windows = []
    whole = _Bag(text, Window(0, len(text.words), 0, len(text.raw)))
    bags: dict[Window, _Bag] = {}
    for n, claim in enumerate(claims):
        window = window_of(text, int(coverage.focus[n, row]), int(coverage.focus_size[n, row]))
        windows.append(window)
        bag = bags.get(window)
        if bag is None:
            bag = bags[window] = _Bag(text, window)
        measured = _measure(claim, bag, whole, passages)
        values[n, [COLUMN[name] for name in measured]] = list(measured.values())
    _add_coverage(values, passages, coverage, row, claims)
    return values, windows


def _add_coverage(
    values: Array, passages: Passages, coverage: Coverage, row: int, claims: Sequence[Text]
) -> None:
    for size, name in enumerate(("cover_all", "cover_1", "cover_2", "cover_3")):
        values[:, COLUMN[name]] = coverage.by_size[size][:, row]
    values[:, COLUMN["cover_named"]] = coverage.named[:, row]
    own = coverage.score[:, row]
    values[:, COLUMN["cover_focus"]] = own
    others = np.delete(coverage.score, row, axis=1)
    for n, claim in enumerate(claims):
        # a claim that is itself one of the passages (context against context) is not its own evidence
        twin = passages.row.get(claim.raw)
        if twin is not None and twin != row:
            others[n, twin - (twin > row)] = 0.0
    best = others.max(axis=1, initial=0.0)
    values[:, COLUMN["others_best"]] = best
    values[:, COLUMN["gap"]] = own - best
    values[:, COLUMN["is_best"]] = own >= best
    values[:, COLUMN["passages"]] = log(len(passages.texts))


class _Bag:
    """A window's tokens, indexed."""

    def __init__(self, text: Text, window: Window) -> None:
        low, high = window.low, window.high
        self.stems = text.stems[low:high]
        self.words = frozenset(text.words[low:high])
        self.position: dict[str, int] = {}
        for index, term in enumerate(self.stems):
            self.position.setdefault(term, index)
        self.bigrams = frozenset(zip(self.stems, self.stems[1:], strict=False))
        self.between: dict[tuple[str, str], str] = {}
        for left, middle, right in zip(self.stems, self.stems[1:], self.stems[2:], strict=False):
            self.between.setdefault((left, right), middle)
        self.numbers = tuple(number for number in text.numbers if low <= number.index < high)
        self.values = frozenset(number.value for number in self.numbers)
        self.negations = sum(low <= index < high for index in text.negations)
        self.content = sum(text.content[low:high])
        self.grams = _grams(" ".join(text.words[low:high]))


def _grams(text: str) -> frozenset[str]:
    return frozenset(text[i : i + 4] for i in range(len(text) - 3)) or frozenset((text,))


def _measure(claim: Text, bag: _Bag, whole: _Bag, passages: Passages) -> dict[str, float]:
    content = [i for i, keep in enumerate(claim.content) if keep] or list(range(len(claim.stems)))
    missing = [i for i in content if claim.stems[i] not in bag.position]
    weights = {i: passages.weight(claim.stems[i], claim.content[i]) for i in content}
    pairs = list(zip(claim.stems, claim.stems[1:], strict=False))
    grams = _grams(" ".join(claim.words))
    count = len(content)
    third = max(1, count // 3)
    return {
        "missing_max": max((weights[i] for i in missing), default=0.0),
        "missing_words": log(1 + len(missing)),
        "content_words": log(1 + count),
        "claim_length": log(1 + len(claim.words)),
        "passage_length": log(1 + len(whole.stems)),
        "window_length": log(1 + len(bag.stems)),
        "precision": (count - len(missing)) / max(1, bag.content),
        "bigrams": _share(sum(pair in bag.bigrams for pair in pairs), len(pairs)),
        "order": _order(claim, content, bag),
        "trigrams": len(grams & bag.grams) / len(grams),
        "subject": _share(sum(claim.stems[i] in bag.position for i in content[:third]), third),
        "tail": _share(sum(claim.stems[i] in bag.position for i in content[-third:]), third),
        **_names(claim, bag, whole),
        **_compare_numbers(claim.numbers, bag, whole),
        **_clashes(claim, content, missing, bag),
    }


def _share(part: float, total: int) -> float:
    return part / total if total else 1.0


def _order(claim: Text, content: Sequence[int], bag: _Bag) -> float:
    """Share of neighbouring content words found in the claim's order."""
    places = [bag.position[claim.stems[i]] for i in content if claim.stems[i] in bag.position]
    steps = list(zip(places, places[1:], strict=False))
    return _share(sum(0 < right - left <= 6 for left, right in steps), max(1, len(content) - 1))


def _names(claim: Text, bag: _Bag, whole: _Bag) -> dict[str, float]:
    names = {term for term, name in zip(claim.stems, claim.names, strict=True) if name}
    here = sum(term in bag.position for term in names)
    anywhere = sum(term in whole.position for term in names)
    return {
        "names_window": _share(here, len(names)),
        "names_passage": _share(anywhere, len(names)),
        "names_missing": log(1 + len(names) - anywhere),
        "name_count": log(1 + len(names)),
    }


def _compare_numbers(numbers: Sequence[Number], bag: _Bag, whole: _Bag) -> dict[str, float]:
    here = [number for number in numbers if number.value in bag.values]
    anywhere = [number for number in numbers if number.value in whole.values]
    clashes = 0
    for number in numbers:
        if number.value not in bag.values and number.kind:
            clashes += any(other.kind == number.kind for other in bag.numbers)
    return {
        "numbers_window": _share(len(here), len(numbers)),
        "numbers_passage": _share(len(anywhere), len(numbers)),
        "numbers_missing": log(1 + len(numbers) - len(anywhere)),
        "number_clash": float(clashes),
        "number_count": log(1 + len(numbers)),
    }


def _clashes(claim: Text, content: Sequence[int], missing: Sequence[int], bag: _Bag) -> dict[str, float]:
    words = frozenset(claim.words)
    antonyms = exclusive = substitution = 0
    for i in missing:
        word = claim.words[i]
        antonyms += any(other in bag.words and other not in words for other in _OPPOSITES.get(word, ()))
        exclusive += any((members & bag.words) - words for members in _CLASS_OF.get(word, ()))
        if 0 < i < len(claim.stems) - 1:
            middle = bag.between.get((claim.stems[i - 1], claim.stems[i + 1]))
            substitution += middle is not None
    negated = len(claim.negations) % 2
    return {
        "negation_clash": float(negated != min(bag.negations, 1)),
        "claim_negated": float(negated),
        "antonym_clash": float(antonyms),
        "exclusive_clash": float(exclusive),
        "substitution": float(substitution),
    }
