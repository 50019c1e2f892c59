"""The body of an answer, capped and unpacked piece by piece, so that a bomb is never held whole."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator

from factreasoner.errors import FetchLimitError, UnreadablePageError
from factreasoner.web.connection import Deadline

ENCODING = "gzip"
"""What may be asked for; a server that packs otherwise is not read."""
_MAGIC = b"\x1f\x8b"


def read_body(chunks: Iterable[bytes], encoding: str, *, limit: int, deadline: Deadline) -> bytes:
    """All of a body whose Content-Encoding header is `encoding`.

    Raises:
        FetchLimitError: more than `limit` bytes, packed or unpacked, or the deadline passed.
        UnreadablePageError: an encoding that was not asked for, or damaged data.
    """
    body = _capped(chunks, limit, deadline)
    if encoding.strip().lower() in ("gzip", "x-gzip"):
        body = _capped(_unpacked(body, limit), limit, deadline)
    elif encoding.strip().lower() not in ("", "identity"):
        raise UnreadablePageError("content encoding", f"the answer is packed as {encoding[:40]!r}")
    return b"".join(body)


def _capped(chunks: Iterable[bytes], limit: int, deadline: Deadline) -> Iterator[bytes]:
    total = 0
    for chunk in chunks:
        deadline.left()
        total += len(chunk)
        if total > limit:
            raise FetchLimitError("bytes", f"the answer has more than {limit} bytes")
        yield chunk


def _unpacked(chunks: Iterable[bytes], limit: int) -> Iterator[bytes]:
    """`chunks` decompressed, in pieces of at most `limit` + 1 bytes."""
    unpacker = zlib.decompressobj(zlib.MAX_WBITS | 16)
    try:
        for chunk in chunks:
            packed = chunk
            while packed:
                if unpacker.eof and not _MAGIC.startswith(packed[:2]):
                    return  # padding
                if unpacker.eof:
                    unpacker = zlib.decompressobj(zlib.MAX_WBITS | 16)
                yield unpacker.decompress(packed, limit + 1)
                packed = unpacker.unconsumed_tail or unpacker.unused_data
    except zlib.error as error:
        raise UnreadablePageError("damaged", "the answer can't be unpacked") from error
    if not unpacker.eof:
        raise UnreadablePageError("damaged", "the answer ends before its packed data does")
