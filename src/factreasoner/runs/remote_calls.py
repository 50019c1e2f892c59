"""The limits, the money, the cache and what is learnt of models, as a worker reaches their one owner."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from factreasoner.llm.budget import Budget, Reservation
from factreasoner.llm.cache import ReplyCache, SharedReply, worth_keeping
from factreasoner.llm.capabilities import Capabilities
from factreasoner.llm.limits import Admitted, SharedLimits
from factreasoner.llm.usage import CACHED
from factreasoner.models.messages import FunctionSchema, Reply
from factreasoner.settings import Config

Call = Callable[..., Any]
"""Calls a method of SharedCalls, by its name, wherever that object is; raises what it raises."""


class _Limits:
    """Those of the owner; see `Limits`."""

    def __init__(self, call: Call, worker: str) -> None:
        self._call = call
        self._worker = worker

    @contextlib.contextmanager
    def passed(self, tokens: int) -> Iterator[Admitted]:
        number = self._call("enter", self._worker, tokens)
        admitted = Admitted(0.0, tokens)
        try:
            yield admitted
        finally:
            self._call("leave", number, admitted.took)

    def pause(self, seconds: float) -> None:
        self._call("pause", seconds)

    def release(self) -> None:
        """Nothing: others may wait for the same limits, and those of this process are let through in turn."""


class _Budget(Budget):
    """The owner's."""

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
            self._call("settle", number, reservation.cost)


class _Cache:
    """The owner's cache; see `Cache`."""

    def __init__(self, call: Call, worker: str) -> None:
        self._call = call
        self._worker = worker

    @property
    def close(self) -> Callable[[], object]:
        return lambda: None

    def get_or_ask(
        self, key: str, schema: FunctionSchema, ask: Callable[[], Reply], *, anew: bool = False
    ) -> SharedReply:
        assert not anew, "asked for by batches alone, which are answered in one process"
        stored = self._call("claim", self._worker, key)
        if stored is not None:
            found = Reply.model_validate_json(stored).model_copy(update={"usage": CACHED})
            return SharedReply(found, fresh=False)
        try:
            reply = ask()
        except BaseException:
            self._call("unanswered", key)
            raise
        self._call("answered", key, reply.model_dump_json(), keep=worth_keeping(reply, schema))
        return SharedReply(reply, fresh=True)

    def note_all(self, texts: Mapping[str, str]) -> None:
        self._call("note_all", dict(texts))

    def noted(self, key: str) -> str | None:
        found: str | None = self._call("noted", key)
        return found


class _Memory:
    """What the owner knows of models; see `Memory`."""

    def __init__(self, call: Call) -> None:
        self._call = call

    def capabilities(self, model: str) -> Capabilities | None:
        known = self._call("capabilities", model)
        return None if known is None else Capabilities.model_validate_json(known)

    def keep_capabilities(self, model: str, capabilities: Capabilities) -> None:
        self._call("keep_capabilities", model, capabilities.model_dump_json())


def remote_limits(call: Call, worker: str, config: Config) -> SharedLimits:
    """What a worker uses in the place of limits, money, cache and memory of its own."""
    return SharedLimits(
        _Limits(call, worker),
        _Budget(call, worker, config.max_cost),
        _Memory(call),
        lambda: _Cache(call, worker) if config.cache else ReplyCache(None),
    )
