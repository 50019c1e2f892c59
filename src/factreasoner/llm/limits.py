"""What every request passes before it is sent: a free slot, the limits a minute, the budget."""

from __future__ import annotations

import contextlib
import functools
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from factreasoner.errors import BudgetError, ConfigError
from factreasoner.llm.cache import ReplyCache, cache_folder
from factreasoner.llm.capabilities import Memory
from factreasoner.llm.deadline import POLL_SECONDS
from factreasoner.llm.slots import Slots, lease
from factreasoner.llm.tokens import estimate_request
from factreasoner.llm.transport import Transport
from factreasoner.settings import Config

FIRST_COMPLETION = 256
"""Completion tokens expected of the first request, for the rate limits; then a mean of the last answers."""
WEIGHT = 8
"""The last answer counts for one in so many."""
SECONDS = 60.0
"""What the limits are of."""


class Reservation:
    """Money set aside for one request; `cost` is what it came to, the whole estimate until told otherwise."""

    def __init__(self, estimate: float) -> None:
        self.estimate = self.cost = estimate


class Budget:
    """What all requests of a run are paid from. Thread-safe.

    `limit` is in US dollars, None where there is none; `spent` starts with what earlier runs paid. `paid` is
    told what each request cost, if anything, before its answer is used.
    """

    def __init__(
        self, limit: float | None = None, spent: float = 0.0, *, paid: Callable[[float], None] | None = None
    ) -> None:
        self.limit, self._spent, self._paid = limit, spent, paid
        self._under_way: list[Reservation] = []
        self._settled = threading.Condition()

    @property
    def spent(self) -> float:
        """US dollars that count towards the limit so far; without one they are not counted."""
        with self._settled:
            return self._spent

    @contextlib.contextmanager
    def reserved(self, estimate: Callable[[], float | None], unknown: str) -> Iterator[Reservation]:
        """Set aside what the request made inside could cost; its reservation's `cost` is what is paid.

        Raises:
            BudgetError: it doesn't fit in what is left.
            ConfigError: there is a limit and the price is not known; `unknown` says whose, and the remedy.
        """
        most = 0.0 if self.limit is None else estimate()
        if most is None:
            raise ConfigError(f"max_cost: the price of {unknown}")
        with contextlib.nullcontext(Reservation(0.0)) if self.limit is None else self.set_aside(most) as held:
            try:
                yield held
            finally:
                if self._paid is not None and held.cost:
                    self._paid(held.cost)

    @contextlib.contextmanager
    def set_aside(self, estimate: float) -> Iterator[Reservation]:
        """Set `estimate` aside for the request made inside, then replace it by the reservation's `cost`.

        Where only requests under way leave no room, it waits: they come to far less than their estimates.
        """
        limit, reservation = self.limit or 0.0, Reservation(estimate)
        with self._settled:
            while self._spent + sum(held.estimate for held in self._under_way) + estimate > limit:
                if not self._under_way or self._spent + estimate > limit:
                    raise BudgetError(
                        f"max_cost {limit:g}: ${self._spent:.4f} are spent and the next call could cost "
                        f"${estimate:.4f}, so it was not sent; raise --max-cost and run again to go on"
                    )
                self._settled.wait(POLL_SECONDS)
            self._under_way.append(reservation)
        try:
            yield reservation
        finally:
            with self._settled:
                self._under_way.remove(reservation)
                self._spent += reservation.cost
                self._settled.notify_all()


@dataclass(eq=False)
class Admitted:
    """A request that was let through at `at`: about how many `tokens` it takes, and how many it `took`."""

    at: float
    tokens: int
    took: int = 0
    timed_out: bool = False


