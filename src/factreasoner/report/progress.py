"""How a run of records or of `index` shows its progress: a bar, in a pipe plain lines, or nothing."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Column

from factreasoner.models import Usage
from factreasoner.report.console import Terminal, plain
from factreasoner.report.terminal import say
from factreasoner.runs.journal import JournalLine
from factreasoner.text.visible import one_line

if TYPE_CHECKING:
    from factreasoner.corpus.indexing import Step, Tell

SECONDS_BETWEEN_LINES = 5.0
LONGEST_NAME = 40
"""Characters of a document's name that are shown."""
NARROW = 80
"""Columns of a terminal below which numbers take the bar's place."""


class _Spaced:
    """Says when the next line is due, so that they do not come too often."""

    def __init__(self) -> None:
        self._last = time.monotonic()

    def due(self) -> bool:
        now = time.monotonic()
        if now - self._last < SECONDS_BETWEEN_LINES:
            return False
        self._last = now
        return True


class Totals:
    """Counts over the records assessed by this process; under --quiet all that there is."""

    def __init__(self) -> None:
        self.total = 0
        self.finished = 0
        self.failed = 0
        self.rejudged = 0
        self.usage = Usage()

    def started(self, total: int, finished: int) -> None:
        """Note how many records there are."""
        self.total, self.finished = total, finished

    def changed(self) -> None:
        """Take a record whose input has changed out of the finished ones."""
        self.finished -= 1
        self.rejudged += 1

    def assessed(self, line: JournalLine) -> None:
        """Count a record."""
        self.finished += 1
        self.failed += line.status in ("failed", "partial")
        self.usage += line.usage

    def waiting(self, seconds: float, server: str) -> None:
        """The server is waited for; 0 seconds: no longer."""

    def __str__(self) -> str:
        usage = self.usage
        cost = "cost unknown" if usage.cost is None else f"${usage.cost:.4f}"
        parts = [f"{usage.calls} calls", cost] if usage.calls or usage.cached_calls else []
        if usage.cached_calls:
            parts.append(f"{usage.cached_calls} cached")
        if self.rejudged:
            parts.append(f"{self.rejudged} assessed again, as their input changed")
        if self.failed:
            parts.append(f"{self.failed} with failures")
        return ", ".join(parts)


class Lines(Totals):
    """A line on standard error at the start, every few seconds and at the end."""

    def __init__(self) -> None:
        super().__init__()
        self._spaced = _Spaced()

    def started(self, total: int, finished: int) -> None:
        """Say how many records there are."""
        super().started(total, finished)
        say(f"records: {total}, {finished} of them in the folder already", err=True)

    def assessed(self, line: JournalLine) -> None:
        """Say how far it is, not too often."""
        super().assessed(line)
        if self._spaced.due() or self.finished == self.total:
            say(", ".join(filter(None, (f"{self.finished}/{self.total} records", str(self)))), err=True)

    def waiting(self, seconds: float, server: str) -> None:
        """Say that the server is waited for, not too often."""
        if seconds >= 1 and self._spaced.due():
            say(f"{self.finished}/{self.total} records, {_waiting(seconds, server)}", err=True)


class Bar(Totals):
    """A live bar with records, calls, cost and the time left."""

    def __init__(self, bar: Progress) -> None:
        super().__init__()
        self._bar = bar
        self._task = bar.add_task("", total=None)

    def started(self, total: int, finished: int) -> None:
        """Draw the bar; what an earlier run finished is not counted towards the speed."""
        super().started(total, finished)
        self._bar.reset(self._task, total=total, completed=finished)

    def assessed(self, line: JournalLine) -> None:
        """Advance the bar."""
        super().assessed(line)
        self._bar.update(self._task, completed=self.finished, description=str(self))

    def waiting(self, seconds: float, server: str) -> None:
        """Say so instead of the numbers."""
        self._bar.update(self._task, description=plain(_waiting(seconds, server)) if seconds else str(self))


def _waiting(seconds: float, server: str) -> str:
    return f"waiting for {server}: {seconds:.0f} s"


@contextlib.contextmanager
def progress_for(*, quiet: bool) -> Iterator[Totals]:
    """The right kind of progress for where standard error goes."""
    if quiet:
        yield Totals()
    elif not sys.stderr.isatty():
        yield Lines()
    else:
        console = Terminal(stderr=True)
        whole = Column(no_wrap=True)
        columns = (
            TextColumn("Assessing"),
            *([BarColumn()] if console.width >= NARROW else []),
            MofNCompleteColumn(table_column=whole),
            TimeRemainingColumn(table_column=whole),
            TextColumn("{task.description}", table_column=Column()),
        )
        with Progress(*columns, console=console) as bar:
            yield Bar(bar)


def named_progress(*, quiet: bool) -> Callable[[str], AbstractContextManager[Totals]]:
    """Opens the display of one of several runs, under its name."""

    @contextlib.contextmanager
    def named(name: str) -> Iterator[Totals]:
        if not quiet:
            say(f"{name}:", err=True)
        with progress_for(quiet=quiet) as progress:
            yield progress

    return named


@contextlib.contextmanager
def index_progress(*, quiet: bool) -> Iterator[Tell]:
    """The same for documents that are indexed."""
    if quiet:
        yield lambda step: None
        return
    if not sys.stderr.isatty():
        spaced = _Spaced()

        def line(step: Step) -> None:
            if spaced.due():
                text = f"{step.done}/{step.files} files, {step.passages} passages written"
                say(f"{text}: {one_line(step.doing)}" if step.doing else text, err=True)

        yield line
        return
    columns = (TextColumn("Indexing"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=Terminal(stderr=True)) as bar:
        task = bar.add_task("", total=None)

        def tell(step: Step) -> None:
            words = f"{step.passages} passages  {plain(step.doing[-LONGEST_NAME:])}"
            bar.update(task, total=step.files, completed=step.done, description=words)

        yield tell
