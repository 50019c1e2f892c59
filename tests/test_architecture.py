"""The shape of the package: imports only go down, the public names are few, help texts are complete."""

import ast
import functools
import re
import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import Path

import pytest

import factreasoner
from factreasoner.plugins.table import PLUGINS

SRC = Path(factreasoner.__file__).parent
ROOT = Path(__file__).parents[1]
FLOORS = [
    {"errors"},
    {"files", "models"},
    {"text", "prompts", "protocols"},
    {"plugins"},
    {"settings"},
    {"metrics", "graph"},
    {"calls", "documents"},
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
MOST_FILES_OF_A_RECORD, MOST_CHANGES_OF_FILE = 97, 770
MOST_PARAMETERS = 5
MOST_LINES_OF = {"src/factreasoner": 49_500, "tests": 48_800}
"""Lines of Python: what was reached, rounded up. Delete before you add."""
LONGEST_TEST_NAME = 8
"""Words of `test_<subject>_<behaviour>`, counted after `test_`."""


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


def module_of(path):
    """The dotted name of a source file; a package has that of its folder."""
    name = ".".join(("factreasoner", *path.relative_to(SRC).with_suffix("").parts))
    return name.removesuffix(".__init__")


TABLES = {
    "factreasoner": "the public names",
    "factreasoner.plugins.table": "the plug-ins",
    "factreasoner.tasks.task": "the tasks",
    "factreasoner.documents.pdf_layout": "the words that the bundled judge's tokenizer knows",
}
"""The modules whose strings may name modules or files above them."""


def named_modules(module, tree):
    """The dotted names that a file imports, also late, for types, or by a string."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{module}: a relative import"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and module not in TABLES:
            found = re.fullmatch(r"(factreasoner(\.\w+)+)(:\w+)?", node.value)
            yield from [found[1]] if found else []
            if re.fullmatch(r"\w+/[\w/.]+", node.value) and (SRC / node.value).is_file():
                yield f"factreasoner.{node.value.replace('/', '.')}"


@functools.cache
def imports():
    """The modules that each module of the package imports."""
    modules = {module_of(path): tree for path, tree in parsed().items()}

    def target(name):
        while name not in modules and "." in name:
            name = name.rpartition(".")[0]
        return name

    return {
        module: {target(name) for name in named_modules(module, tree)}
        & modules.keys() - {module, "factreasoner"}
        for module, tree in modules.items()
    }


def part_of(module):
    """The part of a module; None for the package itself."""
    return next(iter(module.split(".")[1:2]), None)


def test_every_top_level_part_has_a_floor():
    assert {part for part in parts() if floor_of(part) is None} == set()


def test_imports_only_go_down():
    wrong = [
        f"{module} imports {target}"
        for module, targets in imports().items()
        for target in targets
        if part_of(module) in parts() and part_of(module) != part_of(target)
        if (floor_of(part_of(module)) or 0) <= (floor_of(part_of(target)) or 0)
    ]
    assert wrong == []


def test_no_circle_of_modules():
    """Modules that import no module left, or that no module left imports, are removed until none is left."""
    left, before = dict(imports()), 0
    while len(left) != before:
        before, imported = len(left), set().union(*left.values())
        left = {module: targets & left.keys() for module, targets in left.items() if module in imported}
        left = {module: targets for module, targets in left.items() if targets}
    assert left == {}


def test_parts_below_the_pipeline_take_their_own_settings():
    """Each has its model in its settings.py; none knows the model of all settings."""
    below = set().union(*FLOORS[: floor_of("pipeline") - 1])
    knowing = {
        path.relative_to(SRC).as_posix()
        for path, tree in parsed().items()
        if path.relative_to(SRC).with_suffix("").parts[0] in below
        and any(getattr(node, "id", getattr(node, "attr", None)) == "Config" for node in ast.walk(tree))
    }
    assert knowing == set()


def test_class_names_are_unique():
    """The two of one name are promised: each is what its tool calls a metric."""
    names = Counter(
        node.name.lstrip("_")
        for tree in parsed().values()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
    )
    assert {name for name, count in names.items() if count > 1} == {"FactReasonerMetric"}


COMMON = {"auto", "none", "prompt-tf"}
"""Names of plug-ins that are also values of other settings."""


def compares_plugin_name(node, names, constants):
    """Whether a plug-in's name is compared; a common one only if the kind of plug-in is named, too."""
    if not isinstance(node, ast.Compare | ast.MatchValue):
        return False
    sides = [node.value] if isinstance(node, ast.MatchValue) else [node.left, *node.comparators]
    given = [part for side in sides for part in getattr(side, "elts", getattr(side, "args", [side]))]
    texts = {getattr(part, "value", None) for part in given if isinstance(part, ast.Constant)}
    variables = {getattr(part, "id", getattr(part, "attr", None)) for part in (*sides, *given)}
    compared = names & (texts | {constants[name] for name in variables & constants.keys()})
    kinds = PLUGINS.keys() & (texts | variables)
    return bool(compared - COMMON or any(compared & {"auto", *PLUGINS[kind]} for kind in kinds))


def test_no_plugin_name_is_compared_outside_the_table():
    """What others must know of a plug-in is a field of its row, or an attribute of its class."""
    names = {"auto", *(name for known in PLUGINS.values() for name in known)}
    constants = {
        target.id: node.value.value
        for tree in parsed().values()
        for node in tree.body
        if isinstance(node, ast.Assign) and getattr(node.value, "value", None) in names
        for target in node.targets
    }
    found = {
        f"{path.relative_to(SRC).as_posix()}: {ast.unparse(node)}"
        for path, tree in parsed().items()
        if path.parent.name != "plugins"
        for node in ast.walk(tree)
        if compares_plugin_name(node, names, constants)
    }
    assert found == set()


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


@pytest.mark.parametrize("folder", MOST_LINES_OF)
def test_code_stays_within_its_lines(folder):
    files = (ROOT / folder).rglob("*.py")
    assert sum(path.read_bytes().count(b"\n") for path in files) <= MOST_LINES_OF[folder]


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


def test_long_signature_exceptions_are_all_needed():
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


def test_litellm_is_imported_in_two_modules_only():
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
    """The goals of the benchmark: files entered, and changes from one file to another.

    On a busy machine threads wait for each other, which adds to them: the least of three counts.
    """
    command = [sys.executable, "benchmarks/life_of_a_record.py"]
    for _ in range(3):
        done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT)
        entered, changes = map(int, re.findall(r"(\d+) (?:files entered|changes of file)", done.stdout))
        if changes <= MOST_CHANGES_OF_FILE:
            break
    assert 0 < entered <= MOST_FILES_OF_A_RECORD
    assert entered <= changes <= MOST_CHANGES_OF_FILE


def test_no_group_is_repeated_possessively():
    """Python 3.11.2 goes on behind what a group matched in part: behind the "a" of "ac" for `(?:ab)*+`."""
    assert files_with(r"\)(?:[*+?]|\{+\d+,\d*\}+)\+") == set()


def test_names_have_at_most_eight_words():
    names = [
        node.name
        for path in ROOT.glob("tests/**/test_*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    ]
    assert [name for name in names if name.count("_") > LONGEST_TEST_NAME] == []
