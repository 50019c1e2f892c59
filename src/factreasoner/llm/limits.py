"""What every request passes before it is sent: a free slot, the limits a minute, the budget."""

from __future__ import annotations

import contextlib
import functools
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Protocol

from factreasoner.llm.budget import Budget, Reservation
from factreasoner.llm.cache import Cache, ReplyCache
from factreasoner.llm.capabilities import Memory
from factreasoner.llm.deadline import POLL_SECONDS
from factreasoner.llm.slots import Slots
from factreasoner.llm.tokens import estimate_request
from factreasoner.llm.transport import Transport
from factreasoner.models import Usage
from factreasoner.settings import Config

FIRST_COMPLETION = 256
"""Completion tokens expected of the first request, for the rate limits; then the mean of the last answers."""


class Admitted:
    """A request that was let through at `at`: about how many `tokens` it takes, and how many it `took`."""

    def __init__(self, at: float, tokens: int) -> None:
        self.at = at
        self.tokens = tokens
        self.took = 0
        self.timed_out = False


class SlidingWindow:
    """The requests of the last `seconds`, and the rule of when the next may follow. Not thread-safe."""

    def __init__(self, requests: int | None, tokens: int | None, seconds: float = 60.0) -> None:
        self.requests = requests
        self.tokens = tokens
        self.seconds = seconds
        self._entries: deque[Admitted] = deque()
        self._tokens = 0

    def delay(self, now: float, tokens: int) -> float:
        """Seconds until a request of `tokens` fits: then no window of `seconds` holds more than allowed.

        A request larger than the whole token limit fits as soon as the window is empty.
        """
        while self._entries and self._entries[0].at <= now - self.seconds:
            self._tokens -= self._entries.popleft().tokens
        waited_for: Admitted | None = None
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

    def add(self, now: float, tokens: int) -> Admitted:
        """Let a request through at `now`."""
        entry = Admitted(now, tokens)
        self._entries.append(entry)
        self._tokens += tokens
        return entry

    def correct(self, entry: Admitted, tokens: int) -> None:
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

    def wait(self, tokens: int) -> Admitted:
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
                        return self._window.add(now, tokens) if self._limited else Admitted(now, tokens)
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

    def correct(self, entry: Admitted, tokens: int) -> None:
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


class Limits(Protocol):
    """Where each request waits for its turn: for a free slot, and for the limits a minute."""

    def passed(self, tokens: int) -> contextlib.AbstractContextManager[Admitted]:
        """Wait, and hold a slot for the request of about `tokens` made inside, which tells what it took."""
        ...

    def pause(self, seconds: float) -> None:
        """Let no request through for so many seconds."""
        ...

    def release(self) -> None:
        """End the waiting of this process: what it waits to send will not be sent."""
        ...


class LocalLimits:
    """Lets as many requests through at once as there are `slots`, as fast as the limits a minute allow."""

    def __init__(
        self, slots: Slots, requests_per_minute: int | None = None, tokens_per_minute: int | None = None
    ) -> None:
        self.slots = slots
        self._rates = RateLimits(requests_per_minute, tokens_per_minute)
        self.pause = self._rates.pause
        self.release = self._rates.release

    @classmethod
    def of(cls, config: Config) -> LocalLimits:
        """The limits that the settings name."""
        return cls(Slots.of(config), config.requests_per_minute, config.tokens_per_minute)

    @contextlib.contextmanager
    def passed(self, tokens: int) -> Iterator[Admitted]:
        """Wait, and hold a slot for the request of about `tokens` that is made inside."""
        with self.slots.held():
            admitted = self._rates.wait(tokens)
            try:
                yield admitted
                self.slots.answered(admitted.took)
            finally:
                self._rates.correct(admitted, admitted.took)
                if admitted.timed_out:
                    self.slots.timed_out()


class Ticket:
    """The tokens and the money set aside for one request; all go back unless `settle` or `keep` is called."""

    def __init__(self, admitted: Admitted, reservation: Reservation) -> None:
        self.completion_tokens = 0
        self._admitted = admitted
        self._reservation = reservation
        reservation.cost = 0.0

    def settle(self, usage: Usage) -> None:
        """The request was answered and took this."""
        self.completion_tokens = usage.completion_tokens
        self._admitted.took = usage.prompt_tokens + usage.completion_tokens
        self._reservation.cost = usage.cost or 0.0

    def keep(self) -> None:
        """The request ran out of time, and nobody knows what became of it: it counts as estimated."""
        self._admitted.timed_out = True
        self._admitted.took = self._admitted.tokens
        self._reservation.cost = self._reservation.estimate


class SharedLimits:
    """What all model calls of a run share, in whatever process of whatever machine they are made.

    That is slots, limits a minute, money, stored answers and what is learnt of models: this process's own,
    or what stands in for it.
    """

    def __init__(
        self, limits: Limits, budget: Budget, memory: Memory | None, open_cache: Callable[[], Cache]
    ) -> None:
        self.limits = limits
        self.budget = budget
        self.memory = memory
        self._open_cache = open_cache
        self._completions: deque[int] = deque(maxlen=100)

    @classmethod
    def of(
        cls, config: Config, *, budget: Budget | None = None, memory: Memory | None = None
    ) -> SharedLimits:
        """Those of this process, as the settings say."""
        budget = budget or Budget(config.max_cost)
        return cls(LocalLimits.of(config), budget, memory, lambda: ReplyCache.of(config))

    @functools.cached_property
    def cache(self) -> Cache:
        """Where answered calls are kept. Raises ConfigError where that can't be used."""
        return self._open_cache()

    @contextlib.contextmanager
    def admitted(self, request: Mapping[str, Any], transport: Transport, config: Config) -> Iterator[Ticket]:
        """Wait for a slot and for the limits, and hold both for the request made inside.

        Raises:
            BudgetError: it could exceed `max_cost`.
            ConfigError: `max_cost` is set and the price is not known.
        """
        unknown = f"{transport.model} is not known, so no limit can be kept; run without --max-cost"
        with (
            self.limits.passed(self._expected_tokens(request, config)) as admitted,
            self.budget.reserved(lambda: transport.most_cost(request, config.max_tokens), unknown) as money,
        ):
            ticket = Ticket(admitted, money)
            yield ticket
            self._completions.append(ticket.completion_tokens)

    def _expected_tokens(self, request: Mapping[str, Any], config: Config) -> int:
        if config.tokens_per_minute is None:
            return 0
        seen = tuple(self._completions)
        completion = sum(seen) // len(seen) if seen else min(FIRST_COMPLETION, config.max_tokens)
        return estimate_request(request) + completion
