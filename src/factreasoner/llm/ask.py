"""Ask a model about many items in one call, and retry unanswered ones.

However badly a model replies, a planned call leads to few paid ones (see `RetryBudget`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Generic, NamedTuple, TypeVar

from factreasoner.calls.threads import bound
from factreasoner.errors import LLMError, PendingError, UnusableReplyError
from factreasoner.llm.settings import LLMSettings
from factreasoner.models import Failure
from factreasoner.models.messages import FunctionSchema, Prompt, Reply
from factreasoner.protocols import LLM

I = TypeVar("I")  # noqa: E741
R = TypeVar("R")

MOST_FACTS = 32
"""Facts per call for a model that was not probed."""
MOST_WITHOUT_RESULT = 8
"""Maximum paid requests of a planned call without any answered item."""
AN_ANSWER = 2
"""Extra paid requests allowed by each answered item."""


class NoResult(NamedTuple):
    """Why a reply has no result for an item; `final` if a retry would not help."""

    problem: str
    final: bool = False


MOST_MALFORMED, MOST_USELESS = 3, 2
"""Consecutive replies, useless for one reason, that end their items."""


class ItemQuestion(NamedTuple, Generic[I, R]):
    """How to ask about items, and how to read the reply.

    `request` makes the call about some items; `read` gives a result, or the reason for none, for each in
    order. A failure belongs to `stage`, has the item's `name`, and calls what is missing `result`.
    """

    stage: str
    result: str
    name: Callable[[I], str]
    request: Callable[[Sequence[I]], tuple[Prompt, FunctionSchema]]
    read: Callable[[Reply, FunctionSchema, Sequence[I]], Sequence[R | NoResult]]
    logprobs: bool = False


class _Turn(NamedTuple):
    """Items asked about together, by position, with the attempt and the sample number.

    Another sample of the same answer has a number larger by `step`. `reason` is why the last `times`
    consecutive replies were useless; empty after a useful one.
    """

    positions: Sequence[int]
    sample: int
    step: int
    attempt: int = 1
    reason: str = ""
    times: int = 0

    def useless(self, reason: str) -> _Turn:
        """This turn after a reply that was useless for that reason."""
        return self._replace(reason=reason, times=self.times + 1 if reason == self.reason else 1)


class ItemAsker:
    """Makes planned calls, and retries after bad replies.

    - An item without a usable result is retried: with others, in halves, then alone, up to `max_attempts` in
      all. Items of a cut reply are retried in halves.
    - An item is a Failure after that, after two consecutive replies that are useless for the same reason
      (three malformed ones), or when the budget of the planned call is used up.
    """

    def __init__(self, llm: LLM, config: LLMSettings) -> None:
        self._llm, self._config = llm, config

    def ask(
        self, asked: ItemQuestion[I, R], items: Sequence[I], *, sample: int = 0, samples: int = 1
    ) -> list[R | Failure]:
        """A result or a failure for every item, in order.

        `sample` numbers the sample of the answer, out of `samples`. Raises the client's errors other than
        LLMError: ConfigError, BudgetError, PendingError, RunError.
        """
        with planned_call() as budget:
            planned = _PlannedCall(self._llm, self._config, asked, items, budget)
            planned.ask(_Turn(range(len(items)), sample, samples))
        return [planned.results[position] for position in range(len(items))]


@dataclass
class _PlannedCall(Generic[I, R]):
    """One planned call with its retries; `results` are by position."""

    llm: LLM
    config: LLMSettings
    asked: ItemQuestion[I, R]
    items: Sequence[I]
    budget: RetryBudget
    results: dict[int, R | Failure] = field(default_factory=dict)

    def ask(self, turn: _Turn) -> None:
        """Ask about the items of `turn`, with useful retries, until each has a result or a failure."""
        items = [self.items[position] for position in turn.positions]
        prompt, schema = self.asked.request(items)
        try:
            reply = self._call(prompt, schema, turn.sample)
        except UnusableReplyError as error:
            self._again(turn.useless(error.reason), dict.fromkeys(turn.positions, str(error)))
            return
        except LLMError as error:
            names = map(self.asked.name, items)
            failures = (Failure.of(self.asked.stage, name, error) for name in names)
            self.results |= zip(turn.positions, failures, strict=True)
            return
        if reply.truncated:
            problem = "the token limit cut off the reply, even after it was raised once: see `max_tokens`"
            problems = dict.fromkeys(turn.positions, problem)
            if len(turn.positions) > 1:
                self._ask_each(_halves(turn.positions), turn, problems)
            else:
                self._again(turn.useless("cut"), problems)
            return
        problems = {}
        for position, result in zip(turn.positions, self.asked.read(reply, schema, items), strict=True):
            if not isinstance(result, NoResult):
                self.results[position] = result
                self.budget.left += AN_ANSWER
            elif result.final:
                self._fail({position: result.problem}, turn.attempt)
            else:
                problems[position] = result.problem
        if problems:
            self._again(turn._replace(reason="", times=0), problems)

    def _call(self, prompt: Prompt, schema: FunctionSchema, sample: int) -> Reply:
        """Ask once. If the client does not count its payments, it paid once."""
        before, cached = self.budget.left, 0
        try:
            reply = self.llm.call(prompt, schema, sample=sample, logprobs=self.asked.logprobs)
            cached = reply.usage.cached_calls
        finally:
            if self.budget.left == before and not cached:
                self.budget.left -= 1
        return reply

    def _again(self, turn: _Turn, problems: dict[int, str]) -> None:
        """Retry items with a problem, unless the same problem came too often."""
        most_times = MOST_MALFORMED if turn.reason == "malformed" else MOST_USELESS
        if turn.attempt >= self.config.max_attempts or turn.times >= most_times:
            self._fail(problems, turn.attempt)
            return
        left = list(problems)
        attempt = turn.attempt + 1
        groups = [left] if attempt == 2 else _halves(left) if attempt == 3 else [[one] for one in left]
        self._ask_each(groups, turn._replace(attempt=attempt), problems)

    def _ask_each(self, groups: Iterable[Sequence[int]], turn: _Turn, problems: dict[int, str]) -> None:
        """Ask about each group in turn while the budget lasts.

        A retry of the same items is another sample, since the cache would repeat the reply.
        """
        pending: PendingError | None = None
        for group in groups:
            if self.budget.left <= 0:
                spent = f"; failed after {MOST_WITHOUT_RESULT} paid requests without a result"
                self._fail({position: problems[position] + spent for position in group}, turn.attempt)
                continue
            same = len(group) == len(turn.positions)
            sample = turn.sample + turn.step if same else turn.sample
            try:
                self.ask(turn._replace(positions=group, sample=sample))
            except PendingError as error:
                pending = error
        if pending is not None:
            raise pending

    def _fail(self, problems: dict[int, str], attempts: int) -> None:
        for position, problem in problems.items():
            name = self.asked.name(self.items[position])
            error = UnusableReplyError(f"no usable {self.asked.result}: {problem}", attempts=attempts)
            self.results[position] = Failure.of(self.asked.stage, name, error)


def _halves(positions: Sequence[int]) -> list[Sequence[int]]:
    middle = (len(positions) + 1) // 2
    return [half for half in (positions[:middle], positions[middle:]) if half]


@dataclass
class RetryBudget:
    """The paid requests that one planned call may still make.

    `raised`: a reply was cut, and the limit was raised; `too_slow`: a longer reply takes too long.
    """

    left: int = MOST_WITHOUT_RESULT
    raised: bool = False
    too_slow: bool = False


_current: ContextVar[RetryBudget | None] = ContextVar("factreasoner_retry_budget", default=None)


def planned_call() -> AbstractContextManager[RetryBudget]:
    """Count all requests made inside, in this context, towards one planned call."""
    return bound(_current, RetryBudget())


def current_budget() -> RetryBudget:
    """The budget of this context's planned call; a new one outside of any."""
    return _current.get() or RetryBudget()


def most_paid(calls: int, items: int) -> int:
    """The maximum paid requests of `calls` planned calls about `items` items in all."""
    return MOST_WITHOUT_RESULT * calls + AN_ANSWER * max(items - calls, 0)
