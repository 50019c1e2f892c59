"""The command line, `factreasoner COMMAND`; its commands are named in one place, `commands.py`.

Exit codes: 0 all assessed; 1 the input or a setting is wrong; 2 usage; 3 finished, but some records or
judgements failed; 4 a rule of `check` is not kept; 5 a batch waits for its results; 130, 143, 129 ended by
Ctrl-C (SIGINT), SIGTERM, SIGHUP; 141 the reader of its output is gone, as in `| head`.
"""

from __future__ import annotations

import contextlib
import errno
import functools
import gc
import io
import logging
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Sequence
from types import FrameType
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from factreasoner import __version__
from factreasoner.cli.commands import Commands
from factreasoner.errors import FactReasonerError, InputError, UsageError
from factreasoner.llm.parallel import hold_requests_back, requests_under_way, with_room
from factreasoner.report.terminal import WarningHandler, say
from factreasoner.text.visible import visible

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

INTERRUPTED = 130
READER_GONE = 141
"""What a shell says of a process that SIGPIPE ended."""
_REFUSED = ("Cannot allocate memory", "failed to map segment", "can't start new thread")
"""Error messages of a system that has no memory left for a library or a thread."""
COLLECTED_AFTER = (20_000, 20, 20)
"""Thresholds of the garbage collector. A million objects that imports make stay to the end of a process:
with Python's own (700, 10, 10) it goes over them for a seventh of the CPU of a run that asks a model."""

