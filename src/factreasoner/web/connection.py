"""Network access for fetching: connections to checked addresses, and bodies, under one deadline.

A host is resolved once, every address is checked, and the socket is opened to one of those addresses, so that
DNS rebinding has no effect. TLS still verifies the host. A body is limited as it arrives and as it is
unpacked.
"""

from __future__ import annotations

import functools
import socket
import ssl
import time
import zlib
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import httpcore
import httpx

from factreasoner.calls.deadlines import run_within
from factreasoner.errors import FetchLimitError, ForbiddenUrlError, UnreadablePageError
from factreasoner.web.addresses import address_refusal, is_address

ENCODING = "gzip"
"""Accepted content encodings."""

Resolver = Callable[[str, int], Sequence[str]]
"""(host, port) -> IP addresses, in the order to try. Raises OSError."""


def system_resolver(host: str, port: int) -> list[str]:
    """The operating system's addresses for `host`."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(sockaddr[0]) for *_, sockaddr in found))


@functools.cache
def tls_context() -> ssl.SSLContext:
    """The verifying TLS context, created once: reading hundreds of certificates takes time."""
    return httpx.create_ssl_context()


class Deadline:
    """A time limit for everything about one page."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._end = time.monotonic() + seconds

    def left(self) -> float:
        """Seconds left, above 0. Raises FetchLimitError if none are."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise self.passed()
        return left

    def passed(self) -> FetchLimitError:
        """The error for a passed deadline."""
        return FetchLimitError("time", f"the page took more than {self.seconds:g} seconds", passing=True)


class CheckedBackend(httpcore.NetworkBackend):
    """Opens TCP connections for httpcore, only to addresses that passed the check.

    Raises, from the connection pool that uses it:
        ForbiddenUrlError: an address of the host is not allowed.
        FetchLimitError: the deadline passed.
        UnreadablePageError: the host has no address.
    """

    def __init__(self, deadline: Deadline, *, resolver: Resolver, allow_private: bool) -> None:
        self._deadline = deadline
        self._resolver = resolver
        self._allow_private = allow_private
        self._sockets = httpcore.SyncBackend()

    def connect_tcp(self, host: str, port: int, *_: Any, **__: Any) -> httpcore.NetworkStream:
        """Resolve `host`, check every address, connect to the first that answers in time."""
        addresses = [host] if is_address(host) else self._resolve(host, port)
        for address in addresses:
            reason = address_refusal(address, allow_private=self._allow_private)
            if reason:
                raise ForbiddenUrlError(reason, f"{host} leads to {address}; nothing was sent there")
        for left, address in zip(range(len(addresses), 0, -1), addresses, strict=True):
            try:
                # Each gets a share of the time, so that one dead address does not use up all of it.
                stream = self._sockets.connect_tcp(address, port, self._deadline.left() / left)
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                if left == 1:
                    raise
            else:
                return _DeadlineStream(stream, self._deadline)
        raise UnreadablePageError("DNS", f"{host} has no address")

    def _resolve(self, host: str, port: int) -> Sequence[str]:
        """The resolver's answer within the deadline; getaddrinfo has no timeout."""
        try:
            return run_within(self._deadline.left(), lambda: self._resolver(host, port))
        except TimeoutError as error:
            raise self._deadline.passed() from error
        except (OSError, UnicodeError):
            return ()


class _DeadlineStream(httpcore.NetworkStream):
    """A network stream whose waits all end at the deadline."""

    def __init__(self, stream: httpcore.NetworkStream, deadline: Deadline) -> None:
        self._stream = stream
        self._deadline = deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, self._deadline.left())

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, self._deadline.left())

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        stream = self._stream.start_tls(ssl_context, server_hostname, self._deadline.left())
        return _DeadlineStream(stream, self._deadline)


def read_body(chunks: Iterable[bytes], encoding: str, *, limit: int, deadline: Deadline) -> bytes:
    """A whole body with the Content-Encoding header `encoding`.

    Raises:
        FetchLimitError: more than `limit` bytes, packed or unpacked, or the deadline passed.
        UnreadablePageError: an encoding that was not requested, or damaged data.
    """
    packing = encoding.strip().lower()
    if packing not in ("", "identity", "gzip", "x-gzip"):
        raise UnreadablePageError("content encoding", f"the answer is packed as {encoding[:40]!r}")
    body = bytearray()
    for chunk in chunks:
        deadline.left()
        body += chunk
        if len(body) > limit:
            break
    whole = _unpacked(body, limit + 1) if "gzip" in packing and len(body) <= limit else bytes(body)
    if len(whole) > limit:
        raise FetchLimitError("bytes", f"the answer has more than {limit} bytes")
    return whole


def _unpacked(body: bytearray, size: int) -> bytes:
    """The unpacked `body`, at least its first `size` bytes; padding may follow it."""
    packed = zlib.decompressobj(zlib.MAX_WBITS | 16)
    try:
        whole = packed.decompress(body, size)
    except zlib.error as error:
        raise UnreadablePageError("damaged", "the answer can't be unpacked") from error
    if len(whole) < size and not packed.eof:
        raise UnreadablePageError("damaged", "the answer is cut short")
    if packed.unused_data.startswith(b"\x1f\x8b"):
        raise UnreadablePageError("content encoding", "the answer is packed in several parts")
    return whole
