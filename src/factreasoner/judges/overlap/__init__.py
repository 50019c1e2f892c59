"""The judge that needs no key, no network and no weights: overlap of words and a small fitted model."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from factreasoner.judges.overlap.checks import begun_by, denying_sentence, in_order, qualified_alike, said_by
from factreasoner.judges.overlap.measures import Measured, Passages
from factreasoner.judges.overlap.model import PairModel, belief, shipped_model
from factreasoner.judges.overlap.words import Span, analyse
from factreasoner.models import Claim, Label, Premise, Verdict
from factreasoner.protocols import Judged
from factreasoner.text.language import differences

if TYPE_CHECKING:
    from factreasoner.settings import Config

__all__ = ["CHECKS", "OverlapJudge"]

CHECKS = frozenset({"qualifiers", "order", "contradictions"})
"""What is looked at besides the score."""
_UNTOLD = 0.5
_LONGEST_STATEMENT = 60
_NEARLY_ALL = 0.9
_LEAST_COVER = 0.35
"""A claim whose best window covers less of it than this share is not denied there."""
_RECORDS_KEPT = 16


class OverlapJudge:
    """Judges claims by the words that a passage's best sentences share with them.

    It says two things of a passage and a claim:

    - a **verdict**. Entailment: the overlap's score is above a threshold, most of the claim's words stand in
      its order, and the nearest sentence has the same negations, hedges and quantifiers. Contradiction: a
      sentence says nearly all of the claim, and a number, date, unit or negation otherwise; that is rare. All
      else is neutral.
    - a **belief**: P(claim is true) where the passages decide nothing, by the same score. A passage with no
      content word of the claim has none, and neither have claims that are the text of another passage, or
      longer than a statement.

    A claim's words weigh less the more of the claims judged together have them, and claims in well-covered
    company are trusted more: a verdict depends somewhat on the claims it is judged with, never on their
    order. Between two languages nothing is compared: neutral, with a note.
    """

    def __init__(
        self,
        config: Config | None = None,
        *,
        model: PairModel | None = None,
        checks: Collection[str] = CHECKS,
    ) -> None:
        self._model = model or shipped_model()
        self._checks = checks
        self._passages = lru_cache(maxsize=_RECORDS_KEPT)(self._index)
        self._measured = lru_cache(maxsize=4 * _RECORDS_KEPT)(_measure)

    def judge(self, premise: Premise, claims: Sequence[Claim]) -> Judged:
        """One verdict per claim, in order; never a failure."""
        if not claims:
            return Judged(())
        told = [claim.text for claim in claims]
        notes = dict(zip(told, differences(told, premise.text), strict=True))
        passages = self._passages(tuple(sorted({premise.text, *premise.others})), premise.question)
        # in one order, so that sums over claims come out the same in any
        texts = tuple(sorted(text for text in told if not notes[text]))
        found = self._verdicts(premise, passages, texts) if texts else {}
        return Judged(
            tuple(
                found[claim.text].model_copy(update={"target_id": claim.id})
                if claim.text in found
                else _incomparable(premise, claim, notes[claim.text])
                for claim in claims
            )
        )

    def _verdicts(self, premise: Premise, passages: Passages, texts: tuple[str, ...]) -> dict[str, Verdict]:
        """The verdict on each text, of a claim without an id."""
        model, measured, row = self._model, self._measured(passages, texts), passages.row[premise.text]
        scores = model.score(measured.values(row))
        # what is said word for word is entailed below the threshold, too
        entailed = model.p_entailed(np.maximum(scores, model.threshold))
        silent, believed = model.p_silent(scores), belief(scores)
        found = {}
        for n, text in enumerate(texts):
            label, quoted = self._stance(measured, row, n, likely=bool(scores[n] > model.threshold))
            probability = {
                "entailment": entailed[n],
                "contradiction": model.contradicted,
                "neutral": silent[n],
            }
            # what denies a claim says its words, which is no reason to believe it
            most = _UNTOLD if label == "contradiction" else 1.0
            found[text] = Verdict(
                context_id=premise.id,
                target_id="",
                label=label,
                probability=float(probability[label]),
                quote=premise.text[quoted.start : quoted.end] if quoted else None,
                confidence="words",
                citation="found" if quoted else None,
                belief=min(float(believed[n]), most) if _is_open_to_belief(measured, row, n) else None,
                nearness=min(max(float(measured.near[n, row]), 0.0), 1.0),
            )
        return found

    def _stance(self, measured: Measured, row: int, n: int, *, likely: bool) -> tuple[Label, Span | None]:
        """What passage `row` says of claim n, and where; `likely`: by its score it entails the claim."""
        claim, text, window = measured.claims[n], measured.passages.texts[row], measured.window(n, row)
        covered, reads = measured.near[n, row], measured.passages.is_english[row]
        said = said_by(claim, text) if covered >= _NEARLY_ALL or not reads else None
        if said is not None:
            return "entailment", said
        if not reads or not measured.touches[n, row] or covered < _LEAST_COVER:
            return "neutral", None
        if "contradictions" in self._checks:
            denying = denying_sentence(claim, measured.weights[n], text, window)
            if denying is not None:
                return "contradiction", denying
        begun = begun_by(claim, text) if covered >= _NEARLY_ALL else None
        if begun is not None and qualified_alike(claim, text, begun):
            return "entailment", begun
        if not likely or ("qualifiers" in self._checks and not qualified_alike(claim, text, window)):
            return "neutral", None
        in_place = "order" not in self._checks or in_order(claim, text, window)
        return ("entailment", window) if in_place else ("neutral", None)

    def _index(self, texts: tuple[str, ...], question: str) -> Passages:
        return Passages(texts, self._model.common, question)


def _is_open_to_belief(measured: Measured, row: int, n: int) -> bool:
    """Whether claim n is a statement on what passage `row` speaks of, and not another passage's text."""
    is_foreign = any(other != row and foreign for other, foreign in enumerate(measured.foreign[n]))
    is_statement = len(measured.claims[n].words) <= _LONGEST_STATEMENT and not is_foreign
    return is_statement and bool(measured.touches[n, row])


def _measure(passages: Passages, claims: tuple[str, ...]) -> Measured:
    return Measured(passages, [analyse(claim, passages.language) for claim in claims])


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
