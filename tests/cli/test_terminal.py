"""Whatever atoms, passages, file names and servers say, it is shown and does nothing."""

import io
import json
import logging
import os
import pty
import subprocess
import sys
import termios
import unicodedata

import pytest
from command import record, write_records
from fake_server import FakeServer, error
from hypothesis import given
from hypothesis import strategies as st
from rich.progress import Progress, TextColumn
from rich.table import Table

from factreasoner.report import progress
from factreasoner.report.console import Terminal, plain
from factreasoner.report.terminal import WarningHandler, print_json, print_text
from factreasoner.text.visible import one_line, visible

HOSTILE = (
    "red \x1b[31m, title \x1b]0;gone\x07, csi \x9b2J, back \x08\r, nel \x85, turned \u202e\u2066, [bold]x[/]"
)
FORBIDDEN = {"Cc", "Cs", "Cf", "Zl", "Zp"}
LANGUAGES = "naïve 東京 نمی\u200cخواهم क\u094d\u200dष 👩\u200d🔬 \N{NO-BREAK SPACE}—–“”"


def acting(text):
    """The characters of `text` that are no shapes, and neither line ends nor joiners of letters."""
    return {c for c in text if unicodedata.category(c) in FORBIDDEN} - set("\n\t\u200c\u200d")


@given(st.text())
def test_visible_text_has_no_control_characters(text):
    assert not acting(visible(text))
    assert len(visible(text)) == len(text)


def test_words_of_all_languages_stay():
    assert visible(LANGUAGES) == LANGUAGES
    assert one_line("a \n b\x0b\x85c") == "a b c"
    assert one_line("塔 " + "高" * 20, 9) == "塔 高高高高高高高 …"
    assert plain("[red]x[/] \x1b[2J") == r"\[red]x\[/] " + "\N{REPLACEMENT CHARACTER}[2J"
    assert plain("one two three", 9) == "one two …"


def test_hostile_text_is_escaped_in_rich_output():
    file = io.StringIO()
    terminal = Terminal(file=file, force_terminal=True, color_system=None, width=300)
    table = Table(HOSTILE, title=HOSTILE)
    table.add_row(HOSTILE)
    terminal.print(table, HOSTILE, style="bold")
    assert acting(file.getvalue()) <= {"\x1b"}  # rich's own
    assert "\x1b[31m" not in file.getvalue()
    assert "\x1b]0;" not in file.getvalue()
    bar_file = io.StringIO()
    with Progress(TextColumn("{task.description}"), console=Terminal(file=bar_file, width=300)) as bar:
        bar.add_task(plain(HOSTILE))
    assert not acting(bar_file.getvalue())


def test_failure_keeps_its_path_unbroken():
    file = io.StringIO()
    path = "(/home/someone/a_folder_with_a_name/my_judges.py:3)"
    Terminal(file=file, width=30).failed(f"2 x judge 'mine:J': KeyError: [1] of the answer {path}")
    lines = file.getvalue().splitlines()
    assert lines[:2] == ["2 x judge 'mine:J': KeyError:", "  [1] of the answer"]
    assert lines[2] == f"  {path}"
    assert not acting(file.getvalue())


def test_piped_lines_have_no_trailing_spaces():
    file = io.StringIO()
    terminal = Terminal(file=file, width=20)
    terminal.columns(("name", "text"), [("a", "short"), ("b", "a text that takes two lines")])
    terminal.aside("a remark that is wider than it is")
    assert [line for line in file.getvalue().splitlines() if line.endswith(" ")] == []
    assert file.getvalue().startswith("name  text\na     short\n")


def test_output_without_terminal_has_no_width(factreasoner, monkeypatch, tmp_path):
    topics = [f"a group with a name {'that is long ' * n}" for n in range(9, 12)]
    records = [{**record(f"r{n}"), "topic": topic} for n, topic in enumerate(topics)]
    runs = [f"a-run-with-a-name-{letter}" for letter in "abcde"]
    data = write_records(tmp_path / "d.jsonl", *records)
    for name in runs:
        factors = "table1" if name == runs[-1] else "conditional"
        factreasoner("run", data, "--out", name, "--factors", factors, "-q")
    monkeypatch.delenv("COLUMNS")
    head, *rows = factreasoner("compare", *runs).stdout.partition("\n\n")[0].splitlines()
    assert head.split() == runs
    assert [row.split("  ")[0] for row in rows[:2]] == ["supported atoms ↑", "contradicted atoms ↓"]
    grouped = factreasoner("evaluate", runs[0], "--by", "topic").stdout
    assert all(f"\n{topic.rstrip()}  " in grouped for topic in topics)
    (meanings,) = [line for line in grouped.splitlines() if line.startswith("precision: ")]
    assert meanings.endswith("supported.")


