"""Functions that take settings by name: other names are refused, and errors told in words of Python."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Iterable, Sequence
from typing import ParamSpec, TypeVar, get_args

from factreasoner.errors import ConfigError, FactReasonerError, InputError
from factreasoner.plugins.table import PLUGINS, nearest
from factreasoner.settings.config import Config
from factreasoner.settings.expectations import kinds_of

P = ParamSpec("P")
R = TypeVar("R")


def python_call(function: Callable[P, R]) -> Callable[P, R]:
    """Make a function that takes settings by name refuse other names, and tell its errors in words of Python.

    Raises ConfigError for a name that is neither a parameter nor a setting, with the nearest that is.
    """
    own = [name for name, p in inspect.signature(function).parameters.items() if p.kind is not p.VAR_KEYWORD]

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        refuse_unknown(kwargs, own)
        try:
            return function(*args, **kwargs)
        except InputError as error:
            problems = [problem._replace(message=in_python(problem.message)) for problem in error.problems]
            raise InputError(problems).with_traceback(error.__traceback__) from error.__cause__
        except FactReasonerError as error:
            error.args = tuple(in_python(arg) if isinstance(arg, str) else arg for arg in error.args)
            raise

    return call


def refuse_unknown(names: Iterable[str], own: Sequence[str]) -> None:
    """Raise ConfigError for a name that is neither one of the caller's `own` nor a setting's."""
    known = [*own, *Config.model_fields]
    strange = [f"unknown setting {name!r}; {nearest(name, known)}" for name in names if name not in known]
    if strange:
        raise ConfigError("\n".join(strange))


_FLAG = re.compile(r"`[^`]*`|--(no-)?([a-z][a-z0-9-]*)(?:(:)|[ =]([A-Za-z0-9_.'/-]+(?:=[\w'-]+)?))?")
_OTHER_ARGUMENTS = {"column_map": None, "fresh": bool, "out": None}
"""Arguments that have flags and are no settings, with what they take where that is on or off."""


def in_python(message: str) -> str:
    """A message with flags of the command line as the keyword arguments that they are in Python.

    A command, which stands in backticks, is left as it is.
    """
    return _FLAG.sub(_as_keyword, message)


def _as_keyword(flag: re.Match[str]) -> str:
    if flag[2] is None:
        return flag[0]
    negated, name, colon, value = flag[1], flag[2].replace("-", "_"), flag[3] or "", flag[4]
    field = Config.model_fields.get(name)
    if field is None and name not in _OTHER_ARGUMENTS:
        return flag[0]
    kinds = kinds_of(field.annotation) if field else [_OTHER_ARGUMENTS[name]]
    rest = f" {value}" if value else colon
    if bool in kinds and not colon:
        return f"{name}={not negated}{rest}"
    theirs, _, ours = (value or "").partition("=")
    if name == "column_map":
        return f"{name}={{{theirs!r}: {ours!r}}}" if ours else f"{name}{rest}"
    if value and (value.isupper() or value.replace(".", "").isdigit()):
        return f"{name}={value}"
    if value and (value in PLUGINS.get(name, ()) or any(value in get_args(kind) for kind in kinds)):
        return f'{name}="{value}"'
    return f"{name}{rest}"
