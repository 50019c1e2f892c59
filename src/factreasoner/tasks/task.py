"""The definition of a task: from (config, record) to a result, and from results to rows and summary.

Runs, `evaluate`, `compare`, `check` and reports use only `Task`. `ClaimWorker` and `ClaimTally` are for tasks
that judge claims on texts.
"""

from __future__ import annotations

import importlib
import logging
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from factreasoner.atoms.extraction import account_for
from factreasoner.calls.threads import one_by_one_until
from factreasoner.calls.usage import Meter
from factreasoner.errors import InputError, InputProblem, PluginError, RunError, UsageError
from factreasoner.inputs.parsing import bare_names
from factreasoner.metrics.run_counts import Tally, shared_fields
from factreasoner.metrics.samples import Scored
from factreasoner.metrics.table import Table
from factreasoner.models import (
    Atom,
    Claim,
    Failure,
    Record,
    Result,
    StageError,
    Status,
    Verdict,
    new_id,
)
from factreasoner.models.journal import JournalEntry, JournalLine, Packed, pack
from factreasoner.models.results import STORED
from factreasoner.models.rows import Vocabulary, main_rows
from factreasoner.pipeline.assembly import Assembly, Calls, parts_and_config, with_component_names
from factreasoner.pipeline.config import Config
from factreasoner.pipeline.loading import ConfigLike
from factreasoner.pipeline.pipeline import common_fields
from factreasoner.plugins.table import nearest
from factreasoner.protocols import LLM

logger = logging.getLogger(__name__)


class ClaimResult(Result):
    """The judged claims of one record; subclasses hold the claims and premises of its `verdicts`."""

    verdicts: tuple[Verdict, ...] = ()


R = TypeVar("R", bound=Result)
R_co = TypeVar("R_co", bound=Result, covariant=True)
C = TypeVar("C", bound=ClaimResult)


class RecordWorker(Protocol[R_co]):
    """Processes records; thread-safe."""

    config: Config

    @property
    def settled(self) -> bool:
        """Whether it is known how to call the model. Until then, records go one by one, in order."""
        ...

    def assess(self, record: Record, /) -> R_co:
        """The result of one record, with its failures.

        Raises:
            ConfigError: a setting, a key or a model name is wrong.
            InputError: the record lacks what the settings need.
            BudgetError: the next call could exceed `max_cost`. Answered calls stay in the cache.
            PendingError: the answers come with a batch.
        """
        ...


def makes_claims(record: Record, config: Config) -> bool:
    """Whether rules make claims from a text of the record, so that the parser matters."""
    made = record.atoms is None or config.revise_given
    return made and (config.part("atomizer").parses or config.part("reviser").parses)


