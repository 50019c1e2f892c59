"""The commands by name. One is imported when it is called: the help of all takes the import of none."""

from __future__ import annotations

import functools
import importlib
import inspect
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

ABOUT: Mapping[str, str] = MappingProxyType(
    {
        "run": "Assess every record of DATA. The same command again resumes where the last one stopped.",
        "recall": "Judge which facts each answer states: those the record brings, or those made from its "
        "reference.",
        "rag": "Judge retrieval-augmented answers claim by claim, against their contexts and a reference.",
        "verify": "Hold each claim of cited answers against the sources it cites, and correct the answers.",
        "show": "Show the atoms or claims of a finished run of any task, with labels, quotes and their "
        "sources.",
        "export": "Write a table of a finished run to a file, row by row.",
        "publish": "Send the scores of a finished run to where the traces of its answers are kept.",
        "score": "Score a finished run with another K, prior, factor table, calibration or solver, or "
        "corrected verdicts.",
        "assess": "Assess one response against passages of evidence, atom by atom.",
        "serve": "Serve assess, verify, rag and recall over HTTP, and with --min a check that allows or "
        "refuses answers.",
        "mcp": "Offer agents the tools assess and verify, over the Model Context Protocol.",
        "report": "Write finished runs as one HTML page: which sentences to distrust, why, with the quotes.",
        "evaluate": "Score a finished run, over all and by group; the atoms of `run` need human labels.",
        "compare": "Compare runs over the same records: scores, paired intervals of differences, tests, "
        "cost.",
        "calibrate": "Fit verdicts (--relations, --corrections) or posteriors to labels.",
        "check": "Hold a finished run against rules: exit code 0 when all are kept, 4 when one is not.",
        "metrics": "List every metric: its name in summaries and rules, which way is better, what it needs "
        "and means.",
        "solve": "Compute P(true) of every node of FILE, or the distribution of every variable.",
        "explain": "Say which contexts moved each atom, which would flip it, and where its evidence "
        "disagrees.",
        "index": "Put your documents into a collection, for --retriever corpus. Unchanged files are skipped.",
        "doctor": "Check the installation, the keys, the cache and, with --model, how many facts a call it "
        "takes.",
    }
)
"""What each command does, as its own help begins; its module and its function have its name."""

WITHOUT_ARGUMENTS = frozenset({"doctor", "mcp", "metrics", "serve"})
"""Commands that do something when called with nothing."""


class Commands(TyperGroup):
    """All commands. Typer asks for their names, for what they do, and for the one that is called."""

    def __init__(self, **settings: Any) -> None:
        listed = {name: TyperCommand(name, short_help=about) for name, about in ABOUT.items()}
        super().__init__(**settings | {"commands": listed})

    def resolve_command(self, *call: Any) -> tuple[str | None, Any, list[str]]:
        """The name of the command that is called, the command itself, and its arguments."""
        name, listed, arguments = super().resolve_command(*call)
        return name, listed and _read(str(name)), arguments


@functools.cache
def _read(name: str) -> Any:  # noqa: ANN401 - of a class that differs by the version of typer
    """The command of that name with its flags."""
    from factreasoner.cli.help_page import SettingsCommand

    function = getattr(importlib.import_module(f"factreasoner.cli.{name}"), name)
    alone = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
    alone.command(cls=SettingsCommand, help=_page(function), no_args_is_help=name not in WITHOUT_ARGUMENTS)(
        function
    )
    return typer.main.get_command(alone)


def _page(command: Any) -> str:  # noqa: ANN401 - a function of any arguments
    """The docstring's paragraphs without line ends: the terminal's width says where lines end."""
    paragraphs = (inspect.getdoc(command) or "").split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)
