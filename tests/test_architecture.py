"""The shape of the package: imports only go down, the public names are few, help texts are complete."""

import ast
import functools
import re
import subprocess
import sys
from pathlib import Path

import pytest

import factreasoner

SRC = Path(factreasoner.__file__).parent
LAYERS = [
    {"cli", "batch", "integrations"},
    {"analysis", "report"},
    {"runs"},
    {"tasks"},
    {"pipeline", "assembly", "rescoring", "calibration", "explanations", "inputs"},
    {"evaluators"},
    {"atoms", "judges", "graph", "solvers", "retrieval", "metrics"},
    {"llm", "prompts", "text"},
    {"plugins", "compression", "compact"},
    {"settings"},
    {"registry"},
    {"models", "errors", "choices", "protocols", "stack"},
]
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}
METRICS_MAY_IMPORT = {"metrics", "models", "errors", "choices", "compact"}


@functools.cache
def parsed():
    """Every source file with its syntax tree."""
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(SRC.rglob("*.py"))}


@functools.cache
def imports():
    """(file, its room, the room it imports from at run time) for every import inside the package."""
    found = []
    for path, tree in parsed().items():
        parts = path.relative_to(SRC).with_suffix("").parts
        typing_only = {
            inner
            for node in ast.walk(tree)
            if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
            for inner in ast.walk(node)
        }
        for node in ast.walk(tree):
            if node in typing_only:
                continue
            modules = []
            if isinstance(node, ast.ImportFrom) and node.module:
                modules = [node.module]
                if node.module == "factreasoner":
                    modules = [f"factreasoner.{alias.name}" for alias in node.names]
            elif isinstance(node, ast.Import):
                modules = [alias.name for alias in node.names]
            for module in modules:
                if module.startswith("factreasoner."):
                    found.append((path.relative_to(SRC), parts[0], module.split(".")[1]))
    return found


def test_imports_only_go_down():
    wrong = [
        f"{path}: {room} imports {target}"
        for path, room, target in imports()
        if room in LEVEL and target in LEVEL and LEVEL[room] > LEVEL[target]
    ]
    assert wrong == []


def test_every_room_has_a_level():
    rooms = {p.stem for p in SRC.iterdir() if p.suffix == ".py" or (p / "__init__.py").exists()}
    assert rooms - {"__init__", "__main__"} <= LEVEL.keys()


def test_contributing_shows_every_room_and_no_other():
    page = (Path(__file__).parents[1] / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rows = re.findall(r"^ {6}\S.*", page.partition("src/factreasoner/\n")[2], re.MULTILINE)
    shown = {name for row in rows for name in re.findall(r"(\S+)(?:\.py|/)\s", row)}
    assert {name for name in shown if "/" not in name} == LEVEL.keys()
    assert all((SRC / name).is_dir() for name in shown if "/" in name)


def test_metrics_import_only_models():
    wrong = {(str(p), t) for p, room, t in imports() if room == "metrics" and t not in METRICS_MAY_IMPORT}
    assert wrong == set()


def test_litellm_is_imported_in_one_file():
    users = {
        path.relative_to(SRC).as_posix()
        for path, tree in parsed().items()
        for node in ast.walk(tree)
        if (isinstance(node, ast.Import) and any(a.name.split(".")[0] == "litellm" for a in node.names))
        or (isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "litellm")
    }
    assert users == {"llm/litellm_provider.py"}


def test_text_reaches_a_terminal_in_one_way():
    """Nothing else prints, or makes a console that shows text as it is."""
    printing = re.compile(r"(?<![\w.])(Console|typer\.echo|typer\.secho|sys\.std(out|err)\.write)\(")
    users = {
        path.relative_to(SRC).as_posix()
        for path in SRC.rglob("*.py")
        if printing.search(path.read_text(encoding="utf-8"))
    }
    assert users == {"cli/terminal.py"}


def test_public_names():
    assert set(factreasoner.__all__) == {
        "Assessment",
        "Atom",
        "Config",
        "Context",
        "FactReasonerError",
        "Failure",
        "Pipeline",
        "Record",
        "RecallResult",
        "Run",
        "ScoredRag",
        "ScriptedLLM",
        "VerifyResult",
        "aassess",
        "assess",
        "assess_many",
        "build_pipeline",
        "factuality",
        "load_config",
        "rag",
        "recall",
        "verify",
    }
    for name in factreasoner.__all__:
        assert getattr(factreasoner, name).__name__ == name
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = factreasoner.nothing


def test_help_imports_nothing_heavy():
    heavy = {"pydantic", "litellm", "numpy", "pgmpy", "pyagrum", "sklearn", "chromadb"}
    code = f"import sys, factreasoner.cli; print(sorted({heavy} & sys.modules.keys()))"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == "[]\n"
