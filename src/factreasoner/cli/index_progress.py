"""How an index run shows that it goes on: a bar on a terminal, plain lines in a pipe, nothing when quiet."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterator

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from factreasoner.corpus.indexing import Step, Tell
from factreasoner.report.console import Terminal, plain
from factreasoner.report.terminal import say
from factreasoner.text.visible import one_line

SECONDS_BETWEEN_LINES = 5.0
_LONGEST_NAME = 40


@contextlib.contextmanager
def index_progress(*, quiet: bool) -> Iterator[Tell]:
    """The right kind of progress for where standard error goes."""
    if quiet:
        yield lambda step: None
        return
    if not sys.stderr.isatty():
        last = time.monotonic()

        def line(step: Step) -> None:
            nonlocal last
            if time.monotonic() - last >= SECONDS_BETWEEN_LINES:
                last = time.monotonic()
                text = f"{step.done}/{step.files} files, {step.passages} passages written"
                say(f"{text}: {one_line(step.doing)}" if step.doing else text, err=True)

        yield line
        return
    columns = (TextColumn("Indexing"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=Terminal(stderr=True)) as bar:
        task = bar.add_task("", total=None)

        def tell(step: Step) -> None:
            words = f"{step.passages} passages  {plain(step.doing[-_LONGEST_NAME:])}"
            bar.update(task, total=step.files, completed=step.done, description=words)

        yield tell
