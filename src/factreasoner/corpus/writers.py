"""One writer at a time to a store, by a file lock that ends with its process."""

from __future__ import annotations

import contextlib
import json
import os
import socket
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from filelock import FileLock, Timeout

from factreasoner.errors import ConfigError

_NOTE = ".writer.json"


class Writer(NamedTuple):
    """Which process of which machine writes to a collection, and since when."""

    collection: str
    process: int
    host: str
    since: str

    @classmethod
    def me(cls, collection: str) -> Writer:
        """This process as the writer of `collection`, from now on."""
        now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
        return cls(collection, os.getpid(), socket.gethostname(), now)

    @classmethod
    def of(cls, values: Any) -> Writer | None:
        """What `_asdict` was written of; None where it is something else."""
        try:
            process = int(values["process"])
            return cls(str(values["collection"]), process, str(values["host"]), str(values["since"]))
        except (KeyError, TypeError, ValueError):
            return None

    def __str__(self) -> str:
        return (
            f"process {self.process} on {self.host} is writing to collection {self.collection!r} "
            f"since {self.since}"
        )


@contextlib.contextmanager
def alone_in_folder(folder: Path, collection: str) -> Iterator[None]:
    """Keep other processes from writing to any collection of the store in `folder`, which is made.

    Raises:
        ConfigError: another process writes there, or the folder can't be written.
    """
    lock, note = FileLock(folder / ".lock"), folder / _NOTE
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock.acquire(timeout=0)
    except Timeout as error:
        raise ConfigError(
            f"store {folder}: {_noted(note) or 'another process is writing to it'}; wait for it or end it "
            "(what it has written stays), or use another --store"
        ) from error
    except OSError as error:
        raise ConfigError(f"store {folder}: can't be written: {error.strerror or error}") from error
    try:
        note.write_text(json.dumps(Writer.me(collection)._asdict()), encoding="utf-8")
        yield
    finally:
        with contextlib.suppress(OSError):
            note.unlink()
        lock.release()


def _noted(note: Path) -> Writer | None:
    try:
        return Writer.of(json.loads(note.read_text(encoding="utf-8")))
    except (OSError, ValueError):
        return None
