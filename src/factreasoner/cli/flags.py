"""A decorator that gives a command the flags of settings."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection
from typing import Annotated, Any, Literal, get_args, get_origin

import typer
from pydantic.fields import FieldInfo

from factreasoner.cli.options import as_flag, taking
from factreasoner.report.terminal import say
from factreasoner.settings import Config
from factreasoner.settings.expectations import kinds_of
from factreasoner.settings.setting import setting_of
from factreasoner.settings.sources import flag_of

FEW = 12
"""So many settings are all shown on a command's help page; of more, the common ones."""
HELP_ALL = "factreasoner.help_all"
"""Set in the context of a command of which the whole help page is asked for."""
OF_CLAIMS = (
    "fact_generator",
    *(key for key, field in Config.model_fields.items() if setting_of(field).panel == "Claims"),
)
"""Settings of the tasks that hold claims against sources, for which assessing whole answers has no use."""


def _print_all(context: typer.Context, wanted: bool) -> None:
    if wanted:
        context.meta[HELP_ALL] = True
        say(context.get_help())
        raise typer.Exit


_HELP_ALL = as_flag(
    "help_all",
    Annotated[
        bool,
        typer.Option("--help-all", help="Show every setting, and exit.", callback=_print_all, is_eager=True),
    ],
    False,
)


def takes_settings(
    *panels: str, without: Collection[str] = (), also: Collection[str] = ()
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the flags of `panels` (all when none is named), as a mapping in its `settings`.

    It has no use for those named in `without`, and takes those in `also` whatever their panel.
    """
    chosen = {
        key: field
        for key, field in Config.model_fields.items()
        if key in also
        or (setting_of(field).panel in (panels or (setting_of(field).panel,)) and key not in without)
    }
    once = {key: setting_of(field).once for key, field in chosen.items() if setting_of(field).once}

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        own = inspect.signature(command, eval_str=True)
        flags = [p for name, p in own.parameters.items() if name != "settings"]
        flags += [_HELP_ALL] * (len(chosen) > FEW)
        flags += [_flag(key, field) for key, field in chosen.items()]

        def packed(values: dict[str, Any]) -> dict[str, Any]:
            values.pop(_HELP_ALL.name, None)
            settings = {key: values.pop(key) for key in chosen}
            settings |= {key: _only(key, settings[key], once[key]) for key in once}
            return {**values, "settings": settings}

        return taking(command, flags, packed)

    return decorate


def _only(key: str, values: list[str] | None, remedy: str) -> str | None:
    """The one value of a flag that must not be repeated."""
    if values and len(values) > 1:
        raise typer.BadParameter(
            f"given {len(values)} times ({', '.join(values)}): {remedy}", param_hint=flag_of(key)
        )
    return values[0] if values else None


def _flag(key: str, field: FieldInfo) -> inspect.Parameter:
    """The flag of a setting. One left out keeps what the environment, the profile or the default says."""
    setting, kind, limits = setting_of(field), *_type_of(field)
    name = flag_of(key)
    names = [f"{name}/--no-{name[2:]}" if kind is bool else name, *filter(None, [setting.alias])]
    option = typer.Option(
        *names, help=field.description, rich_help_panel=setting.panel, show_default=False, **limits
    )
    return as_flag(key, Annotated[kind | None, option])


def _type_of(field: FieldInfo) -> tuple[Any, dict[str, Any]]:
    """What typer reads the flag of a setting as, and limits of a choice of numbers."""
    first, *others = kinds_of(field.annotation)
    setting = setting_of(field)
    if setting.several or setting.once or get_origin(first) in (tuple, dict):
        return list[str], {}
    if get_origin(first) is not Literal:
        return (str if others else first), {}
    values = get_args(first)
    numbers = all(isinstance(value, int) for value in values)
    return (int, {"min": min(values), "max": max(values)}) if numbers else (first, {})
