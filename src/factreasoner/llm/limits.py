"""Requests and tokens per minute: waiting in line rather than failing."""

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
ANSWERS_TO_GIVE_UP = 3
"""Answers after which a trial ends early, if they came at less than half the speed of before."""


class AdmittedRequest:
    """One request in a window: when it was let through, and how many tokens it takes."""

    def __init__(self, at: float, tokens: int) -> None:
        self.at = at
        self.tokens = tokens


class SlidingWindow:
    """The requests of the last `seconds`, and the rule of when the next may follow. Not thread-safe."""

    def __init__(self, requests: int | None, tokens: int | None, seconds: float = 60.0) -> None:
        self.requests = requests
        self.tokens = tokens
        self.seconds = seconds
        self._entries: deque[AdmittedRequest] = deque()
        self._tokens = 0

    def delay(self, now: float, tokens: int) -> float:
        """Seconds until a request of `tokens` fits: then no window of `seconds` holds more than allowed.

        A request larger than the whole token limit fits as soon as the window is empty.
        """
        while self._entries and self._entries[0].at <= now - self.seconds:
            self._tokens -= self._entries.popleft().tokens
        waited_for: AdmittedRequest | None = None
        if self.requests is not None and len(self._entries) >= self.requests:
            waited_for = self._entries[len(self._entries) - self.requests]
        if self.tokens is not None:
            excess = self._tokens + tokens - self.tokens
            for entry in self._entries:
                if excess <= 0:
                    break
                excess -= entry.tokens
                if waited_for is None or entry.at > waited_for.at:
                    waited_for = entry
        return 0.0 if waited_for is None else max(waited_for.at + self.seconds - now, 0.0)

    def add(self, now: float, tokens: int) -> AdmittedRequest:
        """Let a request through at `now`."""
        entry = AdmittedRequest(now, tokens)
        self._entries.append(entry)
        self._tokens += tokens
        return entry

    def correct(self, entry: AdmittedRequest, tokens: int) -> None:
        """Replace an entry's estimate by the number of tokens it took."""
        if self._entries and entry.at >= self._entries[0].at:
            self._tokens += tokens - entry.tokens
            entry.tokens = tokens


