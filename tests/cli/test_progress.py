"""What a person sees while a run goes on."""

from __future__ import annotations

import io
import os
import sys

import pytest

from factreasoner.cli.progress import progress_for
from factreasoner.models import Assessment, Usage


class Terminal(io.StringIO):
    """A text stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("columns", "bar"), [(120, True), (40, False)])
def test_the_numbers_stay_whole_on_any_terminal(monkeypatch, columns, bar):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setitem(os.environ, "TERM", "xterm")
    monkeypatch.setitem(os.environ, "COLUMNS", str(columns))
    with progress_for(quiet=False) as progress:
        progress.started(1200, 999)
        usage = {"evaluator": Usage(calls=46200, cost=None)}
        progress.assessed(Assessment(record_id="r", status="ok", assessor="a", usage=usage))
    shown = terminal.getvalue()
    assert "1000/1200" in shown
    assert "cost unknown" in " ".join(shown.split())
    assert ("\N{BOX DRAWINGS HEAVY HORIZONTAL}" in shown) == bar
