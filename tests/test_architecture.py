"""The shape of the package: imports only go down, the public names are few, help texts are complete."""

import ast
import functools
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import factreasoner

SRC = Path(factreasoner.__file__).parent
ROOT = Path(__file__).parents[1]
FLOORS = [
    {"errors"},
    {"files", "models"},
    {"text", "prompts", "metrics", "graph", "protocols"},
    {"plugins"},
    {"settings"},
    {"calls"},
    {"llm", "web", "solvers"},
    {"atoms", "corpus", "judges"},
    {"retrieval", "assessors", "explanations", "inputs"},
    {"pipeline"},
    {"tasks"},
    {"runs"},
    {"analysis", "report"},
    {"api", "serve", "integrations"},
    {"cli"},
]
"""The parts of the package, from the ground up. A part imports from the floors below it, never from its own.

So there is no circle: an import that closes one goes up, or stays on its floor.
"""
MOST_LINES = 50
MOST_FILES_OF_A_RECORD, MOST_CHANGES_OF_FILE = 99, 790
MOST_PARAMETERS = 5


def floor_of(part):
    """Counted from 1; None for a part that nothing names."""
    return next((floor for floor, parts in enumerate(FLOORS, start=1) if part in parts), None)


@functools.cache
def parsed():
    """Every source file with its syntax tree."""
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(SRC.rglob("*.py"))}


@functools.cache
def parts():
    """The names at the top of the package; a folder without a source file is none."""
    names = {path.relative_to(SRC).with_suffix("").parts[0] for path in parsed()}
    return names - {"__init__", "__main__"}


@functools.cache
def imports():
    """(file, its part, the part it imports from), late imports and those for types included."""
    found = []
    for path, tree in parsed().items():
        part = path.relative_to(SRC).with_suffix("").parts[0]
        for node in ast.walk(tree):
            modules = []
            if isinstance(node, ast.ImportFrom):
                modules = [node.module or ""]
                if node.module == "factreasoner":
                    modules = [f"factreasoner.{alias.name}" for alias in node.names]
            elif isinstance(node, ast.Import):
                modules = [alias.name for alias in node.names]
            targets = {m.split(".")[1] for m in modules if m.startswith("factreasoner.")} & parts()
            if part in parts():
                found += [(path.relative_to(SRC).as_posix(), part, target) for target in targets - {part}]
    return found


def test_nothing_stands_at_the_top_that_the_table_does_not_name():
    assert {part for part in parts() if floor_of(part) is None} == set()


def test_imports_only_go_down():
    wrong = [
        f"{file}: {part} imports {target}"
        for file, part, target in imports()
        if (floor_of(part) or 0) <= (floor_of(target) or 0)
    ]
    assert wrong == []


def functions(tree):
    """Every function of a file, inner ones and methods included."""
    return [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]


def files_with(pattern):
    """The files of the package in which a regular expression is found."""
    return {
        path.relative_to(SRC).as_posix()
        for path in SRC.rglob("*.py")
        if re.search(pattern, path.read_text(encoding="utf-8"))
    }


def test_functions_are_short():
    long = {
        f"{path.relative_to(SRC).as_posix()}: {function.name}"
        for path, tree in parsed().items()
        for function in functions(tree)
        if function.end_lineno - function.lineno >= MOST_LINES
    }
    assert long == set()


def parameters(function):
    """How many parameters a function has, `self` and `cls` left out, as ruff's PLR0913 counts them."""
    given = function.args
    names = [argument.arg for argument in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
    return len([name for name in names if name not in ("self", "cls")])


def test_files_with_long_signatures_are_only_those_that_need_to_be():
    """The files for which ruff does not hold to five parameters; a file that needs it no more is left out."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["ruff"]["lint"]
    assert settings["pylint"]["max-args"] == MOST_PARAMETERS
    ignored = settings["per-file-ignores"].items()
    files = [name for name, rules in ignored if "PLR0913" in rules and not name.startswith("tests/")]
    trees = {name: ast.parse((ROOT / name).read_text(encoding="utf-8")) for name in files}
    idle = {
        name
        for name, tree in trees.items()
        if max(map(parameters, functions(tree)), default=0) <= MOST_PARAMETERS
    }
    assert idle == set(), "no longer needed: leave PLR0913 out for them in pyproject.toml"


def test_contributing_shows_every_part_and_no_other():
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rows = re.findall(r"^ {6}\S.*", page.partition("src/factreasoner/\n")[2], re.MULTILINE)
    shown = {name for row in rows for name in re.findall(r"(\S+)(?:\.py|/)\s", row)}
    assert {name for name in shown if "/" not in name} == parts()
    assert all((SRC / name).is_dir() for name in shown if "/" in name)


def test_litellm_is_imported_where_models_are_asked_and_for_its_own_proxy():
    users = {
        path.relative_to(SRC).as_posix()
        for path, tree in parsed().items()
        for node in ast.walk(tree)
        if (isinstance(node, ast.Import) and any(a.name.split(".")[0] == "litellm" for a in node.names))
        or (isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "litellm")
    }
    assert users == {"llm/transport.py", "integrations/litellm_guardrail.py"}


def test_text_reaches_a_terminal_in_one_way():
    """Nothing else prints, or makes a console that shows text as it is."""
    printing = r"(?<![\w.])(Console|typer\.echo|typer\.secho|sys\.std(out|err)\.write)\("
    assert files_with(printing) == {"report/terminal.py"}


def test_public_names_lead_somewhere():
    for name in factreasoner.__all__:
        assert getattr(factreasoner, name).__name__ == name
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = factreasoner.nothing


def test_help_imports_nothing_heavy():
    heavy = {"pydantic", "litellm", "numpy", "pgmpy", "pyagrum", "sklearn", "chromadb"}
    code = f"import sys, factreasoner.cli; print(sorted({heavy} & sys.modules.keys()))"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == "[]\n"


def test_one_record_passes_few_files():
    """The goals of the benchmark: files entered, and changes from one file to another."""
    command = [sys.executable, "benchmarks/life_of_a_record.py"]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT)
    entered, changes = map(int, re.findall(r"(\d+) (?:files entered|changes of file)", done.stdout))
    assert 0 < entered <= MOST_FILES_OF_A_RECORD
    assert entered <= changes <= MOST_CHANGES_OF_FILE


def test_no_group_is_repeated_possessively():
    """Python 3.11.2 goes on behind what a group matched in part: behind the "a" of "ac" for `(?:ab)*+`."""
    assert files_with(r"\)(?:[*+?]|\{+\d+,\d*\}+)\+") == set()
