"""The usage of model calls by stage: one meter per record, found through a context variable."""

from __future__ import annotations

import contextlib
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextvars import ContextVar

from factreasoner.models import Usage

CACHED = Usage(cached_calls=1)
"""The usage of a reply from the cache."""

_current: ContextVar[tuple[Meter, str] | None] = ContextVar("factreasoner_stage", default=None)


class Meter:
    """Usage and wall time by stage. Thread-safe; threads must run in a copy of the stage's context."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._usage: defaultdict[str, Usage] = defaultdict(Usage)
        self._open: Counter[str] = Counter()
        self._since: dict[str, float] = {}
        self._seconds: defaultdict[str, float] = defaultdict(float)
        self._start = time.monotonic()

    @contextlib.contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Count everything inside for stage `name`.

        Stages may nest: usage counts for the innermost one, seconds for each open one. If several threads are
        in a stage, its time runs from the first entry to the last exit.
        """
        token = _current.set((self, name))
        with self._lock:
            self._open[name] += 1
            self._since.setdefault(name, time.monotonic())
        try:
            yield
        finally:
            _current.reset(token)
            self.add(name, Usage())
            with self._lock:
                self._open[name] -= 1
                if not self._open[name]:
                    self._seconds[name] += time.monotonic() - self._since.pop(name)

    def add(self, stage: str, usage: Usage) -> None:
        """Count `usage` for `stage`."""
        with self._lock:
            self._usage[stage] += usage

    @property
    def usage(self) -> dict[str, Usage]:
        """Usage by stage, in the order the stages were first seen."""
        with self._lock:
            return dict(self._usage)

    @property
    def seconds(self) -> dict[str, float]:
        """Wall time by stage, in seconds."""
        with self._lock:
            return dict(self._seconds)

    @property
    def elapsed(self) -> float:
        """Wall time since the meter was made, in seconds."""
        return time.monotonic() - self._start

    @property
    def total(self) -> Usage:
        """Usage over all stages."""
        return sum(self.usage.values(), Usage())


def record_usage(usage: Usage) -> None:
    """Count `usage` for the stage of this context; outside any stage it is not counted."""
    if (current := _current.get()) is not None:
        meter, stage = current
        meter.add(stage, usage)


@contextlib.contextmanager
def stage(name: str) -> Iterator[None]:
    """Open stage `name` on the meter of this context; without a meter nothing is counted."""
    current = _current.get()
    with contextlib.nullcontext() if current is None else current[0].stage(name):
        yield
