"""Every block of the README and of the tutorial runs and prints what it shows, but for `...`."""

import contextlib
import io
import re
import subprocess
from pathlib import Path

import pytest
from command import on_path
from printed import holds

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = {name: ROOT / name for name in ("README.md", "docs/tutorial.md")}
WITH_PYTHON = [*PAGES, "docs/concepts.md", "docs/verify.md"]
MOST_LINES, MOST_WORDS = 110, 15_000
GENERATED = {"settings.md", "cli.md", "metrics.md", "benchmarks.md"}


def commands(page):
    """The commands of a page's console blocks, each with the lines it prints."""
    text = page.read_text(encoding="utf-8")
    for block in re.findall(r"^```console\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
        for part in re.split(r"^\$ ", block.replace("\\\n", ""), flags=re.MULTILINE)[1:]:
            command, *printed = part.splitlines()
            yield command, printed


@pytest.mark.parametrize("page", PAGES)
def test_commands_print_what_the_page_shows(page, tmp_path):
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    environment = {"PATH": on_path(tmp_path / "bin"), "HOME": str(tmp_path), "COLUMNS": "80"}
    for command, expected in commands(PAGES[page]):
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            env=environment,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        printed = done.stdout + done.stderr
        assert holds(printed, expected), printed


@pytest.mark.parametrize("page", WITH_PYTHON)
@pytest.mark.parametrize("parsed", [True, False])
def test_python_prints_what_the_page_shows(bundled_judge, parsed, page, request):
    _ = parsed or request.getfixturevalue("whole_sentences")
    text = (ROOT / page).read_text(encoding="utf-8")
    ((code, printed),) = re.findall(
        r"^```python\n(.*?)^```\n\n```\n(.*?)^```$", text, re.DOTALL | re.MULTILINE
    )
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(code, page, "exec"), {})
    assert out.getvalue() == printed


def test_make_targets_of_the_page_exist():
    for target in re.findall(r"^    make (\w+)", README, re.MULTILINE):
        make = ["make", "--dry-run", "--old-file=install", target]
        assert subprocess.run(make, cwd=ROOT, capture_output=True, check=False).returncode == 0
    assert README.count("\n") <= MOST_LINES


def test_pages_stay_short():
    pages = [ROOT / "README.md", *(p for p in (ROOT / "docs").glob("*.md") if p.name not in GENERATED)]
    assert sum(len(page.read_text(encoding="utf-8").split()) for page in pages) <= MOST_WORDS
