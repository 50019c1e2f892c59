"""The queue before the workers: first come, first served; a worker that ends is replaced.

A worker is a process for judges that compute, or threads for what is waited for.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import math
import multiprocessing
import pickle
import signal
import socket
import struct
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol, TypeVar, cast

from factreasoner.errors import ConfigError, RunError
from factreasoner.judges.encoder.runtime import take_one_thread
from factreasoner.runs.processes import without_interrupts
from factreasoner.serve.answers import Answers, Refused, Reply, Terms, problem
from factreasoner.tasks.task import FACTUALITY

T = TypeVar("T")
MOST_FALSE_STARTS = 5
"""Processes in a row that may end before they can work."""
SECONDS_BETWEEN_STARTS = 0.5
RECENT = 0.1
"""The share that the last record has in the mean time of one."""
ENDED = (EOFError, ConnectionError)
"""What is raised where a worker's process has ended."""
_SIZE = struct.Struct("!Q")
_SPAWN = multiprocessing.get_context("spawn")


class Worker(Protocol):
    """Answers bodies."""

    async def answer(self, route: str, body: bytes) -> Reply:
        """The reply to a body. Raises one of `ENDED`."""
        ...

    def close(self) -> None:
        """Give back what it holds; what it works on is not waited for."""
        ...


class Threads:
    """Threads of this process, which share their parts."""

    def __init__(self, answers: Answers, number: int) -> None:
        self._answers = answers
        self._executor = ThreadPoolExecutor(number, "factreasoner-serve")

    async def answer(self, route: str, body: bytes) -> Reply:
        """See `Worker`."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._executor, self._answers.answer, route, body)

    def close(self) -> None:
        """See `Worker`."""
        self._executor.shutdown(wait=False, cancel_futures=True)


class Process:
    """A process that answers one body at a time, asked over a socket by the event loop itself.

    An executor asks through two threads of its own, and at each of them the loop waits for the interpreter.
    """

    async def start(self, terms: Terms) -> None:
        """Begin; see `ready`."""
        ours, theirs = socket.socketpair()
        with theirs:
            self._reader, self._writer = await asyncio.open_connection(sock=ours)
            self._process = _SPAWN.Process(target=_work, args=(terms, theirs))
            with without_interrupts():
                self._process.start()

    async def ready(self) -> dict[str, str]:
        """Wait until it can answer; the tasks that it refuses, and why.

        Raises:
            ConfigError: the settings do not go with assessing.
        """
        told = await self._told()
        if isinstance(told, Exception):
            raise told
        return cast(dict[str, str], told)

    async def answer(self, route: str, body: bytes) -> Reply:
        """See `Worker`."""
        self._writer.write(pickle.dumps((route, body)))
        return cast(Reply, await self._told())

    async def _told(self) -> object:
        (size,) = _SIZE.unpack(await self._reader.readexactly(_SIZE.size))
        content: object = pickle.loads(await self._reader.readexactly(size))
        return content

    def close(self) -> None:
        """See `Worker`."""
        self._writer.close()
        self._process.kill()
        self._process.join()


def _work(terms: Terms, service: socket.socket) -> None:
    """Answer until the service is gone. Signals are for the service."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)

    def tell(content: object) -> None:
        told = pickle.dumps(content)
        service.sendall(_SIZE.pack(len(told)) + told)

    with contextlib.suppress(*ENDED), service.makefile("rb") as asked:
        try:
            take_one_thread()  # there is a process for each core
            answers = Answers(terms)
        except Exception as error:  # noqa: BLE001 - the service raises it
            tell(error)
            return
        gc.freeze()  # what was imported and made stays: to go over it takes 3 % of a small record's time
        tell(answers.refused)
        while True:
            tell(answers.answer(*pickle.load(asked)))


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
        answers = await asyncio.to_thread(Answers, self._terms)
        self._hand_out(Threads(answers, self.size), answers.refused, self.size)

    async def _start(self) -> None:
        """Start a worker process, and hand it out when it is ready."""
        for _ in range(MOST_FALSE_STARTS):
            process = Process()
            await process.start(self._terms)
            self._workers.add(process)
            try:
                refused = await process.ready()
            except ENDED:
                self._end(process)
                await asyncio.sleep(SECONDS_BETWEEN_STARTS)
            else:
                self._hand_out(process, refused, 1)
                return
        raise RunError("no worker process can start: it is out of memory, or something it imports ends it")

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
