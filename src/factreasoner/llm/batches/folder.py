"""The batches of a run: files of requests with their results beside them."""

from __future__ import annotations

import json
import os
import re
import shutil
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, BinaryIO, Final

from factreasoner.errors import PendingError, RunError
from factreasoner.llm.batches.files import Batch, Place, lines_of, whole_file
from factreasoner.llm.batches.results import ResultCounts, ResultLine, parse_result
from factreasoner.models import Usage

URL: Final = "/v1/chat/completions"
MOST_REQUESTS = 50_000
"""Most requests of one batch: OpenAI's limit."""
MOST_BYTES = 190_000_000
"""Largest file of requests; OpenAI takes 200 MB."""
_OWN_NAME = re.compile(r"([1-9]\d*)\.requests\.jsonl", re.ASCII)
"""Name of a file of requests; whatever else lies in the folder is the user's."""
_CUSTOM_ID = re.compile(rb'\{"custom_id": "([^"]+)"')

UsageOf = Callable[[str, Mapping[str, Any], Mapping[str, Any]], Usage]
"""What a completion took: of a model, a completion and the request's body."""


def request_line(custom_id: str, body: Mapping[str, Any]) -> bytes:
    """One request, with its line's end."""
    line = {"custom_id": custom_id, "method": "POST", "url": URL, "body": body}
    return json.dumps(line, ensure_ascii=False).encode() + b"\n"


class _Draft:
    """Requests to one model that are not yet a batch."""

    def __init__(self, path: Path, model: str) -> None:
        self.path = path
        self.model = model
        self.requests = 0
        self.most_cost: float | None = 0.0
        self.file = path.open("wb")

    def add(self, line: bytes, most_cost: float | None) -> None:
        """One request more, and what it may cost in US dollars."""
        self.file.write(line)
        self.requests += 1
        unknown = self.most_cost is None or most_cost is None
        self.most_cost = None if unknown else (self.most_cost or 0.0) + (most_cost or 0.0)

    def has_room_for(self, line: bytes) -> bool:
        """Whether a batch may hold that request too."""
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
        self._answers: dict[str, Place] = {}
        self._files: dict[int, BinaryIO] = {}
        self._drafts: list[_Draft] = []
        self._new: set[str] = set()
        self._taken: set[str] = set()

    @property
    def all(self) -> list[Batch]:
        """All batches of the run, by their numbers."""
        names = (_OWN_NAME.fullmatch(path.name) for path in self.path.glob("*.requests.jsonl"))
        return [Batch(self.path, number) for number in sorted(int(name[1]) for name in names if name)]

    @property
    def open(self) -> list[Batch]:
        """Batches whose results may still come: those that are not closed.

        Raises:
            RunError: what says which are closed is damaged.
        """
        closed = self._closed
        return [batch for batch in self.all if batch.number > closed]

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
        """Delete all batches.

        Raises:
            RunError: they can't be deleted, and would answer the new run's calls.
        """
        self.release()
        try:
            shutil.rmtree(self.path)
        except FileNotFoundError:
            return
        except OSError as error:
            raise RunError(f"{self.path}: can't be deleted: {error.strerror}") from error

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
        for batch in self.open:
            own = self._read_requests(batch)
            if batch.results_path.exists():
                notes += self._read_results(batch, own, usage_of)
        return notes

    def close(self) -> None:
        """The run has come to its end: what comes next begins anew."""
        if self.all:
            with whole_file(self.path / "closed.txt") as file:
                file.write(f"{self.all[-1].number}\n".encode())

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
            with self._lock:
                return parse_result(place.line(self._files[number]))
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
        unanswered = [batch for batch in self.all if not batch.results_path.exists()]
        costs = [batch.state["most_cost"] for batch in unanswered] + [d.most_cost for d in self._drafts]
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
        path = self.path / "closed.txt"
        try:
            return int(path.read_text(encoding="ascii"))
        except FileNotFoundError:
            return 0
        except ValueError as error:
            raise RunError(f"{path}: holds no number of a batch; start over with --fresh") from error

    def _read_requests(self, batch: Batch) -> dict[str, Place]:
        own = {}
        for number, (line, place) in enumerate(lines_of(batch.requests_path, batch.number), start=1):
            found = _CUSTOM_ID.match(line)
            if found is None:
                raise RunError(
                    f"{batch.requests_path}:{number}: not as it was written; put the file back as it was, "
                    "or start over with --fresh"
                )
            own[found[1].decode()] = place
        self._asked |= dict.fromkeys(own, batch.number)
        return own

    def _read_results(self, batch: Batch, own: Mapping[str, Place], usage_of: UsageOf) -> list[str]:
        state = batch.state
        size = batch.results_path.stat().st_size
        # A file that was still being copied when it was read is whole the next time, and has to be paid for.
        counted = "usage" in state and state.get("bytes", size) == size
        counts, usage = ResultCounts(batch), Usage()
        with batch.requests_path.open("rb") as requests:
            for line, place in lines_of(batch.results_path, batch.number):
                result = counts.take(line, own)
                if result is None:
                    continue
                self._answers[result.custom_id] = place
                if not counted and result.completion is not None:
                    body = json.loads(own[result.custom_id].line(requests))["body"]
                    usage += usage_of(state["model"], result.completion, body)
        counts.refuse_strange(own, ended=state.get("status"))
        self._files[batch.number] = batch.results_path.open("rb")
        if counted:
            return []
        if counts.answered > state.get("answered", -1):
            batch.note(usage=usage.model_dump(mode="json"), answered=counts.answered, bytes=size)
        return [counts.told(len(own))]
