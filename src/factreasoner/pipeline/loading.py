"""Settings from flags, the environment, a profile, keyword arguments and defaults; every problem is named."""

from __future__ import annotations

import functools
import inspect
import logging
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from factreasoner.errors import ConfigError, FactReasonerError, InputError
from factreasoner.pipeline.config import GRAPH_SETTINGS, Config
from factreasoner.plugins.table import PLUGINS
from factreasoner.settings.removed import removal_notice, removed_from
from factreasoner.settings.sources import (
    PREFIX,
    Source,
    flag_of,
    from_environment,
    read_profile,
    unknown_setting,
    validated,
)

log = logging.getLogger(__name__)
P = ParamSpec("P")
R = TypeVar("R")


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
    strange = [unknown_setting(name, known) for name in names if name not in known]
    if strange:
        taken = ", ".join(name for name in own if name != "self")
        raise ConfigError("\n".join([*strange, f"beside settings, this call takes {taken}"]))


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
        sources.append(Source(read_profile(Path(profile)), place=f"{profile}: "))
    chosen = {key: value for key, value in (flags or {}).items() if value is not None}
    return _resolved([*sources, Source(chosen, flag_of)])


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
    return _resolved([Source(keywords, flag_of)], without=parts)


def parse_config(values: Mapping[str, Any], source: str, flags: Mapping[str, Any] | None = None) -> Config:
    """Settings from `source`, such as a run folder, overridden by `flags`; the environment is not read.

    Raises ConfigError: every problem found.
    """
    return validated(Config, [Source(values, place=f"{source}: "), Source(flags or {}, flag_of)])


def kept_config(values: Mapping[str, Any], source: str) -> Config:
    """The settings that a run folder keeps, without those that this version no longer has.

    Warns of each of these that was not at its default. Raises ConfigError: every problem found.
    """
    for key, told in removed_from(values):
        _warn_once(f"{source}: {key}: {told}")
    kept = {
        key: value
        for key, value in values.items()
        if key in Config.model_fields and removal_notice(key, value) is None
    }
    return parse_config(kept, source)


@functools.cache
def _warn_once(message: str) -> None:
    log.warning(message)


def _resolved(sources: list[Source], without: Collection[str] = ()) -> Config:
    """The settings of `sources` and the environment, which comes before the last source.

    Raises ConfigError: a bad value.
    """
    values = {key: value for source in sources for key, value in source.values.items()}
    keys = [str(values["api_key_env"])] if "api_key_env" in values else []
    found = {key: value for key, value in from_environment(Config, keys).items() if key not in without}
    return validated(Config, [*sources[:-1], Source(found, lambda key: PREFIX + key.upper()), sources[-1]])


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
