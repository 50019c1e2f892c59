"""The process behind :class:`factreasoner.web.reader.PageReader`: pages in, texts out.

It says `READY` when it has started. A question is one line of JSON followed by `length` bytes; an answer is
one line of JSON.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import sys
from typing import Any, BinaryIO

from factreasoner.web.extract import extract
from factreasoner.web.office import READERS, office_text
from factreasoner.web.page import Extracted

READY = b"ready\n"
MEMORY = 2 * 1024**3
"""Bytes of address space a worker may take, where the system can limit it."""


def serve(questions: BinaryIO, answers: BinaryIO) -> None:
    """Answer every question of a stream."""
    while line := questions.readline():
        question = json.loads(line)
        data = questions.read(question["length"])
        try:
            found = _read(data, question)
        except MemoryError:
            found = Extracted("", dropped="too large to read")
        answers.write(json.dumps(found).encode() + b"\n")
        answers.flush()


def _read(data: bytes, question: dict[str, Any]) -> Extracted:
    media_type, sift = question["media_type"], question["sift"]
    if media_type in READERS and not sift:
        return office_text(data, media_type)
    return extract(data, media_type, question["charset"], pages=question["pages"], sift=sift)


def main() -> None:
    """Serve on the standard streams, which no library gets to write to."""
    logging.disable(logging.CRITICAL)
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    answers.write(READY)
    answers.flush()
    serve(sys.stdin.buffer, answers)


if __name__ == "__main__":
    main()
