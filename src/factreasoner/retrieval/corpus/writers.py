"""One writer at a time: a store in a folder by a file lock, a collection of a server by a lease.

A file lock ends with its process. A server may be written to from many machines, whose clocks differ, so the
lease is a collection beside the one written to, which one client alone can create; its holder changes it
every few seconds, and whoever sees it unchanged for `LEASE_SECONDS` takes it over.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import socket
import threading
import time
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from filelock import FileLock, Timeout

from factreasoner.errors import ConfigError, StoreError

BEAT_SECONDS = 5.0
"""How often the holder of a lease shows that it is alive."""
LEASE_SECONDS = 30.0
"""How long a holder may be silent before it counts as dead."""
POLL_SECONDS = 0.5
_SUFFIX = ".writer"
_NOTE = ".writer.json"

log = logging.getLogger(__name__)


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


class Marks(Protocol):
    """Empty collections of a server, by name. Every method raises StoreError when the server fails."""

    def create(self, name: str, metadata: dict[str, Any]) -> Any:
        """A new one; StoreError when there is one of the name."""

    def find(self, name: str) -> Any:
        """The one of the name, None when there is none."""

    def change(self, mark: Any, **changes: Any) -> None:
        """Give it another name or metadata; StoreError when it is gone."""

    def delete(self, name: str) -> None:
        """Remove the one of the name."""


class Lease:
    """The right to write to one collection of a server, held until `release`.

    Raises:
        ConfigError: another process holds it and is alive.
        StoreError: the server fails.
    """

    def __init__(self, marks: Marks, collection: str, where: str) -> None:
        self._marks = marks
        self._where = where
        self._name = collection + _SUFFIX
        self._me = Writer.me(collection)._asdict()
        self._mark = self._taken()
        self._seen = time.monotonic()
        self._lost = False
        self._over = threading.Event()
        self._beating = threading.Thread(target=self._beat, daemon=True)
        self._beating.start()

    def check(self) -> None:
        """Raise StoreError when the right is lost: another process takes a silent one for dead."""
        if time.monotonic() - self._seen > LEASE_SECONDS / 2:
            self._confirm()
        if self._lost:
            raise StoreError(
                f"store {self._where}: this process was silent for more than {LEASE_SECONDS:.0f} s, and "
                "another one writes to the collection now; run the same command again when it is done"
            )

    def release(self) -> None:
        """Give the right to write to the collection back, so that others may."""
        self._over.set()
        self._beating.join()
        with contextlib.suppress(StoreError):  # silence ends it too
            if self._is_mine():
                self._marks.delete(self._name)

    def _taken(self) -> Any:
        while True:
            try:
                return self._marks.create(self._name, self._sign())
            except StoreError:
                held = self._marks.find(self._name)
                if held is None:
                    raise
            self._outlive(held)

    def _outlive(self, held: Any) -> None:
        """Return when the holder has gone or been silent for long; raise ConfigError when it shows life."""
        writer, sign = Writer.of(held.metadata), dict(held.metadata or {}).get("sign")
        if writer is None:
            raise ConfigError(
                f"collection: {self._name!r} in store {self._where} is in the way: the name is for what says "
                "who writes; rename it, or index into another collection"
            )
        began, told = time.monotonic(), False
        while time.monotonic() - began < LEASE_SECONDS:
            time.sleep(POLL_SECONDS)
            now = self._marks.find(self._name)
            if now is None or now.id != held.id:
                return
            if now.metadata.get("sign") != sign:
                raise ConfigError(
                    f"store {self._where}: {writer}; wait for it or end it (what it has written stays), or "
                    "index into another collection"
                )
            if not told and time.monotonic() - began > BEAT_SECONDS + 1:
                told = True
                log.warning("%s, but shows no life; waiting %.0f s to be sure", writer, LEASE_SECONDS)
        # Renamed and not deleted: of several that come to this point at once, one alone can create the next.
        stale = f"{self._name}.{uuid.uuid4().hex[:8]}"
        with contextlib.suppress(StoreError):
            self._marks.change(held, name=stale)
            self._marks.delete(stale)

    def _beat(self) -> None:
        while not self._over.wait(BEAT_SECONDS) and not self._lost:
            with contextlib.suppress(StoreError):  # the server may be back in time
                self._confirm()

    def _confirm(self) -> None:
        if self._is_mine():
            self._marks.change(self._mark, metadata=self._sign())
            self._seen = time.monotonic()
        else:
            self._lost = True

    def _is_mine(self) -> bool:
        found = self._marks.find(self._name)
        return found is not None and found.id == self._mark.id

    def _sign(self) -> dict[str, Any]:
        return {**self._me, "sign": uuid.uuid4().hex}
