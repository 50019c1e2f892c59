"""A line of a run's journal: a result, its key facts to read without it, and a checksum of both."""

from __future__ import annotations

import json
import zlib
from typing import NamedTuple

import jiter

from factreasoner.models.results import Status

_CRC = b', "crc": "'
_RESULT = b'", "result": '
_DIGITS = 8
_BARE = b'{"record_id":'
"""How a line begins that an earlier version wrote: the result alone."""


class Packed(NamedTuple):
    """What a line holds: {id, fingerprint, status, size, crc, result}.

    `fingerprint` is that of the record's content, None if something failed: the same command tries such a
    record again. `size` counts the claims (a run's atoms) with a judgement. `result` is JSON.
    """

    id: str
    fingerprint: str | None
    status: Status
    size: int
    result: bytes


def pack(line: Packed) -> bytes:
    """The line, with its end. `crc` is the CRC-32 of all of it but its own digits."""
    head = {"id": line.id, "fingerprint": line.fingerprint, "status": line.status, "size": line.size}
    before = json.dumps(head, ensure_ascii=False).encode()[:-1]
    after = _RESULT + line.result + b"}\n"
    crc = zlib.crc32(after, zlib.crc32(before))
    return b"%b%b%08x%b" % (before, _CRC, crc, after)


def unpack(line: bytes) -> Packed:
    """What a line holds. Raises ValueError or KeyError if it is damaged, or not a journal's."""
    at = line.index(_CRC)
    end = at + len(_CRC) + _DIGITS
    if int(line[end - _DIGITS : end], 16) != zlib.crc32(line[end:], zlib.crc32(line[:at])):
        raise ValueError("its checksum is that of another line")
    head = jiter.from_json(line[:at] + b"}")
    result = line[end + len(_RESULT) : -2]
    return Packed(head["id"], head["fingerprint"], head["status"], head["size"], result)


def is_line(line: bytes) -> bool:
    """Whether a line is a journal's, damaged or not."""
    return _CRC in line or is_bare(line)


def is_bare(line: bytes) -> bool:
    """Whether an earlier version wrote the line: it is a result alone, without a checksum."""
    return line.startswith(_BARE)
