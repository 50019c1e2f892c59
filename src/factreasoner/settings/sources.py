"""Settings from flags, the environment, a profile, keyword arguments and defaults; every problem is named."""

from __future__ import annotations

import functools
import inspect
import json
import logging
import os
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, ParamSpec, TypeVar, get_args, get_origin

from pydantic import ValidationError
from pydantic.fields import FieldInfo

from factreasoner.errors import ConfigError, FactReasonerError, InputError
from factreasoner.models.wording import OWN, refused
from factreasoner.plugins.table import PLUGINS, nearest
from factreasoner.settings.config import GRAPH_SETTINGS, Config
from factreasoner.settings.removed import removed_from, told_removed
from factreasoner.settings.setting import kinds_of, must_be, setting_of

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

log = logging.getLogger(__name__)
P = ParamSpec("P")
R = TypeVar("R")
PREFIX = "FACTREASONER_"
RESERVED = frozenset(
    PREFIX + name
    for name in (
        *("API_BASE", "CONTACT", "DATA", "DEBUG", "EMBEDDING_KEY", "INTEGRATION", "VERIFIERS"),
        "VERIFIER_KEY",
    )
)
"""Variables with another meaning. So `api_base` has no variable: only flags and profiles set it."""
VARIABLES = {PREFIX + key.upper(): key for key in Config.model_fields if PREFIX + key.upper() not in RESERVED}


class _Source(NamedTuple):
    """Settings from one place: how that place spells a setting, and the file if it is one."""

    values: Mapping[str, Any]
    spelt: Callable[[str], str] = str
    place: str = ""


def flag_of(key: str) -> str:
    """The flag of a setting."""
    return f"--{key.replace('_', '-')}"


# Settings by name in Python


