"""Flags of commands, shared or derived from settings, and the help pages."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cached_property
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, ClassVar, Literal, TypeVar, get_args, get_origin, get_type_hints

import typer
from typer.core import TyperCommand

from factreasoner.errors import ConfigError
from factreasoner.pipeline.config import SETTINGS, Config
from factreasoner.pipeline.loading import load_settings, unused
from factreasoner.report.terminal import print_json, print_text
from factreasoner.settings.setting import help_of, kinds_of
from factreasoner.settings.sources import flag_of
from factreasoner.text.visible import one_line

F = TypeVar("F", bound=str)
FEW = 12
"""Up to so many settings, a help page shows all; otherwise only the common ones."""
EVERY = frozenset(setting.panel for setting in SETTINGS.values())
OF_CLAIMS = tuple(key for key, setting in SETTINGS.items() if setting.panel == "Claims")
"""Settings for checking claims against sources, which `run` does not use."""
OF_RUN = (*("assessor", "version", "revise_given", "retriever"), *("k", "gamma"))
"""Settings of `run` that the other tasks do not use."""
_KINDS: Mapping[Any, str] = {bool: "", int: "N", float: "NUMBER", str: "TEXT", Path: "PATH"}


def flag(about: str, *names: str, default: Any = None, **more: Any) -> Any:  # noqa: ANN401 - as typer's
    """A flag, as the value of a command's field; `names` replace the field's name.

    `more` goes to typer's `Option`, such as limits of numbers. A default of `...` makes it required.
    """
    return typer.Option(default, *names, help=about, **more)


def argument(name: str, about: str, default: Any = ...) -> Any:  # noqa: ANN401 - likewise
    """An argument, as `flag`; required without a default."""
    return typer.Argument(default, metavar=name, help=about)


RUN_DIR = argument("RUN_DIR", "A run folder.")
PROFILE = flag("YAML profile; FACTREASONER_<NAME> and flags override it.", "--config", "-c")
CORRECTIONS = flag("Corrections of verdicts: the JSONL file saved from the report's page.")
AS_JSON = flag("Print JSON instead of tables.", "--json")
QUIET = flag("Print nothing but errors.", "--quiet", "-q")
EXPORT_UAI = flag("Write each record's network here, as a UAI file.")


class Command:
    """A command. Its fields are its arguments and flags; calling it returns the exit code.

    The settings of `panels`, less those in `without` and plus those in `also`, become flags, None if not
    given. Its docstring is its help page.
    """

    settings: dict[str, Any]
    as_json = quiet = False
    keys: ClassVar[tuple[str, ...]] = ()
    continues = False
    """Whether a rerun resumes an interrupted command."""

    def __init_subclass__(
        cls, panels: Collection[str] = (), without: Collection[str] = (), also: Collection[str] = ()
    ) -> None:
        of_panels = {key for key, setting in SETTINGS.items() if setting.panel in panels}
        cls.keys = tuple(key for key in SETTINGS if key in also or key in of_panels.difference(without))

    def __init__(self, **values: Any) -> None:
        vars(self).update(values)

    @property
    def command(self) -> str:
        """Its name on the command line: the name of its module."""
        return type(self).__module__.rpartition(".")[2]

    def __call__(self) -> int | None:
        """Run the command."""
        try:
            return self._execute()
        except KeyboardInterrupt:
            print_text(f"Interrupted{'; rerun to resume' * self.continues}.", err=True)
            raise

    def _execute(self) -> int | None:
        raise NotImplementedError

    def present(self, content: object, table: Callable[[], None], notes: Iterable[str] = ()) -> None:
        """Print the content as JSON if requested, else with `table`; notes go to standard error."""
        if self.as_json:
            print_json(content)
        elif not self.quiet:
            table()
        for note in notes:
            self._note(note)

    def _note(self, note: str | None) -> None:
        """Print a note on one line to standard error, unless quiet."""
        if note and not self.quiet:
            print_text(one_line(note), err=True)

    @cached_property
    def config(self) -> Config:
        """The settings from flags, environment and profile; unused ones are noted.

        Raises ConfigError: a setting is wrong.
        """
        config = load_settings(getattr(self, "profile", None), self.settings)
        for note in unused(config, config.model_fields_set.intersection(self.keys)):
            self._note(note)
        return config

    @property
    def changes(self) -> dict[str, Any]:
        """The settings that were given."""
        return {key: value for key, value in self.settings.items() if value is not None}


def function_of(command: type[Command]) -> Callable[..., int | None]:
    """A command as a function for typer, with a parameter for each field and setting."""
    hints = get_type_hints(command)
    names = [name for kind in command.__mro__ for name in vars(kind).get("__annotations__", ())]
    own = [name for name in names if name not in Command.__annotations__]
    flags = [_field(name, hints[name], copy.copy(getattr(command, name))) for name in own]
    flags += [_HELP_ALL] * (len(command.keys) > FEW)
    flags += [_parameter(key, _annotation(key)) for key in command.keys]

    def call(**values: Any) -> int | None:
        settings = {key: _only(key, values[key]) for key in command.keys}
        return command(settings=settings, **{name: values[name] for name in own})()

    call.__signature__ = inspect.Signature(flags)  # type: ignore[attr-defined]
    call.__annotations__ = {flag.name: flag.annotation for flag in flags}
    return call


def _field(name: str, kind: object, option: Any) -> inspect.Parameter:  # noqa: ANN401 - of typer
    """The parameter of a field; a switch has no second name to turn it off."""
    if kind is bool:
        option.param_decls = option.param_decls or (flag_of(name),)
        option.default = option.default or False
    return _parameter(name, kind, option)


def format_of(out: Path | None, form: F | None, endings: Mapping[str, F], default: F) -> F:
    """The requested format, else that of the file's ending, else `default`.

    Raises ConfigError: the ending is of no format, or differs from the requested one.
    """
    if out is None or not (ending := out.suffix.lower()):
        return form or default
    named = endings.get(ending)
    if named is None:
        hint = " (a spreadsheet opens .csv)" if ending in (".xlsx", ".xls", ".ods") else ""
        raise ConfigError(
            f"{out}: {ending} is not a format of this command; it writes {', '.join(endings)}{hint}"
        )
    if form not in (None, named):
        raise ConfigError(f"{out}: its ending means {named}, but --format is {form}; change one of them")
    return named


def _parameter(name: str, annotation: object, default: object = None) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _print_all(context: typer.Context, wanted: bool) -> None:
    if wanted:
        context.meta[_HELP_ALL.name] = True
        print_text(context.get_help())
        raise typer.Exit


_HELP_ALL = _parameter(
    "help_all",
    Annotated[
        bool,
        typer.Option("--help-all", help="Show every setting and exit.", callback=_print_all, is_eager=True),
    ],
    False,
)


def _only(key: str, value: Any) -> Any:  # noqa: ANN401 - whatever the flag takes
    """The single value of a flag that must not be repeated."""
    if not (remedy := SETTINGS[key].once):
        return value
    if value and len(value) > 1:
        message = f"given {len(value)} times ({', '.join(value)}): {remedy}"
        raise typer.BadParameter(message, param_hint=flag_of(key))
    return value[0] if value else None


def _annotation(key: str) -> object:
    """The flag of a setting. Without it, environment, profile or default apply."""
    setting, about = SETTINGS[key], Config.model_fields[key].description
    kind, limits = _type_of(key)
    name = flag_of(key)
    names = [f"{name}/--no-{name[2:]}" if kind is bool else name, *filter(None, [setting.alias])]
    option = typer.Option(*names, help=about, rich_help_panel=setting.panel, show_default=False, **limits)
    return Annotated[kind | None, option]


def _type_of(key: str) -> tuple[Any, dict[str, Any]]:
    """The type and limits of a setting's flag for typer."""
    first, *others = kinds_of(Config.model_fields[key].annotation)
    setting = SETTINGS[key]
    if setting.several or setting.once or get_origin(first) in (tuple, dict):
        return list[str], {}
    if get_origin(first) is not Literal:
        return (str if others else first), {}
    values = get_args(first)
    numbers = all(isinstance(value, int) for value in values)
    return (int, {"min": min(values), "max": max(values)}) if numbers else (first, {})