@dataclass(frozen=True, kw_only=True)
class Task(Generic[R]):
    """One task: `name` is its command's, `result` the model of its results, `table` its metrics.

    - `problems` returns what a record lacks, `prompts` the prompts that a run may use.
    - `worker` makes a `RecordWorker`. It raises ConfigError for an unknown plug-in, or a stage without its
      model; InputError for an unreadable file of a setting; MissingExtraError for a missing package.
      `of_config` gives result fields from settings.
    - `verdicts` are those on a result's claims. `with_verdicts` is the result with other verdicts on the same
      pairs, in order, not solved again. `size` counts the judged claims.
    - `claims` must be equal for two runs to be comparable; none: they always are. `makes_claims`: rules make
      claims of a record. `to_repeat`: a resumed run repeats the record.
    - `tally` makes an empty `Tally`, given the sizes of the run's records.
    - `counts`: further fields of its result lines that its table has.
    - `has_graph`: its results hold a fact graph; if not, `score` changes only the settings `rescored_by`.
    - `conclude` gives sentences that follow from a run's mean metrics.
    """

    name: str
    result: type[R]
    table: Table[Any]
    problems: Callable[[Record, Config], list[InputProblem]]
    prompts: Callable[[Config], list[str]]
    worker: Callable[[Config, Calls], RecordWorker[R]]
    tally: Callable[[Config, Iterable[int]], Tally[R]]
    of_config: Callable[[Config], dict[str, Any]] = lambda config: {}
    verdicts: Callable[[R], Sequence[Verdict]] = attrgetter("verdicts")
    with_verdicts: Callable[..., R] = lambda result, verdicts: result.model_copy(
        update={"verdicts": verdicts}
    )
    size: Callable[..., int] = lambda result: len({verdict.target_id for verdict in result.verdicts})
    claims: Callable[[R], Sequence[Atom]] = lambda result: ()
    makes_claims: Callable[[Record, Config], bool] = makes_claims
    to_repeat: Callable[[R], bool] = lambda result: result.status in ("failed", "partial")
    counts: Mapping[str, type] = field(default_factory=dict)
    has_graph: bool = False
    rescored_by: tuple[str, ...] = ()
    conclude: Callable[[Mapping[str, float | None]], Sequence[str]] = lambda values: ()

    @property
    def words(self) -> Vocabulary:
        """The task's words for a claim, its probability, and labels."""
        return self.result.vocabulary

    def failed(self, record: Record, config: Config, failure: Failure) -> R:
        """The result of a record for which everything failed."""
        return result_of(self.result, record, config, Work(self.of_config(config), (failure,)))

    def assessed(
        self, caller: str, record: Record, llm: LLM | None, config: ConfigLike, settings: Mapping[str, Any]
    ) -> R:
        """The result of a record for the Python function `caller`. Raises InputError for what it lacks."""
        parts, config = parts_and_config(settings, config)
        if problems := self.problems(record, with_component_names(config, parts)):
            raise InputError([problem._replace(where=caller) for problem in problems])
        for problem in bare_names(record, caller):
            logger.warning("%s", problem)
        return self.worker(config, Calls(llm=llm, parts=parts)).assess(record)


def line_of(task: Task[R], result: R) -> JournalLine:
    """The journal line of a task's result."""
    fingerprint = None if task.to_repeat(result) else result.fingerprint
    text = result.model_dump_json(context=STORED).encode()
    packed = Packed(result.record_id, fingerprint, result.status, task.size(result), text)
    entry = JournalEntry(0, packed.status, packed.fingerprint, packed.size)
    return JournalLine(result.record_id, pack(packed), entry, result.total_usage)


class Work(NamedTuple):
    """The outcome for one record: result fields and failures.

    `judged` counts the claims with a verdict, `asked` all claims; `claims` are the answer's.
    """

    fields: dict[str, Any]
    failures: tuple[Failure, ...]
    judged: int = 0
    asked: int = 0
    claims: Sequence[Claim] = ()

    @property
    def status(self) -> Status:
        """no_atoms: nothing to judge. failed: nothing was judged. partial: something failed."""
        if not self.judged:
            return "failed" if self.asked or self.failures else "no_atoms"
        return "partial" if self.failures else "ok"


class ClaimWorker(ABC, Generic[C]):
    """A `RecordWorker` for claims. `two_sided`: verdicts count only as entailment or not."""

    result: type[C]
    two_sided = False

    def __init__(self, assembly: Assembly) -> None:
        self.config = assembly.config
        self._llm = assembly.llm
        self._judge = assembly.judge(two_sided=self.two_sided)
        self._coherence = assembly.coherence()

    @property
    def settled(self) -> bool:
        """See `RecordWorker`."""
        return bool(getattr(self._llm, "settled", True))

    def assess(self, record: Record) -> C:
        """See `RecordWorker`."""
        meter = Meter()
        with one_by_one_until(lambda: self.settled):
            try:
                work = self._coherent(self._work(record, meter), record, meter)
            except StageError as error:
                work = Work({}, tuple(error.failures))
            except PluginError as error:
                work = Work({}, (Failure.of(error.kind, record.id, error),))
        return self._accounted(result_of(self.result, record, self.config, work, meter), record)

    def _accounted(self, result: C, record: Record) -> C:
        """The result with the unchecked parts of the answer, if the task splits it."""
        return result.model_copy(update=account_for(record, None)[1])

    def _coherent(self, work: Work, record: Record, meter: Meter) -> Work:
        """The work with contradictions among the answer's claims, if configured."""
        if self._coherence is None or not work.claims:
            return work
        with meter.stage("coherence"):
            found, failures = self._coherence.check(work.claims, record.id)
        return work._replace(fields={**work.fields, "coherence": found}, failures=(*work.failures, *failures))

    @abstractmethod
    def _work(self, record: Record, meter: Meter) -> Work:
        """Judge one record; `meter` gets time and usage by stage. Raises what `assess` may."""


