"""How many requests a server gets at once, and the slot that successive calls share."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from urllib.parse import urlsplit

from factreasoner.calls.settings import CallSettings

MIN_ANSWERS = 6
"""Minimum answers before a server's speed is known."""
FIRST_REST = 32
"""Measurements before more slots are tried again, the first time."""
WORTH_IT = 1.3
"""Minimum speed-up for which twice as many slots are kept."""


class Slots:
    """An adaptive `limit` on simultaneous requests, up to `most`.

    When all slots are `used`, twice as many are tried, and kept if they process at least 1.3 times as many
    tokens per second; else they are tried again after a rest that doubles each time. A trial at less than
    half the speed ends early, since a server's prefix cache may hold only one passage. `Limits` locks it.
    """

    def __init__(self, most: int, first: int, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.limit = min(first, most)
        self.used = 0
        self._most, self._clock = most, clock
        self._before: tuple[int, float] | None = None
        """Slots and tokens a second before the trial that is under way; None without one."""
        self._rest, self._next_rest = 0, FIRST_REST
        self._peak = self._answers = self._tokens = 0
        self._begun: float | None = None

    @classmethod
    def of(cls, config: CallSettings) -> Slots:
        """The slots of a run: one at first if the server shares this machine's cores."""
        host = urlsplit(config.api_base or "").hostname or ""
        near = host in ("localhost", "::1") or host.startswith("127.")
        return cls(config.concurrency, 1 if near else config.concurrency)

    def take(self) -> None:
        """Use one more slot."""
        self.used += 1
        self._peak = max(self._peak, self.used)

    def answered(self, tokens: int) -> None:
        """Record an answered request with its tokens, and adapt the limit to the speed."""
        if self._begun is None:  # the first one waited for imports, and the server for its model
            self._measure()
            return
        self._answers += 1
        self._tokens += tokens
        passed = self._clock() - self._begun
        speed = self._tokens / passed if passed > 0 else float("inf")
        before = self._before
        # Answers may come in bursts, one per slot.
        lost = before is not None and self._answers > self.limit and 2 * speed < before[1]
        if not lost and self._answers < max(MIN_ANSWERS, 2 * self.limit):
            return
        self._before = None
        if before is not None and speed < WORTH_IT * before[1]:
            self._back_to(before[0])
        elif self._rest:
            self._rest -= 1
        elif self._peak >= self.limit < self._most:
            self._before = self.limit, speed
            self.limit = min(2 * self.limit, self._most)
        self._measure()

    def timed_out(self) -> None:
        """Halve the slots after a timeout."""
        self._before = None
        self._back_to(max(1, self.limit // 2))
        if self._begun is not None:
            self._measure()

    def _back_to(self, limit: int) -> None:
        """Lower the limit, and keep it for a while."""
        self.limit, self._rest, self._next_rest = limit, self._next_rest, 2 * self._next_rest

    def _measure(self) -> None:
        self._answers = self._tokens = 0
        self._peak, self._begun = self.used, self._clock()


lease: ContextVar[list[Callable[[], None]] | None] = ContextVar("factreasoner_slot", default=None)
"""Returns the slot shared inside `one_slot`; empty until a call there has it."""


@contextlib.contextmanager
def one_slot() -> Iterator[None]:
    """Let successive calls made inside share a slot, so that no other call comes between."""
    token = lease.set([])
    try:
        yield
    finally:
        give_slot_back()
        lease.reset(token)


def give_slot_back() -> None:
    """Return the slot shared inside `one_slot` until the next call there takes one.

    Called before waiting: for another call that may need this slot, or before a retry.
    """
    held = lease.get()
    while held:
        held.pop()()
