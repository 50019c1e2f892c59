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
from typing import BinaryIO

from factreasoner.web.extract import extract
from factreasoner.web.page import Extracted

with contextlib.suppress(ModuleNotFoundError):  # files of one's own are read without it
    import trafilatura  # noqa: F401 - now, so that a broken one is told before a page is lost

READY = b"ready\n"
MEMORY = 2 * 1024**3
"""Bytes of address space a worker may take, where the system can limit it."""


def serve(questions: BinaryIO, answers: BinaryIO) -> None:
    """Answer every question of a stream."""
    while line := questions.readline():
        question = json.loads(line)
        data = questions.read(question["length"])
        try:
            found = extract(data, **question["about"])
        except MemoryError:
            found = Extracted("", dropped="too large to read")
        answers.write(json.dumps(found).encode() + b"\n")
        answers.flush()


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
