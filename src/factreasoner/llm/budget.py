"""A limit on what may be spent, kept before each request and not after."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Protocol

from factreasoner.errors import BudgetError, ConfigError
from factreasoner.llm.deadline import POLL_SECONDS


class Reservation:
    """Money set aside for one request; `cost` is what it came to, the whole estimate until told otherwise."""

    def __init__(self, estimate: float) -> None:
        self.estimate = estimate
        self.cost = estimate


class Budget:
    """US dollars that may be spent, shared by all threads. `spent` starts with what earlier runs paid."""

    def __init__(self, limit: float, spent: float = 0.0) -> None:
        self.limit = limit
        self._spent = spent
        self._reserved = 0.0
        self._under_way = 0
        self._settled = threading.Condition()

    @property
    def spent(self) -> float:
        """Paid so far, in US dollars."""
        with self._settled:
            return self._spent

    @contextlib.contextmanager
    def reserved(self, estimate: float) -> Iterator[Reservation]:
        """Set `estimate` aside for the request made inside, then replace it by the reservation's `cost`.

        Where only the estimates of requests under way leave no room, it waits for them: what they come to
        is usually far less.

        Raises:
            BudgetError: `estimate` doesn't fit in what is left.
        """
        with self._settled:
            while self._spent + self._reserved + estimate > self.limit:
                if not self._under_way or self._spent + estimate > self.limit:
                    raise BudgetError(
                        f"max_cost {self.limit:g}: ${self._spent:.4f} are spent and the next call could cost "
                        f"${estimate:.4f}, so it was not sent; raise --max-cost and run again to go on"
                    )
                self._settled.wait(POLL_SECONDS)
            self._reserved += estimate
            self._under_way += 1
        reservation = Reservation(estimate)
        try:
            yield reservation
        finally:
            with self._settled:
                self._under_way -= 1
                self._reserved = self._reserved - estimate if self._under_way else 0.0
                self._spent += reservation.cost
                self._settled.notify_all()


class Purse(Protocol):
    """What a limited sum is spent from; see `Budget`."""

    @property
    def spent(self) -> float:
        """Paid so far, in US dollars."""
        ...

    def reserved(self, estimate: float) -> contextlib.AbstractContextManager[Reservation]:
        """Set `estimate` aside for the request made inside. Raises BudgetError where it doesn't fit."""
        ...


class Account:
    """What all requests of a run are paid from, whatever they are for; without a `budget` whatever they cost.

    `paid` is told the US dollars of each request that cost something, before its answer is used.
    """

    def __init__(self, budget: Purse | None = None, *, paid: Callable[[float], None] | None = None) -> None:
        self.budget = budget
        self._paid = paid

    @classmethod
    def limited(
        cls, limit: float | None, *, spent: float = 0.0, paid: Callable[[float], None] | None = None
    ) -> Account:
        """One of this process: of `limit` US dollars less those `spent` by earlier runs; None: no limit."""
        return cls(None if limit is None else Budget(limit, spent), paid=paid)

    @contextlib.contextmanager
    def reserved(self, estimate: Callable[[], float | None], unknown: str) -> Iterator[Reservation]:
        """Set aside what the request made inside could cost; its reservation's `cost` is what is paid.

        Raises:
            BudgetError: it doesn't fit in what is left.
            ConfigError: there is a limit and the price is not known; `unknown` says whose, and the remedy.
        """
        with contextlib.ExitStack() as stack:
            reservation = Reservation(0.0)
            if self.budget is not None:
                most = estimate()
                if most is None:
                    raise ConfigError(f"max_cost: the price of {unknown}")
                reservation = stack.enter_context(self.budget.reserved(most))
            try:
                yield reservation
            finally:
                if self._paid is not None and reservation.cost:
                    self._paid(reservation.cost)
