"""The queue before the workers: first come, first served; a worker that ends is replaced."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Coroutine
from typing import Any, TypeVar

from factreasoner.errors import ConfigError, RunError
from factreasoner.serve.answers import Terms, answers_for
from factreasoner.serve.replies import Refused, Reply, problem
from factreasoner.serve.workers import ENDED, Process, Threads, Worker
from factreasoner.tasks.registry import FACTUALITY

T = TypeVar("T")
MOST_FALSE_STARTS = 5
"""Processes in a row that may end before they can work."""
SECONDS_BETWEEN_STARTS = 0.5
RECENT = 0.1
"""The share that the last record has in the mean time of one."""


class Pool:
    """Hands bodies to workers; at most `queue` wait.

    `processes` None: threads, `config.concurrency` of them.
    """

    def __init__(self, terms: Terms, processes: int | None, queue: int) -> None:
        self._terms = terms
        self._processes = processes
        self._queue = queue
        self._free: asyncio.Queue[Worker] = asyncio.Queue()
        self._workers: set[Worker] = set()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._seconds = 0.0
        self.size = processes or terms.config.concurrency
        self.waiting = 0
        self.running = 0
        self.restarts = 0
        self.warmed = False
        """Whether a worker has been ready."""

    async def warm(self) -> None:
        """Make workers ready; they take records as soon as they are.

        Raises:
            ConfigError: the settings do not go with assessing.
            RunError: one process after the other ends before it can work.
        """
        if self._processes is not None:
            await asyncio.gather(*(self._start() for _ in range(self._processes)))
            return
        answers = await asyncio.to_thread(answers_for, self._terms)
        self._hand_out(Threads(answers, self.size), answers.refused, self.size)

    async def _start(self) -> None:
        """Start a worker process, and hand it out when it is ready."""
        for _ in range(MOST_FALSE_STARTS):
            process = await Process.started(self._terms)
            self._workers.add(process)
            try:
                refused = await process.ready()
            except ENDED:
                self._end(process)
                await asyncio.sleep(SECONDS_BETWEEN_STARTS)
            else:
                self._hand_out(process, refused, 1)
                return
        raise RunError("no worker process can begin: memory is short, or what it imports ends it")

    def _hand_out(self, worker: Worker, refused: dict[str, str], times: int) -> None:
        self._workers.add(worker)
        if FACTUALITY in refused:
            raise ConfigError(refused[FACTUALITY])
        self.warmed = True
        for _ in range(times):
            self._free.put_nowait(worker)

    def _end(self, worker: Worker) -> None:
        self._workers.discard(worker)
        worker.close()

    async def answer(self, route: str, body: bytes) -> Reply:
        """The reply to a body. Cancelled while it waits, it is never worked on; later, it is worked off.

        Raises:
            Refused: too many wait.
        """
        if self._free.empty() and self.waiting >= self._queue:
            seconds = math.ceil((self.waiting + 1) * self._seconds / self.size)
            raise Refused(problem(503, "the queue is full", retry_after=max(1, seconds)))
        self.waiting += 1
        try:
            worker = await self._free.get()
        finally:
            self.waiting -= 1
        return await asyncio.shield(self._kept(self._work(worker, route, body)))

    async def _work(self, worker: Worker, route: str, body: bytes) -> Reply:
        self.running += 1
        loop = asyncio.get_running_loop()
        started = loop.time()
        try:
            reply = await worker.answer(route, body)
        except ENDED:
            self.restarts += 1
            self._end(worker)
            self._kept(self._start())
            return problem(502, "the worker process ended: killed, or out of memory")
        finally:
            self.running -= 1
        self._seconds += (loop.time() - started - self._seconds) * (RECENT if self._seconds else 1.0)
        self._free.put_nowait(worker)
        return reply

    def _kept(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def close(self) -> None:
        """End all workers, in the middle of records that nobody waits for."""
        for task in self._tasks:
            task.cancel()
        while self._workers:
            self._end(next(iter(self._workers)))
