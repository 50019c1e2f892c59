"""The judge that needs no key, no network and no weights: measured features and a small fitted model."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import repeat
from typing import TYPE_CHECKING

from factreasoner.judges.embedded.bindings import bound
from factreasoner.judges.embedded.denials import LEAST_SHARE, denying_sentence
from factreasoner.judges.embedded.doubts import left_open
from factreasoner.judges.embedded.features import Measurements, measure
from factreasoner.judges.embedded.model import PairModel, shipped_model
from factreasoner.judges.embedded.swaps import swapped
from factreasoner.judges.embedded.text import Text, analyse
from factreasoner.judges.embedded.unread import unread
from factreasoner.judges.embedded.windows import PassageCoverage, Passages, Window, topic_discount
from factreasoner.models import Claim, Label, Premise, Verdict
from factreasoner.protocols import Judged
from factreasoner.text.comparable import differences

if TYPE_CHECKING:
    from factreasoner.settings import Config

__all__ = ["EmbeddedJudge"]

_ENTAILED = 0.7
_LIKELY = _UNTOLD = 0.5
_NEARLY_ALL = 0.9
_LONGEST_STATEMENT = 60
_RECORDS_KEPT = 16
_LEAST_COVER = LEAST_SHARE / 2
"""Where a claim's best sentence covers less of it than this share, nothing of the claim is denied."""


class EmbeddedJudge:
    """Judges claims by what a passage's best sentences share with them.

    It says two things of a passage and a claim, each from a fitted model of its own:

    - a **verdict**, as people would give it. Entailment: P(entailment) is above 0.7, and nothing in the
      passage stands where the claim's words do (see `bindings` and `swaps`). Contradiction: one sentence
      says nearly all of the claim and one thing otherwise (see `denials`); that is rare. All else is neutral:
      what a passage does not say it does not deny.
    - a **belief**: P(claim is true) where the passages decide nothing. A claim that its nearest passage
      covers badly is more likely false, though nothing speaks against it; so is one whose words it says of
      something else.

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
        notes = differences(texts, premise.text)
        if all(notes):
            return Judged(tuple(map(_incomparable, repeat(premise), claims, notes)))
        passages = self._passages(tuple(sorted({premise.text, *premise.others})), premise.question)
        coverage, row = self._coverage(passages, texts), passages.row[premise.text]
        analysed = [analyse(text, passages.language) for text in texts]
        measured = measure(passages, coverage, row, analysed)
        entailed, believed = self._model.entailment(measured.values), self._model.belief(measured.values)
        pair = _Pairs(passages, row, analysed, measured, coverage)
        verdicts = []
        for n, claim in enumerate(claims):
            if notes[n]:
                verdicts.append(_incomparable(premise, claim, notes[n]))
                continue
            p_entailed, belief = float(entailed[n]), float(believed[n])
            swap = max(p_entailed, belief) > _LIKELY and pair.swapped(n)
            left_open = pair.left_open(n) if max(p_entailed, belief) > _LIKELY and not swap else 0.0
            label, window = pair.stance(n, p_entailed, open_=swap or left_open > 0)
            open_to_belief = measured.touches[n] and pair.is_statement(n)
            if label == "contradiction" or left_open >= _NEARLY_ALL:
                # what denies a claim, or leaves it open, says its words, which is no reason to believe it
                belief = min(belief, _UNTOLD)
            verdicts.append(
                Verdict(
                    context_id=premise.id,
                    target_id=claim.id,
                    label=label,
                    probability=self._model.probability(label, p_entailed),
                    quote=premise.text[window.start : window.end] if window else None,
                    confidence="model",
                    citation="found" if window else None,
                    belief=(self._model.doubted(belief) if swap else belief) if open_to_belief else None,
                    nearness=pair.nearness(n),
                )
            )
        return Judged(tuple(verdicts))

    def _index(self, texts: tuple[str, ...], question: str) -> Passages:
        return Passages(texts, self._model.background, question)


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

    def stance(self, n: int, entailed: float, *, open_: bool) -> tuple[Label, Window | None]:
        """What the passage says of claim n, and where; it does not entail what it leaves open."""
        covered = self._coverage.one[n, self._row] >= _LEAST_COVER
        likely = entailed > _ENTAILED and not open_
        if not self._measured.touches[n] or not (covered or likely):
            return "neutral", None
        pair = self._pair(n)
        sentence = denying_sentence(*pair) if covered else None
        if sentence is not None:
            return "contradiction", sentence
        return ("entailment", self._measured.windows[n]) if likely and bound(*pair) else ("neutral", None)

    def swapped(self, n: int) -> bool:
        """Whether the passage says the words of claim n of something else."""
        return swapped(*self._pair(n))

    def left_open(self, n: int) -> float:
        """The share of claim n that the passage says, but only as possible, as told or on a condition.

        All of it, where it may be negated in a way that is not read.
        """
        pair = self._pair(n)
        return 1.0 if unread(*pair, self._passages.language) else left_open(*pair)

    def _pair(self, n: int) -> tuple[Text, list[float], Text, Window]:
        claim = self._claims[n]
        weights = self._passages.weights(claim, self._topical)
        return claim, weights, self._passages.texts[self._row], self._measured.windows[n]

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
