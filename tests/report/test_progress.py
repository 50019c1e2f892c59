"""What a person sees while a run goes on."""

import io
import os
import re
import sys
import time
from types import SimpleNamespace

import pytest

from factreasoner.corpus.indexing import Step
from factreasoner.llm.send import CircuitBreaker
from factreasoner.models import Assessment, Usage
from factreasoner.report.progress import index_progress, one_answer, progress_for
from factreasoner.report.terminal import print_text
from factreasoner.tasks.factuality import TASK
from factreasoner.tasks.task import line_of


class Terminal(io.StringIO):
    """A text stream that says it is a terminal."""

    def isatty(self):
        return True


def shown_on(terminal, monkeypatch, columns=120):
    """Standard error on that terminal."""
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setitem(os.environ, "TERM", "xterm")
    monkeypatch.setitem(os.environ, "COLUMNS", str(columns))
    return terminal


@pytest.mark.parametrize(("columns", "bar"), [(120, True), (40, False)])
def test_the_numbers_stay_whole_on_any_terminal(monkeypatch, columns, bar):
    terminal = shown_on(Terminal(), monkeypatch, columns)
    with progress_for(quiet=False) as progress:
        progress.started(1200, 999)
        usage = {"evaluator": Usage(calls=46200, cost=None)}
        result = Assessment(record_id="r", status="ok", assessor="a", usage=usage)
        progress.assessed(line_of(TASK, result))
    shown = terminal.getvalue()
    assert "1000/1200" in shown
    assert "cost unknown" in " ".join(shown.split())
    assert ("\N{BOX DRAWINGS HEAVY HORIZONTAL}" in shown) == bar


def test_warning_appears_above_the_bar(monkeypatch):
    class Window(io.TextIOWrapper):
        def isatty(self):
            return True

    terminal = shown_on(Window(io.BytesIO(), encoding="utf-8"), monkeypatch)
    with progress_for(quiet=False) as progress:
        progress.started(3, 0)
        print_text("a warning", err=True)
    terminal.flush()
    shown = re.sub(r"\x1b\[[^a-zA-Z]*[a-zA-Z]", "", terminal.buffer.getvalue().decode())
    assert "a warning" in re.split(r"[\r\n]+", shown)


def test_waiting_message_appears_and_ends(monkeypatch):
    terminal = shown_on(Terminal(), monkeypatch)
    with progress_for(quiet=False) as progress:
        progress.started(3, 0)
        progress.waiting("gpu-7:8000, 12 of 60 s")
        deadline = time.monotonic() + 20
        while "waiting for gpu-7:8000, 12 of 60 s" not in terminal.getvalue():
            assert time.monotonic() < deadline
            time.sleep(0.02)
        progress.waiting("")
    assert "waiting" not in terminal.getvalue().splitlines()[-1]


def test_piped_waiting_prints_occasional_lines(monkeypatch, capsys):
    monkeypatch.setattr("factreasoner.report.progress.FIRST_PAUSE", 0.0)
    with progress_for(quiet=False) as progress:
        progress.started(3, 1)
        progress.waiting("gpu-7:8000, 7 of 60 s")
        progress.usage = Usage(calls=2, cost=0.5)
        progress.waiting("gpu-7:8000, 9 of 60 s")
        progress.waiting("")
    assert capsys.readouterr().err.splitlines() == [
        "1/3 records, assessed before",
        "1/3 records, waiting for gpu-7:8000, 7 of 60 s",
        "1/3 records, 2 calls, $0.5000, waiting for gpu-7:8000, 9 of 60 s",
        "1/3 records, 2 calls, $0.5000",
    ]


@pytest.mark.parametrize(("quiet", "told"), [(False, [5, 15, 35, 75, 135, 195]), (True, [])])
def test_waiting_for_one_answer_prints_rarer_lines(monkeypatch, capsys, quiet, told):
    clock = SimpleNamespace(now=0.0, monotonic=lambda: clock.now)
    monkeypatch.setattr("factreasoner.report.progress.time", clock)
    server = CircuitBreaker("gpu-7", 600.0, clock=clock.monotonic)
    with one_answer(quiet=quiet):
        server.failed()
        for clock.now in range(200):
            server.report_reason("busy")
        server.answered()
    said = [f"waiting for gpu-7, {second} of 600 s (--patience): busy" for second in told]
    assert capsys.readouterr().err.splitlines() == said


STEPS = [Step(1, 3, 20, "docs/[bold]a\x1b.txt"), Step(3, 3, 40, "")]


def test_piped_index_progress_prints_occasional_lines(monkeypatch, capsys):
    monkeypatch.setattr("factreasoner.report.progress.FIRST_PAUSE", 0.0)
    with index_progress(quiet=False) as tell:
        for step in STEPS:
            tell(step)
    assert capsys.readouterr().err.splitlines() == [
        "1/3 files, 20 passages written: docs/[bold]a\N{REPLACEMENT CHARACTER}.txt",
        "3/3 files, 40 passages written",
    ]
    with index_progress(quiet=True) as tell:
        tell(STEPS[0])
    assert capsys.readouterr().err == ""


def test_progress_on_a_terminal_is_a_bar(monkeypatch):
    terminal = shown_on(Terminal(), monkeypatch)
    with index_progress(quiet=False) as tell:
        assert terminal.getvalue() == ""
        for step in STEPS:
            tell(step)
    assert "3/3" in terminal.getvalue()
    assert "40 passages" in terminal.getvalue()
