"""The batches of a run: files of requests with their results beside them."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from factreasoner.errors import PendingError, RunError
from factreasoner.llm.batches.lines import ResultLine, parse_result, request_line
from factreasoner.models import Usage

MOST_REQUESTS = 50_000
"""Of one batch, as OpenAI has it."""
MOST_BYTES = 190_000_000
"""Of a file of requests; OpenAI takes 200 MB."""
_CUSTOM_ID = re.compile(rb'\{"custom_id": "([^"]+)"')

UsageOf = Callable[[str, Mapping[str, Any], Mapping[str, Any]], Usage]
"""What a completion took: of a model, a completion and the request's body."""


class Batch(NamedTuple):
    """One batch by its number, and its files."""

    folder: Path
    number: int

    @property
    def requests_path(self) -> Path:
        """One request a line."""
        return self.folder / f"{self.number}.requests.jsonl"

    @property
    def results_path(self) -> Path:
        """One result a line, once they are there."""
        return self.folder / f"{self.number}.results.jsonl"

    @property
    def state_path(self) -> Path:
        """What is known of the batch; see `state`."""
        return self.folder / f"{self.number}.batch.json"

    @property
    def state(self) -> dict[str, Any]:
        """`model`, `requests`, `most_cost`; `usage` once its results were read; a provider's ids of it.

        Raises:
            RunError: the file is damaged.
        """
        try:
            found = json.loads(self.state_path.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError) as error:
            raise RunError(f"{self.state_path}: can't be read: {error}") from error
        if not isinstance(found, dict):
            raise RunError(f"{self.state_path}: is no JSON object")
        return found

    def note(self, **values: object) -> None:
        """Add to the state; when this returns it is on disk."""
        state = {**(self.state if self.state_path.exists() else {}), **values}
        write_whole(self.state_path, json.dumps(state, indent=2).encode())


class _Place(NamedTuple):
    """Where a line stands: of which batch, and between which bytes."""

    batch: int
    start: int
    end: int


class _Draft:
    """Requests to one model that are not yet a batch."""

    def __init__(self, path: Path, model: str) -> None:
        self.path = path
        self.model = model
        self.requests = 0
        self.most_cost: float | None = 0.0
        self.file = path.open("wb")

    def add(self, line: bytes, most_cost: float | None) -> None:
        self.file.write(line)
        self.requests += 1
        known = self.most_cost is not None and most_cost is not None
        self.most_cost = (self.most_cost or 0.0) + (most_cost or 0.0) if known else None

    def has_room_for(self, line: bytes) -> bool:
        return self.requests < MOST_REQUESTS and self.file.tell() + len(line) <= MOST_BYTES


