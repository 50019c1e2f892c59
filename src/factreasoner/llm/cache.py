"""Replies on disk, keyed by the content of the question: nothing is paid for twice."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import sqlite3
import threading
import time
import weakref
from collections.abc import Callable, Mapping
from pathlib import Path

from platformdirs import user_cache_dir
from pydantic import ValidationError

from factreasoner.config import Config
from factreasoner.errors import ConfigError
from factreasoner.llm.commons import Commons, ReplyCache
from factreasoner.llm.messages import FunctionSchema, Reply
from factreasoner.llm.sharing import CACHED, SharedReply, Sharing

FILE = "replies.sqlite"
BUSY_SECONDS = 30.0

log = logging.getLogger(__name__)


def cache_folder(config: Config) -> Path:
    """The folder of the cache: the configured one, else $FACTREASONER_CACHE_DIR, else the platform's."""
    named = os.environ.get("FACTREASONER_CACHE_DIR") or user_cache_dir("factreasoner")
    return config.cache_dir or Path(named)


def cache_of(config: Config, commons: Commons | None = None) -> ReplyCache | None:
    """Where answered calls are kept, if they are. Raises ConfigError where that can't be used."""
    if commons is not None:
        return commons.cache
    return ResponseCache(cache_folder(config)) if config.cache else None


def key_of(question: object) -> str:
    """The SHA-256 of a JSON-like description of everything that decides the answer."""
    return hashlib.sha256(json.dumps(question).encode()).hexdigest()


class ResponseCache:
    """A table of replies in one SQLite file, safe with many threads and many processes.

    Only replies worth keeping are stored: not cut, and with at least one valid argument, of those that choose
    among values where there are such: a quotation without the verdict is worth nothing. A file that can't
    be used is an error here, before anything is spent; one that breaks later costs a warning and no more.

    Raises:
        ConfigError: the file is damaged, or can't be made or written.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE
        self._lock = threading.Lock()
        self._sharing = Sharing()
        self._warned = False
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = _opened(self.path)
        except (OSError, sqlite3.OperationalError) as error:
            raise ConfigError(
                f"cache_dir: {self.path} can't be written ({error}); choose another folder, or use --no-cache"
            ) from error
        except sqlite3.DatabaseError as error:
            raise ConfigError(
                f"cache_dir: {self.path} is damaged ({error}); delete it, or use --no-cache"
            ) from error
        self.close = weakref.finalize(self, self._connection.close)

    def reply(
        self, key: str, schema: FunctionSchema, ask: Callable[[], Reply], *, anew: bool = False
    ) -> SharedReply:
        """The stored reply, or the one `ask` gives; with `anew` only that. Threads that want it share."""

        def ask_and_store() -> Reply:
            reply = ask()
            if worth_keeping(reply, schema):
                self.store(key, reply)
            return reply

        return self._sharing.reply(key, lambda: None if anew else self.stored(key), ask_and_store)

    def note(self, key: str, text: str) -> None:
        """Keep a text that is no reply."""
        self.note_all({key: text})

    def note_all(self, texts: Mapping[str, str]) -> None:
        """Keep texts that are no replies, by their keys, all at once."""
        self._write("INSERT OR REPLACE INTO notes VALUES (?, ?)", *texts.items())

    def noted(self, key: str) -> str | None:
        """The text that `note` kept under `key`; None where there is none."""
        try:
            row = self._connection.execute("SELECT note FROM notes WHERE key = ?", (key,)).fetchone()
        except sqlite3.Error as error:
            self._warn(error)
            return None
        return None if row is None else str(row[0])

    def stored(self, key: str) -> Reply | None:
        """The stored reply, if there is one that can be read."""
        try:
            row = self._connection.execute("SELECT reply FROM replies WHERE key = ?", (key,)).fetchone()
            return (
                None
                if row is None
                else Reply.model_validate_json(row[0]).model_copy(update={"usage": CACHED})
            )
        except sqlite3.Error as error:
            self._warn(error)
        except ValidationError:
            log.debug("a stored reply is of another version and is asked for again")
        return None

    def store(self, key: str, reply: Reply) -> None:
        """Keep a reply under its question's key, without its usage."""
        body = reply.model_dump_json(exclude={"usage"})
        self._write("INSERT OR REPLACE INTO replies VALUES (?, ?)", (key, body))

    def _write(self, statement: str, *rows: tuple[str, str]) -> None:
        try:
            with self._lock, self._connection as connection:
                connection.executemany(statement, rows)
        except sqlite3.Error as error:
            self._warn(error)

    def _warn(self, error: sqlite3.Error) -> None:
        if not self._warned:
            self._warned = True
            log.warning("the cache %s can't be used any more (%s); going on without it", self.path, error)


def _opened(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, check_same_thread=False)
    try:
        _until_free(lambda: connection.execute("PRAGMA journal_mode=WAL"))
        connection.execute("PRAGMA synchronous=NORMAL")
        with connection:
            connection.execute(
                "CREATE TABLE IF NOT EXISTS replies (key TEXT PRIMARY KEY, reply TEXT NOT NULL)"
            )
            connection.execute("CREATE TABLE IF NOT EXISTS notes (key TEXT PRIMARY KEY, note TEXT NOT NULL)")
            connection.execute("DELETE FROM replies WHERE key = ''")  # fails where the file can't be written
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


def worth_keeping(reply: Reply, schema: FunctionSchema) -> bool:
    """Whether a reply is whole and answers at least one question of `schema`."""
    if reply.truncated:
        return False
    names = schema.arguments
    choices = [name for name in names if "enum" in schema.parameters["properties"][name]]
    return not names or any(schema.problem(name, reply.arguments) is None for name in choices or names)
