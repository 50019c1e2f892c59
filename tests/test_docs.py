"""The pages in docs/ say what the files hold, and lead to pages there are."""

import ast
import json
import os
import re
import shlex
import subprocess
import sys
import textwrap
import tomllib
from pathlib import Path

import pytest
import typer
from printed import holds

import factreasoner
from factreasoner import cli
from factreasoner.cli import execute
from factreasoner.tasks.task import task_named

ROOT = Path(__file__).parents[1]
FILES = (ROOT / "docs/files.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("task", ["run", "recall", "rag", "verify"])
def test_every_run_folder_key_is_documented(task, tmp_path):
    data = {"run": "conflict", "verify": "cited"}.get(task, task)
    folder = tmp_path / "out"
    assert execute([task, str(ROOT / f"examples/{data}.jsonl"), "--out", str(folder), "--quiet"]) == 0
    (first, *_) = (folder / "results.jsonl").read_text(encoding="utf-8").splitlines()
    keys = {"manifest.json": json.loads((folder / "manifest.json").read_text(encoding="utf-8"))}
    keys["results.jsonl"] = json.loads(first)
    named = set(re.findall(r"`(\w+)`", FILES))
    if task == "rag":  # its row says "every metric"
        named |= set(task_named(task).table.metrics)
    for name, found in keys.items():
        unnamed = {key for key in found if key.removeprefix("corrected_") not in named}
        assert not unnamed, f"{name} of {task}"
    assert keys["manifest.json"]["format"] == 3


def test_the_table_of_dependencies_names_every_one():
    """Those that are declared, and those that the package imports without declaring them."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    optional = project["project"]["optional-dependencies"].values()
    groups = project["dependency-groups"].values()
    declared = [line for lines in (project["project"]["dependencies"], *optional, *groups) for line in lines]
    wanted = {re.match(r"[\w.-]+", line)[0] for line in declared}
    imported = {
        name.split(".")[0]
        for path in (ROOT / "src").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        for name in _imports(node)
    }
    other_names = {
        "charset_normalizer": "charset-normalizer",
        "huggingface_hub": "huggingface-hub",
        "inspect_ai": "inspect-ai",
        "markdown_it": "markdown-it-py",
        "pdf_oxide": "pdf-oxide",
        "yaml": "pyyaml",
    }
    own = {"factreasoner", "merlin_bridge", "compression", "backports"}
    wanted |= {other_names.get(name, name) for name in imported - own - set(sys.stdlib_module_names)}
    rows = re.findall(r"^\|([^|]+)\|", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert not wanted - set(re.findall(r"[\w.-]+", " ".join(rows)))


def _imports(node):
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [node.module] if isinstance(node, ast.ImportFrom) and node.module else []


@pytest.mark.parametrize(
    "page", sorted([*ROOT.glob("*.md"), *ROOT.glob("*/*.md")]), ids=lambda page: page.name
)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), target


DOCS = sorted((ROOT / "docs").glob("*.md"))


def navigated(nav):
    """The pages of a navigation, in its order."""
    for entry in nav:
        for target in entry.values():
            yield from navigated(target) if isinstance(target, list) else [target]


def anchors(page):
    """What the headings of a page are linked by."""
    prose = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    for heading in re.findall(r"^#+ (.*)$", prose, re.MULTILINE):
        yield re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", heading).strip().lower())


def test_every_page_is_in_navigation_once():
    site = tomllib.loads((ROOT / "zensical.toml").read_text(encoding="utf-8"))["project"]
    assert sorted(navigated(site["nav"])) == [page.name for page in DOCS]


@pytest.mark.parametrize("page", DOCS, ids=lambda page: page.name)
def test_site_links_stay_inside_and_reach_headings(page):
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        name, _, anchor = target.partition("#")
        if "://" not in target:
            other = page.with_name(name or page.name)
            assert name == other.name * bool(name), target
            assert not anchor or anchor in anchors(other), target


def test_api_page_lists_every_public_name():
    page = (ROOT / "docs/api.md").read_text(encoding="utf-8")
    named = set(re.findall(r"^::: factreasoner\.([a-z_]+|[A-Z]\w+)$", page, re.MULTILINE))
    assert named - {"errors"} == set(factreasoner.__all__) - {"Config"}
    for name in named - {"errors"}:
        said = getattr(factreasoner, name).__doc__
        assert not re.search(r":(class|func|meth):|::$", said, re.MULTILINE), name


def test_demo_shows_errors_and_next_commands(tmp_path):
    program = tmp_path / "factreasoner"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m factreasoner "$@"\n')
    program.chmod(0o755)
    make = ["make", "-C", tmp_path, "-f", ROOT / "Makefile", "--old-file=install", f"BIN={tmp_path}", "-s"]
    path = f"{tmp_path}:{os.environ['PATH']}"
    environment = os.environ | {"PATH": path, "COLUMNS": "80", "PYTHONPATH": str(ROOT / "src")}
    unused = environment | {"FACTREASONER_MODEL": "openai/unused", "FACTREASONER_RETRIEVER": "web"}
    printed = subprocess.run([*make, "demo"], env=unused, capture_output=True, text=True, check=True)
    shown = printed.stdout
    quoted = r'^0\.\d+ +contradicted .*?c\d+ \(.*?\): *"'
    assert len(re.findall(quoted, shown, re.MULTILINE | re.DOTALL)) == 3
    assert 0.6 < float(re.search(r"supported atoms: (0\.\d+)  \[", shown)[1]) < 0.9  # people say 0.718
    assert "By human labels, all three are planted errors." in shown
    called_false = re.search(r"(\d+) of 40 planted errors, and (\d+) of 102 right", shown)
    assert int(called_false[1]) > int(called_false[2])
    assert (shown + printed.stderr).count("\n") <= 45
    assert (tmp_path / "runs/demo/report.html").exists()
    commands = "set -e; " + "\n".join(re.findall(r"^  ((?:factreasoner|printf) .*)", shown, re.MULTILINE))
    done = subprocess.run(
        ["sh", "-c", commands], cwd=tmp_path, env=environment, capture_output=True, check=True
    )
    assert done.stdout.count(b"contradicted") == 2


def test_report_prints_the_page_sample(bundled_judge, tmp_path):
    assert execute(["demo", "--out", str(tmp_path / "demo")]) == 0
    out = tmp_path / "brief.md"
    assert execute(["report", str(tmp_path / "demo"), "--format", "md", "--out", str(out)]) == 0
    page = (ROOT / "docs/results.md").read_text(encoding="utf-8")
    sample = re.search(
        r"^ {4}factreasoner .*--format md .*--out.*\n\n((?: {4}.*\n|\n)+)", page, re.MULTILINE
    )[1]
    brief = out.read_text(encoding="utf-8")
    assert holds(brief, textwrap.dedent(sample).splitlines()), brief


SHELLS = ("|", ">", "<", "&&", ";", "2>")


def commands(page):
    """The arguments of each command of a page, without what a shell does behind it."""
    text = re.sub(r"\\\n\s*", " ", page.read_text(encoding="utf-8"))
    fenced = "\n".join(re.findall(r"^```.*?^```$", text, re.DOTALL | re.MULTILINE))
    shown = [*re.findall(r"^ {4}(.*)$", text, re.MULTILINE), *fenced.splitlines()]
    for line in shown:
        if re.match(r"(?:[A-Z_]+=\S+ )*factreasoner ", line):
            words = shlex.split(line, comments=True)
            ends = [n for n, word in enumerate(words) if word.startswith(SHELLS)]
            yield words[words.index("factreasoner") + 1 : ends[0] if ends else None]


@pytest.mark.parametrize("page", [ROOT / "README.md", *DOCS], ids=lambda page: page.name)
def test_documented_commands_parse(page):
    group = typer.main.get_command(cli.app)
    for words in commands(page):
        with group.make_context("factreasoner", words[:1]) as context:
            name, command, _ = group.resolve_command(context, words[:1])
            command.make_context(name, words[1:]).close()


CHECKED = ["concepts", "deploy", "inference", "plugins", "results", "run", "tutorial"]


def test_python_of_pages_passes_mypy(tmp_path):
    for page in (ROOT / "README.md", *(ROOT / f"docs/{name}.md" for name in CHECKED)):
        text = page.read_text(encoding="utf-8")
        for n, code in enumerate(re.findall(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)):
            named = re.match(r"# (\w+)\.py\n", code)
            (tmp_path / f"{named[1] if named else page.stem + str(n)}.py").write_text(code, encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--follow-imports=silent",
        "--ignore-missing-imports",
    ]
    environment = os.environ | {"MYPYPATH": str(ROOT / "src")}
    done = subprocess.run([*command, "."], cwd=tmp_path, env=environment, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout.decode()
