"""Settings from flags, the environment, a profile and defaults, in that order; every problem is named."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic import ValidationError

from factreasoner.errors import ConfigError
from factreasoner.plugins.table import nearest
from factreasoner.settings.config import Config
from factreasoner.settings.environment import from_environment, variable_of
from factreasoner.settings.expectations import OWN, must_be, refused
from factreasoner.settings.python import python_call

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails


class _Source(NamedTuple):
    """Settings from one place: how one is spelt there, and the place where it is a file."""

    values: Mapping[str, Any]
    spelt: Callable[[str], str] = str
    place: str = ""


def flag_of(key: str) -> str:
    """The flag that sets a setting."""
    return f"--{key.replace('_', '-')}"


def load_settings(profile: Path | str | None = None, flags: Mapping[str, Any] | None = None) -> Config:
    """Defaults < the profile (a YAML file) < the environment < flags; a flag of None counts as not given.

    Raises:
        ConfigError: unreadable file, unknown key or variable (the nearest known one is named) or bad value.
    """
    sources = []
    if profile is not None:
        from factreasoner.settings.profiles import read_profile

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

    Raises:
        ConfigError: unknown variable (the nearest known one is named) or bad value.
    """
    return _resolved([_Source(keywords, flag_of)], without=parts)


def parse_config(values: Mapping[str, Any], source: str, flags: Mapping[str, Any] | None = None) -> Config:
    """Settings as `source` has them, as a run's folder does, changed by `flags`; the environment has no say.

    Raises:
        ConfigError: every problem found.
    """
    return _validated([_Source(values, place=f"{source}: "), _Source(flags or {}, flag_of)])


def kept_config(values: Mapping[str, Any], source: str) -> Config:
    """The settings that a run folder keeps; those that this version no longer has are passed over.

    Raises:
        ConfigError: every problem found.
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
