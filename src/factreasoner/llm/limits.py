"""Requests and tokens per minute: waiting in line rather than failing."""

from __future__ import annotations

import contextlib
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator

from factreasoner.llm.deadline import POLL_SECONDS


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


class LocalTurnstile:
    """Lets `slots` requests through at once, as fast as the limits a minute allow. Thread-safe."""

    def __init__(self, slots: int, requests_per_minute: int | None, tokens_per_minute: int | None) -> None:
        self._slots = threading.Semaphore(slots)
        self._limits = RateLimits(requests_per_minute, tokens_per_minute)

    @contextlib.contextmanager
    def passed(self, tokens: int) -> Iterator[Turn]:
        """Wait, and hold a slot for the request of about `tokens` that is made inside."""
        with self._slots:
            entry = self._limits.wait(tokens)
            turn = Turn(tokens)
            try:
                yield turn
            finally:
                self._limits.correct(entry, turn.took)

    def pause(self, seconds: float) -> None:
        """Let no request through for so many seconds."""
        self._limits.pause(seconds)

    def open(self) -> None:
        """End all waiting for the limits: nothing more will be sent."""
        self._limits.release()
