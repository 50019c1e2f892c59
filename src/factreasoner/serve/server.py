"""The service on a socket: on SIGTERM it drains, and ends when every accepted request is answered."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import signal
import socket
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, cast

import h11
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from factreasoner.errors import ConfigError
from factreasoner.serve.app import Service

BACKLOG = 2048
SECONDS_FOR_HEADERS = 10.0
"""Timeout for a connection's first request; uvicorn has none."""
LINGERING_BYTES = 256 << 20
LINGERING_SECONDS = 30.0
SILENT_SECONDS = 2.0
"""Limits on reading a refused body: bytes, total seconds, seconds of silence."""


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


class Connection(H11Protocol):
    """A connection with a lingering close.

    A client that is still sending would lose the reply to "broken pipe" if the connection were closed at
    once. The rest of its body is read and dropped first, within limits.
    """

    _lingers = False
    _dropped = 0
    _ended = False
    _silence: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin a connection, with a timeout for its first request."""
        self._socket = transport
        super().connection_made(cast("asyncio.Transport", _LateClosing(transport, self)))
        self.loop.call_later(SECONDS_FOR_HEADERS, self._close_silent)

    def _close_silent(self) -> None:
        if self.cycle is None:
            self._socket.close()

    @property
    def is_closing(self) -> bool:
        """Whether no further reply follows."""
        return self._lingers or self._socket.is_closing()

    def eof_received(self) -> bool:  # type: ignore[override]
        """Stay open for the reply to a half-closed client."""
        self._ended = self.cycle is not None and not self.cycle.response_complete
        return self._ended and self.conn.their_state is not h11.SEND_BODY

    def on_response_complete(self) -> None:
        """Begin the next request, or close a connection without one."""
        super().on_response_complete()
        if self._ended and (self.cycle is None or self.cycle.response_complete):
            self.close()

    def close(self) -> None:
        """Close it, after the rest of a request that is still being sent."""
        if self._lingers or self.conn.their_state not in (h11.SEND_BODY, h11.ERROR):
            self._socket.close()
            return
        self._lingers = True
        self.flow.resume_reading()
        self.loop.call_later(LINGERING_SECONDS, self._socket.close)
        self._await_more()

    def _await_more(self) -> None:
        if self._silence is not None:
            self._silence.cancel()
        self._silence = self.loop.call_later(SILENT_SECONDS, self._socket.close)

    def data_received(self, data: bytes) -> None:
        """Process data, or drop it after the reply."""
        if not self._lingers:
            super().data_received(data)
            return
        self._dropped += len(data)
        if self._dropped > LINGERING_BYTES or self._ends(data):
            self._socket.close()
        else:
            self._await_more()

    def _ends(self, data: bytes) -> bool:
        """Whether the body ends here, if known."""
        if self.conn.their_state is h11.ERROR:
            return False
        self.conn.receive_data(data)
        try:
            while isinstance(event := self.conn.next_event(), h11.Data):
                pass
        except h11.RemoteProtocolError:
            return False
        return event is not h11.NEED_DATA


class _LateClosing:
    """A transport that its connection closes."""

    def __init__(self, transport: asyncio.Transport, connection: Connection) -> None:
        self._transport = transport
        self._connection = connection

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - what the transport has
        return getattr(self._transport, name)

    def close(self) -> None:
        self._connection.close()

    def is_closing(self) -> bool:
        return self._connection.is_closing