app = typer.Typer(
    name="factreasoner",
    cls=Commands,
    help="How much of a long answer is true, atom by atom, with the evidence behind it.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        say(f"factreasoner {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    pass


@functools.cache
def _command_line() -> Callable[..., int | None]:
    """All commands; put together once a process."""
    return typer.main.get_command(app)


def execute(arguments: Sequence[str] | None = None) -> int:
    """Run one command line, by default the process's; returns the exit code.

    Every expected error becomes a message on standard error, never a traceback.
    """
    try:
        code = _command_line()(arguments, prog_name="factreasoner", standalone_mode=False) or 0
        if code == INTERRUPTED:
            return _failed("Interrupted; the same command continues from here.", code)
        return int(code)
    except InputError as error:
        count = len(error.problems)
        kept = " ".join(getattr(error, "__notes__", ["Nothing was done."]))
        return _failed(f"{error}\n{count} problem{'s' * (count > 1)} in the input. {kept}", 1)
    except FactReasonerError as error:
        code = 2 if isinstance(error, UsageError) else 1
        return _failed("\n".join((f"Error: {error}", *getattr(error, "__notes__", ()))), code)
    except Exception as error:
        if hasattr(error, "format_message"):  # typer's own, of a class that differs by its version
            return _misused(error)
        if os.environ.get("FACTREASONER_DEBUG"):
            raise
        if (reason := _fault_of_system(error)) is not None:
            return _failed(" ".join((f"Error: {reason}", *getattr(error, "__notes__", ()))), 1)
        fault = f"Internal error: {type(error).__name__}: {error}"
        hint = "FACTREASONER_DEBUG=1 shows where it happened. What was assessed is kept."
        return _failed(f"{fault}\nThis is a fault of factreasoner; {hint}", 1)


def _misused(error: Any) -> int:  # noqa: ANN401 - of a class that differs by the version of typer
    from typer.rich_utils import rich_format_error

    if type(error).__name__ == "NoArgsIsHelpError":  # typer leaves it to others to show its page
        say(error.message)
        return 2
    if isinstance(error.__cause__, ValueError) and hasattr(error.__cause__, "errors"):
        from factreasoner.settings.setting import must_be, refused

        told = refused(error.__cause__.errors()[0])
        if (field := _setting_of(error.param)) is not None:  # wrong as it would be in a profile
            return _failed(f"Error: {error.param.opts[0]}: {must_be(field) or told}", 1)
        error.message = told
    elif "unexpected extra argument" in error.message and (flags := _repeatable(error.ctx)):
        error.message += f"; write {' or '.join(flags)} again before each further value"
    error.message = visible(str(error.message))  # it holds arguments, which a shell may have made of files
    rich_format_error(error)
    return 2


def _repeatable(context: Any) -> list[str]:  # noqa: ANN401 - likewise
    """The flags that were given, and may be given again with one value each time."""
    params = [param for param in context.command.params if getattr(param, "multiple", False)]
    return [param.opts[0] for param in params if context.params.get(param.name)]


def _setting_of(param: Any) -> FieldInfo | None:  # noqa: ANN401 - likewise
    """The setting whose flag it is; None for another flag."""
    from factreasoner.settings import Config
    from factreasoner.settings.sources import flag_of

    name = str(param.name)
    return Config.model_fields.get(name) if flag_of(name) in param.opts else None


def _fault_of_system(error: Exception) -> str | None:
    """That memory has run out, or what is wrong with a file or the disk; None where neither is the reason."""
    refused = isinstance(error, ImportError | RuntimeError) and any(word in str(error) for word in _REFUSED)
    if refused or isinstance(error, MemoryError) or getattr(error, "errno", None) == errno.ENOMEM:
        return (
            "out of memory. Let it have more (ulimit -v, the limit of a container), or do less at once (a "
            "lower --concurrency, fewer --workers); the same run command continues from what is finished."
        )
    if not isinstance(error, OSError) or error.strerror is None:
        return None
    if error.filename is None:
        return error.strerror if error.errno in (errno.ENOSPC, errno.EDQUOT) else None
    return f"{error.filename2 or error.filename}: {error.strerror}"


def _failed(message: str, code: int) -> int:
    say(message, err=True)
    return code


SECONDS_FOR_ANSWERS = 1.5
SECONDS_TO_NOTICE = 0.4
SECONDS_TO_KEEP = 0.1
"""From a model's answer to its place in the cache."""
SHOW_CURSOR = b"\x1b[?25h"
"""A progress bar hides it."""
_POLL_SECONDS = 0.02


class Stopping:
    """Ends the process on SIGINT, SIGTERM and SIGHUP, those of them that are not ignored.

    At the first signal no further request is sent, and those under way have a moment to be answered; then
    KeyboardInterrupt is raised in the main thread, which writes what there is to write. At the second the
    process ends where it stands, as it does where the main thread does not notice within two seconds.
    What files hold is whole at every moment.

    A thread of its own watches, since Python runs a signal's handler only between two steps of the main
    thread, and one step of a solver can take long.
    """

    def __init__(self) -> None:
        self.exit_code: int | None = None
        """128 and the number of the first signal, as a shell has it; None where there was none."""
        self._due = False
        self._noticed = threading.Event()
        self._numbers, told = socket.socketpair()
        told.setblocking(False)
        self._told = told  # kept, since it closes when it is dropped

    def install(self) -> None:
        """Take the signals over. Call it once, in the main thread."""
        taken = False
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)
            if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self._handle)
                taken = True
        if taken:
            signal.set_wakeup_fd(self._told.fileno(), warn_on_full_buffer=False)
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
        had_any = requests_under_way() > 0
        answers_by = time.monotonic() + SECONDS_FOR_ANSWERS
        while requests_under_way() and time.monotonic() < answers_by:
            self._end_at_second(_POLL_SECONDS)
        if had_any:
            self._end_at_second(SECONDS_TO_KEEP)
        self._due = True
        signal.pthread_kill(threading.main_thread().ident or 0, number)
        self._next(SECONDS_TO_NOTICE)  # that one is heard here too
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
        """The number of the next signal; None where there is none for that long."""
        self._numbers.settimeout(seconds)
        try:
            return self._numbers.recv(1)[0]
        except TimeoutError:
            return None


@with_room
def main() -> None:
    """Run the command line of this process and end it."""
    # Threads of BLAS make fits of a few rows eight times as dear; it reads this when numpy is imported.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    gc.set_threshold(*COLLECTED_AFTER)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal of another encoding gets \u732b for what it can't show, not an error.
            stream.reconfigure(errors="backslashreplace")
    logging.getLogger().addHandler(WarningHandler(logging.WARNING))
    stopping = Stopping()
    stopping.install()
    code = None
    try:
        code = execute()
        sys.stdout.flush()
        sys.stderr.flush()
    except (KeyboardInterrupt, OSError, SystemExit) as error:  # the terminal may be gone
        if stopping.exit_code is None:
            # typer ends the process for a closed pipe.
            if isinstance(error, BrokenPipeError) or isinstance(error.__context__, BrokenPipeError):
                os._exit(READER_GONE)
            raise
    if stopping.exit_code is not None and code != 0:
        # Requests under way are abandoned rather than waited for.
        os._exit(stopping.exit_code)
    if "litellm" in sys.modules:
        # An interpreter waits for its threads, and may for what a request that was given up still does.
        os._exit(code or 0)
    sys.exit(code)
