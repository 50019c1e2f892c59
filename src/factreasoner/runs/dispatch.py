"""Handing records out to workers in other processes, and out again where one of them dies.

Records are taken only as workers free up: each has `Crew.ahead` portions, so that it need not wait for the
driver. A portion is as many records as take a tenth of a second, since handing out takes time too.
"""

from __future__ import annotations

import itertools
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from typing import NamedTuple, Protocol

from factreasoner.llm.deadline import POLL_SECONDS
from factreasoner.models import Record
from factreasoner.runs.journal import JournalLine
from factreasoner.runs.portions import Portion

PORTION_SECONDS = 0.1


class Hand(Protocol):
    """A worker in a process of its own."""

    def work(self, records: Sequence[Record]) -> Future[Portion]:
        """Begin with `records` once those before are done; the future's error is one of `Crew.deadly`."""
        ...


class Crew(Protocol):
    """Workers in other processes.

    `ahead`: portions each gets at a time, of `largest` records at most. `least_deaths`: processes that a
    record must have ended while nothing else was in them, for it to be the cause. `deadly`: what a future
    raises whose process ended.
    """

    largest: int
    least_deaths: int
    deadly: tuple[type[BaseException], ...]

    @property
    def ahead(self) -> int:
        """How many portions each worker is given at a time, as things stand."""
        ...

    def hands(self) -> Sequence[Hand]:
        """The workers that can be given records now. Others take the place of dead ones, sooner or later."""
        ...

    def dead(self, hand: Hand) -> None:
        """Take note that this worker's process has ended: it gets no more records."""
        ...


class _Share(NamedTuple):
    """Records that one worker has. `alone`: it has nothing else."""

    hand: Hand
    records: tuple[Record, ...]
    alone: bool


class Dispatcher:
    """Hands out the records of a run.

    Those that a dying process had are done again, each alone in a process, and all others lose nothing.
    `failed` makes the line of one that was the death of every process it was alone in. Until `settled`,
    records go one by one, in order, and to one worker.
    """

    def __init__(self, crew: Crew, failed: Callable[[Record], JournalLine], *, settled: bool = True) -> None:
        self._crew = crew
        self._failed = failed
        self._settled = settled
        self._size = 1
        self._shares: dict[Future[Portion], _Share] = {}
        self._suspects: deque[Record] = deque()
        self._deaths: Counter[str] = Counter()
        self._error: BaseException | None = None
        self._crew_failed = False

    def lines(self, records: Iterable[Record]) -> Iterator[Sequence[JournalLine]]:
        """The lines of records as they are done, those that come together together.

        Raises:
            ConfigError, InputError, RunError, BudgetError: of a worker, or of `records`, once all that was
                handed out is done.
        """
        to_come = iter(records)
        while True:
            left = self._hand_out(to_come)
            if not self._shares and (self._error is not None or not (left or self._suspects)):
                break
            done = wait(self._shares, timeout=POLL_SECONDS, return_when=FIRST_COMPLETED).done
            if not self._shares:
                time.sleep(POLL_SECONDS)  # until there is somebody to work
            if lines := [line for future in done for line in self._taken_in(future)]:
                yield lines
        if self._error is not None:
            raise self._error

    def _hand_out(self, to_come: Iterator[Record]) -> bool:
        """Give workers what they have room for; whether there may be more records to come."""
        if self._crew_failed:
            return True
        load = Counter(id(share.hand) for share in self._shares.values())
        for share in self._shares.values():
            load[id(share.hand)] += self._crew.ahead if share.alone else 0
        try:
            hands = self._crew.hands()
        except Exception as error:  # noqa: BLE001 - raised when what is under way is done
            self._error, self._crew_failed = self._error or error, True
            return True
        for hand in hands:
            while self._error is None and self._room(load[id(hand)]):
                alone = bool(self._suspects)
                some = (self._suspects.popleft(),) if alone else self._next(to_come)
                if not some:
                    return False
                self._shares[hand.work(some)] = _Share(hand, some, alone)
                load[id(hand)] += self._crew.ahead if alone else 1
        return True

    def _room(self, load: int) -> bool:
        """Whether a worker with so many portions gets another one."""
        if not self._settled:
            return not self._shares
        return load < (1 if self._suspects else self._crew.ahead)

    def _next(self, to_come: Iterator[Record]) -> tuple[Record, ...]:
        """A portion; where `to_come` fails, what came before that."""
        taken: list[Record] = []
        try:
            for record in itertools.islice(to_come, self._size if self._settled else 1):
                taken.append(record)
        except Exception as error:  # noqa: BLE001 - raised when what is under way is done
            self._error = error
        return tuple(taken)

    def _taken_in(self, future: Future[Portion]) -> Iterator[JournalLine]:
        share = self._shares.pop(future)
        try:
            portion = future.result()
        except self._crew.deadly:
            self._crew.dead(share.hand)
            yield from self._suspected(share)
            return
        self._settled = self._settled or portion.settled
        self._error = self._error or portion.error
        if portion.lines:
            fitting = int(PORTION_SECONDS * len(portion.lines) / max(portion.seconds, 1e-6))
            self._size = max(1, min(fitting, 2 * self._size, self._crew.largest))
        yield from portion.lines

    def _suspected(self, share: _Share) -> Iterator[JournalLine]:
        """Have the records of a process that ended done again, but for one that ends them all."""
        for record in share.records:
            self._deaths[record.id] += share.alone
            if self._deaths[record.id] >= self._crew.least_deaths:
                yield self._failed(record)
            else:
                self._suspects.append(record)
