"""What a task is: it turns (config, record) into a result, and results into lines and a summary.

Runner, run folder, resume, budget, `evaluate`, `compare`, `check` and reports know no more of a task.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Generic, Protocol, TypeVar

from factreasoner.errors import InputProblem
from factreasoner.metrics.samples import Sample
from factreasoner.metrics.table import Table
from factreasoner.models import Atom, Failure, Record, TaskResult, Verdict
from factreasoner.pipeline.assembly import Calls
from factreasoner.settings import Config
from factreasoner.tasks.rows import ClaimRow

R = TypeVar("R", bound=TaskResult)
R_co = TypeVar("R_co", bound=TaskResult, covariant=True)
R_contra = TypeVar("R_contra", bound=TaskResult, contravariant=True)


class Worker(Protocol[R_co]):
    """Does a task's work on records, one at a time and from any number of threads."""

    config: Config

    @property
    def settled(self) -> bool:
        """Whether it is known how the model is to be asked; until then records go one by one, in order."""
        ...

    def assess(self, record: Record) -> R_co:
        """The result of one record. What goes wrong inside it is in the result's failures, not raised.

        Raises:
            ConfigError: a setting, a key or a model name is wrong.
            InputError: the record lacks what the configuration needs.
            BudgetError: the next call could exceed `max_cost`; answered calls stay in the cache.
            PendingError: answers come with a batch.
        """
        ...


class Tally(Protocol[R_contra]):
    """Adds up the results of a run."""

    def add(self, result: R_contra) -> dict[str, Any]:
        """Count one result; returns its line of results.jsonl."""
        ...

    def sample(self) -> Sample:
        """The metrics' inputs of all records that were added, as arrays."""
        ...

    def content(self) -> dict[str, Any]:
        """What summary.json holds: JSON-ready, None where there is nothing to compute from."""
        ...


class Task(ABC, Generic[R]):
    """One task. `name` is that of its command, `result` the model of what it finds, `table` its metrics.

    `claim_word` is what it calls a claim, `p_word` its probability, and `label_words` are its own words for
    labels, None being a claim that was not judged; `counts` are the numbers of its result lines that are no
    metrics.
    """

    name: str
    result: type[R]
    table: Table[Any]
    claim_word: str = "claim"
    p_word: str = "P"
    label_words: Mapping[str | None, str] = MappingProxyType({})
    counts: tuple[str, ...] = ()

    @abstractmethod
    def problems(self, record: Record, config: Config) -> list[InputProblem]:
        """What `record` lacks for this task under `config`."""

    @abstractmethod
    def prompts(self, config: Config) -> list[str]:
        """Names of the prompts that may be asked."""

    @abstractmethod
    def worker(self, config: Config, calls: Calls) -> Worker[R]:
        """What does the work.

        Raises:
            ConfigError: an unknown plug-in, or a stage that needs a model when there is none.
            InputError: a file that a setting names can't be read.
            MissingExtraError: a plug-in needs an optional package.
        """

    @abstractmethod
    def failed(self, record: Record, config: Config, failure: Failure) -> R:
        """The result of a record that could not be worked on at all."""

    @abstractmethod
    def size(self, result: R) -> int:
        """How many claims were judged."""

    @abstractmethod
    def rows(self, result: R) -> Iterator[ClaimRow]:
        """The claims of a result, each with its label and what decides it."""

    @abstractmethod
    def verdicts(self, result: R) -> Sequence[Verdict]:
        """What was judged of the claims of a result."""

    @abstractmethod
    def with_verdicts(self, result: R, verdicts: tuple[Verdict, ...]) -> R:
        """A result with other verdicts on the same pairs, in the same order; nothing is solved anew."""

    def makes_claims(self, record: Record, config: Config) -> bool:
        """Whether claims are made of a text of the record without a model, as a parser reads it."""
        made = record.atoms is None or config.revise_given
        return made and "embedded" in (config.plugin("atomizer"), config.plugin("reviser"))

    def claims(self, result: R) -> Sequence[Atom]:
        """The claims of a result by which it is told whether two runs judged the same; none: all do."""
        return ()

    def to_repeat(self, result: R) -> bool:
        """Whether something failed, so that a resumed run works on the record again."""
        return result.status in ("failed", "partial")

    @abstractmethod
    def tally(self, config: Config, sizes: Iterable[int]) -> Tally[R]:
        """What adds up the results of a run, scored as `config` says; `sizes` are those of its records."""
