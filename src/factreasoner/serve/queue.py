"""The request queue before the threads, first come, first served."""

from __future__ import annotations

import asyncio
import math
from functools import partial

from factreasoner.calls.threads import run_in_thread
from factreasoner.errors import ConfigError
from factreasoner.serve.answers import Answers, HttpReply, Refused, ServiceSettings, problem
from factreasoner.tasks.task import FACTUALITY

RECENT = 0.1
"""Weight of the last record in the mean duration."""


class Queue:
    """Hands bodies to `threads` threads, which share components; at most `most` wait."""

    def __init__(self, terms: ServiceSettings, threads: int, most: int) -> None:
        self.threads = threads
        self.waiting = 0
        self.running = 0
        self._terms, self._most = terms, most
        self._answers: Answers | None = None
        """Set before the first thread is free."""
        self._free = asyncio.Semaphore(0)
        """Threads that may begin with a record; none before the parts are made."""
        self._under_way: set[asyncio.Task[HttpReply]] = set()
        self._seconds = 0.0

    @property
    def warmed(self) -> bool:
        """Whether records are processed yet; earlier ones wait."""
        return self._answers is not None

    async def warm(self) -> None:
        """Make the components, and begin.

        Raises ConfigError: the settings do not fit `assess`.
        """
        answers = await asyncio.wrap_future(run_in_thread(partial(Answers, self._terms)))
        if FACTUALITY in answers.refused:
            raise ConfigError(answers.refused[FACTUALITY])
        self._answers = answers
        for _ in range(self.threads):
            self._free.release()

    async def answer(self, route: str, body: bytes) -> HttpReply:
        """The reply to a body. If cancelled while waiting, it is dropped; later, it is finished.

        Raises Refused: too many are waiting.
        """
        if self._free.locked() and self.waiting >= self._most:
            seconds = math.ceil((self.waiting + 1) * self._seconds / self.threads)
            raise Refused(problem(503, "the queue is full", retry_after=max(1, seconds)))
        self.waiting += 1
        try:
            await self._free.acquire()
        finally:
            self.waiting -= 1
        task = asyncio.create_task(self._work(route, body))
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)
        return await asyncio.shield(task)

    async def _work(self, route: str, body: bytes) -> HttpReply:
        assert self._answers is not None, "no thread is free before"
        self.running += 1
        loop = asyncio.get_running_loop()
        started = loop.time()
        try:
            return await asyncio.wrap_future(run_in_thread(partial(self._answers.answer, route, body)))
        finally:
            self.running -= 1
            self._free.release()
            spent = loop.time() - started
            self._seconds += (spent - self._seconds) * (RECENT if self._seconds else 1.0)

    def close(self) -> None:
        """Stop without waiting for records that nobody waits for."""
        for task in self._under_way:
            task.cancel()
