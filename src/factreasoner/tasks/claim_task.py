"""What the tasks on claims against sources share: their results, their workers and how results add up."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

from factreasoner.errors import InputError, PluginError
from factreasoner.llm.parallel import one_by_one_until
from factreasoner.llm.usage import Meter
from factreasoner.metrics.run_counts import ReviewList, RunCounts, shared_fields
from factreasoner.metrics.samples import Sample
from factreasoner.models import (
    Claim,
    Failure,
    Record,
    StageError,
    Status,
    TaskResult,
    Verdict,
    record_fingerprint,
)
from factreasoner.pipeline.assembly import Assembly, Calls, assembly_of
from factreasoner.settings import Config
from factreasoner.tasks.rows import main_rows
from factreasoner.tasks.task import Tally, Task


class ClaimResult(TaskResult):
    """What was judged of one record: `verdicts` name claims and premises, which other fields hold."""

    verdicts: tuple[Verdict, ...] = ()


R = TypeVar("R", bound=TaskResult)
C = TypeVar("C", bound=ClaimResult)
Scored = TypeVar("Scored")


class Work(NamedTuple):
    """What came of the work on one record: fields of its result, and what went wrong.

    `judged` counts claims with a verdict, `asked` all of them; `claims` are those of the answer.
    """

    fields: dict[str, Any]
    failures: tuple[Failure, ...]
    judged: int = 0
    asked: int = 0
    claims: Sequence[Claim] = ()

    @property
    def status(self) -> Status:
        """no_atoms where there was nothing to judge, failed where nothing came of it, partial where less."""
        if not self.judged:
            return "failed" if self.asked or self.failures else "no_atoms"
        return "partial" if self.failures else "ok"


class ClaimWorker(ABC, Generic[C]):
    """Does the work of one task on records; see `Worker`. `result` is the model of what it finds.

    `two_sided`: all that counts of a verdict is whether it is an entailment.
    """

    result: type[C]
    two_sided = False

    def __init__(self, assembly: Assembly) -> None:
        self.config = assembly.config
        self._llm = assembly.llm
        self._judge = assembly.judge(two_sided=self.two_sided)
        self._coherence = assembly.coherence()

    @property
    def settled(self) -> bool:
        """See `Worker`."""
        return bool(getattr(self._llm, "settled", True))

    def assess(self, record: Record) -> C:
        """See `Worker`."""
        meter = Meter()
        with one_by_one_until(lambda: self.settled):
            try:
                work = self._coherent(self._work(record, meter), record, meter)
            except StageError as error:
                work = Work({}, tuple(error.failures))
            except PluginError as error:
                work = Work({}, (Failure.of(error.kind, record.id, error),))
        return result_of(self.result, record, self.config, work, meter)

    def _coherent(self, work: Work, record: Record, meter: Meter) -> Work:
        """The work with what the answer's claims say of each other, where that is asked for."""
        if self._coherence is None or not work.claims:
            return work
        with meter.stage("coherence"):
            told, failures = self._coherence.check(work.claims, record.id)
        return work._replace(fields={**work.fields, "coherence": told}, failures=(*work.failures, *failures))

    @abstractmethod
    def _work(self, record: Record, meter: Meter) -> Work:
        """Judge one record; time and usage go to stages of `meter`. May raise what `assess` may."""


def result_of(result: type[R], record: Record, config: Config, work: Work, meter: Meter | None = None) -> R:
    """A task's result of `record`: what came of the work, and the fields that every result has."""
    return result(
        record_id=record.id,
        status=work.status,
        prompt=record.prompt,
        response=record.response,
        topic=record.topic,
        model=config.model,
        failures=work.failures,
        usage=meter.usage if meter else {},
        seconds=meter.seconds if meter else {},
        elapsed=meter.elapsed if meter else None,
        fingerprint=record_fingerprint(record),
        metadata=record.metadata,
        **work.fields,
    )


class ClaimTask(Task[C], Generic[C, Scored]):
    """A task on claims against sources. `does` works on records; metrics are of what `scored` makes."""

    does: type[ClaimWorker[C]]

    @abstractmethod
    def scored(self, result: C, config: Config) -> Scored:
        """A result with what its metrics are computed from, scored as `config` says."""

    @abstractmethod
    def fields(self, scored: Scored) -> dict[str, Any]:
        """What a line of results.jsonl holds beside metrics and what every task has there."""

    def worker(self, config: Config, calls: Calls) -> ClaimWorker[C]:
        """See `Task`."""
        return self.does(assembly_of(config, calls))

    def assessed(self, caller: str, record: Record, config: Config, calls: Calls) -> C:
        """The result of one record that a `caller` in Python gives. Raises InputError for what it lacks."""
        if problems := self.problems(record, config):
            raise InputError([problem._replace(where=caller) for problem in problems])
        return self.worker(config, calls).assess(record)

    def failed(self, record: Record, config: Config, failure: Failure) -> C:
        """See `Task`."""
        return result_of(self.result, record, config, Work({}, (failure,)))

    def verdicts(self, result: C) -> Sequence[Verdict]:
        """See `Task`."""
        return result.verdicts

    def with_verdicts(self, result: C, verdicts: tuple[Verdict, ...]) -> C:
        """See `Task`."""
        return result.model_copy(update={"verdicts": verdicts})

    def size(self, result: C) -> int:
        """See `Task`."""
        return len(result.verdicts)

    def tally(self, config: Config, sizes: Iterable[int]) -> Tally[C]:
        """See `Task`."""
        return ClaimTally(self, config)


class ClaimTally(Generic[C, Scored]):
    """Adds up results of a task, scored as `config` says."""

    def __init__(self, task: ClaimTask[C, Scored], config: Config) -> None:
        self._task = task
        self._config = config
        self._counts = RunCounts()
        self._sampling = task.table.sampling()
        self._review = ReviewList("claim")
        self._given: Counter[str] = Counter()
        self._claims = self._undecided = 0

    def add(self, result: C) -> dict[str, Any]:
        """See `Tally`."""
        scored = self._task.scored(result, self._config)
        self._sampling.add(result.record_id, scored)
        self._counts.add(result, result.failures, result.verdicts)
        if result.status != "failed":
            self._given.update(self._task.table.given(scored))
        rows = list(self._task.rows(result))
        self._claims += len({(row.of, row.claim) for row in rows})
        self._undecided += len({(row.of, row.claim) for row in rows if row.label is None})
        for row in main_rows(rows):
            disputed = "disputed" in row.cautions
            self._review.add(row.record, row.claim, row.label, row.p_true, disputed=disputed)
        return {
            "id": result.record_id,
            "status": result.status,
            **self._task.table.line(scored),
            **self._task.fields(scored),
            **shared_fields(result, result.failures),
        }

    def sample(self) -> Sample:
        """See `Tally`."""
        return self._sampling.sample()

    def content(self) -> dict[str, Any]:
        """See `Tally`."""
        counts, sample, table = self._counts.content(), self.sample(), self._task.table
        return {
            "records": counts.pop("records"),
            "metrics": {name: item.content() for name, item in table.estimates(sample).items()},
            "few_records": table.few_records(sample),
            "worst_claims": self._review.content(),
            "given": dict(self._given),
            "undecided_claims": {"count": self._undecided, "of": self._claims},
            **counts,
        }
