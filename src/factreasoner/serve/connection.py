"""HTTP/1.1 connections with a header timeout and lingering close."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

SECONDS_FOR_HEADERS = 10.0
"""Timeout for a connection's first request; uvicorn has none."""
LINGERING_BYTES = 256 << 20
LINGERING_SECONDS = 30.0
SILENT_SECONDS = 2.0
"""Limits on reading a refused body: bytes, total seconds, seconds of silence."""


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