def numbered(claims: Iterable[Atom], letter: str, record: Record) -> tuple[Atom, ...]:
    """Made claims with ids of `letter` and a number, avoiding the record's ids."""
    given = (record.contexts, record.atoms, record.reference_atoms)
    taken = {item.id for items in given for item in items or ()}
    found: list[Atom] = []
    for claim in claims:
        found.append(claim.model_copy(update={"id": new_id(letter, len(found), taken)}))
        taken.add(found[-1].id)
    return tuple(found)


def result_of(result: type[R], record: Record, config: Config, work: Work, meter: Meter | None = None) -> R:
    """A result of `record`: the outcome of the work, and the common fields."""
    common = common_fields(record, config, meter)
    return result(status=work.status, failures=work.failures, **common, **work.fields)


class ClaimTally(Tally[C], Generic[C, Scored]):
    """The tally of a claim task.

    `scored` gives a result as input of `table`, and the task's own line fields.
    """

    def __init__(self, table: Table[Scored], scored: Callable[[C], tuple[Scored, dict[str, Any]]]) -> None:
        super().__init__(table, "claim")
        self._scored = scored
        self._given: Counter[str] = Counter()
        self._claims = self._undecided = 0

    def add(self, result: C) -> dict[str, Any]:
        """See `Tally`."""
        scored, fields = self._scored(result)
        self._count(result, scored, result.failures, result.verdicts)
        if result.status != "failed":
            self._given.update(self._table.given(scored))
        rows = list(result.rows())
        self._claims += len({(row.of, row.claim) for row in rows})
        self._undecided += len({(row.of, row.claim) for row in rows if row.label is None})
        for row in main_rows(rows):
            self._review.add(row.record, row.claim, row.label, row.p_true, row.rank)
        kept = {"id": result.record_id, "status": result.status}
        return kept | self._table.line(scored) | fields | shared_fields(result)

    def content(self) -> dict[str, Any]:
        """See `Tally`."""
        counts, sample = super().content(), self.sample()
        return {
            "records": counts.pop("records"),
            "metrics": {name: item.content() for name, item in self._table.estimates(sample).items()},
            "few_records": self._table.few_records(sample),
            **self._review.content(),
            "given": dict(self._given),
            "undecided_claims": {"count": self._undecided, "of": self._claims},
            **counts,
        }


FACTUALITY = "run"
TASKS = {
    FACTUALITY: "factreasoner.tasks.factuality:TASK",
    "recall": "factreasoner.tasks.recall:TASK",
    "rag": "factreasoner.tasks.rag.task:TASK",
    "verify": "factreasoner.tasks.verify.task:TASK",
}
"""Task name, as its command -> module and object."""


def check_task(name: str) -> None:
    """Raise UsageError for an unknown task name."""
    if name not in TASKS:
        raise UsageError(f"no task is called {name!r}; {nearest(name, list(TASKS))}")


def task_named(name: str) -> Task[Any]:
    """The task of a run. Raises RunError for an unknown one."""
    if name not in TASKS:
        raise RunError(
            f"this is a run of {name!r}, a task that this version does not know; known: {', '.join(TASKS)}"
        )
    module, _, attribute = TASKS[name].partition(":")
    task: Task[Any] = getattr(importlib.import_module(module), attribute)
    return task
