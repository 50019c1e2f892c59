"""What was found, on disk: answers of search services and texts of pages, for thirty days."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

from factreasoner.llm.cache import CacheFile, InFlight, cache_folder, key_of
from factreasoner.settings import Config

FILE = "retrieval.sqlite"
DAYS = 30
_FORM = 1
"""Counts up when what is stored changes its form."""


class RetrievalCache:
    """JSON values by what they answer, in one file, see `CacheFile`; with `cache` off a temporary one.

    Raises ConfigError: the file is damaged, or can't be made or written.
    """

    def __init__(self, config: Config | None = None) -> None:
        config = config or Config()
        path = cache_folder(config) / FILE if config.cache else None
        setup = (
            "CREATE TABLE IF NOT EXISTS found"
            " (key TEXT PRIMARY KEY, value TEXT NOT NULL, saved REAL NOT NULL)",
            f"DELETE FROM found WHERE saved < {_oldest()}",
        )
        self._file = CacheFile(path, setup, remedy="use --no-cache")
        self._in_flight = InFlight[str]()
        self.close = self._file.close

    def value(self, question: dict[str, Any], ask: Callable[[], Any]) -> Any:
        """The stored answer to `question`, else what `ask` returns, which is stored; JSON-like both.

        Threads that want the same answer at once share one `ask`, and the exception it raises. Errors are
        not stored. `question` must hold everything that decides the answer, and no key.
        """
        key = key_of({"form": _FORM, **question})

        def ask_and_store() -> str:
            answer = json.dumps(ask())
            self._file.write("INSERT OR REPLACE INTO found VALUES (?, ?, ?)", [(key, answer, time.time())])
            return answer

        return json.loads(self._in_flight.get_or_ask(key, lambda: self._load(key), ask_and_store)[0])

    def _load(self, key: str) -> str | None:
        rows = self._file.rows("SELECT value FROM found WHERE key = ? AND saved > ?", (key, _oldest()))
        return str(rows[0][0]) if rows else None


def _oldest() -> float:
    """When that was saved, in seconds since 1970, which is just not too old to be used."""
    return time.time() - DAYS * 86400
