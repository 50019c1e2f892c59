"""ragas: a metric for `evaluate(dataset, metrics=[FactReasonerMetric("faithfulness")])`."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Sequence
from typing import Any, Unpack

from factreasoner.errors import MissingPackageError
from factreasoner.integrations.scoring import PRECISION, Scoring
from factreasoner.pipeline.keywords import Keywords
from factreasoner.pipeline.loading import python_call
from factreasoner.protocols import LLM

try:
    from ragas.dataset_schema import SingleTurnSample
    from ragas.metrics.base import MetricType, SingleTurnMetric
    from ragas.metrics.result import MetricResult
except ModuleNotFoundError as error:
    raise MissingPackageError("the metric for ragas", "ragas 'langchain-community<0.4'", error) from error

_LOG = logging.getLogger("factreasoner")


class FactReasonerMetric(SingleTurnMetric):
    """A metric of `factreasoner metrics` or `factreasoner metrics rag` for ragas.

    It reads `response`, `retrieved_contexts`, `reference` and `user_input` of a sample. Without a score it
    gives NaN, which ragas' means exclude. The reason, and other failures, are logged as a warning; the result
    of `ascore` and `score` has them, and the evidence, in `reason`.

    `settings` are those of :class:`Config`; `llm` replaces the model client; `name` is the column's.
    """

    @python_call
    def __init__(
        self, metric: str = PRECISION, *, name: str = "", llm: LLM | None = None, **settings: Unpack[Keywords]
    ) -> None:
        self.scoring = Scoring(metric, llm=llm, **settings)
        columns = {"response", "retrieved_contexts:optional", "reference:optional", "user_input:optional"}
        super().__init__({MetricType.SINGLE_TURN: columns}, name or f"factreasoner_{metric}")

    def init(self, run_config: object) -> None:
        """Ignore ragas' settings: ours decide how models are called."""

    def score(
        self,
        *,
        response: str,
        retrieved_contexts: Sequence[str] | None = None,
        reference: str | None = None,
        user_input: str | None = None,
    ) -> MetricResult:
        """The metric of one answer, with the reason as text. Raises what `Scoring.score` raises."""
        scored = self.scoring.score(response, retrieved_contexts, reference=reference, input=user_input or "")
        if scored.value is None or scored.result.status == "partial":
            _LOG.warning("%s: %s", self.name, scored.reason.partition("\n")[0])
        return MetricResult(value=math.nan if scored.value is None else scored.value, reason=scored.reason)

    async def ascore(self, **sample: Any) -> MetricResult:
        """:meth:`score` for callers in an event loop."""
        return await asyncio.to_thread(self.score, **sample)

    async def _single_turn_ascore(self, sample: SingleTurnSample, callbacks: object) -> float:
        columns = ("response", "retrieved_contexts", "reference", "user_input")
        return float(await self.ascore(**{name: getattr(sample, name) for name in columns}))