def test_terminal_notes_wrap_between_words(monkeypatch):
    primary, secondary = pty.openpty()
    termios.tcsetwinsize(secondary, (24, 20))
    with os.fdopen(secondary, "w", closefd=False) as terminal:
        monkeypatch.setattr("sys.stderr", terminal)
        print_text("a note of some words/with/a/long/path\n  a command that is copied", err=True)
    printed = os.read(primary, 1000).decode().splitlines()
    assert printed == ["a note of some", "words/with/a/long/path", "  a command that is copied"]
    for end in (primary, secondary):
        os.close(end)


def test_printed_lines_are_flushed_at_once():
    """What follows on standard error would come before it in a log."""
    raw = io.BytesIO()
    file = io.TextIOWrapper(io.BufferedWriter(raw))
    Terminal(file=file).print("a line  ")
    assert raw.getvalue() == b"a line\n"


def test_sentences_wrap_but_tables_do_not():
    file = io.StringIO()
    terminal = Terminal(file=file, width=20, soft_wrap=True)
    terminal.print("a line that is left as it is")
    terminal.sentence("a sentence that is longer than the terminal is wide", indent=2, hanging=2)
    first, *others = file.getvalue().splitlines()
    assert first == "a line that is left as it is"
    assert others == ["  a sentence that is", "  longer than the", "  terminal is wide"]


@given(st.text())
def test_json_output_is_exact(text):
    with pytest.MonkeyPatch.context() as patch:
        out = io.StringIO()
        patch.setattr("sys.stdout", out)
        print_json({text: [text]})
    assert json.loads(out.getvalue()) == {text: [text]}
    assert not acting(out.getvalue())


def test_both_streams(capsys):
    print_text("a\x1b[1m")
    print_text("b\x9b", err=True)
    assert tuple(capsys.readouterr()) == ("a�[1m\n", "b�\n")


@pytest.fixture
def spoken(factreasoner):
    def run(*arguments):
        done = factreasoner(*arguments, code=None)
        assert not acting(done.stdout + done.stderr), arguments
        return done.returncode, done.stdout, done.stderr

    return run


def hostile_record(number):
    made = record(
        f"r{number}", atoms=[f"She was born in Warsaw {HOSTILE}."], contexts=[f"Born in Warsaw {HOSTILE}."]
    )
    made["contexts"][0] |= {"title": HOSTILE, "link": HOSTILE}
    return made | {"topic": HOSTILE, "output": HOSTILE, "id": f"r{number} {HOSTILE}"}


def test_every_command_on_hostile_records(spoken, tmp_path):
    labelled = [hostile_record(i) for i in range(3)]
    for item in labelled:
        item["atoms"][0]["label"] = "S"
    name = "data \x1b[31m\x9b\u202e.jsonl"
    write_records(tmp_path / name, *labelled)
    (tmp_path / "passage").write_text(HOSTILE + 99 * " She was born in Warsaw.")
    assert spoken("run", name, "--out", "out\x1b[1m")[0] == 0
    for command in (
        ("run", name, "--out", "out\x1b[1m", "--version", "3"),
        ("run", name, "--dry-run"),
        ("score", "out\x1b[1m", "--k", "2"),
        ("explain", "out\x1b[1m"),
        ("explain", "out\x1b[1m", "--json"),
        ("evaluate", "out\x1b[1m", "--by", "topic"),
        ("evaluate", "out\x1b[1m", "--by", "topic", "--json"),
        ("compare", "out\x1b[1m", "out\x1b[1m"),
        ("check", "out\x1b[1m", "--min", "precision\x1b[1m=0.1"),
        ("check", "out\x1b[1m", "--min", "precision=0.1"),
        ("calibrate", "out\x1b[1m", "--out", "c\x1b[1m"),
        ("assess", f"She was born in Warsaw {HOSTILE}.", "--context", "passage"),
        ("assess", f"She was born in Warsaw {HOSTILE}.", "--context", "passage", "--json"),
        ("assess", "x", "--context", "no \x1b[1m"),
        ("run", "no \x1b[1m"),
        ("run", name, "--judge", "no \x1b[1m:x"),
        ("run", name, "--factors", "\x1b[1m"),
        ("run", name, "--no-such-\x1b[1m"),
        ("solve", "no \x1b[1m"),
        ("score", "no \x1b[1m"),
    ):
        _, out, err = spoken(*command)
        assert out + err
    code, out, _ = spoken("assess", f"Born in Warsaw {HOSTILE}.", "--context", "passage", "--json")
    assert code == 0
    assert HOSTILE in json.loads(out)["output"]


