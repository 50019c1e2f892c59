"""The body of an answer, capped and unpacked piece by piece, so that a bomb is never held whole."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator

from factreasoner.errors import FetchLimitError, UnreadablePageError
from factreasoner.web.connection import Deadline

ENCODINGS = "gzip, deflate"
"""What may be asked for; a server that packs otherwise is not read."""
_GZIP = b"\x1f\x8b"


def read_body(chunks: Iterable[bytes], encoding: str, *, limit: int, deadline: Deadline) -> bytes:
    """All of a body whose Content-Encoding header is `encoding`.

    Raises:
        FetchLimitError: more than `limit` bytes, packed or unpacked, or the deadline passed.
        UnreadablePageError: an encoding that was not asked for, or damaged data.
    """
    packed = _capped(chunks, limit, deadline)
    return b"".join(_capped(_unpacked(packed, encoding.strip().lower(), limit), limit, deadline))


def _capped(chunks: Iterable[bytes], limit: int, deadline: Deadline) -> Iterator[bytes]:
    total = 0
    for chunk in chunks:
        deadline.left()
        total += len(chunk)
        if total > limit:
            raise FetchLimitError("bytes", f"the answer has more than {limit} bytes")
        yield chunk


def _unpacked(chunks: Iterable[bytes], encoding: str, limit: int) -> Iterator[bytes]:
    """`chunks` decompressed, in pieces of at most `limit` + 1 bytes."""
    if encoding in ("", "identity"):
        yield from chunks
        return
    if encoding not in ("gzip", "x-gzip", "deflate"):
        raise UnreadablePageError("content encoding", f"the answer is packed as {encoding[:40]!r}")
    gzip = encoding != "deflate"
    unpacker = zlib.decompressobj(zlib.MAX_WBITS | 16) if gzip else None
    try:
        for chunk in chunks:
            packed = chunk
            while packed:
                if unpacker is None:
                    unpacker = zlib.decompressobj(_deflate_bits(packed))
                elif unpacker.eof:
                    if not (gzip and _GZIP.startswith(packed[:2])):
                        return  # padding
                    unpacker = zlib.decompressobj(zlib.MAX_WBITS | 16)
                yield unpacker.decompress(packed, limit + 1)
                packed = unpacker.unconsumed_tail or unpacker.unused_data
    except zlib.error as error:
        raise UnreadablePageError("damaged", "the answer can't be unpacked") from error
    if unpacker is None or not unpacker.eof:
        raise UnreadablePageError("damaged", "the answer ends before its packed data does")


def _deflate_bits(start: bytes) -> int:
    """`deflate` means zlib by the standard, and raw deflate on some servers."""
    return zlib.MAX_WBITS if start[0] & 0x0F == 8 else -zlib.MAX_WBITS