def python_call(function: Callable[P, R]) -> Callable[P, R]:
    """Decorate a function that takes settings by name: it refuses other names, and its errors name arguments.

    Raises ConfigError for a name that is neither a parameter nor a setting, with the nearest known one.
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
    """Raise ConfigError for a name that is neither one of `own` nor a setting."""
    known = [*own, *Config.model_fields]
    strange = [_unknown(name, known) for name in names if name not in known]
    if strange:
        taken = ", ".join(name for name in own if name != "self")
        raise ConfigError("\n".join([*strange, f"beside settings, this call takes {taken}"]))


def _unknown(name: str, known: Sequence[str]) -> str:
    """That a setting is gone, and what replaces it; or that there is none, and the nearest known one."""
    gone = told_removed(name)
    return f"{name}: {gone}" if gone else f"unknown setting {name!r}; {nearest(name, list(known))}"


_FLAG = re.compile(r"`[^`]*`|--(no-)?([a-z][a-z0-9-]*)(:?)")
_OTHER_ARGUMENTS = ("column_map", "fresh", "out")
"""Arguments with a flag that are not settings."""


def in_python(message: str) -> str:
    """A message that names settings in place of their flags. Commands, in backticks, stay as they are."""
    return _FLAG.sub(_as_setting, message)


def _as_setting(flag: re.Match[str]) -> str:
    name = (flag[2] or "").replace("-", "_")
    if name not in Config.model_fields and name not in _OTHER_ARGUMENTS:
        return flag[0]
    if flag[3]:
        return f"{name}:"
    return f"`{name}=False`" if flag[1] else f"`{name}`"


# Settings from all sources


def load_settings(profile: Path | str | None = None, flags: Mapping[str, Any] | None = None) -> Config:
    """Flags override the environment, which overrides the profile (a YAML file); a flag of None is not given.

    Raises:
        ConfigError: unreadable file, unknown key or variable (the nearest known one is named) or bad value.
    """
    sources = []
    if profile is not None:
        sources.append(_Source(read_profile(Path(profile)), place=f"{profile}: "))
    chosen = {key: value for key, value in (flags or {}).items() if value is not None}
    return _resolved([*sources, _Source(chosen, flag_of)])


@python_call
def load_config(profile: Path | str | None = None, overrides: Mapping[str, Any] | None = None) -> Config:
    """Read settings from overrides, the environment and a profile (a YAML file), in this order of precedence.

    Variables are named FACTREASONER_<NAME>. An override of None counts as not given.

    Raises:
        ConfigError: the file can't be read, a key or variable is unknown (the message names the nearest
            known one), or a value is wrong.
    """
    return load_settings(profile, overrides)


def keyword_settings(keywords: Mapping[str, Any], parts: Collection[str] = ()) -> Config:
    """Keyword arguments override the environment, which has no say about `parts`.

    Raises ConfigError: unknown variable (the nearest known one is named) or bad value.
    """
    return _resolved([_Source(keywords, flag_of)], without=parts)


def parse_config(values: Mapping[str, Any], source: str, flags: Mapping[str, Any] | None = None) -> Config:
    """Settings from `source`, such as a run folder, overridden by `flags`; the environment is not read.

    Raises ConfigError: every problem found.
    """
    return _validated([_Source(values, place=f"{source}: "), _Source(flags or {}, flag_of)])


def kept_config(values: Mapping[str, Any], source: str) -> Config:
    """The settings that a run folder keeps, without those that this version no longer has.

    Warns of each of these that was not at its default. Raises ConfigError: every problem found.
    """
    for key, told in removed_from(values):
        _warn_once(f"{source}: {key}: {told}")
    kept = {
        key: value
        for key, value in values.items()
        if key in Config.model_fields and told_removed(key, value) is None
    }
    return parse_config(kept, source)


@functools.cache
def _warn_once(message: str) -> None:
    log.warning(message)


def _resolved(sources: list[_Source], without: Collection[str] = ()) -> Config:
    """The settings of `sources` and the environment, which comes before the last source.

    Raises ConfigError: a bad value.
    """
    values = {key: value for source in sources for key, value in source.values.items()}
    keys = [str(values["api_key_env"])] if "api_key_env" in values else []
    found = {key: value for key, value in from_environment(keys).items() if key not in without}
    return _validated([*sources[:-1], _Source(found, lambda key: PREFIX + key.upper()), sources[-1]])


def unused(config: Config, given: Collection[str]) -> list[str]:
    """Notes on settings of those `given` that the judge or the assessor, if it is of ours, does not use."""
    notes = []
    if "model" in given and config.first_model and config.judge in ("recorded", "verifier"):
        others = "other parts ask it, such as the atomizer, where a record needs them"
        notes.append(f"--judge {config.judge} does not ask {config.first_model}: only {others}.")
    if config.assessor in PLUGINS["assessor"] and config.assessor != "factreasoner":
        names = ["--version 3"] * (config.version == 3 and "version" in given)
        names += [flag_of(key) for key in Config.model_fields if key in GRAPH_SETTINGS and key in given]
        if names:
            notes.append(f"--assessor {config.assessor} does not use {', '.join(names)}.")
    return notes


def _validated(sources: list[_Source]) -> Config:
    values = {key: value for source in sources for key, value in source.values.items()}
    origins = {key: source for source in sources for key in source.values}
    try:
        return Config.model_validate(values)
    except ValidationError as error:
        problems = dict.fromkeys(_problem(item, origins) for item in error.errors())
        raise ConfigError("\n".join(problems)) from error


def _problem(error: ErrorDetails, origins: Mapping[str, _Source]) -> str:
    """What is wrong with a setting, and what it takes."""
    key = str(error["loc"][0]) if error["loc"] else ""
    if error["type"] == "extra_forbidden":
        if gone := told_removed(key):
            return f"{origins[key].place}{origins[key].spelt(key)}: {gone}"
        return f"{origins[key].place}{_unknown(key, list(Config.model_fields))}"
    field = Config.model_fields.get(key)
    message = (must_be(field) if field and error["type"] != OWN else None) or refused(error)
    if not key:  # a conflict between settings
        key, _, message = message.partition(": ")
    origin = origins.get(key, _Source({}))
    return f"{origin.place}{origin.spelt(key)}: {message}"


def from_environment(also: Collection[str] = ()) -> dict[str, Any]:
    """The settings that variables give, not yet validated. An empty variable gives nothing.

    `also` names further variables that may be set, such as those that hold a key.
    Raises ConfigError: a variable begins with `FACTREASONER_` and no setting has it; the nearest is named.
    """
    given = {name: text for name, text in os.environ.items() if name.startswith(PREFIX) and text}
    found = {VARIABLES[name]: text for name, text in given.items() if name in VARIABLES}
    keys = {found["api_key_env"]} if "api_key_env" in found else set()
    strange = sorted(given.keys() - VARIABLES.keys() - RESERVED - keys - set(also))
    if strange:
        lines = [
            f"{name}: "
            + (
                told_removed(name.removeprefix(PREFIX).lower())
                or f"no setting has this variable; {nearest(name, list(VARIABLES))}"
            )
            for name in strange
        ]
        raise ConfigError("\n".join(lines))
    return {key: _value(Config.model_fields[key], text) for key, text in found.items()}


def _value(field: FieldInfo, text: str) -> object:
    """The value in a variable's text: several are separated by commas, or JSON. Pydantic reads numbers."""
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
    """The settings of a profile, not yet validated. `atoms-per-call` and `atoms_per_call` are one key.

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
    """Where a profile is not valid YAML, why, and what to do, in one sentence."""
    opened = ""
    if hasattr(error, "problem_mark"):
        line, column, why = (
            error.problem_mark.line,
            error.problem_mark.column,
            error.problem.removeprefix("but "),
        )
        if error.context_mark is not None and error.context_mark.line != line:
            opened = f" (in what begins in line {error.context_mark.line + 1})"
    else:  # a character that YAML does not allow
        before = text[: error.position]
        line, column = before.count("\n"), len(before) - before.rfind("\n") - 1
        why = f"the character U+{error.character:04X} is not allowed"
    return (
        f"{line + 1}: column {column + 1}: not valid YAML: {why}{opened}; write each setting as "
        "NAME: VALUE, and a value with special characters in quotes"
    )
