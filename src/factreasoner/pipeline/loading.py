"""Load settings from flags, environment, profile, keyword arguments and defaults."""

from __future__ import annotations

import asyncio
import contextvars
import difflib
import functools
import inspect
import os
import threading
import warnings
from collections.abc import Callable, Collection, Coroutine, Iterable, Mapping, Sequence
from concurrent.futures import wait
from numbers import Integral
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import numpy as np

from factreasoner.calls.threads import abandon_on_exit, run_in_thread
from factreasoner.errors import ConfigError, FactReasonerError, InputError, InputProblem, UsageError
from factreasoner.inputs.columns import FIELDS, LIKE, parameter_of
from factreasoner.models.formatting import SHORTENED, describe, reworded_for_python
from factreasoner.pipeline.config import GRAPH_SETTINGS, Config
from factreasoner.plugins.table import PLUGINS
from factreasoner.settings.removed import removal_notice, removed_from
from factreasoner.settings.sources import PREFIX, Source, from_environment, read_profile, validated, warn_once

P = ParamSpec("P")
R = TypeVar("R")
ConfigLike = Config | Mapping[str, Any] | str | Path | None
"""Base settings: a `Config`, a mapping such as its `model_dump()`, or the path of a profile (YAML)."""


# Settings by name in Python


def python_call(function: Callable[P, R]) -> Callable[P, R]:
    """Decorate a function with settings as keywords: unknown names are refused, errors name arguments.

    Raises ConfigError for a name that is neither a parameter nor a setting, with the nearest known one.
    """
    parameters = inspect.signature(function).parameters
    own = [name for name, p in parameters.items() if p.kind is not p.VAR_KEYWORD]
    caller = f"{function.__name__}()"

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        _give_own_names(caller, kwargs, parameters, len(args))
        refuse_unknown(kwargs, own)
        try:
            return function(*args, **kwargs)
        except FactReasonerError as error:
            reworded_for_python(error)
            raise

    return call


_KINDS: Mapping[str, tuple[tuple[type, ...], str]] = {
    "bool": ((bool, np.bool_), "True or False"),
    "int": ((Integral,), "a whole number"),
    "str | Path": ((str, os.PathLike), "a path"),
}
"""Annotations of parameters that only `python_call` checks -> their types, and the kind as text."""
_A_SETTING = inspect.Parameter("setting", inspect.Parameter.KEYWORD_ONLY)
RENAMED = {"claims": "atoms", "reference_claims": "reference_atoms"}
"""Parameters of earlier versions."""


def awaitable(function: Callable[P, R]) -> Callable[P, Coroutine[Any, Any, R]]:
    """The async version of a function, which runs in a thread.

    A cancelled task, as by `asyncio.wait_for`, sends no further call, computes no further verdict and does
    not wait: answers of running calls are lost.
    """

    @functools.wraps(function)
    async def call(*args: P.args, **kwargs: P.kwargs) -> R:
        with abandon_on_exit():
            context = contextvars.copy_context()
            work = run_in_thread(lambda: context.run(function, *args, **kwargs))
            try:
                return await asyncio.wrap_future(work)
            except asyncio.CancelledError:  # a process that ends while onnxruntime runs is aborted
                threading.Thread(target=wait, args=([work], 5.0)).start()
                raise

    call.__name__ = call.__qualname__ = f"a{function.__name__}"
    call.__doc__ = f"Do what `{function.__name__}` does without blocking an event loop.\n\n{function.__doc__}"
    return call


def _give_own_names(
    caller: str, given: dict[str, Any], parameters: Mapping[str, inspect.Parameter], positional: int
) -> None:
    """Rename arguments from record keys to the names of `caller`; None counts as a parameter's default.

    Raises:
        InputError: two names for one argument are given.
        UsageError: an argument is not of its parameter's kind.
    """
    found: dict[str, Any] = {}
    own = [name for name, p in parameters.items() if p.kind is not p.VAR_KEYWORD]
    names = dict(zip(own[:positional], own, strict=False))
    problems: list[InputProblem] = []
    for name, value in given.items():
        target = name
        if name not in own and name not in Config.model_fields:
            target = parameter_of(name, own) or (RENAMED[name] if RENAMED.get(name) in own else name)
        parameter = parameters.get(target, _A_SETTING)
        if value is None and (target in names or parameter.default is not parameter.empty):
            continue
        types, kind = _KINDS.get(str(parameter.annotation).removesuffix(" | None"), ((object,), ""))
        if not isinstance(value, types):
            raise UsageError(f"{target} is {SHORTENED.repr(value)}; it must be {kind}")
        other = names.get(target)
        if other not in (None, name) and found.get(target, other) is not None:
            message = f"given as {other!r} and {name!r}; keep one"
            problems.append(InputProblem(caller, target, message))
        if name in RENAMED and target != name:
            warnings.warn(f"{caller}: {name} is called {target} now", DeprecationWarning, stacklevel=3)
        names[target], found[target] = name, value
    if problems:
        raise InputError(problems)
    given.clear()
    given.update(found)


