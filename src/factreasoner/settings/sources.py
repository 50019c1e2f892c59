"""Read settings from flags, environment, profile and keyword arguments."""

from __future__ import annotations

import functools
import json
import logging
import os
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar, get_args, get_origin

from pydantic import ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from factreasoner.errors import ConfigError
from factreasoner.models.formatting import OWN, refused
from factreasoner.plugins.table import nearest
from factreasoner.settings.removed import removal_notice
from factreasoner.settings.setting import Settings, kinds_of, must_be, setting_of

S = TypeVar("S", bound=Settings)
log = logging.getLogger(__name__)
PREFIX = "FACTREASONER_"
RESERVED = frozenset(
    PREFIX + name
    for name in (
        *("API_BASE", "CONTACT", "DATA", "DEBUG", "EMBEDDING_KEY", "INTEGRATION", "VERIFIERS"),
        "VERIFIER_KEY",
    )
)
"""Variables with another meaning. So `api_base` has no variable: only flags and profiles set it."""


class Source(NamedTuple):
    """Settings from one place: its spelling of settings, and the file if it is one."""

    values: Mapping[str, Any]
    spelt: Callable[[str], str] = str
    place: str = ""


def flag_of(key: str) -> str:
    """The flag of a setting."""
    return f"--{key.replace('_', '-')}"


def validated(kind: type[S], sources: Sequence[Source]) -> S:
    """The settings of all sources; later ones win. Raises ConfigError: every problem found."""
    values = {key: value for source in sources for key, value in source.values.items()}
    origins = {key: source for source in sources for key in source.values}
    try:
        return kind.model_validate(values)
    except ValidationError as error:
        raise refusal(kind, error, origins) from error


def refusal(kind: type[Settings], error: ValidationError, origins: Mapping[str, Source]) -> ConfigError:
    """The error for settings that pydantic refuses, with every problem; `origins` are their sources."""
    return ConfigError("\n".join(dict.fromkeys(_problem(kind, item, origins) for item in error.errors())))


def _problem(kind: type[Settings], error: ErrorDetails, origins: Mapping[str, Source]) -> str:
    """What is wrong with a setting, and its valid values."""
    key = str(error["loc"][0]) if error["loc"] else error["ctx"]["error"].key
    origin = origins.get(key, Source({}))
    if error["type"] == "extra_forbidden":
        if gone := removal_notice(key):
            return f"{origin.place}{origin.spelt(key)}: {gone}"
        return f"{origin.place}unknown setting {key!r}; {nearest(key, list(kind.model_fields))}"
    field = kind.model_fields.get(key)
    message = (must_be(field) if field and error["type"] != OWN else None) or refused(error)
    return f"{origin.place}{origin.spelt(key)}: {message}"


def from_environment(kind: type[Settings], also: Collection[str] = ()) -> dict[str, Any]:
    """The settings in environment variables, not yet validated. Empty variables are ignored.

    `also` names further allowed variables, such as those for keys. An unknown variable with the prefix
    `FACTREASONER_` is logged, with the nearest setting. Raises ConfigError: its setting was removed.
    """
    variables = {PREFIX + key.upper(): key for key in kind.model_fields}
    variables = {name: key for name, key in variables.items() if name not in RESERVED}
    given = {name: text for name, text in os.environ.items() if name.startswith(PREFIX) and text}
    found = {variables[name]: text for name, text in given.items() if name in variables}
    keys = {found["api_key_env"]} if "api_key_env" in found else set()
    strange = sorted(given.keys() - variables.keys() - RESERVED - keys - set(also))
    notices = {name: removal_notice(name.removeprefix(PREFIX).lower()) for name in strange}
    if gone := [f"{name}: {notice}" for name, notice in notices.items() if notice]:
        raise ConfigError("\n".join(gone))
    for name in strange:
        warn_once(f"{name}: no setting has this variable; {nearest(name, list(variables))}")
    return {key: _value(kind.model_fields[key], text) for key, text in found.items()}


@functools.cache
def warn_once(message: str) -> None:
    """Log a warning, the first time only."""
    log.warning(message)


def _value(field: FieldInfo, text: str) -> object:
    """The value in a variable: several are separated by commas, or JSON. Pydantic parses numbers."""
    first = kinds_of(field.annotation)[0]
    if setting_of(field).several or get_origin(first) in (tuple, dict):
        if text[0] in "[{":
            try:
                return json.loads(text)
            except (ValueError, RecursionError):
                pass
        return [part.strip() for part in text.split(",")]
    choices = get_args(first) if get_origin(first) is Literal else ()
    return next((choice for choice in choices if str(choice) == text), text)  # whole numbers among them


def read_profile(path: Path) -> dict[str, Any]:
    """The settings of a profile, not yet validated. `atoms-per-call` and `atoms_per_call` are equal.

    Raises ConfigError: the file can't be read, is not a mapping of settings, or has a setting twice.
    """
    import yaml

    try:
        text = path.read_text(encoding="utf-8")
        node, data = yaml.compose(text, yaml.SafeLoader), yaml.safe_load(text)
    except OSError as error:
        raise ConfigError(f"{path}: can't be read: {error.strerror}; name a YAML file of settings") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: not UTF-8: {error.reason}; save it as UTF-8") from error
    except yaml.YAMLError as error:
        raise ConfigError(f"{path}:{_yaml_problem(error, text)}") from error
    except RecursionError as error:
        raise ConfigError(f"{path}: not valid YAML: nested too deeply") from error
    except (ValueError, KeyError, AttributeError) as error:  # a date or a tag that yaml takes literally
        raise ConfigError(
            f"{path}: a value can't be read ({error}); write dates and tags in quotes"
        ) from error
    if node is None or data is None:
        return {}
    if not isinstance(data, dict) or not all(isinstance(key, str) for key in data):
        raise ConfigError(f"{path}: a profile is a mapping of setting names to values")
    lines: dict[str, int] = {}
    for key, _ in node.value:  # YAML would silently keep the last one
        name, line = key.value.replace("-", "_"), key.start_mark.line + 1
        if name in lines:
            raise ConfigError(f"{path}: setting {key.value!r} appears twice: lines {lines[name]} and {line}")
        lines[name] = line
    return {key.replace("-", "_"): value for key, value in data.items()}


def _yaml_problem(error: Any, text: str) -> str:  # noqa: ANN401 - yaml's classes differ
    """Where a profile is not valid YAML, why, and the fix, in one sentence."""
    if hasattr(error, "problem_mark"):
        mark, begun = error.problem_mark, error.context_mark
        line, column, why = mark.line, mark.column, error.problem.removeprefix("but ")
        if begun is not None and begun.line != line:
            why += f" (in what begins in line {begun.line + 1})"
    else:  # a character that YAML does not allow
        before = text[: error.position]
        line, column = before.count("\n"), len(before) - before.rfind("\n") - 1
        why = f"the character U+{error.character:04X} is not allowed"
    return (
        f"{line + 1}: column {column + 1}: not valid YAML: {why}; write each setting as "
        "NAME: VALUE, and a value with special characters in quotes"
    )
