"""Replies on disk, keyed by the content of the question: nothing is paid for twice."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import CancelledError, Future
from pathlib import Path

from platformdirs import user_cache_dir
from pydantic import ValidationError

from factreasoner.llm.cache_file import CacheFile
from factreasoner.llm.commons import Commons, ReplyCache, SharedReply
from factreasoner.llm.usage import CACHED
from factreasoner.models.messages import FunctionSchema, Reply
from factreasoner.settings import Config

FILE = "replies.sqlite"
_TABLES = (
    "CREATE TABLE IF NOT EXISTS replies (key TEXT PRIMARY KEY, reply TEXT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS notes (key TEXT PRIMARY KEY, note TEXT NOT NULL)",
    "DELETE FROM replies WHERE key = ''",
)

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


class InFlight:
    """Threads that want one key at once share one `ask`, and its failure too."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._asked: dict[str, Future[Reply]] = {}

    def reply(self, key: str, stored: Callable[[], Reply | None], ask: Callable[[], Reply]) -> SharedReply:
        """The reply of whoever asks already; else the stored one; else what `ask` gives."""
        while True:
            with self._lock:
                asked = self._asked.get(key)
                if asked is None:
                    found = stored()
                    if found is not None:
                        return SharedReply(found, fresh=False)
                    mine = self._asked[key] = Future()
                    break
            try:
                return SharedReply(asked.result().model_copy(update={"usage": CACHED}), fresh=False)
            except CancelledError:  # the thread that asked was interrupted
                continue
        return SharedReply(self._ask(key, ask, mine), fresh=True)

    def _ask(self, key: str, ask: Callable[[], Reply], mine: Future[Reply]) -> Reply:
        try:
            reply = ask()
        except Exception as error:
            mine.set_exception(error)
            raise
        else:
            mine.set_result(reply)
            return reply
        finally:
            mine.cancel()  # without effect once there is a result
            with self._lock:
                del self._asked[key]


class ResponseCache:
    """A table of replies in one file, see `CacheFile`.

    Only replies worth keeping are stored: not cut, and with at least one valid argument, of those that choose
    among values where there are such: a quotation without the verdict is worth nothing.

    Raises:
        ConfigError: the file is damaged, or can't be made or written.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE
        self._file = CacheFile(self.path, _TABLES, remedy="use --no-cache")
        self._in_flight = InFlight()
        self.close = self._file.close

    def reply(
        self, key: str, schema: FunctionSchema, ask: Callable[[], Reply], *, anew: bool = False
    ) -> SharedReply:
        """The stored reply, or the one `ask` gives; with `anew` only that. Threads that want it share."""

        def ask_and_store() -> Reply:
            reply = ask()
            if worth_keeping(reply, schema):
                self.store(key, reply)
            return reply

        return self._in_flight.reply(key, lambda: None if anew else self.stored(key), ask_and_store)

    def note(self, key: str, text: str) -> None:
        """Keep a text that is no reply."""
        self.note_all({key: text})

    def note_all(self, texts: Mapping[str, str]) -> None:
        """Keep texts that are no replies, by their keys, all at once."""
        self._file.write("INSERT OR REPLACE INTO notes VALUES (?, ?)", texts.items())

    def noted(self, key: str) -> str | None:
        """The text that `note` kept under `key`; None where there is none."""
        rows = self._file.rows("SELECT note FROM notes WHERE key = ?", (key,))
        return str(rows[0][0]) if rows else None

    def stored(self, key: str) -> Reply | None:
        """The stored reply, if there is one that can be read."""
        try:
            for (reply,) in self._file.rows("SELECT reply FROM replies WHERE key = ?", (key,)):
                return Reply.model_validate_json(reply).model_copy(update={"usage": CACHED})
        except ValidationError:
            log.debug("a stored reply is of another version and is asked for again")
        return None

    def store(self, key: str, reply: Reply) -> None:
        """Keep a reply under its question's key, without its usage."""
        body = reply.model_dump_json(exclude={"usage"})
        self._file.write("INSERT OR REPLACE INTO replies VALUES (?, ?)", [(key, body)])


def worth_keeping(reply: Reply, schema: FunctionSchema) -> bool:
    """Whether a reply is whole and answers at least one question of `schema`."""
    if reply.truncated:
        return False
    names = schema.choices or schema.arguments
    return not names or any(schema.problem(name, reply.arguments) is None for name in names)
