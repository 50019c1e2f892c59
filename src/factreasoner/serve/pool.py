"""Who answers: worker processes for judges that compute, threads for those that wait, behind one queue."""

from __future__ import annotations

import asyncio
import math
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import BrokenExecutor, Executor, ProcessPoolExecutor, ThreadPoolExecutor
from typing import Any, TypeVar

from factreasoner.errors import ConfigError, RunError
from factreasoner.serve.answers import Answers, Terms, answer_here, answers_for, prepare_here
from factreasoner.serve.replies import Refused, Reply, problem
from factreasoner.tasks.registry import FACTUALITY

T = TypeVar("T")
MOST_FALSE_STARTS = 5
"""Processes in a row that may end before they can work."""
SECONDS_BETWEEN_STARTS = 0.5
RECENT = 0.1
"""The share that the last record has in the mean time of one."""


class Pool:
    """Hands bodies to workers, first come, first served; at most `queue` wait.

    `processes` None: threads, `config.concurrency` of them, which share their parts. A worker is an executor:
    one with a process of its own, or the one of all threads.
    """

    def __init__(self, terms: Terms, processes: int | None, queue: int) -> None:
        self._terms = terms
        self._processes = processes
        self._queue = queue
        self._answer: Callable[[str, bytes], Reply] = answer_here
        self._free: asyncio.Queue[Executor] = asyncio.Queue()
        self._executors: set[Executor] = set()
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
        answers: Answers = await asyncio.to_thread(answers_for, self._terms)
        self._answer = answers.answer
        executor = ThreadPoolExecutor(self.size, "factreasoner-serve")
        self._hand_out(executor, answers.refused, self.size)

    async def _start(self) -> None:
        """Start a worker process, and hand it out when it is ready."""
        for _ in range(MOST_FALSE_STARTS):
            executor = ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), _begin)
            try:
                refused = await self._run(executor, prepare_here, self._terms)
            except BrokenExecutor:
                await asyncio.sleep(SECONDS_BETWEEN_STARTS)
            else:
                self._hand_out(executor, refused, 1)
                return
        raise RunError("no worker process can begin: memory is short, or what it imports ends it")

    def _hand_out(self, executor: Executor, refused: dict[str, str], times: int) -> None:
        if FACTUALITY in refused:
            raise ConfigError(refused[FACTUALITY])
        self.warmed = True
        for _ in range(times):
            self._free.put_nowait(executor)

    async def _run(self, executor: Executor, function: Callable[..., T], *arguments: object) -> T:
        """What the function returns in a worker. Raises BrokenExecutor where its process ends."""
        self._executors.add(executor)
        try:
            return await asyncio.get_running_loop().run_in_executor(executor, function, *arguments)
        except BrokenExecutor:
            self._executors.discard(executor)
            executor.shutdown(wait=False)
            raise

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
            executor = await self._free.get()
        finally:
            self.waiting -= 1
        return await asyncio.shield(self._kept(self._work(executor, route, body)))

    async def _work(self, executor: Executor, route: str, body: bytes) -> Reply:
        self.running += 1
        loop = asyncio.get_running_loop()
        started = loop.time()
        try:
            reply = await self._run(executor, self._answer, route, body)
        except BrokenExecutor:
            self.restarts += 1
            self._kept(self._start())
            return problem(502, "the worker process ended: killed, or out of memory")
        finally:
            self.running -= 1
        self._seconds += (loop.time() - started - self._seconds) * (RECENT if self._seconds else 1.0)
        self._free.put_nowait(executor)
        return reply

    def _kept(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def close(self) -> None:
        """End all workers, in the middle of records that nobody waits for."""
        for process in multiprocessing.active_children() if self._processes else ():
            process.kill()
        for executor in self._executors:
            executor.shutdown(wait=self._processes is not None, cancel_futures=True)


def _begin() -> None:
    """In a new worker process: signals are for the service, and without the service there is no work."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    service = multiprocessing.parent_process()
    assert service is not None, "called in a worker process alone"

    def end_after() -> None:
        service.join()
        os._exit(1)

    threading.Thread(target=end_after, daemon=True).start()