class RateLimits:
    """Lets requests through in the order they came, as fast as the limits allow. Thread-safe."""

    def __init__(
        self,
        requests_per_minute: int | None = None,
        tokens_per_minute: int | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._window = SlidingWindow(requests_per_minute, tokens_per_minute)
        self._limited = requests_per_minute is not None or tokens_per_minute is not None
        self._clock = clock
        self._paused_until = 0.0
        self._released = False
        self._line: deque[object] = deque()
        self._changed = threading.Condition()

    def wait(self, tokens: int) -> AdmittedRequest:
        """Return when a request of about `tokens` may be sent. Correct its entry once the number is known."""
        place = object()
        with self._changed:
            self._line.append(place)
            try:
                while True:
                    first = self._line[0] is place
                    now = self._clock()
                    delay = max(self._delay(now, tokens), self._paused_until - now) if first else None
                    if self._released or (delay is not None and delay <= 0):
                        return (
                            self._window.add(now, tokens) if self._limited else AdmittedRequest(now, tokens)
                        )
                    self._changed.wait(POLL_SECONDS if delay is None else min(delay, POLL_SECONDS))
            finally:
                # An interrupted wait must leave the line too, or nobody behind it would ever move.
                self._line.remove(place)
                self._changed.notify_all()

    @property
    def waiting(self) -> int:
        """How many requests are in line."""
        with self._changed:
            return len(self._line)

    def _delay(self, now: float, tokens: int) -> float:
        return self._window.delay(now, tokens) if self._limited else 0.0

    def correct(self, entry: AdmittedRequest, tokens: int) -> None:
        """Replace an entry's estimate by the number of tokens it took."""
        with self._changed:
            self._window.correct(entry, tokens)
            self._changed.notify_all()

    def pause(self, seconds: float) -> None:
        """Let nothing through for `seconds`: a provider that asks one request to wait means them all."""
        with self._changed:
            self._paused_until = max(self._paused_until, self._clock() + seconds)

    def release(self) -> None:
        """Let everybody through from now on: the requests they wait to send will not be sent."""
        with self._changed:
            self._released = True
            self._changed.notify_all()


class Turn:
    """The turn of one request: how many `tokens` it is expected to take, and how many it `took`."""

    def __init__(self, tokens: int) -> None:
        self.tokens = tokens
        self.took = 0
        self.timed_out = False


class Slots:
    """Lets as many requests through at once as the server bears, `most` at most. Thread-safe.

    It begins with `first`. Where all are in use, twice as many are tried, and kept if they work off at least
    1.3 times as many tokens a second; else they are tried again much later, after twice as long each time. A
    trial at less than half the speed ends after three answers: a server with one prefix cache reads every
    passage again for each call while two passages are under way. A request that times out halves them.
    """

    def __init__(self, most: int, first: int, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.limit = min(first, most)
        self._most = most
        self._clock = clock
        self._before: tuple[int, float] | None = None
        """Slots and tokens a second before those that are tried now; None where none are."""
        self._rest, self._next_rest = 0, FIRST_REST
        self._changed = threading.Condition()
        self._line: deque[object] = deque()
        self._used = self._peak = self._answers = self._tokens = 0
        self._begun = 0.0
        self._warm = False

    def take(self) -> None:
        """Wait for a free slot: first come, first served."""
        with self._changed:
            self._wait(self._line.append)

    def keep(self) -> None:
        """Keep a slot for one more request, or wait, next in line, where fewer are left than are in use."""
        with self._changed:
            if self._used <= self.limit:
                return
            self._used -= 1
            self._changed.notify_all()
            try:
                self._wait(self._line.appendleft)
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
            self._wait_longer()
            self._start_over()

    def _wait(self, join: Callable[[object], None]) -> None:
        place = object()
        join(place)
        try:
            while self._line[0] is not place or self._used >= self.limit:
                self._changed.wait(POLL_SECONDS)
            self._used += 1
            self._peak = max(self._peak, self._used)
        finally:  # an interrupted wait must leave the line too
            self._line.remove(place)
            self._changed.notify_all()

    def _speed(self) -> float:
        passed = self._clock() - self._begun
        return self._tokens / passed if passed > 0 else float("inf")

    def _lost(self) -> bool:
        """Whether a trial need not be seen to its end."""
        enough = self._answers >= ANSWERS_TO_GIVE_UP
        return enough and self._before is not None and 2 * self._speed() < self._before[1]

    def _weigh(self) -> None:
        """Decide by the last answers how many slots there are from now on."""
        speed = self._speed()
        if self._before is not None and speed < WORTH_IT * self._before[1]:
            self.limit = self._before[0]
            self._before = None
            self._wait_longer()
        elif self._rest:
            self._rest -= 1
        elif self._peak >= self.limit < self._most:
            self._before = self.limit, speed
            self.limit = min(2 * self.limit, self._most)
        else:
            self._before = None
        self._start_over()

    def _wait_longer(self) -> None:
        self._rest, self._next_rest = self._next_rest, 2 * self._next_rest

    def _start_over(self) -> None:
        self._answers = self._tokens = 0
        self._peak, self._begun = self._used, self._clock()


class _Lease:
    """A slot that the calls inside `one_slot` share; `given_back` is None until one of them has it."""

    def __init__(self) -> None:
        self.given_back: Callable[[], None] | None = None


_lease: ContextVar[_Lease | None] = ContextVar("factreasoner_slot", default=None)


@contextlib.contextmanager
def one_slot() -> Iterator[None]:
    """Have the calls made inside, one after the other, share a slot: nothing else comes between them."""
    lease = _Lease()
    token = _lease.set(lease)
    try:
        yield
    finally:
        _lease.reset(token)
        if lease.given_back is not None:
            lease.given_back()


class LocalTurnstile:
    """Lets requests through, as many at once as there are `slots`, as fast as the limits a minute allow."""

    def __init__(self, slots: Slots, requests_per_minute: int | None, tokens_per_minute: int | None) -> None:
        self.slots = slots
        self._limits = RateLimits(requests_per_minute, tokens_per_minute)

    @contextlib.contextmanager
    def passed(self, tokens: int) -> Iterator[Turn]:
        """Wait, and hold a slot for the request of about `tokens` that is made inside."""
        with self._slot():
            entry = self._limits.wait(tokens)
            turn = Turn(tokens)
            try:
                yield turn
                self.slots.answered(turn.took)
            finally:
                self._limits.correct(entry, turn.took)
                if turn.timed_out:
                    self.slots.timed_out()

    @contextlib.contextmanager
    def _slot(self) -> Iterator[None]:
        lease = _lease.get()
        if lease is not None and lease.given_back is not None:
            self.slots.keep()
            yield
            return
        self.slots.take()
        if lease is not None:
            lease.given_back = self.slots.give_back
        try:
            yield
        finally:
            if lease is None:
                self.slots.give_back()

    def pause(self, seconds: float) -> None:
        """Let no request through for so many seconds."""
        self._limits.pause(seconds)

    def open(self) -> None:
        """End all waiting for the limits: nothing more will be sent."""
        self._limits.release()


def slots_of(config: Config) -> Slots:
    """The slots of a run: few at first where the server is on this machine, whose cores it shares."""
    host = urlsplit(config.api_base or "").hostname or ""
    near = host in ("localhost", "::1") or host.startswith("127.")
    return Slots(config.concurrency, 1 if near else config.concurrency)
