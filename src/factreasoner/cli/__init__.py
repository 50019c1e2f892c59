"""The command line `factreasoner COMMAND`: commands by name, error messages, exit codes.

A command's module is imported only when it is called.

Exit codes: 0 success; 1 wrong input or setting; 2 usage; 3 finished, but some records or verdicts failed; 4 a
rule of `check` failed; 5 a batch is pending; 130, 143, 129 ended by Ctrl-C (SIGINT), SIGTERM, SIGHUP; 141
broken pipe, as in `| head`.
"""

from __future__ import annotations

import ast
import difflib
import errno
import functools
import gc
import importlib
import inspect
import io
import logging
import os
import sys
from collections.abc import Callable, Sequence
from importlib.resources import files
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from factreasoner import __version__
from factreasoner.calls.threads import with_stack_room
from factreasoner.cli.signals import Stopping
from factreasoner.errors import ConfigError, FactReasonerError, InputError, UsageError
from factreasoner.report.terminal import WarningHandler, in_flags, print_text
from factreasoner.text.visible import visible

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

COMMANDS = (
    *("run", "recall", "rag", "verify", "show", "export", "publish", "score", "assess", "serve"),
    *("mcp", "report", "evaluate", "compare", "calibrate", "check", "metrics", "solve", "explain"),
    *("index", "doctor", "demo"),
)
"""Commands in listed order: each a module of this folder and, capitalized, its class."""
WITHOUT_ARGUMENTS = frozenset({"demo", "doctor", "mcp", "metrics", "serve"})
READER_GONE = 141
"""The shell's exit code for a process ended by SIGPIPE."""
_REFUSED = ("Cannot allocate memory", "failed to map segment", "can't start new thread")
"""System messages for a lack of memory for a library or a thread."""
COLLECTED_AFTER = (20_000, 20, 20)
"""Garbage collector thresholds that skip the million lasting objects of imports.

Python's default (700, 10, 10) would spend a seventh of a run's CPU on scanning them.
"""


class _Listed(TyperCommand):
    """A command in the help list, or in shell completions."""

    def get_short_help_str(self, *_: Any) -> str:
        """The first paragraph of the command's docstring, read without importing it."""
        source = (files(__package__) / f"{self.name}.py").read_text(encoding="utf-8")
        name = f"{str(self.name).capitalize()}Command"
        command = next(node for node in ast.parse(source).body if getattr(node, "name", "") == name)
        assert isinstance(command, ast.ClassDef)
        return _paragraphs(ast.get_docstring(command))[0]


