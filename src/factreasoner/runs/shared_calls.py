"""The limits, the money, the cache and what is learnt of models, for workers in many processes.

One object owns them all; workers reach it as `remote_calls` says. The driver, which alone writes a run's
files, is told by it what must be on disk.
"""

from __future__ import annotations

import contextlib
import itertools
import threading
import time
from collections import deque
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from typing import NamedTuple

from factreasoner.errors import RunError
from factreasoner.llm.budget import Budget, Reservation
from factreasoner.llm.cache import ReplyCache
from factreasoner.llm.deadline import POLL_SECONDS
from factreasoner.llm.limits import Admitted, LocalLimits
from factreasoner.models.messages import Reply
from factreasoner.settings import Config

NEWS_SECONDS = 1.0
"""How long the driver waits for news at a time."""


class News(NamedTuple):
    """What the driver must write before the worker that it comes from goes on: a payment, or capabilities."""

    number: int
    paid: float | None = None
    model: str = ""
    capabilities: str = ""


class _Held(NamedTuple):
    """What a worker holds while it makes a request."""

    worker: str
    given_back: contextlib.ExitStack
    what: Admitted | Reservation


class SharedCalls:
    """Owns what the calls of a run share. Thread-safe; its methods take and return plain values.

    What a worker holds that dies goes back with `forget`: its slots, what it was to ask, and its reservations
    as spent, since nobody knows what became of the requests.
    """

    def __init__(self, config: Config, spent: float, capabilities: Mapping[str, str]) -> None:
        self._config = config
        self._limits = LocalLimits.of(config)
        self._budget = Budget(config.max_cost, spent)
        self._abilities = dict(capabilities)
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self._held: dict[int, _Held] = {}
        self._gone: set[str] = set()
        self._asked: dict[str, tuple[str, Future[str | None]]] = {}
        self._cache: ReplyCache | None = None
        self._post = _Post()
        self._stopped = threading.Event()

    # turns and money

    def enter(self, worker: str, tokens: int) -> int:
        """Wait for a turn; returns the number to leave with."""
        return self._hold(worker, self._limits.passed(tokens))

    def leave(self, number: int, tokens: int) -> None:
        """The request of that turn is done and took so many tokens."""
        self._give_back(number, tokens)

    def pause(self, seconds: float) -> None:
        """Let no request through for so many seconds."""
        self._limits.pause(seconds)

    def reserve(self, worker: str, estimate: float) -> int:
        """Set money aside; returns the number to settle with. Raises BudgetError."""
        return self._hold(worker, self._budget.set_aside(estimate))

    def settle(self, number: int, cost: float) -> None:
        """What the request came to for which money was set aside."""
        self._give_back(number, cost)

    def spent(self) -> float:
        """US dollars that count towards the limit so far."""
        return self._budget.spent

    def stop(self) -> None:
        """Let no request begin any more: whoever wants to make one waits for the end."""
        self._stopped.set()

    def in_flight(self) -> int:
        """How many requests to models are under way."""
        with self._lock:
            return sum(isinstance(held.what, Admitted) for held in self._held.values())

    def _hold(self, worker: str, passed: contextlib.AbstractContextManager[Admitted | Reservation]) -> int:
        stack = contextlib.ExitStack()
        what = stack.enter_context(passed)
        while self._stopped.is_set():
            time.sleep(POLL_SECONDS)
        with self._lock:
            number = next(self._numbers)
            self._held[number] = _Held(worker, stack, what)
            gone = worker in self._gone
        if gone:
            self._give_back(number, 0)
        return number

    def _give_back(self, number: int, took: float) -> None:
        with self._lock:
            held = self._held.pop(number, None)
        if held is None:  # taken back already, of a worker that was given up
            return
        if isinstance(held.what, Admitted):
            held.what.took = int(took)
        else:
            held.what.cost = took
        held.given_back.close()

    # answers

    def claim(self, worker: str, key: str) -> str | None:
        """The stored reply, or that of whoever asks for it now, as JSON; None: this worker is to ask.

        It then calls `answered` or `unanswered`.
        """
        while True:
            with self._lock:
                asked = self._asked.get(key)
                if asked is None and worker in self._gone:  # it died while it waited: nobody would ask
                    return None
                if asked is None:
                    self._asked[key] = worker, Future()
                    break
            _, reply = asked
            found = reply.result()
            if found is not None:
                return found
        try:
            stored = self._replies().stored(key)
        except BaseException:
            self.unanswered(key)
            raise
        if stored is None:
            return None
        text = stored.model_dump_json()
        self.answered(key, text, keep=False)
        return text

    def answered(self, key: str, reply: str, *, keep: bool) -> None:
        """The reply that came; `keep`: it is worth storing."""
        if keep:
            self._replies().store(key, Reply.model_validate_json(reply))
        self._end_claim(key, reply)

    def unanswered(self, key: str) -> None:
        """No reply came; somebody else may ask."""
        self._end_claim(key, None)

    def _end_claim(self, key: str, reply: str | None) -> None:
        with self._lock:
            _, waiting = self._asked.pop(key, ("", None))
        if waiting is not None:
            waiting.set_result(reply)

    def note_all(self, texts: dict[str, str]) -> None:
        """Keep texts in the cache."""
        self._replies().note_all(texts)

    def noted(self, key: str) -> str | None:
        """The text kept in the cache."""
        return self._replies().noted(key)

    def _replies(self) -> ReplyCache:
        """The cache, opened when it is used: without a model's calls there may be none."""
        with self._lock:
            if self._cache is None:
                assert self._config.cache_dir is not None, "the driver says where"
                self._cache = ReplyCache(self._config.cache_dir)
            return self._cache

    # what the driver writes

    def capabilities(self, model: str) -> str | None:
        """How that model is asked, as JSON, where it is learnt."""
        return self._abilities.get(model)

    def keep_capabilities(self, model: str, capabilities: str) -> None:
        """Have it written; returns once it is. Raises RunError where it can't be."""
        self._abilities[model] = capabilities
        self._post.send(News(next(self._numbers), model=model, capabilities=capabilities))

    def paid(self, dollars: float) -> None:
        """Have a payment written; returns once it is. Raises RunError where it can't be."""
        self._post.send(News(next(self._numbers), paid=dollars))

    def news(self, written: Sequence[tuple[int, str]]) -> list[News]:
        """What is to be written, once there is something, or nothing after a second.

        `written` are the numbers of what was, each with what went wrong, "" if nothing did.
        """
        return self._post.collected(written)

    def forget(self, worker: str) -> None:
        """Take back what a worker held that has died: its slots, money and questions."""
        with self._lock:
            self._gone.add(worker)
            held = [(n, h) for n, h in self._held.items() if h.worker == worker]
            claims = [key for key, (holder, _) in self._asked.items() if holder == worker]
        for number, one in held:
            what = one.what
            self._give_back(number, what.tokens if isinstance(what, Admitted) else what.estimate)
            if isinstance(what, Reservation):
                self._post.leave(News(next(self._numbers), paid=what.estimate))
        for key in claims:
            self.unanswered(key)


class _Post:
    """Letters to the driver, whose senders wait until they are read and acted on, unless they `leave` it."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._letters: deque[News] = deque()
        self._replies: dict[int, str] = {}
        self._left: set[int] = set()

    def leave(self, letter: News) -> None:
        with self._changed:
            self._letters.append(letter)
            self._left.add(letter.number)
            self._changed.notify_all()

    def send(self, letter: News) -> None:
        with self._changed:
            self._letters.append(letter)
            self._changed.notify_all()
            while letter.number not in self._replies:
                self._changed.wait(POLL_SECONDS)
            problem = self._replies.pop(letter.number)
        if problem:
            raise RunError(problem)

    def collected(self, replies: Sequence[tuple[int, str]]) -> list[News]:
        with self._changed:
            self._replies.update((number, said) for number, said in replies if number not in self._left)
            self._left.difference_update(number for number, _ in replies)
            self._changed.notify_all()
            if not self._letters:
                self._changed.wait(NEWS_SECONDS)
            letters = list(self._letters)
            self._letters.clear()
            return letters
