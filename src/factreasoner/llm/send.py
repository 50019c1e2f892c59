"""Send one request to a model with retries, and track whether its server answers."""

from __future__ import annotations

import contextlib
import itertools
import math
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import AbstractContextManager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from factreasoner.calls.deadlines import run_within, wait_slices
from factreasoner.calls.limits import SharedLimits
from factreasoner.calls.retry import backoff, repeat_until_accepted
from factreasoner.calls.slots import give_slot_back
from factreasoner.calls.threads import bound
from factreasoner.calls.usage import record_usage
from factreasoner.errors import CallTimeoutError, ConfigError, LLMError, ProviderError
from factreasoner.llm.ask import RetryBudget
from factreasoner.llm.faults import ProviderFault, fault_of
from factreasoner.llm.responses import Completion
from factreasoner.llm.settings import CallForm, LLMSettings
from factreasoner.llm.transport import Transport, load
from factreasoner.models import Usage

PASSING = ("retry", "once")
"""Kinds of faults that are retried."""
SECONDS_BETWEEN_PROBES = 15.0
"""Interval between calls to a server that counts as down."""
TIMEOUT_STATUS = 408
TOO_MANY_STATUS = 429
CROWDED = 4
"""Factor on the wait if the provider is overloaded and gives no time."""

SECONDS_AT_START = 10.0
"""Time to wait for a server that refuses connections from the start, unless `patience` is set."""
SILENCE = 5.0
"""Silence in seconds before the waiting message."""

_listener: ContextVar[Callable[[str], None] | None] = ContextVar("factreasoner_waiting", default=None)
_purpose: ContextVar[str] = ContextVar("factreasoner_purpose", default="")


def waiting_listener(listener: Callable[[str], None]) -> AbstractContextManager[object]:
    """Call `listener` from any thread with what calls inside wait for, and why; "": nothing."""
    return bound(_listener, listener)


@contextlib.contextmanager
def waiting_for(purpose: str) -> Iterator[None]:
    """Report `purpose` to the listener at once, and before other waiting messages."""
    token = _purpose.set(purpose)
    _log_waiting("")
    try:
        yield
    finally:
        _purpose.reset(token)
        _log_waiting("")


def _log_waiting(words: str) -> None:
    """Report to the listener, if any, what is waited for; "": only the purpose."""
    if (listener := _listener.get()) is not None:
        listener("; ".join(filter(None, (_purpose.get(), words))))