class Commands(TyperGroup):
    """All commands, for Typer."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings | {"commands": {name: _Listed(name) for name in COMMANDS}})

    def resolve_command(self, *call: Any) -> tuple[str | None, Any, list[str]]:
        """The called command: its name, the command itself, and its arguments."""
        name, listed, arguments = super().resolve_command(*call)
        return name, listed and _command_named(str(name)), arguments


@functools.cache
def _command_named(name: str) -> Any:  # noqa: ANN401 - of a class that differs by the version of typer
    """The command of that name, with its flags."""
    from factreasoner.cli.flags import SettingsCommand, function_of

    command = getattr(importlib.import_module(f"{__package__}.{name}"), f"{name.capitalize()}Command")
    alone = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
    page = "\n\n".join(_paragraphs(inspect.getdoc(command)))
    shown = alone.command(cls=SettingsCommand, help=page, no_args_is_help=name not in WITHOUT_ARGUMENTS)
    shown(function_of(command))
    return typer.main.get_command(alone)


def _paragraphs(docstring: str | None) -> list[str]:
    """A docstring with one line per paragraph, for wrapping to the terminal."""
    return [" ".join(paragraph.split()) for paragraph in (docstring or "").split("\n\n")]


app = typer.Typer(
    name="factreasoner",
    cls=Commands,
    help="Find out how much of a long answer is true, atom by atom, with the evidence.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        print_text(f"factreasoner {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    pass


@functools.cache
def _command_line() -> Callable[..., int | None]:
    """All commands; built once per process."""
    return typer.main.get_command(app)


def execute(arguments: Sequence[str] | None = None) -> int:
    """Run one command line, by default the process's; returns the exit code.

    Expected errors become messages on standard error, never tracebacks.
    """
    try:
        return int(_command_line()(arguments, prog_name="factreasoner", standalone_mode=False) or 0)
    except InputError as error:
        from factreasoner.models.formatting import number_of

        count = number_of(len(error.problems), "problem")
        kept = " ".join(getattr(error, "__notes__", ["Nothing was done."]))
        return _failed(f"{error}\n{count} in the input. {kept}", 1)
    except FactReasonerError as error:
        code = 2 if isinstance(error, UsageError) else 1
        told = in_flags(str(error), of_settings=isinstance(error, ConfigError))
        return _failed("\n".join((f"Error: {told}", *getattr(error, "__notes__", ()))), code)
    except Exception as error:
        if hasattr(error, "format_message"):  # typer's own, of a class that differs by its version
            return _misused(error, sys.argv[1:] if arguments is None else arguments)
        if os.environ.get("FACTREASONER_DEBUG"):
            raise
        if (reason := _fault_of_system(error)) is not None:
            return _failed(" ".join((f"Error: {reason}", *getattr(error, "__notes__", ()))), 1)
        fault = f"Internal error: {type(error).__name__}: {error}"
        hint = "set FACTREASONER_DEBUG=1 to see where it happened. Finished results are kept."
        return _failed(f"{fault}\nThis is a bug in factreasoner; {hint}", 1)


def _misused(error: Any, arguments: Sequence[str]) -> int:  # noqa: ANN401 - of a class that differs by the version of typer
    from typer.rich_utils import rich_format_error

    if type(error).__name__ == "NoArgsIsHelpError":  # typer leaves it to others to show its page
        print_text(error.message)
        return 2
    if (gone := _removed(error, arguments)) is not None:
        return _failed(f"Error: {gone}", 2)
    if isinstance(error.__cause__, ValueError) and hasattr(error.__cause__, "errors"):
        from factreasoner.models.formatting import refused
        from factreasoner.settings.setting import must_be

        text = refused(error.__cause__.errors()[0])
        if (field := _setting_of(error.param)) is not None:  # wrong as it would be in a profile
            return _failed(f"Error: {error.param.opts[0]}: {must_be(field) or text}", 1)
        error.message = text
    elif "unexpected extra argument" in error.message and (flags := _repeatable(error.ctx)):
        error.message += f"; repeat {' or '.join(flags)} before each further value"
    asked, near = getattr(error, "option_name", ""), getattr(error, "possibilities", None)
    if asked and near:  # alike in more than their dashes
        close = difflib.get_close_matches(asked.lstrip("-"), [name.lstrip("-") for name in near])
        error.possibilities = [name for name in near if name.lstrip("-") in close]
    error.message = visible(str(error.message))  # it holds arguments, which a shell may have made of files
    rich_format_error(error)
    return 2


def _removed(error: Any, arguments: Sequence[str]) -> str | None:  # noqa: ANN401 - likewise
    """The message for a removed flag or value, with its replacement; None if not removed."""
    from factreasoner.settings.removed import removal_notice

    if (asked := getattr(error, "option_name", "")) and error.ctx:
        key = asked.lstrip("-").removeprefix("no-").replace("-", "_")
        text = removal_notice(f"{error.ctx.info_name} {key}") or removal_notice(key)
        return text and f"{asked}: {text}"
    flags = getattr(getattr(error, "param", None), "opts", ())
    for argument, after in zip(arguments, [*arguments[1:], ""], strict=True):
        flag, _, value = argument.partition("=")
        if flag in flags and (text := removal_notice(flag[2:].replace("-", "_"), value or after)):
            return f"{flag}: {text}"
    return None


def _repeatable(context: Any) -> list[str]:  # noqa: ANN401 - likewise
    """The given flags that may be repeated with one value each."""
    params = [param for param in context.command.params if getattr(param, "multiple", False)]
    return [param.opts[0] for param in params if context.params.get(param.name)]


def _setting_of(param: Any) -> FieldInfo | None:  # noqa: ANN401 - likewise
    """The setting that a flag sets; None for other flags."""
    from factreasoner.pipeline.config import Config
    from factreasoner.settings.sources import flag_of

    name = str(param.name)
    return Config.model_fields.get(name) if flag_of(name) in param.opts else None


def _fault_of_system(error: Exception) -> str | None:
    """A message for a lack of memory, or a problem with a file or disk; else None."""
    refused = isinstance(error, ImportError | RuntimeError) and any(word in str(error) for word in _REFUSED)
    if refused or isinstance(error, MemoryError) or getattr(error, "errno", None) == errno.ENOMEM:
        text = (
            "out of memory. Allow more (ulimit -v, the limit of a container), or do less in parallel "
            "(a lower --concurrency, fewer --workers)"
        )
        of_run = getattr(error, "__notes__", ())
        return f"{text}; rerun to resume." if of_run else f"{text}."
    if not isinstance(error, OSError) or error.strerror is None:
        return None
    if error.filename is None:
        return error.strerror if error.errno in (errno.ENOSPC, errno.EDQUOT) else None
    return f"{error.filename2 or error.filename}: {error.strerror}"


def _failed(message: str, code: int) -> int:
    print_text(message, err=True)
    return code


@with_stack_room
def main() -> None:
    """Run this process's command line and exit."""
    # Threads of BLAS make fits of a few rows eight times as dear; it reads this when numpy is imported.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    gc.set_threshold(*COLLECTED_AFTER)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal of another encoding gets \u732b for what it can't show, not an error.
            stream.reconfigure(errors="backslashreplace")
    logging.getLogger().addHandler(WarningHandler(logging.WARNING))
    stopping = Stopping()
    stopping.install()
    code = None
    try:
        code = execute()
        sys.stdout.flush()
        sys.stderr.flush()
    except (KeyboardInterrupt, OSError, SystemExit) as error:  # the terminal may be gone
        if stopping.exit_code is None:
            # typer ends the process for a closed pipe.
            if isinstance(error, BrokenPipeError) or isinstance(error.__context__, BrokenPipeError):
                os._exit(READER_GONE)
            raise
    if stopping.exit_code is not None and code != 0:
        # Requests under way are abandoned rather than waited for.
        os._exit(stopping.exit_code)
    if "litellm" in sys.modules:
        # An interpreter waits for its threads, and may for what a request that was given up still does.
        os._exit(code or 0)
    sys.exit(code)