def test_files_that_are_indexed(spoken, tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a \x1b[31m\x9b\u202e.txt").write_text(HOSTILE)
    (tmp_path / "docs" / "b \x1b[31m\x9b\u202e.pdf").write_text(HOSTILE)
    code, out, err = spoken("index", "docs", "--store", "store", "--embedding", "none")
    assert "[31m" in out + err, code
    assert spoken("index", "--list", "--store", "store")[0] == 0
    spoken("index", "no \x1b[1m", "--store", "store")


def test_server_message_is_escaped(spoken, tmp_path):
    data = write_records(tmp_path / "d.jsonl", record("r"))
    with FakeServer(lambda request: error(400, HOSTILE)) as server:
        flags = ("--model", "openai/fake", "--api-base", server.url, "--max-attempts", 1)
        code, out, err = spoken("run", data, "--out", tmp_path / "out", *flags)
    assert code in (1, 3)
    assert "csi" in out + err


def test_warnings_of_libraries_go_the_same_way(capsys):
    logger = logging.getLogger("factreasoner.test_terminal")
    teller = WarningHandler(logging.WARNING)
    logger.addHandler(teller)
    logger.warning("the index of %s is damaged", "a\x1b[2J")
    logger.info("not said")
    assert capsys.readouterr().err == "the index of a�[2J is damaged\n"


def test_closed_pipe_ends_a_command_quietly(tmp_path):
    program = [sys.executable, "-m", "factreasoner", "metrics"]
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        program, stdout=writer, stderr=subprocess.PIPE, text=True, cwd=tmp_path, check=False
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, "")


LITERAL = "3:100:7, 2001:db8:100::1, chr1:100:200, :smile: [bold]x[/] [red] \\[a]"


@pytest.mark.parametrize("terminal", [False, True])
def test_no_text_becomes_an_emoji_or_a_style(terminal):
    def shown(draw):
        file = io.StringIO()
        draw(Terminal(file=file, force_terminal=terminal, color_system=None, width=300))
        return file.getvalue()

    for draw in (
        lambda console: console.print(plain(LITERAL)),
        lambda console: console.print(f"[bold]{plain(LITERAL)}[/bold]"),
        lambda console: console.print(LITERAL, markup=False),
        lambda console: console.print(Table(plain(LITERAL), title=plain(LITERAL))),
        lambda console: console.sentence(plain(LITERAL), indent=2),
        lambda console: console.columns((plain(LITERAL), "x"), [("y", "z")]),
        lambda console: console.columns(("x", "y"), [(plain(LITERAL), f"[dim]{plain(LITERAL)}[/]")]),
        lambda console: console.aside(LITERAL),
        lambda console: console.failed(LITERAL),
    ):
        assert LITERAL in shown(draw)


def test_every_command_prints_texts_as_they_are(factreasoner, tmp_path):
    said = f"The tower {LITERAL} opened in 1932."
    atoms = [{"id": f"a {LITERAL}", "text": said}]
    contexts = [{"id": f"c {LITERAL}", "title": LITERAL, "text": said.replace("1932", "1931")}]
    given = {"output": f"{said[:-1]} [1].", "contexts": contexts, "facts": [said], "topic": LITERAL}
    rows = [given | {"id": f"r{n} {LITERAL}", "atoms": atoms} for n in range(2)]
    data = write_records(tmp_path / "3:100:7.jsonl", *rows)
    for task in ("run", "recall", "rag", "verify"):
        done = factreasoner(task, data, "--out", f"{task}:100:[b]x")
        assert f"{task}:100:[b]x" in done.stdout
        assert LITERAL in factreasoner("show", f"{task}:100:[b]x").stdout
    for command in (("explain", "run:100:[b]x"), ("evaluate", "run:100:[b]x", "--by", "topic")):
        assert LITERAL in factreasoner(*command).stdout
    factreasoner("run", data, "--out", "run:smile:[red]", "--k", 1, "--quiet")
    assert "run:smile:[red]" in factreasoner("compare", "run:100:[b]x", "run:smile:[red]").stdout
    assert ":100:[bold]" in factreasoner("run", data, "--x:100:[bold]", code=2).stderr
    assert ":100:[bold]" in factreasoner(":100:[bold]", code=2).stderr
    assert ":100:[bold].jsonl" in factreasoner("run", ":100:[bold].jsonl", code=1).stderr


def test_progress_shows_names_as_they_are():
    file = io.StringIO()
    console = Terminal(file=file, force_terminal=True, color_system=None, width=200)
    with Progress(*progress.columns_of("Indexing", console), console=console) as bar:
        shown = progress._Bar(bar)  # noqa: SLF001
        shown.update(1, 2, f"1 passage written: {LITERAL}")
    assert LITERAL in file.getvalue()
