"""How a run shows that it goes on: a bar on a terminal, plain lines in a pipe, nothing when quiet."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Column

from factreasoner.models import Usage
from factreasoner.report.console import Terminal, plain
from factreasoner.report.terminal import say
from factreasoner.runs.journal import JournalLine

SECONDS_BETWEEN_LINES = 5.0
NARROW = 80
"""Columns of a terminal below which numbers take the bar's place."""


class _Totals:
    """Counts over the records assessed by this process."""

    def __init__(self) -> None:
        self.total = 0
        self.finished = 0
        self.failed = 0
        self.usage = Usage()

    def started(self, total: int, finished: int) -> None:
        self.total, self.finished = total, finished

    def assessed(self, line: JournalLine) -> None:
        self.finished += 1
        self.failed += line.status in ("failed", "partial")
        self.usage += line.usage

    def waiting(self, seconds: float, server: str) -> None:
        pass

    def __str__(self) -> str:
        usage = self.usage
        cost = "cost unknown" if usage.cost is None else f"${usage.cost:.4f}"
        parts = [f"{usage.calls} calls", cost] if usage.calls or usage.cached_calls else []
        if usage.cached_calls:
            parts.append(f"{usage.cached_calls} cached")
        if self.failed:
            parts.append(f"{self.failed} with failures")
        return ", ".join(parts)


class Silent(_Totals):
    """Progress under --quiet: counts records, and prints nothing."""


class Lines(_Totals):
    """A line on standard error at the start, every few seconds and at the end."""

    def __init__(self) -> None:
        super().__init__()
        self._last = time.monotonic()

    def started(self, total: int, finished: int) -> None:
        """Say what there is to do."""
        super().started(total, finished)
        say(f"records: {total}, {finished} of them finished before", err=True)

    def assessed(self, line: JournalLine) -> None:
        """Say how far it is, not too often."""
        super().assessed(line)
        now = time.monotonic()
        if self.finished == self.total or now - self._last >= SECONDS_BETWEEN_LINES:
            self._last = now
            text = f"{self.finished}/{self.total} records"
            say(f"{text}, {self}" if str(self) else text, err=True)

    def waiting(self, seconds: float, server: str) -> None:
        """Say that the server is waited for, not too often."""
        now = time.monotonic()
        if seconds >= 1 and now - self._last >= SECONDS_BETWEEN_LINES:
            self._last = now
            say(f"{self.finished}/{self.total} records, {_waiting(seconds, server)}", err=True)


class Bar(_Totals):
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
        self._bar.update(self._task, advance=1, description=str(self))

    def waiting(self, seconds: float, server: str) -> None:
        """Say so in the place of the numbers."""
        self._bar.update(self._task, description=plain(_waiting(seconds, server)) if seconds else str(self))


def _waiting(seconds: float, server: str) -> str:
    return f"waiting for {server}: {seconds:.0f} s"


@contextlib.contextmanager
def progress_for(*, quiet: bool) -> Iterator[_Totals]:
    """The right kind of progress for where standard error goes."""
    if quiet:
        yield Silent()
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


def named_progress(*, quiet: bool) -> Callable[[str], AbstractContextManager[_Totals]]:
    """Opens the display of one of several runs, under its name."""

    @contextlib.contextmanager
    def named(name: str) -> Iterator[_Totals]:
        if not quiet:
            say(f"{name}:", err=True)
        with progress_for(quiet=quiet) as progress:
            yield progress

    return named
