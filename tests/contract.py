"""What users are promised, `tests/data/contract.txt`, and what of it there is.

A line is `section: names`, or goes on with the names of the line before. A name after + is not there yet.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import frozen
from loops import run_apart

import factreasoner
from factreasoner import cli
from factreasoner import files as packed_files
from factreasoner.analysis.rules import parse_rules
from factreasoner.corpus import files
from factreasoner.corpus.embeddings import Embedding
from factreasoner.inputs import columns, items
from factreasoner.inputs.jsonl import TABLES
from factreasoner.integrations.mcp_server import tools_of
from factreasoner.models import Verdict
from factreasoner.pipeline.config import Config
from factreasoner.plugins.table import PLUGINS
from factreasoner.runs.manifest import LEARNT
from factreasoner.serve.answers import ServiceSettings
from factreasoner.serve.app import Access, RequestLimits, Service
from factreasoner.serve.queue import Queue
from factreasoner.tasks.factuality import TASK
from factreasoner.tasks.verify.result import VerifiedClaim

FILE = frozen.ROOT / "tests" / "data" / "contract.txt"
OF_TASKS = ("wild-fr3-table1", "wild-k3", "wild-independence", "recall", "rag", "verify-checked")
"""Runs whose files are looked into."""
Names = dict[str, set[str]]
"""Section -> its names."""


def promised(text: str) -> Names:
    """What the file promises: `flags run show` are two sections."""
    found: Names = defaultdict(set)
    for line in text.replace("\n    ", " ").splitlines():
        if not line or line[0] == "#":
            continue
        head, names = line.split(":")
        kind, *subjects = head.split()
        for subject in subjects or [""]:
            found[f"{kind} {subject}".strip()] |= set(names.split())
    return _with_flags_of_settings(found)


def _with_flags_of_settings(names: Names) -> Names:
    flags: Names = defaultdict(set)
    for section, groups in names.items():
        if section.startswith("takes "):
            command = section.removeprefix("takes ")
            lacking = names.get(f"lacks {command}", set())
            without = {group[1:] for group in groups if group[0] == "-"}
            for group in {group for group in groups if group[0] != "-"}:
                for setting in names[f"settings {group}"] - without:
                    name = setting.removeprefix("+")
                    absent = name in lacking or name != setting
                    flags[f"flags {command}"].add("+" * absent + "--" + name.replace("_", "-"))
    kept = {s: n for s, n in names.items() if not s.startswith(("takes ", "lacks "))}
    return kept | {section: kept[section] | more for section, more in flags.items()}


PROMISED = promised(FILE.read_text(encoding="utf-8"))
NAMES = set().union(*PROMISED.values())


def run(wanted: frozen.Frozen, out: Path) -> list[dict[str, Any]]:
    """Runs it into a folder; what is compared of it."""
    called(*wanted.arguments(out))
    rows = called("export", str(out), "--format", "jsonl", "--out", "-").splitlines() if wanted.rows else []
    return frozen.lines_of(out, [json.loads(row) for row in rows])


def live(folder: Path) -> Names:
    """What there is; runs are made in `folder`."""
    found: Names = defaultdict(set)
    for section, name in (*_commands(), *_python(), *_runs(folder), *_formats()):
        found[section].add(name)
    return found


def called(*arguments: str) -> str:
    """What a command prints. Raises AssertionError where it refuses."""
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
        code = cli.execute(arguments)
    assert code in (0, 3), err.getvalue()
    return out.getvalue()


def _commands() -> Iterator[tuple[str, str]]:
    line: Any = cli._command_line()  # noqa: SLF001 - the command line as a whole
    context = line.make_context("factreasoner", ["run", "x"], resilient_parsing=True)
    yield from (("flags factreasoner", name) for flag in line.params for name in flag.opts)
    for name in line.list_commands(context):
        yield "commands", name
        command = line.resolve_command(context, [name])[1]
        for flag in command.get_params(context):
            if flag.param_type_name == "argument":
                continue
            yield from ((f"flags {name}", option) for option in (*flag.opts, *flag.secondary_opts))
            shown = flag.display_type(context) if hasattr(flag, "display_type") else ""
            values = shown.strip("<>").removeprefix("list[").removesuffix("]").split("|")
            yield from ((f"values {flag.opts[0]}", value) for value in values if len(values) > 1)
    for code in re.findall(r"\b\d+\b", str(cli.__doc__).partition("Exit codes")[2]):
        yield "exit codes", code
    for metric in json.loads(called("metrics", "--json")):
        yield f"metrics {metric['task']}", metric["name"]


def _python() -> Iterator[tuple[str, str]]:
    groups = {section for section in PROMISED if section.startswith("settings ")}
    yield from ((group, name) for group in groups for name in (*Config.model_fields, "store"))
    yield from ((f"plugins {kind}", name) for kind, names in PLUGINS.items() for name in names)
    yield from (("factreasoner", name) for name in factreasoner.__all__)
    for module in ("models", "errors"):
        for name in vars(importlib.import_module(f"factreasoner.{module}")):
            yield f"factreasoner.{module}", name
    protocols = importlib.import_module("factreasoner.protocols")
    for kind in (*vars(protocols).values(), Embedding):
        if isinstance(kind, type):
            yield from (("methods", f"{kind.__name__}.{name}") for name in vars(kind))
            yield from (("fields", f"{kind.__name__}.{name}") for name in getattr(kind, "_fields", ()))


def _runs(folder: Path) -> Iterator[tuple[str, str]]:
    examples = frozen.ROOT / "examples"
    more = ("--coherence", "--credibility", str(examples / "credibility.csv"), "--unlisted", "neutral")
    coherent = examples / "coherence.jsonl", examples / "coherence_relations.jsonl"
    runs = [*(frozen.RUNS[name] for name in OF_TASKS), frozen.Frozen("run", *coherent, more)]
    for number, wanted in enumerate(runs):
        out = folder / str(number)
        called(*wanted.arguments(out))
        for file in ("results", "journal"):
            for line in (out / f"{file}.jsonl").read_text(encoding="utf-8").splitlines():
                section = f"{file} {wanted.command}" if file == "results" else file
                yield from ((section, key) for key in json.loads(line))
        for file in ("summary", "manifest"):
            yield from ((file, key) for key in json.loads((out / f"{file}.json").read_text(encoding="utf-8")))
        for table in ("atoms" if wanted.command == "run" else "claims", "records", "verdicts"):
            header = called("export", str(out), "--table", table, "--out", "-").split("\n")[0].strip()
            yield from ((f"table {table}", column) for column in header.split(","))
    yield from (("manifest", key) for key in LEARNT)
    yield from (("verdict", name) for name in Verdict.model_fields)
    yield from (("claim", name) for name in VerifiedClaim.model_fields)


def _formats() -> Iterator[tuple[str, str]]:
    yield from (("records", suffix) for suffix in (".jsonl", *TABLES))
    yield from (("compressed", suffix) for suffix in packed_files._FORMS)  # noqa: SLF001
    yield from (("documents", suffix) for suffix in files.KINDS)
    yield from ((f"keys {field}", key) for field, keys in columns.FIELDS.items() for key in keys)
    yield from ((f"keys {kind}", key) for kind, parsed in items.KINDS.items() for key in parsed.model_fields)
    terms = ServiceSettings(Config(), tuple(parse_rules(["precision=0.8"], (), TASK)), max_pairs=1)
    service = Service(terms, Queue(terms, 1, 1), Access.of("127.0.0.1", [], None), RequestLimits(), print)
    yield from (("http", path) for path in service._routes)  # noqa: SLF001
    yield from (("mcp", tool.name) for tool in run_apart(tools_of(Config()).list_tools()))
    for file in (frozen.ROOT / "src" / "factreasoner" / "integrations").glob("*.py"):
        for name in re.findall(r"^(?:class|def) (\w+)", file.read_text(encoding="utf-8"), re.MULTILINE):
            yield "integrations", f"{file.stem}.{name}"
