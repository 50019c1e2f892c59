"""One batch: its files, and what stands where in them."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from factreasoner.errors import RunError

MOST_REQUESTS = 50_000
"""Most requests of one batch: OpenAI's limit."""
MOST_BYTES = 190_000_000
"""Largest file of requests; OpenAI takes 200 MB."""


class Batch(NamedTuple):
    """One batch by its number, and its files."""

    folder: Path
    number: int

    @property
    def requests_path(self) -> Path:
        """Path of the file of requests, one a line."""
        return self.folder / f"{self.number}.requests.jsonl"

    @property
    def results_path(self) -> Path:
        """Path of the file of results, one a line, once they are there."""
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
        self._write({**(self.state if self.state_path.exists() else {}), **values})

    def drop(self, *names: str) -> None:
        """Take from the state; when this returns that is on disk."""
        self._write({name: value for name, value in self.state.items() if name not in names})

    def _write(self, state: Mapping[str, object]) -> None:
        write_whole(self.state_path, json.dumps(state, indent=2).encode())


class Place(NamedTuple):
    """Where a line stands: of which batch, and between which bytes."""

    batch: int
    start: int
    end: int


class Draft:
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
        known = self.most_cost is not None and most_cost is not None
        self.most_cost = (self.most_cost or 0.0) + (most_cost or 0.0) if known else None

    def has_room_for(self, line: bytes) -> bool:
        """Whether a batch may hold that request too."""
        return self.requests < MOST_REQUESTS and self.file.tell() + len(line) <= MOST_BYTES


def lines_of(path: Path) -> Iterator[tuple[bytes, int, int]]:
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
