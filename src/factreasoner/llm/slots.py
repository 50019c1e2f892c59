"""How many requests may be under way at once: as many as a server bears."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from urllib.parse import urlsplit

from factreasoner.settings import Config

ANSWERS_TO_TELL = 6
"""Answers at least by which a server's speed is told."""
FIRST_REST = 32
"""How many times the speed is told before more slots are tried once more, for the first time."""
WORTH_IT = 1.3
"""By how much twice as many requests at once must work off more, or it is not worth it."""


class Slots:
    """A `limit` of requests at once, `most` at most, that finds what the server bears. Guarded by `Limits`.

    It begins with `first`. Where all are `used`, twice as many are tried, and kept if they work off at least
    1.3 times as many tokens a second; else they are tried again much later, after twice as long each time. A
    trial at less than half the speed ends once more answers came than there are slots: a server with one
    prefix cache reads every passage again for each call while two passages are under way. A request that
    times out halves them.
    """

    def __init__(self, most: int, first: int, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.limit = min(first, most)
        self.used = 0
        self._most, self._clock = most, clock
        self._before: tuple[int, float] | None = None
        """Slots and tokens a second before those that are tried now; None where none are."""
        self._rest, self._next_rest = 0, FIRST_REST
        self._peak = self._answers = self._tokens = 0
        self._begun = 0.0
        self._warm = False

    @classmethod
    def of(cls, config: Config) -> Slots:
        """The slots of a run: few at first where the server is on this machine, whose cores it shares."""
        host = urlsplit(config.api_base or "").hostname or ""
        near = host in ("localhost", "::1") or host.startswith("127.")
        return cls(config.concurrency, 1 if near else config.concurrency)

    def take(self) -> None:
        """One more is used."""
        self.used += 1
        self._peak = max(self._peak, self.used)

    def answered(self, tokens: int) -> None:
        """A request was answered, and took so many tokens."""
        if not self._warm:  # the first one waited for imports, and the server for its model
            self._warm = True
            self._start_over()
            return
        self._answers += 1
        self._tokens += tokens
        passed = self._clock() - self._begun
        speed = self._tokens / passed if passed > 0 else float("inf")
        # Answers may come in bursts, one for each slot.
        lost = self._before is not None and self._answers > self.limit and 2 * speed < self._before[1]
        if lost or self._answers >= max(ANSWERS_TO_TELL, 2 * self.limit):
            self._weigh(speed)

    def timed_out(self) -> None:
        """A request ran out of time: there are too many."""
        self._back_to(max(1, self.limit // 2))
        self._start_over()

    def _weigh(self, speed: float) -> None:
        """Decide by the last answers how many slots there are from now on."""
        before, self._before = self._before, None
        if before is not None and speed < WORTH_IT * before[1]:
            self._back_to(before[0])
        elif self._rest:
            self._rest -= 1
        elif self._peak >= self.limit < self._most:
            self._before = self.limit, speed
            self.limit = min(2 * self.limit, self._most)
        self._start_over()

    def _back_to(self, limit: int) -> None:
        """Have fewer slots, and let them be for a while."""
        self.limit, self._before = limit, None
        self._rest, self._next_rest = self._next_rest, 2 * self._next_rest

    def _start_over(self) -> None:
        self._answers = self._tokens = 0
        self._peak, self._begun = self.used, self._clock()


lease: ContextVar[list[Callable[[], None]] | None] = ContextVar("factreasoner_slot", default=None)
"""How the slot is given back that the calls inside `one_slot` share; empty until one of them has it."""


@contextlib.contextmanager
def one_slot() -> Iterator[None]:
    """Have the calls made inside, one after the other, share a slot: nothing else comes between them."""
    held: list[Callable[[], None]] = []
    token = lease.set(held)
    try:
        yield
    finally:
        lease.reset(token)
        for give_back in held:
            give_back()
