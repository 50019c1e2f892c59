"""The judge that needs no key, no network and no weights: measured features and a small fitted model."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from factreasoner.judges.embedded.bindings import bound
from factreasoner.judges.embedded.denials import LEAST_SHARE, denying_sentence
from factreasoner.judges.embedded.features import Measurements, measure
from factreasoner.judges.embedded.model import PairModel, shipped_model
from factreasoner.judges.embedded.text import Text, analyse
from factreasoner.judges.embedded.windows import PassageCoverage, Passages, Window, topic_discount
from factreasoner.language.comparable import difference
from factreasoner.models import Claim, Label, Premise, Verdict
from factreasoner.protocols import Judged

if TYPE_CHECKING:
    from factreasoner.config import Config

__all__ = ["EmbeddedJudge"]

_ENTAILED = 0.7
_LONGEST_STATEMENT = 60
_RECORDS_KEPT = 16
_LEAST_COVER = LEAST_SHARE / 2
"""Of a claim whose best sentence covers less of it nothing is denied."""


class EmbeddedJudge:
    """Judges claims by what a passage's best sentences share with them.

    It says two things of a passage and a claim, each from a fitted model of its own:

    - a **verdict**, as people would give it. Entailment: P(entailment) is above 0.7, and nothing in the
      passage stands where the claim's words do (see `bindings`). Contradiction: one sentence says nearly all
      of the claim and one thing otherwise (see `denials`); that is rare. All else is neutral: what a passage
      does not say it does not deny.
    - a **belief**: P(claim is true) where the passages decide nothing. A claim that its nearest passage
      covers badly is more likely false, though nothing speaks against it.

    A passage with no telling word of the claim has no belief, and neither have claims that are the text of
    another passage, or longer than a statement. A claim in another language than the passage is not compared:
    neutral, with a note.

    A claim's words weigh less the more of the claims judged together have them, and claims in well-covered
    company are trusted more, so a claim's verdict depends somewhat on those it is judged with.
    """

    def __init__(self, config: Config | None = None, *, model: PairModel | None = None) -> None:
        self._model = model or shipped_model()
        self._passages = lru_cache(maxsize=_RECORDS_KEPT)(self._index)
        self._coverage = lru_cache(maxsize=4 * _RECORDS_KEPT)(_cover)

    def judge(self, premise: Premise, claims: Sequence[Claim]) -> Judged:
        """One verdict per claim, in order; never a failure."""
        if not claims:
            return Judged(())
        texts = tuple(claim.text for claim in claims)
        if note := difference(texts, premise.text):
            return Judged(tuple(_incomparable(premise, claim, note) for claim in claims))
        passages = self._passages(tuple(sorted({premise.text, *premise.others})))
        coverage, row = self._coverage(passages, texts), passages.row[premise.text]
        analysed = [analyse(text, passages.language) for text in texts]
        measured = measure(passages, coverage, row, analysed)
        entailed, believed = self._model.entailment(measured.values), self._model.belief(measured.values)
        pair = _Pairs(passages, row, analysed, measured, coverage)
        verdicts = []
        for n, claim in enumerate(claims):
            label, window = pair.stance(n, float(entailed[n]))
            open_to_belief = measured.touches[n] and pair.is_statement(n)
            verdicts.append(
                Verdict(
                    context_id=premise.id,
                    target_id=claim.id,
                    label=label,
                    probability=self._model.probability(label, float(entailed[n])),
                    quote=premise.text[window.start : window.end] if window else None,
                    confidence="model",
                    citation="found" if window else None,
                    belief=float(believed[n]) if open_to_belief else None,
                    nearness=pair.nearness(n),
                )
            )
        return Judged(tuple(verdicts))

    def _index(self, texts: tuple[str, ...]) -> Passages:
        return Passages(texts, self._model.background)


class _Pairs:
    """Claims and one passage, in view of the record's other passages."""

    def __init__(
        self,
        passages: Passages,
        row: int,
        claims: Sequence[Text],
        measured: Measurements,
        coverage: PassageCoverage,
    ) -> None:
        self._passages, self._row, self._claims = passages, row, claims
        self._measured, self._coverage = measured, coverage
        self._topical = topic_discount(claims)

    def stance(self, n: int, entailed: float) -> tuple[Label, Window | None]:
        """What the passage says of claim n, and where."""
        claim, passage, window = self._claims[n], self._passages.texts[self._row], self._measured.windows[n]
        if not self._measured.touches[n]:
            return "neutral", None
        weights = self._passages.weights(claim, self._topical)
        if self._coverage.one[n, self._row] >= _LEAST_COVER:
            sentence = denying_sentence(claim, weights, passage, window)
            if sentence is not None:
                return "contradiction", sentence
        if entailed > _ENTAILED and bound(claim, weights, passage, window):
            return "entailment", window
        return "neutral", None

    def is_statement(self, n: int) -> bool:
        """Whether claim n is one, and not the text of another passage."""
        return not self._measured.foreign[n] and len(self._claims[n].words) <= _LONGEST_STATEMENT

    def nearness(self, n: int) -> float:
        """How much of claim n the passage covers, within [0, 1]."""
        return min(max(float(self._coverage.score[n, self._row]), 0.0), 1.0)


def _cover(passages: Passages, claims: tuple[str, ...]) -> PassageCoverage:
    return passages.cover([analyse(claim, passages.language) for claim in claims])


def _incomparable(premise: Premise, claim: Claim, note: str) -> Verdict:
    """The verdict on what is in another language: nothing was found out, and why."""
    return Verdict(
        context_id=premise.id,
        target_id=claim.id,
        label="neutral",
        probability=1.0,
        confidence="constant",
        note=note,
    )
