"""How many paid requests one planned call may still lead to: a bad reply must not multiply."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar

IN_VAIN = 8
"""Paid requests of a planned call none of whose items is answered, at most."""
AN_ANSWER = 2
"""Paid requests that each answered item allows beyond these."""


class RetryBudget:
    """The paid requests left to one planned call.

    `raised`: a reply was cut, and the limit is raised; `too_slow`: a longer reply takes too long.

    Not thread-safe: the requests of a planned call are made one after the other.
    """

    def __init__(self) -> None:
        self.left = IN_VAIN
        self.raised = False
        self.too_slow = False

    def spend(self) -> None:
        """One more request was paid for, or may have been."""
        self.left -= 1

    def answered(self, items: int) -> None:
        """Count items of the call that have got their answer: each allows further requests."""
        self.left += AN_ANSWER * items


_current: ContextVar[RetryBudget | None] = ContextVar("factreasoner_retry_budget", default=None)


@contextlib.contextmanager
def planned_call() -> Iterator[RetryBudget]:
    """Everything asked inside, in this context, counts towards one planned call."""
    made = RetryBudget()
    token = _current.set(made)
    try:
        yield made
    finally:
        _current.reset(token)


def current_budget() -> RetryBudget:
    """The budget of the planned call that this thread's context is in; outside any, a new one."""
    return _current.get() or RetryBudget()


def most_paid(calls: int, items: int) -> int:
    """Paid requests that `calls` planned calls about `items` in all can lead to at most."""
    return IN_VAIN * calls + AN_ANSWER * max(items - calls, 0)
