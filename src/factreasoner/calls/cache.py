"""A disk cache of replies, keyed by the content of the request."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import sqlite3
import threading
import time
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any, Generic, TypeVar

from platformdirs import user_cache_dir
from pydantic import ValidationError

from factreasoner.calls.settings import CallSettings
from factreasoner.calls.slots import give_slot_back
from factreasoner.calls.threads import AbandonedError
from factreasoner.calls.usage import CACHED
from factreasoner.errors import ConfigError
from factreasoner.models.messages import FunctionSchema, Reply

T = TypeVar("T")

FILE = "replies.sqlite"
BUSY_SECONDS = 30.0
_TABLES = (
    "CREATE TABLE IF NOT EXISTS replies (key TEXT PRIMARY KEY, reply TEXT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS notes (key TEXT PRIMARY KEY, note TEXT NOT NULL)",
    "DELETE FROM replies WHERE key = ''",
)

log = logging.getLogger(__name__)


def cache_folder(config: CallSettings) -> Path:
    """The cache folder: as configured, else $FACTREASONER_CACHE_DIR, else the platform's."""
    named = os.environ.get("FACTREASONER_CACHE_DIR") or user_cache_dir("factreasoner")
    return config.cache_dir or Path(named)


def key_of(question: object) -> str:
    """The SHA-256 of everything that affects the answer, given as JSON-like values."""
    return hashlib.sha256(json.dumps(question).encode()).hexdigest()


class ReplyCache:
    """Cached replies in a `CacheFile`; without a folder nothing is kept."""

    def __init__(self, folder: Path | None) -> None:
        self._file = None if folder is None else CacheFile(folder / FILE, _TABLES, remedy="use `cache=False`")
        self._in_flight = InFlight[Reply]()

    def close(self) -> None:
        """Close the file. Later calls work without it."""
        if self._file is not None:
            self._file.close()

    def get_or_ask(
        self, key: str, schema: FunctionSchema, ask: Callable[[], Reply], *, renew: bool = False
    ) -> Reply:
        """The stored reply, or that of `ask` (always with `renew`). Concurrent callers share one call.

        All callers but the one that asked get the reply with cached usage.
        """

        def ask_and_store() -> Reply:
            reply = ask()
            if worth_keeping(reply, schema):
                self.store(key, reply)
            return reply

        reply, fresh = self._in_flight.get_or_ask(
            key, lambda: None if renew else self.stored(key), ask_and_store
        )
        return reply if fresh else reply.model_copy(update={"usage": CACHED})

    def stored(self, key: str) -> Reply | None:
        """The stored reply, if there is a readable one."""
        found = self._lookup("SELECT reply FROM replies WHERE key = ?", key)
        try:
            return None if found is None else Reply.model_validate_json(found)
        except ValidationError:
            return None  # written by another version

    def store(self, key: str, reply: Reply) -> None:
        """Store a reply under its key, without its usage."""
        body = reply.model_dump_json(exclude={"usage"})
        self._write("INSERT OR REPLACE INTO replies VALUES (?, ?)", {key: body})

    def note_all(self, texts: Mapping[str, str]) -> None:
        """Store other strings by key."""
        self._write("INSERT OR REPLACE INTO notes VALUES (?, ?)", texts)

    def noted(self, key: str) -> str | None:
        """The string stored under `key`, or None."""
        return self._lookup("SELECT note FROM notes WHERE key = ?", key)

    def _write(self, statement: str, texts: Mapping[str, str]) -> None:
        if self._file is not None:
            self._file.write(statement, texts.items())

    def _lookup(self, query: str, key: str) -> str | None:
        rows = [] if self._file is None else self._file.rows(query, (key,))
        return str(rows[0][0]) if rows else None


def worth_keeping(reply: Reply, schema: FunctionSchema) -> bool:
    """Whether a reply is complete and answers at least one question of `schema`.

    If the schema has choices, one must be made: a quotation without its verdict is useless.
    """
    names = schema.choices or schema.arguments
    valid = not names or any(schema.problem(name, reply.arguments) is None for name in names)
    return valid and not reply.truncated


class Answerers:
    """The model and fingerprint of a run's live and cached replies; warns once if they differ."""

    def __init__(self, model: str) -> None:
        self._model, self._lock, self._warned = model, threading.Lock(), False
        self._names: dict[tuple[str, bool], set[str]] = {}  # by kind, and whether answers were cached

    def note(self, reply: Reply) -> None:
        """Record who gave a reply."""
        cached = bool(reply.usage.cached_calls)
        given = {"model": reply.model, f"system fingerprint of {reply.model!r}": reply.system_fingerprint}
        with self._lock:
            for kind, name in given.items():
                if name:
                    self._names.setdefault((kind, cached), set()).add(name)
                live, old = (self._names.get((kind, side), set()) for side in (False, True))
                if live and (strange := sorted(old - live)) and not self._warned:
                    self._warned = True
                    told = f"cached answers have the {kind} {strange[0]!r}, and new ones {min(live)!r}"
                    remedy = "the server may serve another model now; `cache=False` asks again"
                    log.warning("model %s: %s: %s", self._model, told, remedy)


class InFlight(Generic[T]):
    """Concurrent requests for one key share one `ask` and its failure."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._asked: dict[str, Future[T]] = {}

    def get_or_ask(self, key: str, stored: Callable[[], T | None], ask: Callable[[], T]) -> tuple[T, bool]:
        """The answer of a request in flight, else the stored one, else that of `ask` with True."""
        with self._lock:
            asked = self._asked.get(key)
            if asked is None:
                found = stored()
                if found is not None:
                    return found, False
                mine = self._asked[key] = Future()
        if asked is not None:
            give_slot_back()
            try:
                return asked.result(), False
            except AbandonedError:  # whoever asked has left
                return self.get_or_ask(key, stored, ask)
        try:
            try:
                answer = ask()
            finally:
                with self._lock:
                    del self._asked[key]
        except BaseException as error:
            mine.set_exception(error)
            raise
        mine.set_result(answer)
        return answer, True


class CacheFile:
    """SQLite tables, safe with many threads and processes; temporary without `path`.

    If the file fails later, a warning is given once and work continues without it. One statement in `setup`
    writes, so that an unusable file is a ConfigError before any cost. `remedy` is the fix for a user without
    another folder: "use `cache=False`".
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
        """The rows of a query; none if the file can't be read any more."""
        try:
            with self._lock:
                return self._connection.execute(query, values).fetchall()
        except sqlite3.Error as error:
            self._warn(error)
            return []

    def write(self, statement: str, rows: Iterable[Sequence[object]]) -> None:
        """Execute a statement for every row, in one transaction."""
        try:
            with self._lock, self._connection as connection:
                connection.executemany(statement, rows)
        except sqlite3.Error as error:
            self._warn(error)

    def _warn(self, error: sqlite3.Error) -> None:
        if not self._warned:
            self._warned, name = True, self._path or "of this process"
            log.warning("the cache %s can't be used any more (%s); continuing without it", name, error)


def _opened(path: str, setup: Sequence[str]) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, check_same_thread=False)
    try:
        deadline = time.monotonic() + BUSY_SECONDS
        while True:  # SQLite does not wait by itself for the journal mode while another process has the file
            try:
                connection.execute("PRAGMA journal_mode=WAL")
                break
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                    raise
                time.sleep(0.01)
        connection.execute("PRAGMA synchronous=NORMAL")
        with connection:
            for statement in setup:
                connection.execute(statement)
    except BaseException:
        connection.close()
        raise
    return connection
