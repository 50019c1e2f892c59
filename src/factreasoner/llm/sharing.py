"""Equal questions of one process that are under way at once: asked once."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from typing import NamedTuple

from factreasoner.llm.messages import Reply
from factreasoner.models import Usage

CACHED = Usage(cached_calls=1)


class SharedReply(NamedTuple):
    """A reply, and whether it was asked for by this caller rather than by another or earlier."""

    reply: Reply
    fresh: bool


class Sharing:
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
