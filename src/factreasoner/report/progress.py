"""Progress of a run or of `index`: a bar, plain lines in a pipe, or nothing."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)
from rich.table import Column

from factreasoner.models import Usage
from factreasoner.models.formatting import number_of
from factreasoner.models.journal import JournalLine
from factreasoner.report.console import Terminal
from factreasoner.report.terminal import in_flags, print_text
from factreasoner.text.visible import one_line

if TYPE_CHECKING:
    from factreasoner.corpus.indexing import Listener, Step

FIRST_PAUSE, LONGEST_PAUSE = 5.0, 60.0
"""Seconds between lines; each pause is twice the one before."""
LONGEST_NAME = 40
NARROW = 80
"""Terminal width below which numbers replace the bar."""


class _Display:
    """Shows how many of `total` are done, with a text; this base class, for --quiet, shows nothing."""

    def started(self, total: int, done: int) -> None:
        """Start with `done` finished before."""

    def update(self, done: int, total: int, words: str, *, at_once: bool = False) -> None:
        """Show the current number."""


class _Pauses:
    """Decides when a line is due: soon at first, then more rarely."""

    def __init__(self) -> None:
        self._pause, self._last = FIRST_PAUSE, time.monotonic()

    def over(self) -> bool:
        """Whether a line is due; if so, the next pause begins."""
        now = time.monotonic()
        if now - self._last < self._pause:
            return False
        self._pause, self._last = min(2 * self._pause, LONGEST_PAUSE), now
        return True


class _Lines(_Display):
    """Lines on standard error at the start, at intervals, and at the end."""

    def __init__(self, what: str) -> None:
        self._what, self._pauses = what, _Pauses()

    def started(self, total: int, done: int) -> None:
        print_text(f"{done}/{total} {self._what}{', assessed before' * bool(done)}", err=True)

    def update(self, done: int, total: int, words: str, *, at_once: bool = False) -> None:
        if at_once or self._pauses.over():
            print_text(", ".join(filter(None, (f"{done}/{total} {self._what}", words))), err=True)


class _Bar(_Display):
    """A live bar with numbers and remaining time."""

    def __init__(self, bar: Progress) -> None:
        self._bar = bar
        self._task = bar.add_task("", total=None)

    def started(self, total: int, done: int) -> None:
        """Draw the bar; earlier results do not count towards the speed."""
        self._bar.reset(self._task, total=total, completed=done)
        self._bar.start()

    def update(self, done: int, total: int, words: str, *, at_once: bool = False) -> None:
        self._bar.update(self._task, total=total, completed=done, description=one_line(in_flags(words)))
        self._bar.start()


def columns_of(doing: str, console: Terminal) -> Iterator[ProgressColumn]:
    """The columns of a bar, without markup or emoji."""
    whole = Column(no_wrap=True)
    yield TextColumn(doing)
    if console.width >= NARROW:
        yield BarColumn()
    yield MofNCompleteColumn(table_column=whole)
    yield TimeRemainingColumn(table_column=whole)
    yield TextColumn("{task.description}", markup=False, table_column=Column())


@contextlib.contextmanager
def _display(doing: str, what: str, *, quiet: bool) -> Iterator[_Display]:
    """The right display for standard error."""
    if quiet:
        yield _Display()
    elif not sys.stderr.isatty():
        yield _Lines(what)
    else:
        console = Terminal(stderr=True)
        bar = Progress(*columns_of(doing, console), console=console)
        try:
            yield _Bar(bar)
        finally:
            bar.stop()


class Totals:
    """Counts over the records of this process, and their display."""

    def __init__(self, display: _Display | None = None) -> None:
        self._display = display or _Display()
        self.total = self.finished = self.failed = self.rejudged = 0
        self.usage = Usage()

    def started(self, total: int, finished: int) -> None:
        """Set the number of records."""
        self.total, self.finished = total, finished
        self._display.started(total, finished)

    def changed(self) -> None:
        """Uncount a finished record whose input has changed."""
        self.finished -= 1
        self.rejudged += 1

    def assessed(self, line: JournalLine) -> None:
        """Count a record."""
        self.finished += 1
        self.failed += line.entry.status in ("failed", "partial")
        self.usage += line.usage
        self._display.update(self.finished, self.total, str(self), at_once=self.finished == self.total)

    def waiting(self, words: str) -> None:
        """Show what is waited for, and why; "": nothing."""
        message = f"waiting for {words}" if words else ""
        self._display.update(self.finished, self.total, ", ".join(filter(None, (str(self), message))))

    def __str__(self) -> str:
        usage = self.usage
        cost = "cost unknown" if usage.cost is None else f"${usage.cost:.4f}"
        parts = [number_of(usage.calls, "call"), cost] if usage.calls or usage.cached_calls else []
        if usage.cached_calls:
            parts.append(f"{usage.cached_calls} cached")
        if self.rejudged:
            parts.append(f"{self.rejudged} assessed again, as their input changed")
        if self.failed:
            parts.append(f"{self.failed} with failures")
        return ", ".join(parts)


@contextlib.contextmanager
def progress_for(name: str = "", *, quiet: bool) -> Iterator[Totals]:
    """The progress of a run, with its name if there are several."""
    if name and not quiet:
        print_text(f"{name}:", err=True)
    with _display("Assessing", "records", quiet=quiet) as display:
        yield Totals(display)


@contextlib.contextmanager
def one_answer(*, quiet: bool = False) -> Iterator[None]:
    """Report on standard error, at intervals, what the answer worked on inside waits for."""
    from factreasoner.llm.send import waiting_listener

    pauses = _Pauses()

    def listener(words: str) -> None:
        if words and not quiet and pauses.over():
            print_text(f"waiting for {words}", err=True)

    with waiting_listener(listener):
        yield


@contextlib.contextmanager
def index_progress(*, quiet: bool) -> Iterator[Listener]:
    """The progress of indexing documents."""
    with _display("Indexing", "files", quiet=quiet) as display:

        def listener(step: Step) -> None:
            name = f": {one_line(step.doing[-LONGEST_NAME:])}" if step.doing else ""
            display.update(step.done, step.files, f"{number_of(step.passages, 'passage')} written{name}")

        yield listener