class Limits:
    """Where each request waits for its turn, first come, first served: for a slot and the limits a minute.

    No minute holds more requests and tokens than allowed. Calls inside `one_slot` have theirs before others.
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
        """Who waits."""
        self._requests, self._tokens = requests_per_minute, tokens_per_minute
        self._clock = clock
        self._changed = threading.Condition()
        self._minute: deque[Admitted] = deque()
        self._paused_until = 0.0
        self._released = False

    @classmethod
    def of(cls, config: Config) -> Limits:
        """The limits that the settings name."""
        return cls(Slots.of(config), config.requests_per_minute, config.tokens_per_minute)

    @contextlib.contextmanager
    def passed(self, tokens: int) -> Iterator[Admitted]:
        """Wait, and hold a slot for the request of about `tokens` made inside, which tells what it took."""
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
        """Wait in line; with a slot already, before it, and for another where there are fewer than in use."""
        place = object()
        with self._changed:
            kept = holding and self.slots.used <= self.slots.limit
            self.slots.used -= holding and not kept
            (self.line.appendleft if holding else self.line.append)(place)
            try:
                while (left := self._left(place, tokens, kept=kept)) > 0:
                    self._changed.wait(min(left, POLL_SECONDS))
            except BaseException:
                self.slots.used += holding and not kept  # whoever holds it gives it back
                raise
            finally:  # an interrupted wait must leave the line too, or nobody behind it would ever move
                self.line.remove(place)
                self._changed.notify_all()
            if not kept:
                self.slots.take()
            admitted = Admitted(self._clock(), tokens)
            if self._requests is not None or self._tokens is not None:
                self._minute.append(admitted)
            return admitted

    def _left(self, place: object, tokens: int, *, kept: bool) -> float:
        """Seconds after which to see whether who has that place may go; 0: now."""
        free = kept or self.slots.used < self.slots.limit
        return self.delay(tokens) if free and self.line[0] is place else POLL_SECONDS

    def _give_back(self) -> None:
        with self._changed:
            self.slots.used -= 1
            self._changed.notify_all()

    def delay(self, tokens: int) -> float:
        """Seconds until a minute has room for `tokens`; more than its limit fit once nothing else counts."""
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
        """Let nothing through for `seconds`: a provider that asks one request to wait means them all."""
        with self._changed:
            self._paused_until = max(self._paused_until, self._clock() + seconds)

    def release(self) -> None:
        """Let no limit of a minute hold anybody from now on: what they wait to send will not be sent."""
        with self._changed:
            self._released = True
            self._changed.notify_all()


class SharedLimits:
    """What all model calls of a run share: this process's own, or what stands in for another process's.

    That is slots, limits a minute, money, stored answers and what is learnt of models.
    """

    def __init__(
        self, limits: Limits, budget: Budget, memory: Memory | None, open_cache: Callable[[], ReplyCache]
    ) -> None:
        self.limits, self.budget, self.memory = limits, budget, memory
        self._open_cache = open_cache
        self._completion = FIRST_COMPLETION

    @classmethod
    def of(
        cls, config: Config, *, budget: Budget | None = None, memory: Memory | None = None
    ) -> SharedLimits:
        """Those of this process, as the settings say."""
        folder = cache_folder(config) if config.cache else None
        return cls(Limits.of(config), budget or Budget(config.max_cost), memory, lambda: ReplyCache(folder))

    @functools.cached_property
    def cache(self) -> ReplyCache:
        """Where answered calls are kept. Raises ConfigError where that can't be used."""
        return self._open_cache()

    @contextlib.contextmanager
    def admitted(
        self, request: Mapping[str, Any], transport: Transport, config: Config
    ) -> Iterator[tuple[Admitted, Reservation]]:
        """Wait for a slot, for the limits and for money, and hold them for the request made inside.

        All go back unless it says what it took, and what it cost.
        """
        unknown = f"{transport.model} is not known, so no limit can be kept; run without --max-cost"
        prompt = estimate_request(request) if config.tokens_per_minute is not None else 0
        expected = prompt + self._completion if prompt else 0
        with (
            self.limits.passed(expected) as admitted,
            self.budget.reserved(lambda: transport.most_cost(request, config.max_tokens), unknown) as money,
        ):
            money.cost = 0.0
            yield admitted, money
            if prompt and not admitted.timed_out and admitted.took:
                self._completion += (max(admitted.took - prompt, 0) - self._completion) // WEIGHT
