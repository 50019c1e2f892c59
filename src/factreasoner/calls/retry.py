"""The one retry: what failed for a reason that may pass is asked again, later and later."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable
from http import HTTPStatus
from typing import NamedTuple, TypeVar

from factreasoner.calls.deadlines import turns
from factreasoner.errors import AttemptedError

T = TypeVar("T")

FIRST_WAIT = 1.0
"""Most seconds before the second try; each later wait may be twice as long."""
LONGEST_WAIT = 15.0
"""Most seconds between two tries if the server does not say when: so that a recovery is noticed soon."""

PASSING_STATUSES = frozenset({408, 409, 425, 429})
"""Statuses of the client's side after which the same request may be answered."""


def may_pass(status: int) -> bool:
    """Whether the same request may be answered after an answer with this HTTP status."""
    server_side = status >= HTTPStatus.INTERNAL_SERVER_ERROR and status != HTTPStatus.NOT_IMPLEMENTED
    return server_side or status in PASSING_STATUSES


def backoff(number: int, after: float | None = None) -> float:
    """Seconds to wait after try `number`, counted from 1; `after` those that the server asks for.

    They are random, so that calls do not all come back at once.
    """
    seconds = random.uniform(0, min(FIRST_WAIT * 2 ** min(number - 1, 20), LONGEST_WAIT))
    return seconds if after is None else after * random.uniform(1, 1.1) + min(seconds, 1.0)


def rest(seconds: float) -> None:
    """Sleep. Raises AbandonedError once nobody waits for the work that this is part of."""
    for turn in turns(seconds):
        time.sleep(turn)


def again(
    ask: Callable[[], T], wait: Callable[[int, T], float | None], rest: Callable[[float], None] = rest
) -> T:
    """The answer of `ask`, which is asked again after `wait(number, answer)` seconds, until that is None."""
    number = 1
    while (seconds := wait(number, answer := ask())) is not None:
        rest(seconds)
        number += 1
    return answer


class Passing(NamedTuple):
    """Why a try gave no answer, for now: `error` is raised if it was the last one.

    `after` are the seconds that the server asks to wait, if it does.
    """

    error: Exception
    after: float | None = None


class Retry(NamedTuple):
    """Asks `attempts` times at most, and no more once `seconds` have passed since the first time."""

    attempts: float = math.inf
    seconds: float = math.inf

    def __call__(self, ask: Callable[[], T | Passing]) -> T:
        """What `ask` returns in the end. Raises the error of the last try, which has the number of tries."""
        until = time.monotonic() + self.seconds

        def wait(number: int, answer: T | Passing) -> float | None:
            if not isinstance(answer, Passing):
                return None
            if isinstance(answer.error, AttemptedError):
                answer.error.attempts = number
            seconds = backoff(number, answer.after)
            over = number >= self.attempts or time.monotonic() + seconds > until
            return None if over else seconds

        answer = again(ask, wait)
        if isinstance(answer, Passing):
            raise answer.error
        return answer
