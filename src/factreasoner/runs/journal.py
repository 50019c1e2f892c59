"""Lines of the journal: made where a record is worked on, written by the driver."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, NotRequired, TypeVar

from pydantic import TypeAdapter
from typing_extensions import TypedDict

from factreasoner.models import Status, TaskResult, Usage
from factreasoner.tasks.task import Task

R = TypeVar("R", bound=TaskResult)


class JournalEntry(NamedTuple):
    """Where a record's latest result stands in the journal, and what is needed of it.

    `size` counts the claims (a run's atoms) a judgement was obtained for. `to_repeat`: something failed, and
    a resumed run works on the record anew.
    """

    offset: int
    status: Status
    fingerprint: str
    size: int
    to_repeat: bool


class JournalLine(NamedTuple):
    """One result as it goes into the journal; the `entry` stands at 0 until it does.

    Making it takes longer than writing it, so that workers do it: the driver has one core for them all.
    """

    record_id: str
    text: bytes
    entry: JournalEntry
    usage: Usage

    @property
    def status(self) -> Status:
        """How the record fared: the status of its result."""
        return self.entry.status


class _Nothing(TypedDict):
    """Something that is only counted."""


class _Target(TypedDict):
    """A verdict, of which it is asked what it is on."""

    target_id: NotRequired[str]


class _Marginals(TypedDict):
    """What a solver found, of which it is asked whether it is to be relied on."""

    converged: NotRequired[bool | None]
    diagnostics: NotRequired[dict[str, Any]]


class _Outcome(TypedDict):
    """What an assessor came to, of which it is asked what it lacks."""

    unjudged: NotRequired[list[str]]
    marginals: NotRequired[_Marginals | None]
    failures: NotRequired[list[_Nothing]]


class _Head(TypedDict):
    """What tasks read of a line for its entry: reading no more takes half the time of reading it all."""

    record_id: str
    status: str
    fingerprint: str
    failures: NotRequired[list[_Nothing]]
    atoms: NotRequired[list[_Nothing]]
    outcome: NotRequired[_Outcome | None]
    verdicts: NotRequired[list[_Target]]


_HEAD = TypeAdapter(_Head)


def head_of(line: bytes) -> Mapping[str, Any]:
    """What `entry_of` needs of a line. Raises ValueError for a line that is damaged."""
    return _HEAD.validate_json(line)


def line_of(task: Task[R], result: R) -> JournalLine:
    """A result of a task as its line."""
    text = result.model_dump_json().encode() + b"\n"
    _, entry = entry_of(task, head_of(text), 0)
    return JournalLine(result.record_id, text, entry, sum(result.usage.values(), Usage()))


def entry_of(task: Task[Any], data: Mapping[str, Any], offset: int) -> tuple[str, JournalEntry]:
    """A record's id and entry, from its line's content.

    Raises:
        KeyError, TypeError: it is no result of that task.
    """
    entry = JournalEntry(
        offset,
        task.status(data),
        data["fingerprint"],
        size=task.size(data),
        to_repeat=task.to_repeat(data),
    )
    return data["record_id"], entry
