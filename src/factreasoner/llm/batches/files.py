"""One batch: its files, and how they are written and read."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from factreasoner.errors import RunError


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
        with whole_file(self.state_path) as file:
            file.write(json.dumps(state, indent=2).encode())


class Place(NamedTuple):
    """Where a line stands: of which batch, and between which bytes."""

    batch: int
    start: int
    end: int

    def line(self, file: BinaryIO) -> bytes:
        """That line of the file it stands in."""
        file.seek(self.start)
        return file.read(self.end - self.start)


def lines_of(path: Path, batch: int) -> Iterator[tuple[bytes, Place]]:
    """Lines of a file of that batch that are not blank, each with its place."""
    start = 0
    with path.open("rb") as file:
        for line in file:
            end = start + len(line)
            if line.strip():
                yield line, Place(batch, start, end)
            start = end


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
