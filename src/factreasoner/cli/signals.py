"""Ctrl-C, `kill` and a closed terminal: the first signal ends in order, the second at once."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import threading
import time
from types import FrameType
from typing import NoReturn

from factreasoner.calls.deadlines import hold_requests_back, requests_running

SECONDS_FOR_ANSWERS = 1.5
SECONDS_TO_NOTICE = 2.0
SECONDS_TO_KEEP = 0.5
"""Time for a model's answer to reach the cache, on a busy machine."""
SHOW_CURSOR = b"\x1b[?25h"
_POLL_SECONDS = 0.02


class Stopping:
    """Ends the process on SIGINT, SIGTERM and SIGHUP, unless they are ignored.

    After the first signal no request is sent, and running ones get a moment to finish; then KeyboardInterrupt
    is raised in the main thread, which writes the results so far. After a second signal, or if the main
    thread does not react in two seconds, the process ends at once. Files are always complete.

    A separate thread waits for signals, since Python runs handlers only between two steps of the main thread,
    and one step of a solver can be long.
    """

    def __init__(self) -> None:
        self.exit_code: int | None = None
        """128 and the number of the first signal, as a shell has it; None where there was none."""
        self._due = False
        self._noticed = threading.Event()
        self._numbers, writer = socket.socketpair()
        writer.setblocking(False)
        self._message = writer  # kept, since it closes when it is dropped

    def install(self) -> None:
        """Install the handlers. Call once, in the main thread."""
        taken = False
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)
            if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self._handle)
                taken = True
        if taken:
            signal.set_wakeup_fd(self._message.fileno(), warn_on_full_buffer=False)
            threading.Thread(target=self._watch, daemon=True, name="factreasoner-signals").start()

    def _handle(self, _number: int, _frame: FrameType | None) -> None:
        if self._due and not self._noticed.is_set():
            self._noticed.set()
            raise KeyboardInterrupt

    def _watch(self) -> NoReturn:
        number = self._next(None)
        assert number is not None
        self.exit_code = 128 + number
        hold_requests_back()
        had_any = requests_running() > 0
        answers_by = time.monotonic() + SECONDS_FOR_ANSWERS
        while requests_running() and time.monotonic() < answers_by:
            self._end_at_second(_POLL_SECONDS)
        if had_any:
            self._end_at_second(SECONDS_TO_KEEP)
        self._due = True
        signal.pthread_kill(threading.main_thread().ident or 0, number)
        self._next(None)  # that one is heard here too, as soon as the machine lets the main thread run
        if not self._noticed.wait(SECONDS_TO_NOTICE):
            self._end()
        while True:
            self._end_at_second(None)

    def _end_at_second(self, seconds: float | None) -> None:
        if self._next(seconds) is not None:
            self._end()

    def _end(self) -> NoReturn:
        with contextlib.suppress(OSError):  # the terminal may be gone
            os.write(2, SHOW_CURSOR if os.isatty(2) else b"")
        os._exit(self.exit_code or 1)

    def _next(self, seconds: float | None) -> int | None:
        """The number of the next signal; None if none arrives in time."""
        self._numbers.settimeout(seconds)
        try:
            return self._numbers.recv(1)[0]
        except TimeoutError:
            return None
