"""A limit on what may be spent, kept before each request and not after."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator

from factreasoner.errors import BudgetError, ConfigError
from factreasoner.llm.deadline import POLL_SECONDS


class Reservation:
    """Money set aside for one request; `cost` is what it came to, the whole estimate until told otherwise."""

    def __init__(self, estimate: float) -> None:
        self.estimate = estimate
        self.cost = estimate


class Budget:
    """What all requests of a run are paid from, whatever they are for. Thread-safe.

    `limit` is in US dollars, None where there is none; `spent` starts with what earlier runs paid. `paid` is
    told what each request cost, if anything, before its answer is used.
    """

    def __init__(
        self, limit: float | None = None, spent: float = 0.0, *, paid: Callable[[float], None] | None = None
    ) -> None:
        self.limit = limit
        self._spent = spent
        self._paid = paid
        self._reserved = 0.0
        self._under_way = 0
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
        with contextlib.ExitStack() as stack:
            reservation = Reservation(0.0)
            if self.limit is not None:
                most = estimate()
                if most is None:
                    raise ConfigError(f"max_cost: the price of {unknown}")
                reservation = stack.enter_context(self.set_aside(most))
            try:
                yield reservation
            finally:
                if self._paid is not None and reservation.cost:
                    self._paid(reservation.cost)

    @contextlib.contextmanager
    def set_aside(self, estimate: float) -> Iterator[Reservation]:
        """Set `estimate` aside for the request made inside, then replace it by the reservation's `cost`.

        Where only the estimates of requests under way leave no room, it waits for them: what they come to
        is usually far less.

        Raises:
            BudgetError: `estimate` doesn't fit in what is left.
        """
        limit = self.limit or 0.0
        with self._settled:
            while self._spent + self._reserved + estimate > limit:
                if not self._under_way or self._spent + estimate > limit:
                    raise BudgetError(
                        f"max_cost {limit:g}: ${self._spent:.4f} are spent and the next call could cost "
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
