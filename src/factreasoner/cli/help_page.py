"""The help of a command: `--help` with the settings people use most, `--help-all` with every one."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from pathlib import Path
from types import NoneType
from typing import Any, Literal, get_args, get_origin

from typer.core import TyperCommand

from factreasoner.cli.flags import FEW, HELP_ALL
from factreasoner.settings import Config
from factreasoner.settings.setting import help_of, setting_of

_KINDS: Mapping[Any, str] = {bool: "", int: "N", float: "NUMBER", str: "TEXT", Path: "PATH"}


class SettingsCommand(TyperCommand):
    """A command whose help tells the defaults of settings.

    A flag that is too long for its column has a line of its own: one that is cut can't be typed.
    """

    def format_help(self, *page: Any) -> None:
        """Write the help page of the command; typer calls it, with its context and formatter, for --help."""
        context, formatter = page
        self.format_usage(context, formatter)
        self.format_help_text(context, formatter)
        sections, left_out = self._sections(whole=context.meta.get(HELP_ALL, False))
        for section, rows in sections.items():
            if rows:
                with formatter.section(section):
                    formatter.write_dl(rows)
        if left_out:
            everything = f"{context.command_path} --help-all"
            formatter.write_paragraph()
            told = " A YAML profile can hold each." * any(param.name == "profile" for param in self.params)
            formatter.write_text(f"{left_out} more settings: {everything}.{told}")

    def collect_usage_pieces(self, *page: Any) -> list[str]:
        """What stands behind the command's name in the line on how it is used; typer calls it."""
        arguments = [param for param in self.params if param.param_type_name == "argument"]
        return ["[OPTIONS]", *(_placed(_argument(param), param) for param in arguments)]

    def _sections(self, *, whole: bool) -> tuple[dict[str, list[tuple[str, str]]], int]:
        """The rows of each section, and how many settings are left out."""
        kinds = inspect.signature(self.callback, eval_str=True).parameters if self.callback else {}
        found: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
        settings = [param for param in self.params if getattr(param, "rich_help_panel", None)]
        short = not whole and len(settings) > FEW
        left_out = 0
        for param in self.params:
            names = _flags(param, kinds[param.name].annotation if param.name in kinds else bool)
            if param.param_type_name == "argument":
                found["Arguments"].append((_argument(param), _about(param)))
            elif param not in settings:
                found["Options"].append((names, _about(param)))
            elif short and not setting_of(Config.model_fields[str(param.name)]).common:
                left_out += 1
            else:
                field = Config.model_fields[str(param.name)]
                section = "Settings" if short else setting_of(field).panel
                found.setdefault(section, []).append((names, help_of(field)))
        found["Options"].append(("--help", "Show this page, and exit."))
        return found, left_out


def _argument(param: Any) -> str:  # noqa: ANN401 - of a class that differs by the version of typer
    return str(param.metavar or param.name).upper()


def _placed(name: str, param: Any) -> str:  # noqa: ANN401 - likewise
    """An argument as it is typed: with dots where several may stand, in brackets where it may be left out."""
    several = name if param.nargs == 1 or "..." in name else f"{name}..."
    return several if param.required else f"[{several}]"


def _about(param: Any) -> str:  # noqa: ANN401 - likewise
    return str(param.help or "") + (" [required]" if param.required else "")


def _flags(param: Any, kind: object) -> str:  # noqa: ANN401 - likewise
    names = [*sorted(param.opts, key=len), *param.secondary_opts]
    return f"{', '.join(names)} {param.metavar or _kind_in_words(kind)}".rstrip()


def _kind_in_words(annotation: object) -> str:
    """What a flag of that type takes: N, TEXT, a|b, or nothing for a flag that is on or off."""
    kind = annotation
    while get_origin(kind) is not None and get_origin(kind) is not Literal:
        kind = next(part for part in get_args(kind) if part is not NoneType)
    if get_origin(kind) is Literal:
        return "|".join(map(str, get_args(kind)))
    return _KINDS.get(kind, "TEXT")