class SettingsCommand(TyperCommand):
    """A command with two help pages: --help with common settings, --help-all with all."""

    def format_help(self, *page: Any) -> None:
        """Write the help page."""
        context, formatter = page
        self.format_usage(context, formatter)
        self.format_help_text(context, formatter)
        sections, left_out = self._sections(whole=context.meta.get(_HELP_ALL.name, False))
        for section, rows in sections.items():
            if rows:
                with formatter.section(section):
                    formatter.write_dl(rows)
        if left_out:
            everything = f"{context.command_path} --help-all"
            formatter.write_paragraph()
            message = " A YAML profile can hold each." * any(param.name == "profile" for param in self.params)
            formatter.write_text(f"{left_out} more settings: {everything}.{message}")

    def collect_usage_pieces(self, *page: Any) -> list[str]:
        """The arguments in the usage line."""
        arguments = [param for param in self.params if param.param_type_name == "argument"]
        return ["[OPTIONS]", *(_placed(_argument(param), param) for param in arguments)]

    def _sections(self, *, whole: bool) -> tuple[dict[str, list[tuple[str, str]]], int]:
        """The rows of each section, and the number of hidden settings."""
        kinds = inspect.signature(self.callback, eval_str=True).parameters if self.callback else {}
        found: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
        settings = [param for param in self.params if getattr(param, "rich_help_panel", None)]
        short = not whole and len(settings) > FEW
        left_out = 0
        for param in self.params:
            field = Config.model_fields[str(param.name)] if param in settings else None
            about = str(getattr(param, "help", None) or "") + " [required]" * param.required
            if param.param_type_name == "argument":
                found["Arguments"].append((_argument(param), about))
                continue
            names = _names(param, kinds[param.name].annotation if param.name in kinds else bool)
            if field is None:
                found["Options"].append((names, about))
            elif short and not SETTINGS[param.name].common:
                left_out += 1
            else:
                section = "Settings" if short else SETTINGS[param.name].panel
                found.setdefault(section, []).append((names, help_of(field)))
        found["Options"].append(("--help", "Show this page and exit."))
        return found, left_out


def _argument(param: Any) -> str:  # noqa: ANN401 - of a class that differs by the version of typer
    return str(param.metavar or param.name).upper()


def _placed(name: str, param: Any) -> str:  # noqa: ANN401 - likewise
    """An argument as typed: with dots if repeatable, in brackets if optional."""
    several = name if param.nargs == 1 or "..." in name else f"{name}..."
    return several if param.required else f"[{several}]"


def _names(param: Any, annotation: object) -> str:  # noqa: ANN401 - likewise
    """A flag with its other names and its value: N, TEXT, a|b, or nothing for a switch."""
    kind = annotation
    while get_origin(kind) is not None and get_origin(kind) is not Literal:
        kind = next(part for part in get_args(kind) if part is not NoneType)
    words = "|".join(map(str, get_args(kind))) if get_origin(kind) is Literal else _KINDS.get(kind, "TEXT")
    names = [*sorted(param.opts, key=len), *param.secondary_opts]
    return f"{', '.join(names)} {param.metavar or words}".rstrip()
