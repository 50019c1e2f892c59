"""What all model calls of a run share, in whatever process of whatever machine they are made."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from typing import NamedTuple, Protocol

from factreasoner.llm.budget import Account
from factreasoner.llm.form_search import Memory
from factreasoner.llm.limits import Turn
from factreasoner.models.messages import FunctionSchema, Reply


class SharedReply(NamedTuple):
    """A reply, and whether it was asked for by this caller rather than by another or earlier."""

    reply: Reply
    fresh: bool


class Turnstile(Protocol):
    """Where each request waits for its turn: for a free slot, and for the limits a minute."""

    def passed(self, tokens: int) -> contextlib.AbstractContextManager[Turn]:
        """Wait, and hold a slot for the request of about `tokens` made inside, which tells what it took."""
        ...

    def pause(self, seconds: float) -> None:
        """Let no request through for so many seconds."""
        ...

    def open(self) -> None:
        """End the waiting of this process: what it waits to send will not be sent."""
        ...


class ReplyCache(Protocol):
    """Where replies are kept, and texts that are no replies; see `ResponseCache`."""

    @property
    def close(self) -> Callable[[], object]:
        """Closes the cache; calls made later go without it."""
        ...

    def reply(
        self, key: str, schema: FunctionSchema, ask: Callable[[], Reply], *, anew: bool = False
    ) -> SharedReply:
        """The stored reply, or the one `ask` gives; with `anew` only that. Who wants it at once shares it."""
        ...

    def note(self, key: str, text: str) -> None:
        """Keep a text that is no reply under `key`."""
        ...

    def note_all(self, texts: Mapping[str, str]) -> None:
        """Keep texts that are no replies, by their keys, all at once."""
        ...

    def noted(self, key: str) -> str | None:
        """The text that `note` kept under `key`; None where there is none."""
        ...


class Commons(NamedTuple):
    """Limits, money, answers and what is learnt of models, where they are not this process's own.

    `cache` None: nothing is kept.
    """

    turnstile: Turnstile
    account: Account
    cache: ReplyCache | None
    memory: Memory
