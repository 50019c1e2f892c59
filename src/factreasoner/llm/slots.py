"""How many requests are under way at once: as many as a server bears."""

from __future__ import annotations

import contextlib
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from urllib.parse import urlsplit

from factreasoner.llm.deadline import POLL_SECONDS
from factreasoner.settings import Config

ANSWERS_TO_TELL = 6
"""Answers at least by which a server's speed is told."""
FIRST_REST = 32
"""How many times the speed is told before more slots are tried once more, for the first time."""
WORTH_IT = 1.3
"""By how much twice as many requests at once must work off more, or it is not worth it."""


class Line:
    """Threads that wait for something in the order they came; they go on under `changed`."""

    def __init__(self) -> None:
        self.changed = threading.Condition()
        self._places: deque[object] = deque()

    def wait(self, delay: Callable[[], float], *, first: bool = False) -> None:
        """Wait, holding `changed`, until nobody is ahead and `delay()` is 0: seconds after which to ask anew.

        `first` goes ahead of all others.
        """
        place = object()
        (self._places.appendleft if first else self._places.append)(place)
        try:
            while (left := delay() if self._places[0] is place else POLL_SECONDS) > 0:
                self.changed.wait(min(left, POLL_SECONDS))
        finally:  # an interrupted wait must leave the line too, or nobody behind it would ever move
            self._places.remove(place)
            self.changed.notify_all()

    def __len__(self) -> int:
        return len(self._places)


class Slots:
    """Lets as many requests through at once as the server bears, `most` at most. Thread-safe.

    It begins with `first`. Where all are in use, twice as many are tried, and kept if they work off at least
    1.3 times as many tokens a second; else they are tried again much later, after twice as long each time. A
    trial at less than half the speed ends once more answers came than there are slots: a server with one
    prefix cache reads every passage again for each call while two passages are under way. A request that
    times out halves them.
    """

    def __init__(self, most: int, first: int, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.limit = min(first, most)
        self._most = most
        self._clock = clock
        self._before: tuple[int, float] | None = None
        """Slots and tokens a second before those that are tried now; None where none are."""
        self._rest, self._next_rest = 0, FIRST_REST
        self._line = Line()
        self._changed = self._line.changed
        self._used = self._peak = self._answers = self._tokens = 0
        self._begun = 0.0
        self._warm = False

    @classmethod
    def of(cls, config: Config) -> Slots:
        """The slots of a run: few at first where the server is on this machine, whose cores it shares."""
        host = urlsplit(config.api_base or "").hostname or ""
        near = host in ("localhost", "::1") or host.startswith("127.")
        return cls(config.concurrency, 1 if near else config.concurrency)

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """Wait for a slot, and hold it for the request made inside; see `one_slot`."""
        lease = _lease.get()
        if lease:
            self.keep()
        else:
            self.take()
            if lease is not None:
                lease.append(self.give_back)
        try:
            yield
        finally:
            if lease is None:
                self.give_back()

    def take(self, *, first: bool = False) -> None:
        """Wait for a free slot: first come, first served."""
        with self._changed:
            self._line.wait(lambda: 0.0 if self._used < self.limit else POLL_SECONDS, first=first)
            self._used += 1
            self._peak = max(self._peak, self._used)

    def keep(self) -> None:
        """Keep a slot for one more request, or wait, next in line, where fewer are left than are in use."""
        with self._changed:
            if self._used <= self.limit:
                return
            self.give_back()
            try:
                self.take(first=True)
            except BaseException:
                self._used += 1  # whoever holds it gives it back
                raise

    def give_back(self) -> None:
        """A slot is free again."""
        with self._changed:
            self._used -= 1
            self._changed.notify_all()

    def answered(self, tokens: int) -> None:
        """A request was answered, and took so many tokens."""
        with self._changed:
            if not self._warm:  # the first one waited for imports, and the server for its model
                self._warm = True
                self._start_over()
                return
            self._answers += 1
            self._tokens += tokens
            if self._answers >= max(ANSWERS_TO_TELL, 2 * self.limit) or self._lost():
                self._weigh()
                self._changed.notify_all()

    def timed_out(self) -> None:
        """A request ran out of time: there are too many."""
        with self._changed:
            self.limit, self._before = max(1, self.limit // 2), None
            self._rest, self._next_rest = self._next_rest, 2 * self._next_rest
            self._start_over()

    def _speed(self) -> float:
        passed = self._clock() - self._begun
        return self._tokens / passed if passed > 0 else float("inf")

    def _lost(self) -> bool:
        """Whether a trial need not be seen to its end; answers may come in bursts, one for each slot."""
        enough = self._answers > self.limit
        return enough and self._before is not None and 2 * self._speed() < self._before[1]

    def _weigh(self) -> None:
        """Decide by the last answers how many slots there are from now on."""
        speed, before, self._before = self._speed(), self._before, None
        if before is not None and speed < WORTH_IT * before[1]:
            self.limit = before[0]
            self._rest, self._next_rest = self._next_rest, 2 * self._next_rest
        elif self._rest:
            self._rest -= 1
        elif self._peak >= self.limit < self._most:
            self._before = self.limit, speed
            self.limit = min(2 * self.limit, self._most)
        self._start_over()

    def _start_over(self) -> None:
        self._answers = self._tokens = 0
        self._peak, self._begun = self._used, self._clock()


_lease: ContextVar[list[Callable[[], None]] | None] = ContextVar("factreasoner_slot", default=None)
"""How the slot is given back that the calls inside `one_slot` share; empty until one of them has it."""


@contextlib.contextmanager
def one_slot() -> Iterator[None]:
    """Have the calls made inside, one after the other, share a slot: nothing else comes between them."""
    lease: list[Callable[[], None]] = []
    token = _lease.set(lease)
    try:
        yield
    finally:
        _lease.reset(token)
        for give_back in lease:
            give_back()
