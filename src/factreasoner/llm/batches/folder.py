"""The batches of a run: requested, answered, and next to be requested."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from factreasoner.errors import PendingError, RunError
from factreasoner.files import replace_file
from factreasoner.llm.batches.batch import Batch, ResultLine, Results, line_at, parse_result, request_line
from factreasoner.models import Usage

MOST_REQUESTS = 50_000
"""Maximum requests of a batch: OpenAI's limit."""
MOST_BYTES = 190_000_000
"""Maximum size of a request file; OpenAI accepts 200 MB."""
DRAFTED = 0
_OWN_NAME = re.compile(r"([1-9]\d*)\.requests\.jsonl", re.ASCII)
"""The name of a request file; other files in the folder are the user's."""

UsageOf = Callable[[str, Mapping[str, Any], Mapping[str, Any]], Usage]
"""Computes the usage from the model, the completion and the request body."""


class _BatchDraft:
    """Requests to one model that are not yet a batch."""

    def __init__(self, path: Path, model: str) -> None:
        self.path, self.model = path, model
        self.costs: list[float | None] = []
        self.file = path.open("wb")

    def takes(self, model: str, line: bytes) -> bool:
        """Whether a request to that model may be added."""
        room = len(self.costs) < MOST_REQUESTS and self.file.tell() + len(line) <= MOST_BYTES
        return room and model == self.model

    def become(self, batch: Batch) -> None:
        """Write the requests as `batch`; the request file appears last."""
        self.file.flush()
        os.fsync(self.file.fileno())
        self.file.close()
        batch.state_path.unlink(missing_ok=True)
        batch.note(model=self.model, requests=len(self.costs), most_cost=_sum(self.costs))
        self.path.replace(batch.requests_path)


def _sum(costs: list[float | None]) -> float | None:
    """The sum in US dollars, None if any cost is unknown."""
    known = [cost for cost in costs if cost is not None]
    return sum(known) if len(known) == len(costs) else None


