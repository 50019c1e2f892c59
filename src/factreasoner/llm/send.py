"""One request to a model, sent until it is answered or can't be."""

from __future__ import annotations

import itertools
import random
import threading
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from factreasoner.errors import CallTimeoutError, ConfigError, LLMError, ProviderError
from factreasoner.llm.ask import RetryBudget
from factreasoner.llm.breaker import CircuitBreaker
from factreasoner.llm.deadline import ServerQueue, turns, within
from factreasoner.llm.faults import ProviderFault, fault_of
from factreasoner.llm.limits import SharedLimits
from factreasoner.llm.responses import Completion
from factreasoner.llm.transport import Transport, load
from factreasoner.llm.usage import record_usage
from factreasoner.models import Usage
from factreasoner.settings import Config
from factreasoner.settings.choices import CallForm

LONGEST_BACKOFF = 15.0
"""Seconds between two tries at most, where the provider does not say when: so an end is noticed soon."""
TIMEOUT_STATUS = 408
TOO_MANY_STATUS = 429
CROWDED = 4
"""How many times longer to wait when the provider says it has too many requests, and not until when."""


@dataclass
class Attempts:
    """What one call has taken so far, over all its requests; `budget` is its planned call's.

    When `most_timeouts` of its requests have run into the deadline, it has failed. `key` names the question.
    `troubled_since` is when the first error came that waiting may cure, on the monotonic clock.
    """

    budget: RetryBudget
    most_timeouts: int
    key: str = ""
    count: int = 0
    timeouts: int = 0
    usage: Usage = field(default_factory=Usage)
    troubled_since: float | None = None

    def pay(self, answer: Completion) -> None:
        """Count an answer that came."""
        self.usage += answer.usage
        record_usage(answer.usage)
        self.budget.left -= 1


