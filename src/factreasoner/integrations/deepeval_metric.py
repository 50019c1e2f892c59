"""deepeval: a metric for `assert_test(case, [FactReasonerMetric(threshold=0.9)])` and `evaluate(...)`."""

from __future__ import annotations

import asyncio
from typing import Unpack

from factreasoner.errors import MissingPackageError, NoScoreError
from factreasoner.integrations.scoring import PRECISION, Scoring
from factreasoner.pipeline.keywords import Keywords
from factreasoner.pipeline.loading import python_call
from factreasoner.protocols import LLM

try:
    from deepeval.metrics import BaseMetric
    from deepeval.test_case import LLMTestCase
except ModuleNotFoundError as error:
    raise MissingPackageError("the metric for deepeval", "deepeval", error) from error


class FactReasonerMetric(BaseMetric):
    """A metric of `factreasoner metrics` or `factreasoner metrics rag` for deepeval.

    It reads `actual_output`, `retrieval_context`, `expected_output` and `input` of a test case. The case
    passes if the metric reaches `threshold` whatever failed verdicts would have been; if lower is better
    ("hallucination"), `threshold` is an upper bound. Without a score, `measure` raises :class:`NoScoreError`;
    with `ErrorConfig(ignore_errors=True)`, deepeval continues and the case fails without a score.

    `settings` are those of :class:`Config`; `llm` replaces the model client. deepeval copies the metric for
    every test case; the copies share `scoring`.
    """

    @python_call
    def __init__(
        self,
        metric: str = PRECISION,
        *,
        threshold: float = 0.9,
        scoring: Scoring | None = None,
        llm: LLM | None = None,
        **settings: Unpack[Keywords],
    ) -> None:
        self.metric = metric
        self.threshold = threshold
        self.scoring = scoring or Scoring(metric, llm=llm, **settings)
        self.evaluation_model = self.scoring.judged_by

    @property
    def __name__(self) -> str:
        """Its name in deepeval's tables."""
        return f"FactReasoner {self.metric}"

    def measure(self, test_case: LLMTestCase, *_: object, **__: object) -> float:
        """Score a test case.

        Raises:
            NoScoreError: there is no score, and why.
            ConfigError: a setting, key or model name is wrong.
            InputError: the test case lacks what the metric needs.
            BudgetError: the next call could exceed `max_cost`.
        """
        self.score: float | None = None
        self.reason: str | None = None
        self.error: str | None = None
        self.success = False
        contexts = test_case.retrieval_context and [
            {"text": given.context, "title": given.source} if hasattr(given, "source") else given
            for given in test_case.retrieval_context
        ]
        try:
            scored = self.scoring.score(
                test_case.actual_output,
                contexts,
                reference=test_case.expected_output,
                input=test_case.input or "",
            )
            usage = scored.result.total_usage
            self.evaluation_cost = usage.cost
            self.input_tokens, self.output_tokens = usage.prompt_tokens, usage.completion_tokens
            self.reason = scored.reason
            if scored.value is None:
                raise NoScoreError(scored.reason)
        except Exception as error:
            self.error = str(error)
            raise
        self.score, self.success = scored.value, scored.reaches(self.threshold)
        return scored.value

    async def a_measure(self, test_case: LLMTestCase, *_: object, **__: object) -> float:
        """:meth:`measure` for callers in an event loop."""
        return await asyncio.to_thread(self.measure, test_case)

    def is_successful(self) -> bool:
        """Whether the last measured case passed."""
        return bool(self.success) and self.error is None
