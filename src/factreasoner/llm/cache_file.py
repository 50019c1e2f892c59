"""A SQLite file of what need not be asked for again; the caches of replies, evidence and vectors are such."""

from __future__ import annotations

import logging
import sqlite3
import threading
import time
import weakref
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from factreasoner.errors import ConfigError

BUSY_SECONDS = 30.0

log = logging.getLogger(__name__)


class CacheFile:
    """Rows of tables in one file, safe with many threads and many processes.

    A file that can't be used is an error here, before anything is spent; one that breaks later costs a
    warning and no more.

    Args:
        path: where the file is; None: a private, temporary one that SQLite removes.
        setup: statements that make the tables; one of them writes, which shows whether that can be done.
        remedy: what a user can do who has no other folder, as a command: "use --no-cache".

    Raises:
        ConfigError: the file is damaged, or can't be made or written.
    """

    def __init__(self, path: Path | None, setup: Sequence[str], *, remedy: str) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._warned = False
        try:
            if path is not None:
                path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = _opened(str(path or ""), setup)
        except (OSError, sqlite3.OperationalError) as error:
            raise ConfigError(
                f"cache_dir: {path} can't be written ({error}); choose another folder, or {remedy}"
            ) from error
        except sqlite3.DatabaseError as error:
            raise ConfigError(f"cache_dir: {path} is damaged ({error}); delete it, or {remedy}") from error
        self.close = weakref.finalize(self, self._connection.close)

    def rows(self, query: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """What a query finds; nothing where the file can't be read any more."""
        try:
            with self._lock:
                return self._connection.execute(query, values).fetchall()
        except sqlite3.Error as error:
            self._warn(error)
            return []

    def write(self, statement: str, rows: Iterable[Sequence[object]]) -> None:
        """Run a statement once for every row of values, all of it or nothing."""
        try:
            with self._lock, self._connection as connection:
                connection.executemany(statement, rows)
        except sqlite3.Error as error:
            self._warn(error)

    def _warn(self, error: sqlite3.Error) -> None:
        if not self._warned:
            self._warned = True
            name = self._path or "of this process"
            log.warning("the cache %s can't be used any more (%s); going on without it", name, error)


def _opened(path: str, setup: Sequence[str]) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, check_same_thread=False)
    try:
        _until_free(lambda: connection.execute("PRAGMA journal_mode=WAL"))
        connection.execute("PRAGMA synchronous=NORMAL")
        with connection:
            for statement in setup:
                connection.execute(statement)
    except BaseException:
        connection.close()
        raise
    return connection


def _until_free(execute: Callable[[], object]) -> None:
    """Run a statement for which SQLite does not wait by itself when another process has the file."""
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            execute()
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.01)
        else:
            return