class Sender:
    """Sends requests: retried, within a deadline and every limit.

    A server that is down, or has too many requests, is waited for up to `patience` seconds, by all calls
    together (see `CircuitBreaker`). A request that runs into `timeout` is sent `max_attempts` times in all. A
    fault that only the user can mend ends this request and all later ones. `backoff_seconds` is the longest
    first wait before a retry.
    """

    def __init__(
        self, config: Config, shared: SharedLimits, transport: Transport, *, backoff_seconds: float
    ) -> None:
        self._config, self._shared, self._transport = config, shared, transport
        self._backoff_seconds = backoff_seconds
        self._breaker = CircuitBreaker(_server(config), config.patience)
        self._queue = ServerQueue()
        self._fatal: str | None = None
        self._stopped = threading.Event()

    def tried(
        self, request: Mapping[str, Any], form: CallForm, fixed: Collection[str], attempts: Attempts
    ) -> Completion | ProviderFault:
        """The answer to a request that is sent again while its fault may pass; else the fault.

        `fixed` names the parameters that can't be left out. Raises ProviderError for a server given up.
        """
        for number in itertools.count():
            answer = self._attempt(request, form, fixed, attempts)
            if isinstance(answer, Completion) or answer.kind != "retry" or self._gives_up(answer, attempts):
                return answer
            seconds = self._wait(number, answer, attempts)
            if answer.retry_after is not None:  # a provider that asks one request to wait means them all
                self._shared.limits.pause(answer.retry_after)
            for turn in turns(seconds):
                self._breaker.wait()
                if self._stopped.wait(turn):
                    break
        raise AssertionError("counting never ends")

    def _attempt(
        self, request: Mapping[str, Any], form: CallForm, fixed: Collection[str], attempts: Attempts
    ) -> Completion | ProviderFault:
        """Send one request, within every limit."""
        with self._shared.admitted(request, self._transport, self._config) as (turn, money):
            if self._fatal is not None:
                raise ConfigError(self._fatal)
            if attempts.troubled_since is None and not self._breaker.admits():
                raise ProviderError(self._breaker.given_up, attempts=attempts.count)
            attempts.count += 1
            answer = self._sent(request, form, fixed)
            if isinstance(answer, Completion):
                turn.took = answer.usage.prompt_tokens + answer.usage.completion_tokens
                money.cost = answer.usage.cost or 0.0
            elif answer.status == TIMEOUT_STATUS:  # it may have been worked on, and paid for, as estimated
                turn.timed_out, turn.took, money.cost = True, turn.tokens, money.estimate
        self._count(answer, attempts)
        return answer

    def _count(self, answer: Completion | ProviderFault, attempts: Attempts) -> None:
        """What an answer, or a fault, means for the call and for its server."""
        if isinstance(answer, Completion):
            attempts.troubled_since = None
            attempts.pay(answer)
        elif answer.kind == "retry":
            self._breaker.failed()
            if answer.status == TIMEOUT_STATUS:
                attempts.timeouts += 1
                attempts.budget.left -= 1
            elif attempts.troubled_since is None:
                attempts.troubled_since = time.monotonic()
            return
        elif answer.kind == "sample":
            attempts.budget.left -= 1
        self._breaker.answered()

    def _sent(
        self, request: Mapping[str, Any], form: CallForm, fixed: Collection[str]
    ) -> Completion | ProviderFault:
        timeout = self._config.timeout
        load()  # no part of a request's time
        try:
            with self._queue.joined() as (ahead, since):
                longest = timeout * ahead + 1  # the library's own limit frees the abandoned thread
                return within(
                    timeout, lambda: self._transport.complete(request, timeout=longest), since=since
                )
        except TimeoutError as error:
            return ProviderFault("retry", str(error), TIMEOUT_STATUS)
        except Exception as error:  # noqa: BLE001 - of any library below; it is classified
            return fault_of(error, form=form, request=request, fixed=fixed, secret=self._transport.key)

    def _patience(self, attempts: Attempts) -> float:
        """Seconds the call may still wait for its server."""
        waited = 0.0 if attempts.troubled_since is None else time.monotonic() - attempts.troubled_since
        return min(self._config.patience - waited, self._breaker.left)

    def _wait(self, number: int, fault: ProviderFault, attempts: Attempts) -> float:
        """Seconds until the try after that number, at random within twice as long as before."""
        seconds = random.uniform(0, min(self._backoff_seconds * 2 ** min(number, 20), LONGEST_BACKOFF))
        if fault.retry_after is not None:  # and a bit more, lest all come at once, or at once again
            return fault.retry_after * random.uniform(1, 1.1) + min(seconds, 1.0)
        seconds *= CROWDED if fault.status == TOO_MANY_STATUS else 1
        return max(min(seconds, self._patience(attempts)), 0.0)

    def _gives_up(self, fault: ProviderFault, attempts: Attempts) -> bool:
        if fault.status == TIMEOUT_STATUS:
            return attempts.timeouts >= attempts.most_timeouts or attempts.budget.left <= 0
        left = self._patience(attempts)
        return left <= 0 or (fault.retry_after or 0.0) > left

    @property
    def stopped(self) -> bool:
        """Whether a fault that only the user can mend has ended all requests."""
        return self._stopped.is_set()

    def stop(self, reason: str) -> ConfigError:
        """End all requests from now on, for a reason that only the user can mend."""
        self._fatal = f"model {self._config.model}: {reason}"
        self._stopped.set()
        self._shared.limits.release()
        return ConfigError(self._fatal)

    def failure(self, fault: ProviderFault, attempts: Attempts) -> ConfigError | LLMError:
        """The exception a fault becomes when it is final. One only the user can mend ends all other calls."""
        if fault.kind == "config":
            return self.stop(f"{fault.message}; {self._remedy(fault)}")
        if fault.status == TIMEOUT_STATUS:
            return CallTimeoutError(fault.message, attempts=attempts.count)
        why = f" ({self._why_no_longer(fault)})" if fault.kind == "retry" else ""
        return fault.error(attempts.count, self._remedy(fault), why)

    def _why_no_longer(self, fault: ProviderFault) -> str:
        patience = self._config.patience
        if not patience:
            return "asked once, without waiting"
        if fault.retry_after is not None and fault.retry_after > patience:
            return f"it asks to wait {fault.retry_after:.0f} s, and --patience is {patience:g}"
        return f"waited for as long as --patience {patience:g} allows"

    def _remedy(self, fault: ProviderFault) -> str:
        if fault.remedy == "connection":
            return f"is {self._config.api_base or 'the server, or the network,'} up?"
        return self._transport.key_remedy if fault.remedy == "key" else fault.remedy


def _server(config: Config) -> str:
    """What a person knows the model's server by."""
    return (urlsplit(config.api_base).netloc if config.api_base else "") or f"the server of {config.model}"
