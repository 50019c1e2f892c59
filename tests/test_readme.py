"""Every block of the README, and of the pages for beginners, runs and prints what it says, but for `...`."""

import contextlib
import io
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from fake_server import FakeServer, answering
from printed import holds, without_probabilities

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = [ROOT / name for name in ("README.md", "docs/index.md", "docs/how_it_works.md")]
LOCAL = "http://localhost:8080/v1"


def blocks(kind, page):
    return re.findall(rf"^```{kind}\n(.*?)^```$", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


def commands(block):
    """Commands with the lines they print."""
    for part in re.split(r"^\$ ", block.replace("\\\n", ""), flags=re.MULTILINE)[1:]:
        command, *printed = part.splitlines()
        yield command, printed


def answer(name, prop, request):
    """A model to which all is true, and which says an answer's parts as they are."""
    if name == "statements":
        return [
            f"{part} => {part.partition('] ')[2]}" for part in re.findall(r"^\[\d+\] .*", request.text, re.M)
        ]
    return prop["description"] if name.startswith("atom_") else "True"


@pytest.mark.parametrize("page", PAGES[:2], ids=lambda page: page.name)
def test_the_commands_print_what_the_page_says(page, tmp_path):
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    asked = 0
    with FakeServer(answering(answer)) as server:
        environment = {"PATH": "", "PYTHONPATH": str(ROOT / "src"), "HOME": str(tmp_path), "COLUMNS": "80"}
        for command, expected in (pair for block in blocks("console", page) for pair in commands(block)):
            program, *arguments = shlex.split(command.replace(LOCAL, server.url))
            assert program == "factreasoner"
            done = subprocess.run(
                [sys.executable, "-m", "factreasoner", *arguments],
                cwd=tmp_path,
                capture_output=True,
                text=True,
                env=environment,
                check=False,
            )
            assert done.returncode == 0, done.stderr
            printed, said = done.stdout + done.stderr, expected
            if "--model" in arguments:  # a stand-in answers, as sure of it as it is
                asked += server.calls
                printed = without_probabilities(printed)
                said = without_probabilities("\n".join(expected)).splitlines()
            assert holds(printed, said), printed
    assert (asked > 0) == (page.name == "README.md")


@pytest.mark.parametrize("page", PAGES[::2], ids=lambda page: page.name)
@pytest.mark.parametrize("parser", [None, "none"])
def test_python_prints_what_the_page_says_with_a_parser_and_without(bundled_judge, parser, page, monkeypatch):
    if parser is not None:
        monkeypatch.setenv("FACTREASONER_SPACY_MODEL", parser)
    text = page.read_text(encoding="utf-8")
    ((code, printed),) = re.findall(
        r"^```python\n(.*?)^```\n\n```\n(.*?)^```$", text, re.DOTALL | re.MULTILINE
    )
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(code, page.name, "exec"), {})
    assert out.getvalue() == printed


def test_the_makes_are_there_and_the_page_is_short():
    for target in re.findall(r"^    make (\w+)", README, re.MULTILINE):
        recipe = subprocess.run(
            ["make", "--dry-run", "--old-file=install", target], cwd=ROOT, capture_output=True, check=False
        )
        assert recipe.returncode == 0
    assert README.count("\n") <= 120