def refuse_unknown(names: Iterable[str], own: Sequence[str]) -> None:
    """Raise ConfigError for a name that is neither in `own` nor a setting."""
    strange = [_unknown(name, own) for name in names if name not in own and name not in Config.model_fields]
    if strange:
        taken = ", ".join(name for name in own if name != "self")
        raise ConfigError("\n".join([*strange, f"besides settings, this call accepts {taken}"]))


def _unknown(name: str, own: Sequence[str]) -> str:
    """The message for an unknown parameter or setting, with the nearest one."""
    if gone := removal_notice(name):
        return f"{name}: {gone}"
    meant = {key: key for key in (*own, *Config.model_fields)}
    for keys in FIELDS.values():
        if target := parameter_of(keys[0], own):
            meant |= dict.fromkeys(keys, target)
    near = difflib.get_close_matches(name, meant, cutoff=LIKE)
    near.sort(key=lambda other: sorted(other) != sorted(name))
    return f"unknown setting {name!r}" + (f"; did you mean {meant[near[0]]!r}?" if near else "")


# Settings from all sources


def load_settings(
    profile: Path | str | None = None, flags: Mapping[str, Any] | None = None, without: Collection[str] = ()
) -> Config:
    """Flags override the environment, which overrides the profile (a YAML file); None counts as not given.

    The environment does not apply to the settings in `without`.

    Raises ConfigError: unreadable file, unknown key (the nearest known one is named) or bad value.
    """
    chosen = {key: value for key, value in (flags or {}).items() if value is not None}
    own = {} if profile is None else read_profile(Path(profile))
    keys = [str(value) for key, value in {**own, **chosen}.items() if key == "api_key_env"]
    found = {key: value for key, value in from_environment(Config, keys).items() if key not in without}
    environment = Source(found, lambda key: PREFIX + key.upper())
    return validated(Config, [Source(own, place=f"{profile}: "), environment, Source(chosen)])


def keyword_settings(
    keywords: Mapping[str, Any], parts: Collection[str] = (), config: ConfigLike = None
) -> Config:
    """Keywords override `config`. The environment overrides a profile, adds to a mapping, not to a `Config`.

    None counts as not given, in a mapping as the default. The environment does not apply to `parts`.

    Raises ConfigError: a bad value.
    """
    given = {key: value for key, value in keywords.items() if value is not None}
    if isinstance(config, Config):
        return validated(Config, [Source(config.model_dump(exclude_unset=True)), Source(given)])
    if isinstance(config, Mapping):
        return load_settings(None, {**config, **given}, {*parts, *config})
    if not isinstance(config, str | Path | None):
        known = "a Config, a mapping of settings, or the path of a profile"
        raise ConfigError(f"config: is {describe(config)}; it must be {known}")
    return load_settings(config, given, parts)


def parse_config(values: Mapping[str, Any], source: str, flags: Mapping[str, Any] | None = None) -> Config:
    """Settings from `source`, such as a run folder, overridden by `flags`; the environment is not read.

    Raises ConfigError: every problem found.
    """
    return validated(Config, [Source(values, place=f"{source}: "), Source(flags or {})])


def stored_config(values: Mapping[str, Any], source: str) -> Config:
    """The settings stored in a run folder, without removed ones.

    Warns of removed settings that were not at their default. Raises ConfigError: every problem found.
    """
    for key, told in removed_from(values):
        warn_once(f"{source}: {key}: {told}")
    kept = {
        key: value
        for key, value in values.items()
        if key in Config.model_fields and removal_notice(key, value) is None
    }
    return parse_config(kept, source)


def unused(config: Config, given: Collection[str]) -> list[str]:
    """Notes on `given` settings that the judge or assessor does not use."""
    notes, judge, assessor = list[str](), config.part("judge"), config.part("assessor")
    if "model" in given and config.first_model and (judge.replays or judge.classifies):
        others = "other parts ask it, such as the atomizer, where a record needs them"
        notes.append(f"`judge={config.judge!r}` does not ask {config.first_model}: only {others}.")
    if config.assessor in PLUGINS["assessor"] and not assessor.builds_graph:
        names = ["`version=3`"] * (config.version == 3 and "version" in given)
        names += [f"`{key}`" for key in Config.model_fields if key in GRAPH_SETTINGS and key in given]
        if names:
            notes.append(f"`assessor={config.assessor!r}` does not use {', '.join(names)}.")
    return notes
