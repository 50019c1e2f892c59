"""Read hostile pages in separate processes, killed when a page takes too long.

A page of a few hundred kilobytes can keep an HTML or PDF parser busy for minutes, and a thread can't be
interrupted. The processes get only the environment variables that find Python and its modules, so no key, and
end with this one. All readers share them, since starting one takes a second.
"""

from __future__ import annotations

import atexit
import contextlib
import importlib.util
import json
import os
import subprocess
import sys
import threading
import time

from factreasoner.documents.page import Extracted, Page, TextTable
from factreasoner.errors import ConfigError, MissingExtraError
from factreasoner.plugins.table import EXTRA_OF_MODULE

PAGE_SECONDS, FETCH_PAGES = 20.0, 20
"""Time limit to read a page, and maximum pages read from a PDF, of the web."""
MOST_WORKERS = 4
_FREE = threading.BoundedSemaphore(min(MOST_WORKERS, os.cpu_count() or 1))
IDLE: list[subprocess.Popen[bytes]] = []
_ENVIRONMENT = ("PATH", "HOME", "SYSTEMROOT", "TEMP", "TMPDIR", "LANG", "LC_ALL", "LD_LIBRARY_PATH")


class PageReader:
    """Extracts the text of pages; thread-safe, with at most four processes for all readers.

    A page may take `seconds`, and `pages` of a PDF are read. Without `sift`, a page is never dropped for the
    quality of its text: for the user's own files.

    Raises MissingExtraError: trafilatura, which removes menus, is not installed.
    """

    def __init__(self, *, seconds: float = PAGE_SECONDS, pages: int = FETCH_PAGES, sift: bool = True) -> None:
        if sift:
            _need("trafilatura")
        self._seconds = seconds
        self._options = {"pages": pages, "sift": sift}

    def read(self, page: Page) -> Extracted:
        """The text of `page`, or why it is dropped: as in `extract`, "too slow", "unreadable".

        Raises:
            ConfigError: the reader process does not start: a package can't be imported.
            MissingExtraError: it is a PDF, and pdf-oxide is not installed.
        """
        if b"%PDF-" in page.data[:1024]:
            _need("pdf_oxide")
        about = {"media_type": page.media_type, "charset": page.charset, **self._options}
        question = json.dumps({"about": about, "length": len(page.data)}).encode()
        answer = b""
        with _FREE:
            worker = _waiting_worker()
            assert worker.stdin is not None
            assert worker.stdout is not None
            end = time.monotonic() + self._seconds
            killer = threading.Timer(self._seconds, worker.kill)
            killer.start()
            try:
                with contextlib.suppress(OSError):  # it died
                    worker.stdin.write(question + b"\n" + page.data)
                    worker.stdin.flush()
                    answer = worker.stdout.readline()
            finally:
                killer.cancel()
                if not answer.endswith(b"\n"):
                    _end(worker)
            if not answer.endswith(b"\n"):
                return Extracted("", dropped="unreadable" if time.monotonic() < end else "too slow")
            IDLE.append(worker)
        *texts, partly, tables = json.loads(answer)
        return Extracted._make([*texts, tuple(partly), tuple(TextTable(*row) for row in tables)])


def _need(module: str) -> None:
    if importlib.util.find_spec(module) is None:
        raise MissingExtraError(*EXTRA_OF_MODULE[module])


def _waiting_worker() -> subprocess.Popen[bytes]:
    """An idle worker; dead ones are skipped."""
    while IDLE:
        with contextlib.suppress(IndexError):  # another thread took the last one
            worker = IDLE.pop()
            if worker.poll() is None:
                return worker
            _end(worker)
    return _start()


def _start() -> subprocess.Popen[bytes]:
    """A started worker; its start does not count against a page's time."""
    command = [sys.executable, "-m", "factreasoner.documents.extract"]
    environment = {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ}
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
    pipe = subprocess.PIPE
    worker = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, env=environment)
    assert worker.stdout is not None
    assert worker.stderr is not None
    if not worker.stdout.readline():
        why = (worker.stderr.read().decode(errors="replace").splitlines() or ["it ended without a word"])[-1]
        _end(worker)
        raise ConfigError(f"pages and documents can't be read, their reader does not start: {why}")
    return worker


def _end(worker: subprocess.Popen[bytes]) -> None:
    worker.kill()
    worker.communicate()  # closes its pipes


@atexit.register
def end_idle() -> None:
    """End the idle processes."""
    while IDLE:
        _end(IDLE.pop())