class BatchFolder:
    """RUN_DIR/batches: what was asked, what was answered, and what is to be asked next. Thread-safe.

    A call's requests are numbered from 0 in the order it leads to them. Once a run has come to its end the
    batches up to then are closed: answers that were worth keeping are in the cache, and what failed is asked
    again as if for the first time.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.wanted: set[int] = set()
        """Batches without results of which somebody wants one."""
        self._lock = threading.Lock()
        self._asked: dict[str, int] = {}
        self._answers: dict[str, _Place] = {}
        self._files: dict[int, BinaryIO] = {}
        self._drafts: list[_Draft] = []
        self._new: set[str] = set()
        self._taken: set[str] = set()

    @property
    def all(self) -> list[Batch]:
        """Every batch, in order."""
        numbers = [int(path.name.split(".")[0]) for path in self.path.glob("*.requests.jsonl")]
        return [Batch(self.path, number) for number in sorted(numbers)]

    @property
    def spent(self) -> float:
        """US dollars of all results read so far, at the price of batches."""
        usages = [batch.state.get("usage") for batch in self.all]
        return sum(usage["cost"] or 0.0 for usage in usages if usage)

    @property
    def drafted(self) -> int:
        """Requests that are in no batch yet."""
        return sum(draft.requests for draft in self._drafts)

    def discard(self) -> None:
        """Make no batch of what was asked."""
        for draft in self._drafts:
            draft.file.close()
            draft.path.unlink(missing_ok=True)
        self._drafts.clear()

    def clear(self) -> None:
        """Delete all batches."""
        self.release()
        shutil.rmtree(self.path, ignore_errors=True)

    def read(self, usage_of: UsageOf) -> list[str]:
        """Read all batches that are not closed; returns what is to be said of results read the first time.

        Raises:
            RunError: a file is damaged, or results are not of the requests they lie beside.
        """
        self.release()
        self.path.mkdir(parents=True, exist_ok=True)
        for leftover in self.path.glob(".*.tmp"):
            leftover.unlink()
        notes = []
        for batch in self.all:
            if batch.number <= self._closed:
                continue
            own = self._read_requests(batch)
            if batch.results_path.exists():
                notes += self._read_results(batch, own, usage_of)
        return notes

    def close(self) -> None:
        """The run has come to its end: what comes next begins anew."""
        if self.all:
            write_whole(self.path / "closed.txt", f"{self.all[-1].number}\n".encode())

    def holds(self, key: str) -> bool:
        """Whether a call's first request is answered here, and nobody has taken that answer yet."""
        return f"{key}-0" in self._answers and key not in self._taken

    def take(self, key: str) -> None:
        """The answer of a call is used, and counted for whoever used it."""
        self._taken.add(key)

    def result(self, custom_id: str) -> ResultLine | None:
        """What a request came to; None where it was not made.

        Raises:
            PendingError: it was made, and its batch has no results yet.
        """
        number = self._asked.get(custom_id)
        if number is None:
            return None
        place = self._answers.get(custom_id)
        if place is not None:
            return parse_result(os.pread(self._files[number].fileno(), place.end - place.start, place.start))
        if number in self._files:
            return ResultLine(custom_id, problem="the results of its batch have no line of it")
        with self._lock:
            self.wanted.add(number)
        raise PendingError(f"{custom_id}: batch {number} has no results yet")

    def ask(self, model: str, custom_id: str, body: Mapping[str, Any], *, most_cost: float | None) -> None:
        """Have a request made by the next batch. `most_cost` is what it may cost in US dollars."""
        line = request_line(custom_id, body)
        with self._lock:
            if custom_id in self._new:
                return
            self._new.add(custom_id)
            fitting = (d for d in self._drafts if d.model == model and d.has_room_for(line))
            draft = next(fitting, None)
            if draft is None:
                draft = _Draft(self.path / f".draft{len(self._drafts)}.tmp", model)
                self._drafts.append(draft)
            draft.add(line, most_cost)

    @property
    def most_cost(self) -> float | None:
        """US dollars that requests not made yet, and those without results, may cost; None: unknown."""
        open_batches = [batch for batch in self.all if not batch.results_path.exists()]
        costs = [batch.state["most_cost"] for batch in open_batches] + [d.most_cost for d in self._drafts]
        return None if None in costs else sum(costs)

    def write(self) -> list[Batch]:
        """Make batches of what was asked; returns those whose results somebody wants, these included."""
        last = max((batch.number for batch in self.all), default=0)
        for number, draft in enumerate(self._drafts, start=last + 1):
            batch = Batch(self.path, number)
            draft.file.flush()
            os.fsync(draft.file.fileno())
            draft.file.close()
            batch.state_path.unlink(missing_ok=True)
            batch.note(model=draft.model, requests=draft.requests, most_cost=draft.most_cost)
            draft.path.replace(batch.requests_path)
            self.wanted.add(number)
        self._drafts.clear()
        return [Batch(self.path, number) for number in sorted(self.wanted)]

    def release(self) -> None:
        """Let go of all files, and forget what was read and what was asked."""
        self.discard()
        for file in self._files.values():
            file.close()
        for held in (self._asked, self._answers, self._files):
            held.clear()
        for names in (self._new, self._taken, self.wanted):
            names.clear()

    @property
    def _closed(self) -> int:
        with contextlib.suppress(FileNotFoundError, ValueError):
            return int((self.path / "closed.txt").read_text(encoding="ascii"))
        return 0

    def _read_requests(self, batch: Batch) -> dict[str, _Place]:
        own = {}
        for number, (line, start, end) in enumerate(_lines(batch.requests_path), start=1):
            found = _CUSTOM_ID.match(line)
            if found is None:
                raise RunError(
                    f"{batch.requests_path}:{number}: not as it was written; put the file back as it was, "
                    "or start over with --fresh"
                )
            own[found[1].decode()] = _Place(batch.number, start, end)
        self._asked |= dict.fromkeys(own, batch.number)
        return own

    def _read_results(self, batch: Batch, own: Mapping[str, _Place], usage_of: UsageOf) -> list[str]:
        state = batch.state
        counted = state.get("usage")
        reading = _Reading(batch)
        usage = Usage()
        with batch.requests_path.open("rb") as requests:
            for line, start, end in _lines(batch.results_path):
                result = reading.take(line, own)
                if result is None:
                    continue
                self._answers[result.custom_id] = _Place(batch.number, start, end)
                if counted is None and result.completion is not None:
                    place = own[result.custom_id]
                    body = _body(requests, place)
                    usage += usage_of(state["model"], result.completion, body)
        reading.refuse_strange(own, partial=state.get("status") in ("expired", "cancelled"))
        self._files[batch.number] = batch.results_path.open("rb")
        if counted is not None:
            return []
        batch.note(usage=usage.model_dump(mode="json"), answered=reading.answered)
        return [reading.told(len(own))]


