"""`recall`: does the answer say what it should?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from types import MappingProxyType
from typing import Any

from factreasoner.errors import InputProblem
from factreasoner.models import Atom, Failure, Record, Verdict
from factreasoner.pipeline.assembly import Assembly, assembly_of
from factreasoner.settings import Config
from factreasoner.tasks.claim_task import ClaimTally, result_of
from factreasoner.tasks.recall.result import RecallResult, ScoredRecall, scored_recall
from factreasoner.tasks.recall.rows import fact_rows
from factreasoner.tasks.recall.table import RECALL
from factreasoner.tasks.recall.worker import PROMPT_TF, RecallWorker
from factreasoner.tasks.rows import ClaimRow
from factreasoner.tasks.task import Calls, Tally, Task, Worker


class Recall(Task[RecallResult]):
    """The share of the facts that an answer should state, and states."""

    name = "recall"
    result = RecallResult
    table = RECALL
    p_word = "P(stated)"
    label_words = MappingProxyType(
        {"supported": "stated", "conflicting": "not stated", "unverified": "not stated", None: "unanswered"}
    )

    def problems(self, record: Record, config: Config) -> list[InputProblem]:
        """See `Task`."""
        given = record.facts is not None or record.reference_atoms is not None
        if given or (record.reference or "").strip():
            return []
        message = "none given, and no 'reference' to make them from; add one of both"
        return [InputProblem(f"record {record.id}", "facts", message)]

    def prompts(self, config: Config) -> list[str]:
        """See `Task`."""
        judging = [PROMPT_TF] if config.mode == PROMPT_TF else ["judge", "judge_one"]
        return [*judging, "fact_generator"]

    def worker(self, config: Config, calls: Calls) -> Worker[RecallResult]:
        """See `Task`."""
        return worker_of(assembly_of(self.fitted(config), **calls.arguments()))

    def fitted(self, config: Config) -> Config:
        """The settings by which the parts are made: prompt-tf is an assessor that asks a fact a call."""
        if config.mode != PROMPT_TF:
            return config
        return config.model_copy(update={"mode": "tf", "assessor": PROMPT_TF, "calls": "single"})

    def failed(self, record: Record, config: Config, failure: Failure) -> RecallResult:
        """See `Task`."""
        return result_of(RecallResult, record, config, status="failed", failures=[failure])

    def claims(self, result: RecallResult) -> Sequence[Atom]:
        """See `Task`."""
        return result.facts

    def makes_claims(self, record: Record, config: Config) -> bool:
        """See `Task`."""
        given = record.facts is not None or record.reference_atoms is not None
        return not given and config.plugin("fact_generator") == "embedded"

    def rows(self, result: RecallResult) -> Iterator[ClaimRow]:
        """See `Task`."""
        return fact_rows(result)

    def verdicts(self, result: RecallResult) -> Sequence[Verdict]:
        """See `Task`."""
        return result.verdicts

    def with_verdicts(self, result: RecallResult, verdicts: tuple[Verdict, ...]) -> RecallResult:
        """See `Task`."""
        return result.model_copy(update={"verdicts": verdicts})

    def size(self, result: RecallResult) -> int:
        """See `Task`."""
        return len(result.verdicts)

    def tally(self, config: Config, sizes: Iterable[int]) -> Tally[RecallResult]:
        """See `Task`."""
        return ClaimTally(RECALL, scored_recall, _fields, fact_rows)


def worker_of(assembly: Assembly) -> RecallWorker:
    """What does the work with the parts of `assembly`."""
    return RecallWorker(assembly)


def _fields(scored: ScoredRecall) -> dict[str, Any]:
    return {"facts": [fact.content() for fact in scored.facts], "reference": scored.result.reference}


TASK = Recall()
