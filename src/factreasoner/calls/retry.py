"""Retry of transient errors, with growing waits."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable
from http import HTTPStatus
from typing import NamedTuple, TypeVar

from factreasoner.calls.deadlines import wait_slices
from factreasoner.errors import AttemptedError

T = TypeVar("T")

FIRST_WAIT = 1.0
"""Maximum seconds before the second attempt; each later wait may be twice as long."""
LONGEST_WAIT = 15.0
"""Maximum seconds between attempts if the server gives no time, to notice a recovery soon."""

PASSING_STATUSES = frozenset({408, 409, 425, 429})
"""Client error statuses after which the same request may succeed."""


def is_transient_status(status: int) -> bool:
    """Whether the same request may succeed after this HTTP status."""
    server_side = status >= HTTPStatus.INTERNAL_SERVER_ERROR and status != HTTPStatus.NOT_IMPLEMENTED
    return server_side or status in PASSING_STATUSES


def backoff(number: int, after: float | None = None) -> float:
    """Seconds to wait after attempt `number` (from 1), or the `after` that the server asks for.

    They are random, so that calls do not all return at once.
    """
    seconds = random.uniform(0, min(FIRST_WAIT * 2 ** min(number - 1, 20), LONGEST_WAIT))
    return seconds if after is None else after * random.uniform(1, 1.1) + min(seconds, 1.0)


def sleep_while_wanted(seconds: float) -> None:
    """Sleep. Raises AbandonedError if this work is no longer wanted."""
    for turn in wait_slices(seconds):
        time.sleep(turn)


def repeat_until_accepted(
    ask: Callable[[], T],
    wait: Callable[[int, T], float | None],
    rest: Callable[[float], None] = sleep_while_wanted,
) -> T:
    """The answer of `ask`, repeated after `wait(number, answer)` seconds until that is None."""
    number = 1
    while (seconds := wait(number, answer := ask())) is not None:
        rest(seconds)
        number += 1
    return answer


class Passing(NamedTuple):
    """A transient failure of an attempt: `error` is raised if it was the last one.

    `after` is the wait in seconds that the server asks for, if any.
    """

    error: Exception
    after: float | None = None


class Retry(NamedTuple):
    """At most `attempts` attempts, none later than `seconds` after the first one failed."""

    attempts: float = math.inf
    seconds: float = math.inf

    def __call__(self, ask: Callable[[], T | Passing]) -> T:
        """The final result of `ask`. Raises the last attempt's error, with the number of attempts."""
        until = math.inf

        def wait(number: int, answer: T | Passing) -> float | None:
            nonlocal until
            if not isinstance(answer, Passing):
                return None
            until = min(until, time.monotonic() + self.seconds)
            if isinstance(answer.error, AttemptedError):
                answer.error.attempts = number
            seconds = backoff(number, answer.after)
            over = number >= self.attempts or time.monotonic() + seconds > until
            return None if over else seconds

        answer = repeat_until_accepted(ask, wait)
        if isinstance(answer, Passing):
            raise answer.error
        return answer
