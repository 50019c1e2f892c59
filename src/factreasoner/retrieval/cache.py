"""What was found, on disk: answers of search services and texts of pages, for thirty days."""

from __future__ import annotations

import json
import logging
import sqlite3
import threading
import time
import weakref
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from factreasoner.config import Config
from factreasoner.errors import ConfigError
from factreasoner.llm.cache import cache_folder, key_of

FILE = "retrieval.sqlite"
DAYS = 30
BUSY_SECONDS = 30.0
_FORM = 1
"""Counts up when what is stored changes its form."""

log = logging.getLogger(__name__)


class RetrievalCache:
    """JSON values by what they answer, in one SQLite file, safe with many threads and processes.

    With `cache` off the file is a private, temporary one that SQLite removes. A file that can't be used is
    an error here, before anything is sent; one that breaks later costs a warning and no more.

    Raises:
        ConfigError: the file is damaged, or can't be made or written.
    """

    def __init__(self, config: Config | None = None) -> None:
        config = config or Config()
        path = cache_folder(config) / FILE
        self._lock = threading.Lock()
        self._asked: dict[str, Future[Any]] = {}
        self._warned = False
        try:
            if config.cache:
                path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = _opened(str(path) if config.cache else "")
        except (OSError, sqlite3.Error) as error:
            raise ConfigError(
                f"cache_dir: {path} can't be used ({error}); delete it, or use another folder or --no-cache"
            ) from error
        self.close = weakref.finalize(self, self._connection.close)

    def value(self, question: dict[str, Any], ask: Callable[[], Any]) -> Any:
        """The stored answer to `question`, else what `ask` returns, which is stored; JSON-like both.

        Threads that want the same answer at once share one `ask`, and the exception it raises. Errors are
        not stored. `question` must hold everything that decides the answer, and no key.
        """
        key = key_of({"form": _FORM, **question})
        with self._lock:
            asked = self._asked.get(key)
            if asked is None:
                stored = self._load(key)
                if stored is not None:
                    return json.loads(stored)
                mine: Future[Any] = Future()
                self._asked[key] = mine
        if asked is not None:
            return asked.result()
        try:
            answer = ask()
            self._store(key, json.dumps(answer))
        except BaseException as error:
            mine.set_exception(error)
            raise
        else:
            mine.set_result(answer)
            return answer
        finally:
            with self._lock:
                del self._asked[key]

    def _load(self, key: str) -> str | None:
        try:
            row = self._connection.execute(
                "SELECT value FROM found WHERE key = ? AND saved > ?", (key, time.time() - DAYS * 86400)
            ).fetchone()
        except sqlite3.Error as error:
            self._warn(error)
            return None
        return None if row is None else str(row[0])

    def _store(self, key: str, value: str) -> None:
        try:
            with self._lock, self._connection as connection:
                connection.execute("INSERT OR REPLACE INTO found VALUES (?, ?, ?)", (key, value, time.time()))
        except sqlite3.Error as error:
            self._warn(error)

    def _warn(self, error: sqlite3.Error) -> None:
        if not self._warned:
            self._warned = True
            log.warning("the cache of found evidence can't be used any more (%s); going on without it", error)


def _opened(path: str) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, check_same_thread=False)
    try:
        connection.execute("PRAGMA synchronous=NORMAL")
        with connection:
            connection.execute(
                "CREATE TABLE IF NOT EXISTS found"
                " (key TEXT PRIMARY KEY, value TEXT NOT NULL, saved REAL NOT NULL)"
            )
            connection.execute("DELETE FROM found WHERE saved < ?", (time.time() - DAYS * 86400,))
    except BaseException:
        connection.close()
        raise
    return connection
