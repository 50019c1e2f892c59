"""The judge that needs no key, no network and no weights: overlap of words and a small fitted model."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import TYPE_CHECKING, Any

import numpy as np

from factreasoner.judges.overlap.checks import denying_sentence, has_words, in_order, qualified_alike, said_by
from factreasoner.judges.overlap.measures import MEASURES, Array, Measured, Passages
from factreasoner.judges.overlap.words import Span
from factreasoner.models import Claim, Label, Premise, Verdict
from factreasoner.protocols import Judged
from factreasoner.text.language import differences

if TYPE_CHECKING:
    from factreasoner.settings import Config

_NEARLY_ALL = 0.9
_RECORDS_KEPT = 16

PARAMETERS = "parameters.json"
TRUST = 0.9
"""The prior of a context: how far the nearest passage is trusted."""


@dataclass(frozen=True, eq=False)
class PairModel:
    """One logistic over the measures of a pair, and what its score means for the verdict.

    score = bias + sum of weight * measure; belief = 0.05 + 0.9 * sigmoid(score), for a passage that is right
    with P = 0.9. `entailed` and `contradicted` are the precision of these verdicts; `silent` is (slope,
    offset) of P(people say neither) by the score; `common` holds the weight of frequent stems.
    """

    bias: float
    weights: Array
    entailed: float
    silent: tuple[float, float]
    contradicted: float
    common: Mapping[str, float]

    @classmethod
    def of(cls, parameters: Mapping[str, Any]) -> PairModel:
        """Build from the JSON form. Raises KeyError when it does not fit this version's measures."""
        common = parameters["common"].items()
        return cls(
            bias=parameters["bias"],
            weights=np.array([parameters["weights"][name] for name in MEASURES], dtype=float),
            entailed=parameters["entailed"],
            silent=tuple(parameters["silent"]),
            contradicted=parameters["contradicted"],
            common={term: float(weight) for weight, terms in common for term in terms.split()},
        )


def belief(scores: Array) -> Array:
    """P(claim is true) by the score of its pair."""
    return (1.0 - TRUST) / 2 + TRUST * _sigmoid(scores)


def _sigmoid(logits: Array) -> Array:
    shares: Array = 1.0 / (1.0 + np.exp(-np.clip(logits, -60.0, 60.0)))
    return shares


@lru_cache(maxsize=1)
def shipped_model() -> PairModel:
    """The model fitted on all data sets, from package data."""
    folder = resources.files("factreasoner.judges.overlap")
    return PairModel.of(json.loads(folder.joinpath(PARAMETERS).read_text(encoding="utf-8")))


class OverlapJudge:
    """Judges claims by the words that a passage's best sentences share with them.

    - A **verdict**: entailment if the window has all content words of the claim, most of them in its order,
      and its nearest sentence has the same negations, hedges and quantifiers;
      contradiction, rarely, if a sentence says nearly all of the claim but another number, date or unit, or
      the negation of it; otherwise neutral.
    - A **belief**: P(claim is true) by the same score, for claims that the passages do not decide. There is
      none from a passage without a content word of the claim, nor for a claim that is the text of another
      passage or longer than a statement.

    A verdict depends somewhat on the claims judged together, never on their order: words that many have weigh
    less, and a claim is trusted more where the others are covered well. Texts in two languages are not
    compared: neutral, with a note.
    """

    def __init__(self, config: Config | None = None, *, model: PairModel | None = None) -> None:
        self._model = model or shipped_model()
        common = self._model.common
        self._passages = lru_cache(_RECORDS_KEPT)(lambda texts, question: Passages(texts, common, question))
        self._measured = lru_cache(maxsize=4 * _RECORDS_KEPT)(Measured)

    def judge(self, premise: Premise, claims: Sequence[Claim]) -> Judged:
        """One verdict per claim, in order; never a failure."""
        given = [claim.text for claim in claims]
        notes = dict(zip(given, differences(given, premise.text), strict=True))
        passages = self._passages(tuple(sorted({premise.text, *premise.others})), premise.question)
        # Sorted, so that sums over claims are the same in any order.
        texts = tuple(sorted(text for text in given if not notes[text]))
        unread = Verdict(
            context_id=premise.id, target_id="", label="neutral", probability=1.0, confidence="constant"
        )
        found = {text: unread.model_copy(update={"note": note}) for text, note in notes.items() if note}
        if texts:
            found |= self._verdicts(premise, passages, texts)
        return Judged(tuple(found[claim.text].model_copy(update={"target_id": claim.id}) for claim in claims))

    def _verdicts(self, premise: Premise, passages: Passages, texts: tuple[str, ...]) -> dict[str, Verdict]:
        """The verdict on each text, of a claim without an id."""
        model, measured, row = self._model, self._measured(passages, texts), passages.row[premise.text]
        scores: Array = measured.values(row) @ model.weights + model.bias
        silent = _sigmoid(model.silent[0] * scores + model.silent[1])
        found = {}
        for n, text in enumerate(texts):
            label, quoted = self._stance(measured, row, n)
            sure = {"entailment": model.entailed, "contradiction": model.contradicted, "neutral": silent[n]}
            found[text] = Verdict(
                context_id=premise.id,
                target_id="",
                label=label,
                probability=float(sure[label]),
                quote=premise.text[quoted.start : quoted.end] if quoted else None,
                confidence="model",
                citation="found" if quoted else None,
            )
        return found

    def _stance(self, measured: Measured, row: int, n: int) -> tuple[Label, Span | None]:
        """What passage `row` says of claim n, and where."""
        claim, text, window = measured.claims[n], measured.passages.texts[row], measured.window(n, row)
        covered, reads = measured.near[n, row], measured.passages.is_english[row]
        said = said_by(claim, text) if covered >= _NEARLY_ALL or not reads else None
        if said is not None:
            return "entailment", said
        if not reads or not measured.touches[n, row]:
            return "neutral", None
        denying = denying_sentence(claim, measured.weights[n], text, window)
        if denying is not None:
            return "contradiction", denying
        read = claim, text, window
        is_said = has_words(*read) and qualified_alike(*read) and in_order(*read)
        return ("entailment", window) if is_said else ("neutral", None)
