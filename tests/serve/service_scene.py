"""A service on loopback: real sockets and uvicorn, in a thread of this process, with threads that judge."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from typing import Any, NamedTuple

import held_judge
import httpx

from factreasoner.analysis.rules import parse_rules
from factreasoner.pipeline.config import Config
from factreasoner.serve.answers import ServiceSettings
from factreasoner.serve.app import Access, RequestLimits, Service
from factreasoner.serve.queue import Queue
from factreasoner.serve.server import listening, serve_until
from factreasoner.tasks.factuality import TASK

RECORD = {"output": "The tower is tall.", "contexts": ["The tower is 52 metres high."]}


class Running(NamedTuple):
    """A service that runs; `log` are its lines."""

    url: str
    port: int
    service: Service
    log: list[str]
    drain: Any

    def post(self, route, record=None, **more):
        with httpx.Client(timeout=60) as client:
            return client.post(f"{self.url}/v1/{route}", **({"json": record} if record else {}), **more)

    def get(self, path, **more):
        return httpx.get(f"{self.url}{path}", timeout=20, **more)


@contextlib.contextmanager
def running(*, threads=2, queue=8, token=None, limits=None, **settings):
    """A service that judges by `HeldJudge`, unless settings say another; ready when it is handed out."""
    held_judge.let_go.clear()
    chosen = {"judge": "held_judge:HeldJudge", "concurrency": threads, **settings}
    terms = ServiceSettings(Config(**chosen), tuple(parse_rules(["precision=0.8"], (), TASK)), max_pairs=100)
    log = []
    access = Access.of("127.0.0.1", ["factuality.example"], token)
    service = Service(terms, Queue(terms, threads, queue), access, limits or RequestLimits(), log.append)
    listener = listening("127.0.0.1", 0)
    port = listener.getsockname()[1]
    loops = []
    begun = threading.Event()

    async def main():
        drained = asyncio.Event()
        loops.append((asyncio.get_running_loop(), drained))
        begun.set()
        await serve_until(drained, service, listener, lambda: None)

    thread = threading.Thread(target=asyncio.run, args=(main(),))
    thread.start()
    begun.wait(10)
    loop, drained = loops[0]
    found = Running(
        f"http://127.0.0.1:{port}", port, service, log, lambda: loop.call_soon_threadsafe(drained.set)
    )
    try:
        until(lambda: service.queue.warmed)
        held_judge.begun.clear()
        yield found
    finally:
        held_judge.let_go.set()
        with contextlib.suppress(RuntimeError):
            found.drain()
        thread.join(30)
        assert not thread.is_alive()


def until(true, seconds=60.0):
    """Wait until something is true."""
    ends = threading.Event()
    for _ in range(int(seconds / 0.02)):
        if true():
            return
        ends.wait(0.02)
    raise AssertionError("it did not come true")
