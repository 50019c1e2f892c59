"""What is measured on a (passage, claim) pair: the columns that the fitted model reads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import log1p

import numpy as np
import numpy.typing as npt

from factreasoner.judges.overlap.coverage import Array, Passages
from factreasoner.judges.overlap.words import Span, Text

MEASURES = (
    "best_window",
    "whole_passage",
    "company",
    "agreement",
    "names_missing",
    "names",
    "numbers_missing",
)
_OF_WORDS = 4
"""The first column of those that are measured claim by claim."""
_USUAL_COVER = 0.6
_USUAL_WEIGHT = 2
_NEAR = 0.1


class Measured:
    """Claims (n of them) that were judged together, against the passages of a record (P of them).

    `near`, of shape (n, P), rates how well each passage covers each claim; `touches` says whether it has any
    content word of the claim. `foreign` marks claims that are the beginning of another passage.
    """

    def __init__(self, passages: Passages, claims: Sequence[Text]) -> None:
        topical = Counter(term for claim in claims for term in set(claim.stems))
        self.passages, self.claims = passages, claims
        self.weights = [passages.weights(claim, topical, len(claims)) for claim in claims]
        self._coverage = passages.cover(claims, self.weights)
        self.near, self.touches = self._coverage.best, self._coverage.touches
        self.foreign: npt.NDArray[np.bool_] = np.array(
            [
                [bool(claim.raw) and text.raw.startswith(claim.raw) for text in passages.texts]
                for claim in claims
            ]
        )

    def window(self, n: int, row: int) -> Span:
        """The window of passage `row` that covers claim n best; empty where the passage has no words."""
        first, size = int(self._coverage.first[n, row]), int(self._coverage.size[n, row])
        parts = self.passages.texts[row].sentences[first : first + size]
        return (
            Span(parts[0].low, parts[-1].high, parts[0].start, parts[-1].end) if parts else Span(0, 0, 0, 0)
        )

    def values(self, row: int) -> Array:
        """Every measure of every claim against passage `row`: shape (n, len(MEASURES))."""
        cover = self._coverage
        values = np.zeros((len(self.claims), len(MEASURES)))
        own = cover.best[:, row]
        rivals = np.delete(np.where(self.foreign, 0.0, cover.best), row, axis=1)
        overall = np.maximum(own, rivals.max(axis=1, initial=0.0))
        values[:, 0], values[:, 1] = own, cover.whole[:, row]
        # how well the passages cover the other claims, drawn to the usual where these are few
        usual = _USUAL_WEIGHT * _USUAL_COVER
        values[:, 2] = (overall.sum() - overall + usual) / (len(self.claims) - 1 + _USUAL_WEIGHT)
        values[:, 3] = np.log1p((rivals >= overall[:, None] - _NEAR).sum(axis=1))
        for n in np.flatnonzero(cover.touches[:, row]):
            values[n, _OF_WORDS:] = self._of_words(int(n), row)
        return values

    def _of_words(self, n: int, row: int) -> tuple[float, ...]:
        claim, text, known = self.claims[n], self.passages.texts[row], self.passages.stems[row]
        names = {
            stem: weight
            for stem, weight, is_name in zip(claim.stems, self.weights[n], claim.names, strict=True)
            if is_name
        }
        return (
            log1p(sum(weight for name, weight in names.items() if name not in known)),
            log1p(sum(names.values())),
            log1p(sum(not number.is_said(text.numbers) for number in claim.numbers)),
        )
