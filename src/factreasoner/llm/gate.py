"""What every request passes before it is sent: a free slot, the rate limits, the budget."""

from __future__ import annotations

import contextlib
import copy
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from typing import Any

from factreasoner.llm.budget import Account, Reservation
from factreasoner.llm.commons import Turnstile
from factreasoner.llm.dialect import token_limit
from factreasoner.llm.limits import LocalTurnstile, Turn, slots_of
from factreasoner.llm.tokens import estimate_request
from factreasoner.llm.transport import Transport
from factreasoner.models import Usage
from factreasoner.settings import Config

FIRST_COMPLETION = 256
"""Completion tokens expected of the first request, for the rate limits; then the mean of the last answers."""
MARGIN = 1.3
"""By how much the estimate of a prompt's tokens is raised where it must not be too low."""


class Ticket:
    """The tokens and the money set aside for one request; all go back unless `settle` or `keep` is called."""

    def __init__(self, turn: Turn, reservation: Reservation) -> None:
        self.tokens = 0
        self.completion_tokens = 0
        self._turn = turn
        self._reservation = reservation
        reservation.cost = 0.0

    def settle(self, usage: Usage) -> None:
        """The request was answered and took this."""
        self.completion_tokens = usage.completion_tokens
        self.tokens = usage.prompt_tokens + usage.completion_tokens
        self._reservation.cost = usage.cost or 0.0

    def keep(self) -> None:
        """The request ran out of time, and nobody knows what became of it: it counts as estimated."""
        self._turn.timed_out = True
        self.tokens = self._turn.tokens
        self._reservation.cost = self._reservation.estimate


class Gate:
    """Lets `config.concurrency` requests through at once, no faster and for no more money than allowed.

    `turnstile` stands in for the one that knows this process alone.
    """

    def __init__(
        self,
        config: Config,
        transport: Transport,
        account: Account,
        turnstile: Turnstile | None = None,
    ) -> None:
        self.account = account
        self._config = config
        self.provider = transport
        self.slots = slots_of(config)
        """Those of this process, where it shares none."""
        self._turnstile = turnstile or LocalTurnstile(
            self.slots, config.requests_per_minute, config.tokens_per_minute
        )
        self._completions: deque[int] = deque(maxlen=100)

    def beside(self, transport: Transport) -> Gate:
        """A gate for the requests of another model, which share slots, limits and budget with these."""
        other = copy.copy(self)
        other.provider = transport
        return other

    @contextlib.contextmanager
    def entered(self, request: Mapping[str, Any]) -> Iterator[Ticket]:
        """Wait for a slot and for the limits, and hold both for the request made inside.

        Raises:
            BudgetError: it could exceed `max_cost`.
            ConfigError: `max_cost` is set and the price is not known.
        """
        with (
            self._turnstile.passed(self._expected_tokens(request)) as turn,
            self._reserved(request) as reservation,
        ):
            ticket = Ticket(turn, reservation)
            try:
                yield ticket
                self._completions.append(ticket.completion_tokens)
            finally:
                turn.took = ticket.tokens

    def pause(self, seconds: float) -> None:
        """Let no request through for so many seconds."""
        self._turnstile.pause(seconds)

    def open(self) -> None:
        """End all waiting for rate limits: nothing more will be sent."""
        self._turnstile.open()

    def _expected_tokens(self, request: Mapping[str, Any]) -> int:
        if self._config.tokens_per_minute is None:
            return 0
        seen = tuple(self._completions)
        completion = sum(seen) // len(seen) if seen else min(FIRST_COMPLETION, self._config.max_tokens)
        return estimate_request(request) + completion

    def _reserved(self, request: Mapping[str, Any]) -> AbstractContextManager[Reservation]:
        def estimate() -> float | None:
            tokens = int(MARGIN * estimate_request(request))
            return self.provider.price(tokens, token_limit(request) or self._config.max_tokens)

        return self.account.reserved(
            estimate, f"{self.provider.model} is not known, so no limit can be kept; run without --max-cost"
        )
