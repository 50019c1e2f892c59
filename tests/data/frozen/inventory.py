"""What users name: commands, flags, plug-ins, public names, metrics, fields of results, exit codes, formats.

A name that is gone has to stand in backticks under "Removed" at the top of the CHANGELOG.
"""

from __future__ import annotations

import contextlib
import io
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import frozen

import factreasoner
from factreasoner import cli
from factreasoner import files as packed_files
from factreasoner.corpus import files
from factreasoner.inputs import columns, items
from factreasoner.inputs.jsonl import TABLES
from factreasoner.plugins.table import PLUGINS

FILE = frozen.HERE / "inventory.txt"
CHANGELOG = frozen.ROOT / "CHANGELOG.md"
OF_TASKS = ("wild-fr3-table1", "recall", "rag", "verify-checked")
"""A run of each task, of which the fields are listed."""
BY_ID = {
    "predictions",
    "references",
    "dropped_contexts",
    "unread_pages",
    "p_true",
    "support",
    "together",
    "probabilities",
}
"""Fields whose keys are ids of a record, or names that are listed elsewhere."""
LISTED = {
    "config",
    "metrics",
    "versions",
    "prompts",
    "metadata",
    "mean",
    "interval_95",
    "messages",
    "first",
    "by_stage",
    "reasons",
}


def run(wanted: frozen.Frozen, out: Path) -> list[dict[str, Any]]:
    """Runs it into a folder; what is compared of it."""
    called(*wanted.arguments(out))
    rows = called("export", str(out), "--format", "jsonl", "--out", "-").splitlines() if wanted.rows else []
    return frozen.lines_of(out, [json.loads(row) for row in rows])


def called(*arguments: str) -> str:
    """What a command prints. Raises AssertionError where it refuses."""
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
        code = cli.execute(arguments)
    assert code in (0, 3), err.getvalue()
    return out.getvalue()


def live(folder: Path) -> set[str]:
    """Every name there is now; runs are made in `folder`."""
    return {" ".join(map(str, words)) for words in (*_commands(), *_names(), *_of_runs(folder), *_formats())}


def _commands() -> Iterator[tuple[str, ...]]:
    line: Any = cli._command_line()  # noqa: SLF001 - the command line as a whole
    context = line.make_context("factreasoner", ["run", "x"], resilient_parsing=True)
    yield from (("flag", "factreasoner", name) for flag in line.params for name in flag.opts)
    for name in line.list_commands(context):
        yield "command", name
        for flag in line.resolve_command(context, [name])[1].params:
            if flag.param_type_name == "argument":
                yield "argument", name, flag.name
                continue
            for option in (*flag.opts, *flag.secondary_opts):
                yield "flag", name, option
            shown = flag.display_type(context).strip("<>")
            values = shown.removeprefix("list[").removesuffix("]").split("|")
            yield from (("value", flag.opts[0], value) for value in values if "|" in shown)
    for code in re.findall(r"\b\d+\b", str(cli.__doc__).partition("Exit codes")[2]):
        yield "exit", code


def _names() -> Iterator[tuple[str, ...]]:
    yield from (("public", name) for name in factreasoner.__all__)
    yield from (("plugin", kind, name) for kind, names in PLUGINS.items() for name in names)
    for metric in json.loads(called("metrics", "--json")):
        yield "metric", metric["task"], metric["name"]


def _of_runs(folder: Path) -> Iterator[tuple[str, ...]]:
    for name in OF_TASKS:
        wanted, out = frozen.RUNS[name], folder / f"inventory-{name}"
        called(*wanted.arguments(out))
        for file in ("results.jsonl", "journal.jsonl", "summary.json", "manifest.json"):
            text = (out / file).read_text(encoding="utf-8")
            for value in map(json.loads, text.splitlines() if file.endswith("l") else [text]):
                kept = value["result"] if file == "journal.jsonl" else value
                yield from (("field", wanted.command, file, path) for path in _paths(kept))
        for table in ("atoms" if wanted.command == "run" else "claims", "records", "verdicts"):
            header = called("export", str(out), "--table", table, "--out", "-").split("\n")[0].strip()
            yield from (("column", wanted.command, table, column) for column in header.split(","))


def _paths(value: object, before: str = "") -> Iterator[str]:
    """The fields of a JSON value, `[]` for the items of a list."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield f"{before}{key}"
            if key not in LISTED | BY_ID:
                yield from _paths(item, f"{before}{key}.")
    elif isinstance(value, list):
        for item in value:
            yield from _paths(item, f"{before.removesuffix('.')}[].")


def _formats() -> Iterator[tuple[str, ...]]:
    yield from (("input", suffix) for suffix in (".jsonl", *TABLES))
    yield from (("compressed", suffix) for suffix in packed_files._FORMS)  # noqa: SLF001
    yield from (("document", suffix) for suffix in files.KINDS)
    yield from (("key", field, key) for field, keys in columns.FIELDS.items() for key in keys)
    for kind, parsed in items.KINDS.items():
        yield from (("key", kind, key) for key in parsed.model_fields)


def removed() -> set[str]:
    """Words in backticks under "Removed" in the first section of the CHANGELOG."""
    section = CHANGELOG.read_text(encoding="utf-8").partition("\n## ")[2].partition("\n## ")[0]
    told = section.partition("### Removed\n")[2].partition("\n### ")[0]
    return {word for quoted in re.findall("`([^`]+)`", told) for word in re.split(r"[\s,=|]+", quoted)}


def is_told(line: str, gone: set[str]) -> bool:
    """Whether the CHANGELOG says that a name is gone: the name itself, or the command it belongs to."""
    words = line.split(" ")
    last = words[-1].rpartition(".")[2] if words[0] == "field" else words[-1]
    return (
        last in gone
        or words[-1] in gone
        or (words[0] in ("flag", "value", "argument", "field", "column", "metric") and words[1] in gone)
    )


def stored() -> set[str]:
    """The names that the file holds."""
    return set(FILE.read_text(encoding="utf-8").splitlines()) if FILE.exists() else set()


def renewed(names: Iterable[str]) -> list[str]:
    """The names for the file: all there are, and those that are gone without a word in the CHANGELOG."""
    now, gone = set(names), removed()
    return sorted(now | {line for line in stored() - now if not is_told(line, gone)})
