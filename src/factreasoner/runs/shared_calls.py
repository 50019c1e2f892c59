"""Limits, money, cache and what is learnt about models, for workers in many processes.

`SharedCalls` owns them all; a worker reaches it by `remote_limits`.
"""

from __future__ import annotations

import contextlib
import itertools
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from typing import Any, NamedTuple

from factreasoner.llm.cache import ReplyCache, worth_keeping
from factreasoner.llm.capabilities import Capabilities, Memory
from factreasoner.llm.limits import Admitted, Budget, Limits, Reservation, SharedLimits, Slots
from factreasoner.llm.parallel import POLL_SECONDS
from factreasoner.llm.usage import CACHED
from factreasoner.models.messages import FunctionSchema, Reply
from factreasoner.settings import Config

Call = Callable[..., Any]
"""Calls a method of SharedCalls by its name, wherever that object is; raises what it raises."""


class _Held(NamedTuple):
    """A turn or money that a worker holds for a request."""

    worker: str
    given_back: contextlib.ExitStack
    what: Admitted | Reservation


class SharedCalls:
    """Owns what the calls of a run share. Thread-safe; what its methods take and return can be pickled.

    `spent` US dollars count from the start. `paid` notes the cost of each answered request and `memory` how
    models are asked, on disk before the worker goes on. `forget` takes back what a dead worker held; its
    reservations count as spent, since nobody knows what became of the requests.
    """

    def __init__(self, config: Config, spent: float, paid: Callable[[float], None], memory: Memory) -> None:
        self._paid = paid
        self._config = config
        self._memory = memory
        self._limits = Limits.of(config)
        self._budget = Budget(config.max_cost, spent)
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self._held: dict[int, _Held] = {}
        self._gone: set[str] = set()
        self._asked: dict[str, tuple[str, Future[Reply | None]]] = {}
        self._cache: ReplyCache | None = None
        self._stopped = threading.Event()

    # turns and money

    def enter(self, worker: str, tokens: int) -> int:
        """Wait for a turn for a request of about `tokens`; returns the number for `give_back`."""
        return self._hold(worker, self._limits.passed(tokens))

    def reserve(self, worker: str, estimate: float) -> int:
        """Set money aside for a request; returns the number for `give_back`. Raises BudgetError."""
        return self._hold(worker, self._budget.set_aside(estimate))

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
            self.give_back(number, 0)
        return number

    def give_back(self, number: int, took: float) -> None:
        """Give back a turn, whose request took so many tokens, or money, whose request cost so much."""
        with self._lock:
            held = self._held.pop(number, None)
        if held is None:  # taken back already: the worker was given up
            return
        if isinstance(held.what, Admitted):
            held.what.took = int(took)
        else:
            held.what.cost = took
        held.given_back.close()

    def paid(self, dollars: float) -> None:
        """Note a payment; returns once it is on disk. Raises RunError where it can't be."""
        self._paid(dollars)

    def pause(self, seconds: float) -> None:
        """Let no request through for so many seconds."""
        self._limits.pause(seconds)

    def spent(self) -> float:
        """US dollars that count towards the limit so far."""
        return self._budget.spent

    def stop(self) -> None:
        """Let no request begin any more: whoever wants to make one waits until the process ends."""
        self._stopped.set()

    def in_flight(self) -> int:
        """How many requests to models are under way."""
        with self._lock:
            return sum(isinstance(held.what, Admitted) for held in self._held.values())

    # answers

    def claim(self, worker: str, key: str) -> Reply | None:
        """The stored reply, or that of the worker that asks for it now.

        None: this worker is to ask, and then calls `answered`.
        """
        while True:
            with self._lock:
                asked = self._asked.get(key)
                if asked is None and worker in self._gone:  # it died while it waited, and will not ask
                    return None
                if asked is None:
                    self._asked[key] = worker, Future()
                    break
            _, reply = asked
            found = reply.result()
            if found is not None:
                return found
        stored = None
        try:
            stored = self._replies().stored(key)
        except BaseException:
            self.answered(key, None, keep=False)
            raise
        if stored is not None:
            self.answered(key, stored, keep=False)
        return stored

    def answered(self, key: str, reply: Reply | None, *, keep: bool) -> None:
        """The reply that came; None: none did, and another worker may ask. `keep`: it is worth storing."""
        try:
            if keep and reply is not None:
                self._replies().store(key, reply)
        finally:
            with self._lock:
                _, waiting = self._asked.pop(key, ("", None))
            if waiting is not None:
                waiting.set_result(reply)

    def note_all(self, texts: dict[str, str]) -> None:
        """Keep texts in the cache."""
        self._replies().note_all(texts)

    def noted(self, key: str) -> str | None:
        """A text kept in the cache."""
        return self._replies().noted(key)

    def _replies(self) -> ReplyCache:
        """The cache, opened when it is first used."""
        with self._lock:
            if self._cache is None:
                assert self._config.cache_dir is not None, "the driver names it"
                self._cache = ReplyCache(self._config.cache_dir)
            return self._cache

    # what is learnt

    def capabilities(self, model: str) -> Capabilities | None:
        """How that model is asked; None if that is not learnt yet."""
        return self._memory.capabilities(model)

    def keep_capabilities(self, model: str, capabilities: Capabilities) -> None:
        """Keep how that model is asked."""
        self._memory.keep_capabilities(model, capabilities)

    def forget(self, worker: str) -> None:
        """Take back what a dead worker held, and let other workers ask its questions."""
        with self._lock:
            self._gone.add(worker)
            held = [(n, h.what) for n, h in self._held.items() if h.worker == worker]
            claims = [key for key, (holder, _) in self._asked.items() if holder == worker]
        for number, what in held:
            self.give_back(number, what.tokens if isinstance(what, Admitted) else what.estimate)
        for key in claims:
            self.answered(key, None, keep=False)
        for _, what in held:
            if isinstance(what, Reservation):
                self.paid(what.estimate)


