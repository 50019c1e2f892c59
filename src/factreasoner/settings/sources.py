"""Settings from flags, the environment, a profile and defaults, in that order; every problem is named."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args, get_origin

from pydantic import ValidationError
from pydantic.fields import FieldInfo

from factreasoner.errors import ConfigError
from factreasoner.plugins.table import nearest
from factreasoner.settings.config import Config
from factreasoner.settings.expectations import OWN, kinds_of, must_be, refused
from factreasoner.settings.python import python_call
from factreasoner.settings.setting import setting_of

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

PREFIX = "FACTREASONER_"
RESERVED = frozenset(
    PREFIX + name for name in ("API_BASE", "CONTACT", "DATA", "DEBUG", "INTEGRATION", "VERIFIERS")
)
"""Variables with a meaning of their own. So `api_base` has none: flags and profiles set it."""


class _Source(NamedTuple):
    """Settings from one place: how one is spelt there, and the place where it is a file."""

    values: Mapping[str, Any]
    spelt: Callable[[str], str] = str
    place: str = ""


def flag_of(key: str) -> str:
    """The flag that sets a setting."""
    return f"--{key.replace('_', '-')}"


def variable_of(key: str) -> str:
    """The variable that sets a setting."""
    return PREFIX + key.upper()


VARIABLES = {variable_of(key): key for key in Config.model_fields if variable_of(key) not in RESERVED}


def load_settings(profile: Path | str | None = None, flags: Mapping[str, Any] | None = None) -> Config:
    """Defaults < the profile (a YAML file) < the environment < flags; a flag of None counts as not given.

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
    """Defaults < the profile (a YAML file) < the environment < overrides; None counts as not given.

    Raises:
        ConfigError: unreadable file, unknown key or variable (the nearest known one is named) or bad value.
    """
    return load_settings(profile, overrides)


def keyword_settings(keywords: Mapping[str, Any], parts: Collection[str] = ()) -> Config:
    """Defaults < the environment < keyword arguments; the environment does not name `parts`, which are given.

    Raises ConfigError: unknown variable (the nearest known one is named) or bad value.
    """
    return _resolved([_Source(keywords, flag_of)], without=parts)


def parse_config(values: Mapping[str, Any], source: str, flags: Mapping[str, Any] | None = None) -> Config:
    """Settings as `source` has them, as a run's folder does, changed by `flags`; the environment has no say.

    Raises ConfigError: every problem found.
    """
    return _validated([_Source(values, place=f"{source}: "), _Source(flags or {}, flag_of)])


def kept_config(values: Mapping[str, Any], source: str) -> Config:
    """The settings that a run folder keeps; those that this version no longer has are passed over.

    Raises ConfigError: every problem found.
    """
    return parse_config({key: value for key, value in values.items() if key in Config.model_fields}, source)


def _resolved(sources: list[_Source], without: Collection[str] = ()) -> Config:
    """The settings of `sources`, the last of which goes before the environment, and the others behind it."""
    values = {key: value for source in sources for key, value in source.values.items()}
    keys = [str(value) for key, value in values.items() if key.endswith("api_key_env")]
    found = {key: value for key, value in from_environment(keys).items() if key not in without}
    return _validated([*sources[:-1], _Source(found, variable_of), sources[-1]])


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
        known = nearest(key, list(Config.model_fields))
        return f"{origins[key].place}unknown setting {key!r}; {known}"
    field = Config.model_fields.get(key)
    message = (must_be(field) if field and error["type"] != OWN else None) or refused(error)
    if not key:  # of settings that can't be had together
        key, _, message = message.partition(": ")
    origin = origins.get(key, _Source({}))
    return f"{origin.place}{origin.spelt(key)}: {message}"


def from_environment(also: Collection[str] = ()) -> dict[str, Any]:
    """The settings that variables give, not yet validated. A variable that is empty gives nothing.

    `also` are further variables that may be there, as those that hold a key.
    Raises ConfigError: a variable begins with `FACTREASONER_` and is no setting's; the nearest is named.
    """
    given = {name: text for name, text in os.environ.items() if name.startswith(PREFIX) and text}
    found = {VARIABLES[name]: text for name, text in given.items() if name in VARIABLES}
    keys = {text for key, text in found.items() if key.endswith("api_key_env")}
    strange = sorted(given.keys() - VARIABLES.keys() - RESERVED - keys - set(also))
    if strange:
        lines = [
            f"{name}: no setting has this variable; {nearest(name, list(VARIABLES))}" for name in strange
        ]
        raise ConfigError("\n".join(lines))
    return {key: _value(Config.model_fields[key], text) for key, text in found.items()}


def _value(field: FieldInfo, text: str) -> object:
    """What a variable's text says: several values with commas or as JSON. Pydantic reads numbers."""
    first = kinds_of(field.annotation)[0]
    if setting_of(field).several or get_origin(first) in (tuple, dict):
        if text[0] in "[{":
            try:
                return json.loads(text)
            except (ValueError, RecursionError):
                pass
        return [part.strip() for part in text.split(",")]
    numbers = get_origin(first) is Literal and all(isinstance(one, int) for one in get_args(first))
    return int(text) if numbers and text.isdecimal() else text


def read_profile(path: Path) -> dict[str, Any]:
    """The settings of a profile, not yet validated. `atoms-per-call` and `atoms_per_call` are one key.

    Raises ConfigError: the file can't be read, is no such mapping, or has a setting twice.
    """
    import yaml

    try:
        text = path.read_text(encoding="utf-8")
        node, data = yaml.compose(text, yaml.SafeLoader), yaml.safe_load(text)
    except OSError as error:
        raise ConfigError(f"{path}: can't be read: {error.strerror}") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: not valid YAML: {error}") from error
    except RecursionError as error:
        raise ConfigError(f"{path}: not valid YAML: nested too deeply") from error
    if node is None or data is None:
        return {}
    if not isinstance(data, dict) or not all(isinstance(key, str) for key in data):
        raise ConfigError(f"{path}: a profile is a mapping of setting names to values")
    lines: dict[str, int] = {}
    for key, _ in node.value:  # YAML would silently take the last of several
        name, line = key.value.replace("-", "_"), key.start_mark.line + 1
        if name in lines:
            raise ConfigError(
                f"{path}: the setting {key.value!r} stands twice: lines {lines[name]} and {line}"
            )
        lines[name] = line
    return {key.replace("-", "_"): value for key, value in data.items()}