class _Reading:
    """What the lines of one file of results are."""

    def __init__(self, batch: Batch) -> None:
        self.batch = batch
        self._seen: dict[str, bool] = {}
        self._lines = 0
        self._unknown = 0
        self._repeated = 0
        self._broken: list[int] = []

    def take(self, line: bytes, own: Mapping[str, _Place]) -> ResultLine | None:
        """The result of a line, None where it counts for nothing; of several the first completion counts."""
        self._lines += 1
        try:
            result = parse_result(line)
        except (ValueError, RecursionError):
            self._broken.append(self._lines)
            return None
        if result.custom_id not in own:
            self._unknown += 1
            return None
        if result.custom_id in self._seen:
            self._repeated += 1
            if self._seen[result.custom_id] or result.completion is None:
                return None
        self._seen[result.custom_id] = result.completion is not None
        return result

    @property
    def answered(self) -> int:
        """Requests with a completion."""
        return sum(self._seen.values())

    def refuse_strange(self, own: Mapping[str, _Place], *, partial: bool) -> None:
        """Raise RunError where not one line is about a request of the batch, unless results are partial."""
        if own and not self._seen and not partial:
            raise RunError(
                f"{self.batch.results_path}: holds no result of a request of "
                f"{self.batch.requests_path.name}; put the right file there, or delete it"
            )

    def told(self, requests: int) -> str:
        """One line on what was found."""
        errors, missing = len(self._seen) - self.answered, requests - len(self._seen)
        counts = [(errors, "errors"), (missing, "without a result")]
        parts = [f"{count:,} {words}" for count, words in counts if count]
        strange = [(self._unknown, "lines of no request"), (self._repeated, "repeated lines")]
        parts += [f"{count:,} {words} left out" for count, words in strange if count]
        if self._broken:
            parts.append(
                f"{len(self._broken):,} lines that are no result, the first is line {self._broken[0]}"
            )
        head = f"{self.batch.results_path}: {self.answered:,} of {requests:,} requests answered"
        return "; ".join([head, *parts])


def _body(requests: BinaryIO, place: _Place) -> dict[str, Any]:
    requests.seek(place.start)
    body: dict[str, Any] = json.loads(requests.read(place.end - place.start))["body"]
    return body


def _lines(path: Path) -> Iterator[tuple[bytes, int, int]]:
    """Lines that are not blank, each with where it begins and ends."""
    start = 0
    with path.open("rb") as file:
        for line in file:
            end = start + len(line)
            if line.strip():
                yield line, start, end
            start = end


def write_whole(path: Path, content: bytes) -> None:
    """Write a file that a reader finds whole or not at all.

    Raises:
        RunError: it can't be written.
    """
    with whole_file(path) as file:
        file.write(content)


@contextlib.contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """A file to be written inside, that a reader finds whole or not at all.

    Raises:
        RunError: it can't be written.
    """
    temporary = path.with_name(f".{path.name}.tmp")
    try:
        with temporary.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        raise RunError(f"{path}: can't be written: {error.strerror}") from error