class BatchFolder:
    """The folder RUN_DIR/batches. Thread-safe.

    A call's requests are numbered from 0 in order. When a run ends, its batches are closed: useful answers
    are in the cache, and failed requests start again.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._drafts: list[_BatchDraft] = []
        self._forget()

    def _forget(self) -> None:
        self.wanted: set[int] = set()
        """Batches without results from which a call waits for one."""
        self._waiting: dict[str, int] = {}
        """Requests without results, and the number of their batch."""
        self._places: dict[str, tuple[Path, int | None]] = {}
        """Requests with results: the file, and the byte where the result begins, None if it has none."""
        self._taken: set[str] = set()

    @property
    def all(self) -> list[Batch]:
        """All batches of the run, by number."""
        names = (_OWN_NAME.fullmatch(path.name) for path in self.path.glob("*.requests.jsonl"))
        return [Batch(self.path, number) for number in sorted(int(name[1]) for name in names if name)]

    @property
    def open(self) -> list[Batch]:
        """Batches that are not closed. Raises RunError if the record is damaged."""
        path = self.path / "closed.txt"
        try:
            closed = int(path.read_text(encoding="ascii")) if path.exists() else 0
        except ValueError as error:
            raise RunError(f"{path}: not the number of a batch; start over with `fresh=True`") from error
        return [batch for batch in self.all if batch.number > closed]

    @property
    def spent(self) -> float:
        """US dollars of all results read so far, at batch prices."""
        usages = [batch.state.get("usage") for batch in self.all]
        return sum(usage["cost"] or 0.0 for usage in usages if usage)

    @property
    def drafted(self) -> int:
        """The number of requests not yet in a batch."""
        return sum(len(draft.costs) for draft in self._drafts)

    @property
    def most_cost(self) -> float | None:
        """Maximum US dollars of drafted and unanswered requests; None: unknown."""
        unanswered = [batch.state.get("most_cost") for batch in self.all if not batch.results_path.exists()]
        return _sum([*unanswered, *(cost for draft in self._drafts for cost in draft.costs)])

    def discard(self) -> None:
        """Drop the requests not yet in a batch."""
        for draft in self._drafts:
            draft.file.close()
            draft.path.unlink(missing_ok=True)
        self._drafts.clear()

    def release(self) -> None:
        """Close all files, and forget the requests and results in memory."""
        self.discard()
        self._forget()

    def clear(self) -> None:
        """Delete all batches. Raises RunError on failure, since they would answer the new run's calls."""
        self.release()
        try:
            shutil.rmtree(self.path)
        except FileNotFoundError:
            return
        except OSError as error:
            raise RunError(f"{self.path}: can't be deleted: {error.strerror}") from error

    def close(self) -> None:
        """Close the batches at the end of a run."""
        if self.all:
            replace_file(self.path / "closed.txt", [str(self.all[-1].number)])

    def read(self, usage_of: UsageOf) -> list[str]:
        """Read all open batches; returns notes on results read for the first time.

        Raises RunError: a file is damaged, or results belong to other requests.
        """
        self.release()
        self.path.mkdir(parents=True, exist_ok=True)
        for leftover in self.path.glob(".*.tmp"):
            leftover.unlink()
        notes = []
        for batch in self.open:
            own = batch.requests()
            if batch.results_path.exists():
                notes += self._read_results(batch, own, usage_of)
            else:
                self._waiting |= dict.fromkeys(own, batch.number)
        return notes

    def _read_results(self, batch: Batch, own: Mapping[str, int], usage_of: UsageOf) -> list[str]:
        path, state = batch.results_path, batch.state
        size = path.stat().st_size
        results = Results(path, own)
        # A service that ended it may have answered nothing: the file is empty or lists what was not done.
        ended = state.get("status")
        partial = ended in ("expired", "cancelled") or (ended is not None and not results.lines)
        if own and not results.starts and not partial:
            raise RunError(
                f"{path}: has no result for a request in {batch.requests_path.name}; put the right file "
                "there, or delete it"
            )
        self._places |= {custom_id: (path, results.starts.get(custom_id)) for custom_id in own}
        # A file that was still being copied when it was read is complete the next time, and then paid for.
        if "usage" in state and state.get("bytes", size) == size:
            return []
        if len(results.answered) > state.get("answered", -1):
            usage = Usage()
            for custom_id, start in results.starts.items():
                if completion := parse_result(line_at(start, path)).completion:
                    body = json.loads(line_at(own[custom_id], batch.requests_path))["body"]
                    usage += usage_of(state["model"], completion, body)
            batch.note(usage=usage.model_dump(mode="json"), answered=len(results.answered), bytes=size)
        return [f"{path}: {results.summary(len(own))}"]

    def holds(self, key: str) -> bool:
        """Whether the unused answer to a call's first request is here."""
        _, start = self._places.get(f"{key}-0", ("", None))
        return start is not None and key not in self._taken

    def take(self, key: str) -> None:
        """Mark a call's answer as used and counted."""
        self._taken.add(key)

    def result(self, custom_id: str) -> ResultLine | None:
        """The result of a request, None if it was not made. Raises PendingError without results, RunError."""
        if (number := self._waiting.get(custom_id)) is not None:
            if number != DRAFTED:
                self.wanted.add(number)
            raise PendingError(f"{custom_id}: its batch has no results yet")
        if custom_id not in self._places:
            return None
        path, start = self._places[custom_id]
        if start is None:
            return ResultLine(custom_id, problem="the results of its batch have no line for it")
        with contextlib.suppress(OSError, ValueError, RecursionError):
            if (found := parse_result(line_at(start, path))).custom_id == custom_id:
                return found
        raise RunError(f"{path}: was changed while the run read it; rerun to resume")

    def ask(self, model: str, custom_id: str, body: Mapping[str, Any], *, most_cost: float | None) -> None:
        """Add a request to the next batch. `most_cost` is its maximum cost in US dollars."""
        line = request_line(custom_id, body)
        with self._lock:
            if custom_id in self._waiting or custom_id in self._places:
                return
            self._waiting[custom_id] = DRAFTED
            draft = next((draft for draft in self._drafts if draft.takes(model, line)), None)
            if draft is None:
                draft = _BatchDraft(self.path / f".draft{len(self._drafts)}.tmp", model)
                self._drafts.append(draft)
            draft.file.write(line)
            draft.costs.append(most_cost)

    def write(self) -> list[Batch]:
        """Write new requests as batches; returns all batches with pending results."""
        last = max((batch.number for batch in self.all), default=0)
        for number, draft in enumerate(self._drafts, start=last + 1):
            draft.become(Batch(self.path, number))
            self.wanted.add(number)
        self._drafts.clear()
        return [Batch(self.path, number) for number in sorted(self.wanted)]