class _Limits(Limits):
    """The owner's limits, as a worker passes them."""

    def __init__(self, call: Call, worker: str, config: Config) -> None:
        super().__init__(Slots.of(config))
        self._call = call
        self._worker = worker

    @contextlib.contextmanager
    def passed(self, tokens: int) -> Iterator[Admitted]:
        number = self._call("enter", self._worker, tokens)
        admitted = Admitted(0.0, tokens)
        try:
            yield admitted
        finally:
            self._call("give_back", number, admitted.took)

    def pause(self, seconds: float) -> None:
        self._call("pause", seconds)

    def release(self) -> None:
        """Nothing: workers of other processes may wait for the same limits."""


class _Budget(Budget):
    """The owner's money."""

    def __init__(self, call: Call, worker: str, limit: float | None) -> None:
        super().__init__(limit, paid=lambda dollars: call("paid", dollars))
        self._call = call
        self._worker = worker

    @property
    def spent(self) -> float:
        return float(self._call("spent"))

    @contextlib.contextmanager
    def set_aside(self, estimate: float) -> Iterator[Reservation]:
        number = self._call("reserve", self._worker, estimate)
        reservation = Reservation(estimate)
        try:
            yield reservation
        finally:
            self._call("give_back", number, reservation.cost)


class _Memory(NamedTuple):
    """What the owner has learnt about models."""

    call: Call

    def capabilities(self, model: str) -> Capabilities | None:
        known: Capabilities | None = self.call("capabilities", model)
        return known

    def keep_capabilities(self, model: str, capabilities: Capabilities) -> None:
        self.call("keep_capabilities", model, capabilities)


class _Cache(ReplyCache):
    """The owner's answers; this process keeps none."""

    def __init__(self, call: Call, worker: str) -> None:
        super().__init__(None)
        self._call = call
        self._worker = worker

    def get_or_ask(
        self, key: str, schema: FunctionSchema, ask: Callable[[], Reply], *, anew: bool = False
    ) -> Reply:
        assert not anew, "only batches ask anew, and they are answered in one process"
        stored: Reply | None = self._call("claim", self._worker, key)
        if stored is not None:
            return stored.model_copy(update={"usage": CACHED})
        reply = None
        try:
            reply = ask()
        finally:
            keep = reply is not None and worth_keeping(reply, schema)
            self._call("answered", key, reply, keep=keep)
        return reply

    def note_all(self, texts: Mapping[str, str]) -> None:
        self._call("note_all", dict(texts))

    def noted(self, key: str) -> str | None:
        found: str | None = self._call("noted", key)
        return found


def remote_limits(call: Call, worker: str, config: Config) -> SharedLimits:
    """What a worker uses instead of its own limits, money, cache and memory."""
    return SharedLimits(
        _Limits(call, worker, config),
        _Budget(call, worker, config.max_cost),
        _Memory(call),
        lambda: _Cache(call, worker) if config.cache else ReplyCache(None),
    )
