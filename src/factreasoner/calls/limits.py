"""Request limits: free slots, limits per minute, budget."""

from __future__ import annotations

import contextlib
import functools
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from factreasoner.calls.cache import ReplyCache, cache_folder
from factreasoner.calls.settings import CallSettings
from factreasoner.calls.slots import Slots, lease
from factreasoner.calls.threads import POLL_SECONDS
from factreasoner.calls.usage import estimate_request
from factreasoner.errors import BudgetError, ConfigError

FIRST_COMPLETION = 256
"""Completion tokens assumed for the first request; later the mean of recent answers."""
WEIGHT = 8
SECONDS = 60.0
"""The period of the limits."""


@dataclass(eq=False)
class Admitted:
    """A request admitted at time `at`: its estimated `tokens`, and those it `took`."""

    at: float
    tokens: int
    took: int = 0
    timed_out: bool = False


class Limits:
    """The queue for slots and the limits per minute.

    Calls inside `one_slot` that have a slot go first. Thread-safe.
    """

    def __init__(
        self,
        slots: Slots,
        requests_per_minute: int | None = None,
        tokens_per_minute: int | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.slots = slots
        self.line: deque[object] = deque()
        """The requests that wait."""
        self._requests, self._tokens = requests_per_minute, tokens_per_minute
        self._clock = clock
        self._changed = threading.Condition()
        self._minute: deque[Admitted] = deque()
        self._paused_until = 0.0
        self._released = False

    @classmethod
    def of(cls, config: CallSettings) -> Limits:
        """The limits in the settings."""
        return cls(Slots.of(config), config.requests_per_minute, config.tokens_per_minute)

    @contextlib.contextmanager
    def passed(self, tokens: int) -> Iterator[Admitted]:
        """Wait, then hold a slot for the request made inside, which reports the tokens it took."""
        held = lease.get()
        admitted = self._wait(tokens, holding=bool(held))
        if held is not None and not held:
            held.append(self._give_back)
        try:
            yield admitted
        finally:
            with self._changed:
                admitted.tokens = admitted.took
                if admitted.timed_out:
                    self.slots.timed_out()
                elif admitted.took:
                    self.slots.answered(admitted.took)
                self._changed.notify_all()
            if held is None:
                self._give_back()

    def _wait(self, tokens: int, *, holding: bool) -> Admitted:
        """Wait in line; a held slot is returned if there are fewer slots now.

        Calls that hold a slot go before those without.
        """
        place = object()
        with self._changed:
            kept = holding and self.slots.used <= self.slots.limit
            self.slots.used -= holding and not kept
            (self.line.appendleft if kept else self.line.append)(place)
            try:
                while True:
                    free = self.line[0] is place and (kept or self.slots.used < self.slots.limit)
                    if (left := self.delay(tokens) if free else POLL_SECONDS) <= 0:
                        break
                    self._changed.wait(min(left, POLL_SECONDS))
            except BaseException:
                self.slots.used += holding and not kept  # whoever holds it gives it back
                raise
            finally:  # an interrupted wait must leave the line, too, or nobody behind it would ever move
                self.line.remove(place)
                self._changed.notify_all()
            if not kept:
                self.slots.take()
            admitted = Admitted(self._clock(), tokens)
            if self._requests is not None or self._tokens is not None:
                self._minute.append(admitted)
            return admitted

    def _give_back(self) -> None:
        with self._changed:
            self.slots.used -= 1
            self._changed.notify_all()

    def delay(self, tokens: int) -> float:
        """Seconds until a minute has room for `tokens`; an oversized request goes alone."""
        now = self._clock()
        if self._released:
            return 0.0
        while self._minute and self._minute[0].at <= now - SECONDS:
            self._minute.popleft()
        taken = tokens + sum(one.tokens for one in self._minute)
        over = 0 if self._requests is None else len(self._minute) + 1 - self._requests
        excess = 0 if self._tokens is None else taken - self._tokens
        until = self._paused_until
        for one in self._minute:
            if over <= 0 and excess <= 0:
                break
            over, excess, until = over - 1, excess - one.tokens, max(one.at + SECONDS, self._paused_until)
        return max(until - now, 0.0)

    def pause(self, seconds: float) -> None:
        """Admit nothing for `seconds`."""
        with self._changed:
            self._paused_until = max(self._paused_until, self._clock() + seconds)

    def release(self) -> None:
        """Stop applying the limits per minute: waiting requests will not be sent."""
        with self._changed:
            self._released = True
            self._changed.notify_all()


class Reservation:
    """Money reserved for one request; `cost` is its real cost, or the estimate if not set."""

    def __init__(self, estimate: float) -> None:
        self.estimate = self.cost = estimate


class Budget:
    """The money for all requests of a run. Thread-safe.

    `limit` is in US dollars or None; `spent` starts with the cost of earlier runs, and grows only with a
    limit. `paid` is called with the cost of each request before its answer is used.
    """

    def __init__(
        self, limit: float | None = None, spent: float = 0.0, *, paid: Callable[[float], None] | None = None
    ) -> None:
        self.limit, self.spent, self._paid = limit, spent, paid
        self._under_way: list[Reservation] = []
        self._settled = threading.Condition()

    @contextlib.contextmanager
    def reserved(self, estimate: Callable[[], float | None], unknown: str) -> Iterator[Reservation]:
        """Reserve the maximum cost of the request made inside; its `cost` is what is paid.

        Raises:
            BudgetError: not enough money is left.
            ConfigError: there is a limit but no known price; `unknown` names the model and the fix.
        """
        most = 0.0 if self.limit is None else estimate()
        if most is None:
            raise ConfigError(f"max_cost: the price of {unknown}")
        with contextlib.nullcontext(Reservation(0.0)) if self.limit is None else self.reserve(most) as held:
            try:
                yield held
            finally:
                if self._paid is not None and held.cost:
                    self._paid(held.cost)

    @contextlib.contextmanager
    def reserve(self, estimate: float) -> Iterator[Reservation]:
        """Reserve `estimate` for the request made inside, then replace it by the real cost.

        Waits while running requests leave no room: they usually cost far less than estimated.
        """
        limit, reservation = self.limit or 0.0, Reservation(estimate)
        with self._settled:
            while self.spent + sum(held.estimate for held in self._under_way) + estimate > limit:
                if not self._under_way or self.spent + estimate > limit:
                    raise BudgetError(
                        f"max_cost {limit:g}: ${self.spent:.4f} are spent and the next call could cost "
                        f"${estimate:.4f}, so it was not sent; raise `max_cost` and rerun to resume"
                    )
                self._settled.wait(POLL_SECONDS)
            self._under_way.append(reservation)
        try:
            yield reservation
        finally:
            with self._settled:
                self._under_way.remove(reservation)
                self.spent += reservation.cost
                self._settled.notify_all()


class SharedLimits:
    """What all calls of a run share: limits, money, and the cache, opened on first use."""

    def __init__(self, config: CallSettings, budget: Budget | None = None) -> None:
        self.limits = Limits.of(config)
        self.budget = budget or Budget(config.max_cost)
        self._config = config
        self._completion = FIRST_COMPLETION

    @functools.cached_property
    def cache(self) -> ReplyCache:
        """The reply cache. Raises ConfigError if it can't be used."""
        return ReplyCache(cache_folder(self._config) if self._config.cache else None)

    @contextlib.contextmanager
    def admitted(
        self, request: Mapping[str, Any], most_cost: Callable[[], float | None], unknown: str
    ) -> Iterator[tuple[Admitted, Reservation]]:
        """Wait for a slot, the limits and money for the request made inside.

        It costs at most `most_cost()` US dollars. Raises what `Budget.reserved` does.
        """
        prompt = estimate_request(request) if self._config.tokens_per_minute is not None else 0
        expected = prompt + self._completion if prompt else 0
        with self.limits.passed(expected) as admitted, self.budget.reserved(most_cost, unknown) as money:
            money.cost = 0.0
            yield admitted, money
            if prompt and not admitted.timed_out and admitted.took:
                self._completion += (max(admitted.took - prompt, 0) - self._completion) // WEIGHT
