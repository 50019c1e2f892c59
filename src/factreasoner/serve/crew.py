"""Who answers: worker processes for judges that compute, threads for those that wait, behind one queue."""

from __future__ import annotations

import asyncio
import contextlib
import math
import multiprocessing
import os
import signal
import threading
from collections.abc import Coroutine
from concurrent.futures import BrokenExecutor, Executor, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing.process import BaseProcess
from typing import Any, NoReturn, TypeVar

from factreasoner.errors import ConfigError, RunError
from factreasoner.serve.answering import Answering, Terms, answer_here, take_up
from factreasoner.serve.replies import Reply, problem
from factreasoner.tasks.registry import FACTUALITY

T = TypeVar("T")
MOST_FALSE_STARTS = 5
"""Processes in a row that may end before they can work."""
SECONDS_BETWEEN_STARTS = 0.5
RECENT = 0.1
"""The share that the last record has in the mean time of one."""


class _Process:
    """One worker process at a time; a new one takes the place of one that ended."""

    def __init__(self, terms: Terms) -> None:
        self._terms = terms
        self._pid: int | None = None
        self._pool = self._begun()

    def _begun(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), _begin)

    async def warm(self) -> dict[str, str]:
        """See `Crew.warm`."""
        loop = asyncio.get_running_loop()
        self._pid = await loop.run_in_executor(self._pool, os.getpid)
        return await loop.run_in_executor(self._pool, take_up, self._terms)

    async def answer(self, route: str, body: bytes) -> Reply:
        """Answer in the process. Raises BrokenExecutor where it ends."""
        return await asyncio.get_running_loop().run_in_executor(self._pool, answer_here, route, body)

    def renew(self) -> None:
        """Begin another process; it has to be warmed."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._pool = self._begun()

    def close(self) -> None:
        """End the process, in the middle of a record that nobody waits for."""
        if self._pid is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._pid, signal.SIGKILL)
        self._pool.shutdown(wait=True, cancel_futures=True)


class _Thread:
    """One thread; what it works with, it shares with all others."""

    def __init__(self, answering: Answering, pool: Executor) -> None:
        self._answering = answering
        self._pool = pool

    async def answer(self, route: str, body: bytes) -> Reply:
        """Answer in the thread."""
        run = asyncio.get_running_loop().run_in_executor
        return await run(self._pool, self._answering.answer, route, body)


def _begin() -> None:
    """In a new worker process: signals are for the service, and without the service there is no work."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    service = multiprocessing.parent_process()
    assert service is not None, "called in a worker process alone"
    threading.Thread(target=_end_after, args=(service,), daemon=True).start()


def _end_after(service: BaseProcess) -> NoReturn:
    service.join()
    os._exit(1)


class Full(Exception):  # noqa: N818 - it is an answer, no fault
    """The queue is full. `retry_after` is in seconds."""

    def __init__(self, retry_after: int) -> None:
        super().__init__(retry_after)
        self.retry_after = retry_after


class Crew:
    """Hands bodies to workers, first come, first served; at most `queue` wait.

    `processes` None: threads, `config.concurrency` of them.
    """

    def __init__(self, terms: Terms, processes: int | None, queue: int) -> None:
        self._terms = terms
        self._processes = processes
        self._queue = queue
        self._free: asyncio.Queue[_Process | _Thread] = asyncio.Queue()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._threads: ThreadPoolExecutor | None = None
        self._all: list[_Process] = []
        self._seconds = 0.0
        self.size = processes or terms.config.concurrency
        self.waiting = 0
        self.running = 0
        self.restarts = 0
        self.warmed = False
        """Whether somebody has been ready to work."""
        self.refused: dict[str, str] = {}
        """Tasks that do not go with the settings, and why."""

    async def warm(self) -> None:
        """Make workers ready; they take records as soon as they are.

        Raises:
            ConfigError: the settings do not go with assessing.
            RunError: one process after the other ends before it can work.
        """
        if self._processes is None:
            answering = await asyncio.to_thread(Answering, self._terms)
            await asyncio.to_thread(answering.warm)
            self._take_refused(answering.refused)
            self._threads = ThreadPoolExecutor(self.size, "factreasoner-serve")
            for _ in range(self.size):
                self._free.put_nowait(_Thread(answering, self._threads))
            return
        self._all = [_Process(self._terms) for _ in range(self._processes)]
        await asyncio.gather(*(self._warmed(process) for process in self._all))

    def _take_refused(self, refused: dict[str, str]) -> None:
        self.refused = refused
        if FACTUALITY in refused:
            raise ConfigError(refused[FACTUALITY])
        self.warmed = True

    async def _warmed(self, process: _Process) -> None:
        """Have a process made ready, and hand it out."""
        for _ in range(MOST_FALSE_STARTS):
            try:
                self._take_refused(await process.warm())
            except BrokenExecutor:
                process.renew()
                await asyncio.sleep(SECONDS_BETWEEN_STARTS)
            else:
                self._free.put_nowait(process)
                return
        raise RunError("no worker process can begin: memory is short, or what it imports ends it")

    async def answer(self, route: str, body: bytes) -> Reply:
        """The reply to a body. Cancelled while it waits, it is never worked on; later, it is worked off.

        Raises:
            Full: too many wait.
        """
        if self._free.empty() and self.waiting >= self._queue:
            raise Full(max(1, math.ceil((self.waiting + 1) * self._seconds / self.size)))
        self.waiting += 1
        try:
            worker = await self._free.get()
        finally:
            self.waiting -= 1
        return await asyncio.shield(self._kept(self._work(worker, route, body)))

    async def _work(self, worker: _Process | _Thread, route: str, body: bytes) -> Reply:
        self.running += 1
        loop = asyncio.get_running_loop()
        started = loop.time()
        try:
            reply = await worker.answer(route, body)
        except BrokenExecutor:
            assert isinstance(worker, _Process)
            self.restarts += 1
            worker.renew()
            self._kept(self._warmed(worker))
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
        """End all workers."""
        for process in self._all:
            process.close()
        if self._threads is not None:
            self._threads.shutdown(wait=False, cancel_futures=True)
