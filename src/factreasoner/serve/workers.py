"""Who answers: a process each for judges that compute, threads for what is waited for."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import multiprocessing
import pickle
import signal
import socket
import struct
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol, cast

from factreasoner.serve.answers import Answers, Terms, answers_for
from factreasoner.serve.replies import Reply

ENDED = (EOFError, ConnectionError)
"""What is raised where a worker's process has ended."""
Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]
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

    def __init__(self, terms: Terms, theirs: socket.socket, ours: Streams) -> None:
        self._reader, self._writer = ours
        self._process = _SPAWN.Process(target=_work, args=(terms, theirs))
        self._process.start()

    @classmethod
    async def started(cls, terms: Terms) -> Process:
        """One that has begun; see `ready`."""
        ours, theirs = socket.socketpair()
        with theirs:
            return cls(terms, theirs, await asyncio.open_connection(sock=ours))

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
            answers = answers_for(terms)
        except Exception as error:  # noqa: BLE001 - the service raises it
            tell(error)
            return
        gc.freeze()  # what was imported and made stays: to go over it takes 3 % of a small record's time
        tell(answers.refused)
        while True:
            tell(answers.answer(*pickle.load(asked)))
