"""What is measured on a (passage, claim) pair: the columns the embedded judge's model reads."""

from __future__ import annotations

from collections.abc import Sequence
from math import log1p
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from factreasoner.judges.embedded.clashes import CLASHES, Excerpt, WeightedClaim, clashes, grams
from factreasoner.judges.embedded.pairing import stands_alone
from factreasoner.judges.embedded.text import Text
from factreasoner.judges.embedded.windows import Array, PassageCoverage, Passages, Window, topic_discount

MEASURES = (
    "cover_focus",
    "cover_one",
    "cover_two",
    "cover_whole",
    "tail",
    "grams",
    "names_missing",
    "name_count",
    "numbers_missing",
    "company",
    "agree",
)
FEATURES = MEASURES + CLASHES
COLUMN = {name: column for column, name in enumerate(FEATURES)}

_USUAL_COVER = 0.6
_USUAL_WEIGHT = 2
_NEAR = 0.1


class Measurements(NamedTuple):
    """Claims against one passage. `values` has shape (n, len(FEATURES)), the flags shape (n,).

    `best`: no other passage of the record covers the claim better. `near`: none does so by more than 0.2.
    `touches`: the passage has a telling word of the claim, or the claim as a sentence. `foreign`: the claim
    is another passage's text.
    """

    values: Array
    windows: list[Window]
    best: npt.NDArray[np.bool_]
    near: npt.NDArray[np.bool_]
    touches: npt.NDArray[np.bool_]
    foreign: npt.NDArray[np.bool_]


def measure(passages: Passages, coverage: PassageCoverage, row: int, claims: Sequence[Text]) -> Measurements:
    """Everything the model reads about `claims` (n of them) and passage `row`."""
    text = passages.texts[row]
    values = np.zeros((len(claims), len(FEATURES)))
    windows: list[Window] = []
    whole = Excerpt(text, Window(0, len(text.words), 0, len(text.raw)))
    excerpts: dict[Window, Excerpt] = {}
    topical = topic_discount(claims)
    for n, claim in enumerate(claims):
        window = passages.window(row, int(coverage.focus[n, row]), int(coverage.size[n, row]))
        windows.append(window)
        excerpt = excerpts.setdefault(window, Excerpt(text, window))
        content = [i for i, keep in enumerate(claim.content) if keep] or list(range(len(claim.stems)))
        weighed = WeightedClaim(claim, passages.weights(claim, topical), content)
        for name, value in {**_shares(weighed, excerpt, whole), **clashes(weighed, excerpt)}.items():
            values[n, COLUMN[name]] = value
    foreign = _foreign(passages, row, claims)
    own, rivals = coverage.score[:, row], _rivals(coverage, row, foreign)
    overall = np.maximum(own, rivals.max(axis=1, initial=0.0))
    values[:, COLUMN["cover_focus"]] = own
    values[:, COLUMN["cover_one"]] = coverage.one[:, row]
    values[:, COLUMN["cover_two"]] = coverage.two[:, row]
    values[:, COLUMN["cover_whole"]] = coverage.whole[:, row]
    # how well the record's passages cover the other claims, drawn to the usual where these are few
    usual = _USUAL_WEIGHT * _USUAL_COVER
    values[:, COLUMN["company"]] = (overall.sum() - overall + usual) / (len(claims) - 1 + _USUAL_WEIGHT)
    values[:, COLUMN["agree"]] = np.log1p((rivals >= overall[:, None] - _NEAR).sum(axis=1))
    itself = [not any(claim.content) and stands_alone(claim.raw, text.raw) for claim in claims]
    return Measurements(
        values,
        windows,
        best=own >= overall - 1e-9,
        near=own >= overall - 2 * _NEAR,
        touches=coverage.touches[:, row] | np.array(itself),
        foreign=np.any(foreign, axis=1),
    )


def _foreign(passages: Passages, row: int, claims: Sequence[Text]) -> npt.NDArray[np.bool_]:
    """Shape (n, P): the claim is the beginning of that other passage, as in context-to-context pairs."""
    return np.array(
        [
            [
                bool(claim.raw) and r != row and text.raw.startswith(claim.raw)
                for r, text in enumerate(passages.texts)
            ]
            for claim in claims
        ]
    )


def _rivals(coverage: PassageCoverage, row: int, foreign: npt.NDArray[np.bool_]) -> Array:
    """Scores of the other passages, shape (n, P - 1); a claim's own passage is no evidence for it."""
    rivals: Array = np.delete(np.where(foreign, 0.0, coverage.score), row, axis=1)
    return rivals


def _shares(claim: WeightedClaim, window: Excerpt, whole: Excerpt) -> dict[str, float]:
    text, weights = claim.text, claim.weights
    third = max(1, len(claim.content) // 3)
    last = claim.content[-third:]
    own_grams = grams(text.words)
    # a name counts by its weight, so that the topic's own name, which every claim has, counts little
    names = {text.stems[i]: weights[i] for i in claim.content if text.names[i]}
    return {
        "tail": sum(text.stems[i] in window.stems for i in last) / third,
        "grams": len(own_grams & window.grams) / len(own_grams),
        "names_missing": log1p(sum(weight for name, weight in names.items() if name not in whole.stems)),
        "name_count": log1p(sum(names.values())),
        "numbers_missing": log1p(sum(not whole.has(text, number) for number in text.numbers)),
    }
