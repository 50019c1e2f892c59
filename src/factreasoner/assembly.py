"""The parts of one pipeline, made from a configuration and from what a user brings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypedDict, TypeVar

from factreasoner.calibration.applying import CalibratedEvaluator, CalibratedJudge, calibration_of
from factreasoner.config import Config
from factreasoner.llm.cache import ResponseCache, cache_folder
from factreasoner.plugins import ASSESSOR, JUDGE, RETRIEVER, SOLVER, Offers, Seam
from factreasoner.protocols import (
    LLM,
    Atomizer,
    Evaluator,
    Judge,
    QueryBuilder,
    Retriever,
    Reviser,
    Solver,
    Summarizer,
)
from factreasoner.retrieval.merged import MergedRetriever, names_of

P = TypeVar("P")


class Parts(TypedDict, total=False):
    """Parts of one's own in the place of names: a class or function that makes one, or the part itself."""

    atomizer: Atomizer | Callable[..., Atomizer]
    reviser: Reviser | Callable[..., Reviser]
    query_builder: QueryBuilder | Callable[..., QueryBuilder]
    retriever: Retriever | Callable[..., Retriever]
    summarizer: Summarizer | Callable[..., Summarizer]
    judge: Judge | Callable[..., Judge]
    solver: Solver | Callable[..., Solver]
    assessor: Evaluator | Callable[..., Evaluator]


class Assembly:
    """Makes the parts of one pipeline; each gets of the others what its constructor names."""

    def __init__(self, config: Config, llm: LLM | None, parts: Mapping[str, object]) -> None:
        self._config = config
        self._llm = llm
        self._parts = parts
        self._calibration = calibration_of(config)

    def made(self, seam: Seam[P]) -> P:
        """The part that is given, or the one the configuration names."""
        return seam.make(self._plugin(seam), self._offers(seam))

    def _plugin(self, seam: Seam[P]) -> object:
        return self._parts.get(seam.kind, self._config.plugin(seam.kind))

    def optional(self, seam: Seam[P]) -> P | None:
        """Likewise, None where the configuration leaves it out."""
        return None if self._plugin(seam) == "none" else self.made(seam)

    def _offers(self, seam: Seam[P]) -> Offers:
        """What a part may ask for; a judge may have a solver, but not the other way round."""
        offers: dict[str, Callable[[], object]] = {
            "config": lambda: self._config,
            "llm": lambda: self._llm,
            "cache": self._cache,
        }
        if seam is not SOLVER:
            offers["solver"] = lambda: self.made(SOLVER)
        if seam is not SOLVER and seam is not JUDGE:
            offers["judge"] = self._judge
        return offers

    def _cache(self) -> ResponseCache | None:
        return ResponseCache(cache_folder(self._config)) if self._config.cache else None

    def retriever(self) -> Retriever:
        """The retriever that is given or named, or those that are named, merged."""
        if "retriever" in self._parts:
            return self.made(RETRIEVER)
        names = names_of(self._config.retriever)
        found = {name: RETRIEVER.make(name, self._offers(RETRIEVER)) for name in names}
        return MergedRetriever(found, self._config) if len(found) > 1 else next(iter(found.values()))

    def _judge(self) -> Judge:
        judge, calibrator = self.made(JUDGE), self._calibration.verdicts
        return CalibratedJudge(judge, calibrator) if calibrator else judge

    def evaluator(self) -> Evaluator:
        """The assessor, calibrated as the configuration says."""
        evaluator, calibrator = self.made(ASSESSOR), self._calibration.posteriors
        return CalibratedEvaluator(evaluator, calibrator) if calibrator else evaluator
