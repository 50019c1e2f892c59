"""Limits, money, cache and what is learnt about models, for workers in many processes.

`SharedCalls` owns them all; a worker reaches it by `remote_limits`.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import operator
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from typing import Any, NamedTuple, TypeVar

from factreasoner.llm.cache import ReplyCache, worth_keeping
from factreasoner.llm.capabilities import Memory
from factreasoner.llm.limits import Admitted, Budget, Limits, Reservation, SharedLimits
from factreasoner.llm.parallel import POLL_SECONDS
from factreasoner.llm.slots import Slots
from factreasoner.llm.usage import CACHED
from factreasoner.models.messages import FunctionSchema, Reply
from factreasoner.settings import Config

H = TypeVar("H", Admitted, Reservation)
Call = Callable[..., Any]
"""Calls `SharedCalls.call`, wherever that object is; raises what it raises."""


class _Held(NamedTuple):
    """A turn or money that a worker holds for a request."""

    worker: str
    what: Admitted | Reservation
    given_back: contextlib.ExitStack


class SharedCalls:
    """Owns what the calls of a run share. Thread-safe; what its methods take and return can be pickled.

    `spent` US dollars count from the start. `paid` notes the cost of each answered request and `memory` how
    models are asked, on disk before the worker goes on. `forget` takes back what a dead worker held; its
    reservations count as spent, since nobody knows what became of the requests.
    """

    def __init__(self, config: Config, spent: float, paid: Callable[[float], None], memory: Memory) -> None:
        self.paid, self.memory = paid, memory
        self.limits = Limits.of(config)
        self.budget = Budget(config.max_cost, spent)
        self._config = config
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self._held: dict[int, _Held] = {}
        self._gone: set[str] = set()
        self._asked: dict[str, tuple[str, Future[Reply | None]]] = {}
        self._stopped = threading.Event()

    def call(self, name: str, *values: Any) -> Any:  # noqa: ANN401 - as the method has it
        """Call a method of this object, or of a part of it such as `limits.pause`."""
        return operator.attrgetter(name)(self)(*values)

    @functools.cached_property
    def cache(self) -> ReplyCache:
        """Where answers are kept, opened when it is first used."""
        assert self._config.cache_dir is not None, "the driver names it"
        return ReplyCache(self._config.cache_dir)

    def enter(self, worker: str, tokens: int) -> tuple[int, Admitted]:
        """Wait for a turn for a request of about `tokens`; returns what `give_back` takes."""
        return self._hold(worker, self.limits.passed(tokens))

    def reserve(self, worker: str, estimate: float) -> tuple[int, Reservation]:
        """Set money aside for a request; returns what `give_back` takes. Raises BudgetError."""
        return self._hold(worker, self.budget.set_aside(estimate))

    def _hold(self, worker: str, passed: contextlib.AbstractContextManager[H]) -> tuple[int, H]:
        stack = contextlib.ExitStack()
        what = stack.enter_context(passed)
        while self._stopped.is_set():
            time.sleep(POLL_SECONDS)
        with self._lock:
            number = next(self._numbers)
            self._held[number] = _Held(worker, what, stack)
            gone = worker in self._gone
        if gone:
            if isinstance(what, Reservation):  # nothing was sent for it
                what.cost = 0.0
            self.give_back(number, what)
        return number, what

    def give_back(self, number: int, what: Admitted | Reservation) -> None:
        """Give back a turn or money, which says now what the request took or cost."""
        with self._lock:
            held = self._held.pop(number, None)
        if held is not None:  # else it was taken back: the worker was given up
            vars(held.what).update(vars(what))
            held.given_back.close()

    def stop(self) -> None:
        """Let no request begin any more: whoever wants to make one waits until the process ends."""
        self._stopped.set()

    def in_flight(self) -> int:
        """How many requests to models are under way."""
        with self._lock:
            return sum(isinstance(held.what, Admitted) for held in self._held.values())

    def claim(self, worker: str, key: str) -> Reply | None:
        """The stored reply, or that of the worker that asks for it now.

        None: this worker is to ask, and then calls `answered`.
        """
        reply: Reply | None = None
        while reply is None:
            with self._lock:
                asked = self._asked.get(key)
                if asked is None:
                    if worker in self._gone:  # it died while it waited, and will not ask
                        return None
                    self._asked[key] = worker, Future()
            if asked is None:
                return self._stored(key)
            reply = asked[1].result()
        return reply

    def _stored(self, key: str) -> Reply | None:
        """The stored reply to a claimed question; its claim ends unless there is none."""
        try:
            stored = self.cache.stored(key)
        except BaseException:
            self.answered(key, None)
            raise
        if stored is not None:
            self.answered(key, stored)
        return stored

    def answered(self, key: str, reply: Reply | None) -> None:
        """The reply that came; None: none did, and another worker may ask."""
        with self._lock:
            _, waiting = self._asked.pop(key, ("", None))
        if waiting is not None:
            waiting.set_result(reply)

    def forget(self, worker: str) -> None:
        """Take back what a dead worker held, and let other workers ask its questions."""
        with self._lock:
            self._gone.add(worker)
            held = [(number, one.what) for number, one in self._held.items() if one.worker == worker]
            claims = [key for key, (holder, _) in self._asked.items() if holder == worker]
        for number, what in held:
            if isinstance(what, Admitted):
                what.took = what.tokens
            self.give_back(number, what)
        for key in claims:
            self.answered(key, None)
        for _, what in held:
            if isinstance(what, Reservation):
                self.paid(what.estimate)


@contextlib.contextmanager
def _holding(call: Call, method: str, worker: str, amount: float) -> Iterator[Any]:
    """What the owner lets through or sets aside, given back with what the request made of it."""
    number, what = call(method, worker, amount)
    try:
        yield what
    finally:
        call("give_back", number, what)


class _Limits(Limits):
    """The owner's limits, as a worker passes them."""

    def __init__(self, call: Call, worker: str, config: Config) -> None:
        super().__init__(Slots.of(config))
        self._call, self._worker = call, worker

    @contextlib.contextmanager
    def passed(self, tokens: int) -> Iterator[Admitted]:
        with _holding(self._call, "enter", self._worker, tokens) as admitted:
            yield admitted

    def pause(self, seconds: float) -> None:
        self._call("limits.pause", seconds)

    def release(self) -> None:
        """Nothing: workers of other processes may wait for the same limits."""


