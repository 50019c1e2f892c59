"""Where in a record's passages a claim is spoken of: weighted coverage by windows of whole sentences."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from factreasoner.judges.embedded.text import Text, analyse, language_of

Array: TypeAlias = npt.NDArray[np.float64]
WINDOW_SIZES = (1, 2, 3)
_FUNCTION_WEIGHT = 0.05
_PREFIX = 4
_LEAST_SIMILARITY = 0.7
_LENGTH_PENALTY = 0.03
_NAME_SHARE = 0.7


@dataclass(frozen=True, eq=False)
class Coverage:
    """Shares of n claims' weight found in P passages, each array of shape (n, P).

    `by_size[k]` is the best window of k sentences (0: the whole passage); `named` the best window when names
    found anywhere in the passage count as found; `focus` and `focus_size` say which window is best overall
    (index of its first sentence in the passage, number of sentences).
    """

    by_size: tuple[Array, Array, Array, Array]
    named: Array
    score: Array
    focus: npt.NDArray[np.intp]
    focus_size: npt.NDArray[np.intp]


class Passages:
    """The passages of one record, indexed for window search."""

    def __init__(self, raw_texts: Sequence[str]) -> None:
        self.language = language_of(raw_texts)
        self.texts = [analyse(raw, self.language) for raw in raw_texts]
        self.row = {raw: index for index, raw in enumerate(raw_texts)}
        self.sentences_of: dict[str, list[int]] = defaultdict(list)
        self.frequency: Counter[str] = Counter()
        self.first_sentence = [0]
        self._by_prefix: dict[str, set[str]] = defaultdict(set)
        for text in self.texts:
            self._add(text)
        for term in self.frequency:
            if len(term) >= _PREFIX:
                self._by_prefix[term[:_PREFIX]].add(term)

    def _add(self, text: Text) -> None:
        base = self.first_sentence[-1]
        for number, (low, high, _, _) in enumerate(text.sentences):
            for term in set(text.stems[low:high]):
                self.sentences_of[term].append(base + number)
        self.frequency.update(set(text.stems))
        # a passage without words keeps one empty sentence, so that every passage owns a window
        self.first_sentence.append(base + max(1, len(text.sentences)))

    def weight(self, term: str, content: bool) -> float:
        """How much a term tells: little for function words, less the more passages have it."""
        if not content:
            return _FUNCTION_WEIGHT
        common = self.frequency[term] / (len(self.texts) + 4)
        return (1.0 - 0.6 * common) * min(1.0, 0.55 + len(term) / 12)

    def similar(self, term: str) -> list[tuple[str, float]]:
        """Terms of the passages that share a long beginning with `term`, with their likeness below 1."""
        if len(term) < _PREFIX or term[0].isdigit():
            return []
        found = []
        for other in self._by_prefix.get(term[:_PREFIX], ()):
            if other == term:
                continue
            shared = _PREFIX
            while shared < min(len(term), len(other)) and term[shared] == other[shared]:
                shared += 1
            likeness = 2 * shared / (len(term) + len(other))
            if likeness >= _LEAST_SIMILARITY:
                found.append((other, 0.9 * likeness))
        return found

    def cover(self, claims: Sequence[Text]) -> Coverage:
        """Best windows for `claims` (n of them) in every passage."""
        vocabulary: dict[str, int] = {}
        for claim in claims:
            for term in claim.stems:
                vocabulary.setdefault(term, len(vocabulary))
        weights, name_weights = self._weigh(claims, vocabulary)
        starts = np.asarray(self.first_sentence[:-1])
        found = np.zeros((self.first_sentence[-1], len(vocabulary)))
        for term, column in vocabulary.items():
            for other, likeness in self.similar(term):
                rows = self.sentences_of[other]
                found[rows, column] = np.maximum(found[rows, column], likeness)
            found[self.sentences_of.get(term, []), column] = 1.0
        whole = np.maximum.reduceat(found, starts, axis=0) if len(vocabulary) else np.zeros((len(starts), 0))
        return self._best(found, whole, weights, name_weights)

    def _weigh(self, claims: Sequence[Text], vocabulary: dict[str, int]) -> tuple[Array, Array]:
        weights = np.zeros((len(claims), len(vocabulary)))
        names = np.zeros_like(weights)
        for row, claim in enumerate(claims):
            for term, content, name in zip(claim.stems, claim.content, claim.names, strict=True):
                column = vocabulary[term]
                weights[row, column] = self.weight(term, content)
                if name:
                    names[row, column] = weights[row, column]
        total = np.maximum(weights.sum(axis=1, keepdims=True), 1e-12)
        return weights / total, names / total

    def _best(self, found: Array, whole: Array, weights: Array, name_weights: Array) -> Coverage:
        starts = np.asarray(self.first_sentence[:-1])
        owner = np.repeat(np.arange(len(starts)), np.diff(self.first_sentence))
        credit = name_weights @ whole.T
        plain_best: list[Array] = []
        named_best = np.zeros_like(credit)
        score = np.full_like(credit, -np.inf)
        focus = np.zeros(credit.shape, dtype=np.intp)
        focus_size = np.ones(credit.shape, dtype=np.intp)
        window = found
        for size in WINDOW_SIZES:
            if size > 1:
                window = window.copy()
                reach = len(found) - size + 1
                inside = owner[size - 1 :] == owner[: max(reach, 0)]
                window[: max(reach, 0)][inside] = np.maximum(
                    window[: max(reach, 0)][inside], found[size - 1 :][inside]
                )
            plain = weights @ window.T
            named = (weights - name_weights) @ window.T + credit[:, owner]
            mixed = _NAME_SHARE * named + (1 - _NAME_SHARE) * plain - _LENGTH_PENALTY * (size - 1)
            plain_best.append(np.maximum.reduceat(plain, starts, axis=1))
            named_best = np.maximum(named_best, np.maximum.reduceat(named, starts, axis=1))
            for passage, (low, high) in enumerate(zip(starts, self.first_sentence[1:], strict=True)):
                top = mixed[:, low:high].argmax(axis=1)
                value = mixed[np.arange(len(mixed)), low + top]
                better = value > score[:, passage] + 1e-9
                score[better, passage] = value[better]
                focus[better, passage] = top[better]
                focus_size[better, passage] = size
        one, two, three = plain_best
        return Coverage((weights @ whole.T, one, two, three), named_best, score, focus, focus_size)