class CircuitBreaker:
    """Tracks how long `server` has not answered any call. Thread-safe.

    After `patience` seconds without an answer, calls fail at once, and one in 15 s tests the server. Without
    patience, no call waits and no server counts as down. A server that refuses connections from the start
    gets `at_start` seconds, by default the same.
    """

    def __init__(
        self,
        server: str,
        patience: float,
        *,
        at_start: float = math.inf,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.server, self._patience, self._at_start, self._clock = server, patience, at_start, clock
        self._lock = threading.RLock()
        self.there = False
        """Whether anything but a refused connection ever came from it."""
        self._message = False
        self._down_since: float | None = None
        self._heard = self._probed = float("-inf")

    @property
    def absent(self) -> bool:
        """Whether it has refused connections from the start, and gets less time."""
        return not self.there and self._down_since is not None and self._at_start < self._patience

    @property
    def patience(self) -> float:
        """Seconds for which calls wait for it."""
        return self._at_start if self.absent else self._patience

    @property
    def left(self) -> float:
        """Remaining seconds for which calls wait."""
        with self._lock:
            return self.patience - (0.0 if self._down_since is None else self._clock() - self._down_since)

    def admits(self) -> bool:
        """Whether a request may be sent now."""
        with self._lock:
            if self.left > 0 or not self.patience:
                return True
            due = self._clock() - self._probed >= SECONDS_BETWEEN_PROBES
            self._probed = self._clock() if due else self._probed
            return due

    def failed(self, *, refused: bool = False) -> None:
        """Record a transient error; `refused`: the connection was refused."""
        with self._lock:
            self.there |= not refused
            if self._down_since is None:
                self._down_since = self._probed = self._clock()

    def answered(self) -> None:
        """Record an answered request."""
        with self._lock:
            self._down_since, self.there, self._heard = None, True, self._clock()
        if self._message:
            self._report("")

    def report_reason(self, reason: str) -> None:
        """Report how long the server has been down, and why, unless it has just failed."""
        if (down := self.patience - self.left) >= 1:
            longer = f"at the start; `patience={self._patience:g}` waits longer"
            limit = f"{down:.0f} of {self.patience:g} s ({longer if self.absent else '`patience`'})"
            self._report(f"{self.server}, {limit}: {reason.rstrip('.')}")

    def report_silence(self, since: float, words: str) -> None:
        """Report that no call has been answered for long."""
        if (silent := self._clock() - max(since, self._heard)) >= SILENCE:
            self._report(f"{self.server}, silent for {silent:.0f} s: {words}")

    def _report(self, words: str) -> None:
        self._message = bool(words)
        _log_waiting(words)


@dataclass
class Attempts:
    """What one call has used so far, over all its requests; `budget` is its planned call's.

    The call fails after `most_timeouts` timeouts. `key` names the question. `first_trouble` is the monotonic
    time of the first transient error, moved forward by time in the queue.
    """

    budget: RetryBudget
    most_timeouts: int
    key: str = ""
    count: int = 0
    timeouts: int = 0
    usage: Usage = field(default_factory=Usage)
    first_trouble: float | None = None

    def add_waiting(self, seconds: float) -> None:
        """Exclude time in the queue, which is not the server's fault."""
        if self.first_trouble is not None:
            self.first_trouble += seconds

    def pay(self, answer: Completion) -> None:
        """Count an answer."""
        self.usage += answer.usage
        record_usage(answer.usage)
        self.budget.left -= 1


def _is_silence(answer: Completion | ProviderFault) -> bool:
    """Whether nothing came from the server: connection refused, or nothing sent."""
    if isinstance(answer, Completion):
        return False
    return answer.refused or (answer.status is None and answer.kind not in PASSING)


class Sender:
    """Sends requests within a deadline and all limits, and retries them.

    All calls together wait up to `patience` seconds for a server that is down or overloaded (see
    `CircuitBreaker`). A request that times out is sent up to `max_attempts` times. A fault that the user must
    fix ends all requests.
    """

    def __init__(self, config: LLMSettings, shared: SharedLimits, transport: Transport) -> None:
        self._config, self._shared, self._transport = config, shared, transport
        server = urlsplit(config.api_base).netloc if config.api_base else ""
        server = server or f"the server of {config.first_model}"
        at_start = math.inf if "patience" in config.model_fields_set else SECONDS_AT_START
        self._breaker = CircuitBreaker(server, config.patience, at_start=at_start)
        self._lock = threading.Lock()
        self._begun: dict[int, float] = {}
        """When the time of each request under way began, in the order they were sent."""
        self._numbers = itertools.count()
        self._fatal: str | None = None

    def tried(
        self, request: Mapping[str, Any], form: CallForm, fixed: Collection[str], attempts: Attempts
    ) -> Completion | ProviderFault:
        """The answer to a request, retried while its fault is transient; else the fault.

        `fixed` names the parameters that can't be removed.

        Raises:
            ConfigError: the server refused connections from the start, or the user must fix a fault.
            ProviderError: the server is down.
        """
        why = ""

        def wait(number: int, answer: Completion | ProviderFault) -> float | None:
            nonlocal why
            if isinstance(answer, Completion) or answer.kind not in PASSING:
                return None
            seconds, why = self._wait(number, answer, attempts), answer.message
            if seconds is not None and answer.retry_after is not None:
                self._shared.limits.pause(answer.retry_after)  # who asks one request to wait means all
            return seconds

        def rest(seconds: float) -> None:
            give_slot_back()
            for turn in wait_slices(seconds):
                self._breaker.report_reason(why)
                if self.stopped:
                    break
                time.sleep(turn)

        return repeat_until_accepted(lambda: self._attempt(request, form, fixed, attempts), wait, rest)

    def _is_nowhere(self, fault: ProviderFault) -> bool:
        """Whether a server's host never had an address, so that waiting is useless.

        An unavailable resolver is waited for if the user set a patience.
        """
        waited_for = fault.nameless == "unresolved" and "patience" in self._config.model_fields_set
        return bool(fault.nameless) and not self._breaker.there and not waited_for

    def _attempt(
        self, request: Mapping[str, Any], form: CallForm, fixed: Collection[str], attempts: Attempts
    ) -> Completion | ProviderFault:
        """Send one request within all limits, and record the result."""
        joined = time.monotonic()
        unknown = f"{self._transport.model} is not known, so no limit can be kept; run without `max_cost`"
        most = partial(self._transport.most_cost, request, self._config.max_tokens)
        with self._shared.admitted(request, most, unknown) as (turn, money):
            attempts.add_waiting(time.monotonic() - joined)
            if self._fatal is not None:
                raise ConfigError(self._fatal)
            if attempts.first_trouble is None and not self._breaker.admits():
                raise self._server_down_error(attempts)
            attempts.count += 1
            load()  # its import does not count towards the timeout
            answer = self._sent(request, form, fixed, attempts)
            if isinstance(answer, Completion):
                turn.took = answer.usage.prompt_tokens + answer.usage.completion_tokens
                money.cost = answer.usage.cost or 0.0
            timed_out = isinstance(answer, ProviderFault) and answer.status == TIMEOUT_STATUS
            if worked_on := timed_out or (isinstance(answer, ProviderFault) and answer.kind == "once"):
                turn.timed_out, turn.took, money.cost = timed_out, turn.tokens, money.estimate
        if isinstance(answer, Completion):
            attempts.first_trouble = None
            attempts.pay(answer)
        elif answer.kind in PASSING:
            self._breaker.failed(refused=answer.refused)
            attempts.timeouts += timed_out
            attempts.budget.left -= worked_on
            if not timed_out and attempts.first_trouble is None:
                attempts.first_trouble = time.monotonic()
            nowhere = self._is_nowhere(answer)
            return answer._replace(kind="config", remedy="name") if nowhere else answer
        elif answer.kind == "sample":
            attempts.budget.left -= 1
        if not _is_silence(answer):
            self._breaker.answered()
        return answer

    def _sent(
        self, request: Mapping[str, Any], form: CallForm, fixed: Collection[str], attempts: Attempts
    ) -> Completion | ProviderFault:
        """The result of sending a request now."""
        try:
            return self._within_timeout(request, attempts)
        except TimeoutError as error:
            return ProviderFault("retry", str(error), TIMEOUT_STATUS)
        except Exception as error:  # noqa: BLE001 - from any library below; it is classified
            return fault_of(error, form=form, request=request, fixed=fixed, secret=self._transport.key)

    def _within_timeout(self, request: Mapping[str, Any], attempts: Attempts) -> Completion:
        """The answer to a request, with `timeout` seconds once earlier requests have ended.

        The server may process requests one by one: each success restarts the time of later ones.
        """
        timeout = self._config.timeout
        with self._lock:
            number = next(self._numbers)
            self._begun[number] = time.monotonic()
            longest = timeout * len(self._begun) + 1  # the library's own limit, which frees the thread
        tries = f"try {attempts.timeouts + 1} of {attempts.most_timeouts} (`max_attempts`)"

        def begun() -> float:
            """When its time began; called again and again, it says where nothing comes."""
            self._breaker.report_silence(self._begun[number], f"{tries}, {timeout:g} s each (`timeout`)")
            return self._begun[number]

        try:
            answer = run_within(
                timeout, lambda: self._transport.complete(request, timeout=longest), since=begun
            )
            with self._lock:
                self._begun |= dict.fromkeys((n for n in self._begun if n > number), time.monotonic())
            return answer
        finally:
            with self._lock:
                del self._begun[number]

    def _wait(self, number: int, fault: ProviderFault, attempts: Attempts) -> float | None:
        """Seconds to wait after attempt `number`; None: give up."""
        waited = 0.0 if attempts.first_trouble is None else time.monotonic() - attempts.first_trouble
        left = min(self._config.patience - waited, self._breaker.left)
        if fault.status == TIMEOUT_STATUS:
            if attempts.timeouts >= attempts.most_timeouts or attempts.budget.left <= 0:
                return None
        elif left <= 0 or (fault.kind == "once" and number > 1) or (fault.retry_after or 0.0) > left:
            return None
        if fault.retry_after is not None:
            return backoff(number, fault.retry_after)
        seconds = backoff(number) * (CROWDED if fault.status == TOO_MANY_STATUS else 1)
        return max(min(seconds, left), 0.0)

    @property
    def stopped(self) -> bool:
        """Whether a fault that the user must fix has ended all requests."""
        return self._fatal is not None

    def stop(self, reason: str) -> ConfigError:
        """End all requests for a reason that the user must fix."""
        self._fatal = f"model {self._config.first_model}: {reason}"
        self._shared.limits.release()
        return ConfigError(self._fatal)

    def failure(self, fault: ProviderFault, attempts: Attempts) -> ConfigError | LLMError:
        """The exception for a final fault. One that the user must fix ends all other calls."""
        remedy = fault.remedy
        if remedy == "connection":
            remedy = self._transport.connection_remedy
        elif remedy == "name":
            remedy = self._transport.host_remedy
        elif remedy == "key":
            remedy = self._transport.key_remedy
        if fault.kind == "config":
            return self.stop(f"{fault.message}; {remedy}")
        if fault.status == TIMEOUT_STATUS:
            return CallTimeoutError(fault.message, attempts=attempts.count)
        patience, why = self._config.patience, ""
        if self._breaker.absent:
            return self._server_down_error(attempts)
        if fault.kind == "retry" and not patience:
            why = " (tried once, without waiting)"
        elif fault.kind == "retry" and (fault.retry_after or 0.0) > patience:
            why = f" (the server asks to wait {fault.retry_after:.0f} s, and `patience` is {patience:g})"
        elif fault.kind == "retry":
            why = f" (waited for as long as `patience={patience:g}` allows)"
        return fault.error(attempts.count, remedy, why)

    def _server_down_error(self, attempts: Attempts) -> ConfigError | ProviderError:
        """The exception for a call to a server that is down; ConfigError if it was never reached."""
        if not self._breaker.absent:
            silent = (
                f"{self._breaker.server} has answered no call for {self._config.patience:g} s (`patience`)"
            )
            asked = f"is now asked only every {SECONDS_BETWEEN_PROBES:g} s"
            text = f"{silent}, and {asked}; rerun once it is up"
            return ProviderError(text, attempts=attempts.count)
        refused = f"every connection was refused for {self._breaker.patience:g} s"
        longer = f"`patience={self._config.patience:g}` waits longer"
        remedy = self._transport.connection_remedy
        return ConfigError(f"model {self._config.first_model}: {refused}; {remedy} ({longer})")
