"""A decorator that gives a command the flags of settings, and what its help page says of them."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Collection
from typing import Annotated, Any

import typer

from factreasoner.cli.settings import PANELS, Setting
from factreasoner.cli.terminal import say

FEW = 12
"""So many settings are all shown on a command's help page; of more, the common ones."""
HELP_ALL = "factreasoner.help_all"
"""Set in the context of a command of which the whole help page is asked for."""


def _print_all(context: typer.Context, wanted: bool) -> None:
    if wanted:
        context.meta[HELP_ALL] = True
        say(context.get_help())
        raise typer.Exit


_HELP_ALL = inspect.Parameter(
    "help_all",
    inspect.Parameter.KEYWORD_ONLY,
    default=False,
    annotation=Annotated[
        bool,
        typer.Option(
            "--help-all",
            help="Show every setting, and exit.",
            callback=_print_all,
            is_eager=True,
        ),
    ],
)


def default_words(key: str) -> str:
    """The default of a setting as its flag would say it."""
    from factreasoner.config import Config

    default = Config.model_fields[key].get_default(call_default_factory=True)
    if isinstance(default, bool):
        return "on" if default else "off"
    if isinstance(default, float):
        return f"{default:g}"
    return "none" if default is None or default in ((), {}, []) else str(default)


def takes_settings(
    *panels: str, without: Collection[str] = (), also: Collection[str] = ()
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the flags of `panels` (all when none is named), as a mapping in its `settings`.

    It has no use for those named in `without`, and takes those in `also` whatever their panel.
    """
    chosen = {
        panel: {
            key: setting
            for key, setting in settings.items()
            if key in also or (panel in (panels or PANELS) and key not in without)
        }
        for panel, settings in PANELS.items()
    }
    keys = [key for settings in chosen.values() for key in settings]
    once = {key: s.twice for settings in chosen.values() for key, s in settings.items() if s.twice}

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        own = inspect.signature(command, eval_str=True)
        parameters = [p for name, p in own.parameters.items() if name != "settings"]
        parameters += [_HELP_ALL] * (len(keys) > FEW)
        parameters += [_flag(key, s, panel) for panel, ss in chosen.items() for key, s in ss.items()]

        @functools.wraps(command)
        def with_settings(**values: Any) -> None:
            settings = {key: values.pop(key) for key in keys}
            settings |= {key: _only(key, settings[key], once[key]) for key in once}
            values.pop(_HELP_ALL.name, None)
            command(**values, settings=settings)

        signature = inspect.Signature(parameters)
        with_settings.__signature__ = signature  # type: ignore[attr-defined]
        with_settings.__annotations__ = {p.name: p.annotation for p in parameters}
        return with_settings

    return decorate


def _only(key: str, values: list[str] | None, remedy: str) -> str | None:
    """The one value of a flag that must not be repeated."""
    if values and len(values) > 1:
        raise typer.BadParameter(
            f"given {len(values)} times ({', '.join(values)}): {remedy}", param_hint=f"--{key}"
        )
    return values[0] if values else None


def _flag(key: str, setting: Setting, panel: str) -> inspect.Parameter:
    name = f"--{key.replace('_', '-')}"
    names = [f"{name}/--no-{name[2:]}" if setting.type is bool else name]
    if setting.alias:
        names.append(setting.alias)
    limits: dict[str, Any] = {}
    kind = setting.type
    if hasattr(kind, "__metadata__"):
        kind, option = kind.__origin__, kind.__metadata__[0]
        limits = {"min": option.min, "max": option.max}
    return inspect.Parameter(
        key,
        inspect.Parameter.KEYWORD_ONLY,
        default=None,
        annotation=Annotated[
            kind | None,
            typer.Option(*names, help=setting.help, rich_help_panel=panel, show_default=False, **limits),
        ],
    )