class _Budget(Budget):
    """The owner's money."""

    def __init__(self, call: Call, worker: str, limit: float | None) -> None:
        super().__init__(limit, paid=functools.partial(call, "paid"))
        self._call, self._worker = call, worker

    @contextlib.contextmanager
    def set_aside(self, estimate: float) -> Iterator[Reservation]:
        with _holding(self._call, "reserve", self._worker, estimate) as reservation:
            yield reservation


class _Memory:
    """What the owner has learnt about models."""

    def __init__(self, call: Call) -> None:
        self.capabilities = functools.partial(call, "memory.capabilities")
        self.keep_capabilities = functools.partial(call, "memory.keep_capabilities")


class _Cache(ReplyCache):
    """The owner's answers; this process keeps none."""

    def __init__(self, call: Call, worker: str) -> None:
        super().__init__(None)
        self._call, self._worker = call, worker

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
            if worth_keeping(reply, schema):
                self._call("cache.store", key, reply)
            return reply
        finally:
            self._call("answered", key, reply)

    def note_all(self, texts: Mapping[str, str]) -> None:
        self._call("cache.note_all", dict(texts))

    def noted(self, key: str) -> str | None:
        found: str | None = self._call("cache.noted", key)
        return found


def remote_limits(call: Call, worker: str, config: Config) -> SharedLimits:
    """What a worker uses instead of its own limits, money, cache and memory."""
    return SharedLimits(
        _Limits(call, worker, config),
        _Budget(call, worker, config.max_cost),
        _Memory(call),
        lambda: _Cache(call, worker) if config.cache else ReplyCache(None),
    )
