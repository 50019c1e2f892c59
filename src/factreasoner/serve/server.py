"""The service on a socket: on SIGTERM it drains, and ends when every accepted request is answered."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import signal
import socket
from collections.abc import Awaitable, Callable, Iterator

import uvicorn
from starlette.types import ASGIApp

from factreasoner.errors import ConfigError
from factreasoner.serve.app import Service
from factreasoner.serve.connection import Connection

BACKLOG = 2048


class _UvicornServer(uvicorn.Server):
    """uvicorn's server without its signal handling."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals to `serve`."""
        yield


def listening(host: str, port: int, flag: str = "--port") -> socket.socket:
    """A socket that listens there; port 0 is any free one. `flag` is the flag for the port.

    Raises ConfigError: it can't listen.
    """
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        listener = socket.create_server((host, port), family=family, backlog=BACKLOG)
        # asyncio sets it for sockets whose protocol is named alone; without it, a reply on a connection
        # that is kept waits 40 ms for the client's acknowledgement. Accepted sockets inherit it.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, True)
        return listener
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            message = (
                f"{flag} {port}: another program listens there; choose another port, or 0 for a free one"
            )
        else:
            reason = str(error.strerror).partition(" (")[0]
            message = f"can't listen on host {host}, port {port}: {reason}; choose others"
        raise ConfigError(message) from error


def until_signal(
    run: Callable[[asyncio.Event], Awaitable[None]],
    noticed: Callable[[], None] = lambda: None,
    delay: float = 0.0,
) -> int:
    """Run until a signal; returns the exit code: 128 plus the signal's number.

    On the signal `noticed` is called, and `delay` seconds later the event is set that ends `run`. A second
    signal ends the process at once.
    """

    async def main() -> int:
        ended = asyncio.Event()
        loop, came = asyncio.get_running_loop(), list[int]()

        def end(number: int) -> None:
            if came:
                os._exit(128 + number)
            came.append(number)
            noticed()
            loop.call_later(delay, ended.set)

        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) is not signal.SIG_IGN:
                loop.add_signal_handler(number, end, number)
        await run(ended)
        return 128 + came[0] if came else 0

    return asyncio.run(main())


async def serve_until(
    drained: asyncio.Event, service: Service, listener: socket.socket, ready: Callable[[], None]
) -> None:
    """Serve until `drained` is set and every accepted request is answered; `ready` when warmed up.

    Raises ConfigError: the settings do not fit `assess`.
    """

    async def warm() -> None:
        try:
            await service.queue.warm()
            ready()
        except BaseException:
            drained.set()
            raise

    warming = asyncio.create_task(warm())
    try:
        await answer_until(drained, app=service, listener=listener)
    finally:
        warming.cancel()
        service.queue.close()
    with contextlib.suppress(asyncio.CancelledError):  # told to end before anybody was ready
        await warming


async def answer_until(
    ended: asyncio.Event, *, app: ASGIApp, listener: socket.socket, most: int | None = None
) -> None:
    """Answer until `ended` is set, then finish accepted requests within `most` seconds."""
    config = uvicorn.Config(
        app,
        http=Connection,
        loop="asyncio",
        ws="none",
        lifespan="auto",
        timeout_graceful_shutdown=most,
        access_log=False,
        log_config=None,
        log_level="critical",
        server_header=False,
        proxy_headers=False,
    )
    server = _UvicornServer(config)

    async def end() -> None:
        await ended.wait()
        server.should_exit = True

    ending = asyncio.create_task(end())
    try:
        await server.serve(sockets=[listener])
    finally:
        ending.cancel()
