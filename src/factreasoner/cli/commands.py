"""The commands by name. One is imported when it is called: the list of all takes the import of none."""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
from importlib.resources import files
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

NAMES = (
    *("run", "recall", "rag", "verify", "show", "export", "publish", "score", "assess", "serve"),
    *("mcp", "report", "evaluate", "compare", "calibrate", "check", "metrics", "solve", "explain"),
    *("index", "doctor"),
)
"""In the order of the list. Each is the name of a module of this folder, and, capitalized, of its class."""
WITHOUT_ARGUMENTS = frozenset({"doctor", "mcp", "metrics", "serve"})
"""Commands that do something when called with nothing."""


class _Listed(TyperCommand):
    """A command in the list of all, or among the completions of a shell."""

    def get_short_help_str(self, *_: Any) -> str:
        """What the command does: the first paragraph of its docstring, whose file is read and not run."""
        source = (files(__package__) / f"{self.name}.py").read_text(encoding="utf-8")
        name = str(self.name).capitalize()
        command = next(node for node in ast.parse(source).body if getattr(node, "name", "") == name)
        assert isinstance(command, ast.ClassDef)
        return _paragraphs(ast.get_docstring(command))[0]


class Commands(TyperGroup):
    """All commands. Typer asks for their names, for what they do, and for the one that is called."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings | {"commands": {name: _Listed(name) for name in NAMES}})

    def resolve_command(self, *call: Any) -> tuple[str | None, Any, list[str]]:
        """The name of the command that is called, the command itself, and its arguments."""
        name, listed, arguments = super().resolve_command(*call)
        return name, listed and _read(str(name)), arguments


@functools.cache
def _read(name: str) -> Any:  # noqa: ANN401 - of a class that differs by the version of typer
    """The command of that name with its flags."""
    from factreasoner.cli.flags import SettingsCommand, function_of

    command = getattr(importlib.import_module(f"{__package__}.{name}"), name.capitalize())
    alone = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
    page = "\n\n".join(_paragraphs(inspect.getdoc(command)))
    shown = alone.command(cls=SettingsCommand, help=page, no_args_is_help=name not in WITHOUT_ARGUMENTS)
    shown(function_of(command))
    return typer.main.get_command(alone)


def _paragraphs(docstring: str | None) -> list[str]:
    """Without line ends: the terminal's width says where lines end."""
    return [" ".join(paragraph.split()) for paragraph in (docstring or "").split("\n\n")]
