"""Load settings from flags, environment, profile, keyword arguments and defaults."""

from __future__ import annotations

import asyncio
import contextvars
import difflib
import functools
import inspect
import re
import threading
import warnings
from collections.abc import Callable, Collection, Coroutine, Iterable, Mapping, Sequence
from concurrent.futures import wait
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from factreasoner.calls.threads import abandon_on_exit, run_in_thread
from factreasoner.errors import ConfigError, FactReasonerError, InputError, InputProblem
from factreasoner.inputs.columns import FIELDS, LIKE, parameter_of
from factreasoner.models.formatting import describe
from factreasoner.pipeline.config import GRAPH_SETTINGS, Config
from factreasoner.plugins.table import PLUGINS
from factreasoner.settings.removed import removal_notice, removed_from
from factreasoner.settings.sources import PREFIX, Source, from_environment, read_profile, validated, warn_once
from factreasoner.text.visible import QUOTED

P = ParamSpec("P")
R = TypeVar("R")
ConfigLike = Config | Mapping[str, Any] | str | Path | None
"""Base settings: a `Config`, its `model_dump()`, or the path of a profile (a YAML file)."""


# Settings by name in Python


def python_call(function: Callable[P, R]) -> Callable[P, R]:
    """Decorate a function with settings as keywords: unknown names are refused, errors name arguments.

    Raises ConfigError for a name that is neither a parameter nor a setting, with the nearest known one.
    """
    own = [name for name, p in inspect.signature(function).parameters.items() if p.kind is not p.VAR_KEYWORD]
    caller = f"{function.__name__}()"

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        _give_own_names(caller, kwargs, own, len(args))
        refuse_unknown(kwargs, own)
        try:
            return function(*args, **kwargs)
        except InputError as error:
            problems = [problem._replace(message=in_python(problem.message)) for problem in error.problems]
            error.__init__(problems, valid=error.valid, hint=error.hint)  # type: ignore[misc]
            raise
        except FactReasonerError as error:
            error.args = tuple(in_python(arg) if isinstance(arg, str) else arg for arg in error.args)
            raise

    return call


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


def _give_own_names(caller: str, given: dict[str, Any], own: Sequence[str], positional: int) -> None:
    """Rename arguments from record keys to the names of `caller`.

    Raises InputError: two names for one argument are given.
    """
    found: dict[str, Any] = {}
    names = dict(zip(own[:positional], own, strict=False))
    problems: list[InputProblem] = []
    for name, value in given.items():
        target = name
        if name not in own and name not in Config.model_fields:
            target = parameter_of(name, own) or (RENAMED[name] if RENAMED.get(name) in own else name)
        if value is None and target in names:
            continue
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


_BEFORE = r"(?:(?<=\bis )|(?<=\bbe )|(?<=\bor )|(?<=\bnot )|(?<=\bwrite )|(?<=\bexpected )|(?<=\), ))"
_WORDS = {
    r"must be an object: {...}": "must be a dict",
    r"remove the record \(in JSON \"\" is an empty answer\)": "give '' for an empty answer",
    r"write each of these as a record, one a line: .*": "pass each of these as a record",
    rf"{_BEFORE}an object\b|(?<=must be )a mapping\b": "a dict",
    r"a list of objects": "a list of dicts",
    rf"{_BEFORE}null\b": "None",
    rf"{_BEFORE}true\b": "True",
    rf"{_BEFORE}false\b": "False",
}
"""Words of files and commands -> those of Python."""
_REWORDED = re.compile("|".join(f"({words})" for words in (QUOTED, *_WORDS)))


def in_python(message: str) -> str:
    """A message in Python's terms. What it quotes, such as a text of the user's, stays as it is."""
    others = ["", *_WORDS.values()]
    return _REWORDED.sub(lambda found: others[(found.lastindex or 1) - 1] or found[0], message)


# Settings from all sources


def load_settings(profile: Path | str | None = None, flags: Mapping[str, Any] | None = None) -> Config:
    """Flags override the environment, which overrides the profile (a YAML file); None counts as not given.

    Raises ConfigError: unreadable file, unknown key (the nearest known one is named) or bad value.
    """
    sources = []
    if profile is not None:
        sources.append(Source(read_profile(Path(profile)), place=f"{profile}: "))
    chosen = {key: value for key, value in (flags or {}).items() if value is not None}
    return _resolved([*sources, Source(chosen)])


def keyword_settings(
    keywords: Mapping[str, Any], parts: Collection[str] = (), config: ConfigLike = None
) -> Config:
    """Keywords override `config`; if that is a path or None, the environment overrides it.

    None counts as not given. The environment does not apply to `parts`.

    Raises ConfigError: a bad value.
    """
    given = {key: value for key, value in keywords.items() if value is not None}
    if isinstance(config, Config):
        config = config.model_dump(exclude_unset=True)
    if isinstance(config, Mapping):
        return validated(Config, [Source(config), Source(given)])
    if not isinstance(config, str | Path | None):
        known = "a Config, a mapping of settings, or the path of a profile"
        raise ConfigError(f"config: is {describe(config)}; it must be {known}")
    profile = [] if config is None else [Source(read_profile(Path(config)), place=f"{config}: ")]
    return _resolved([*profile, Source(given)], without=parts)


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


def _resolved(sources: list[Source], without: Collection[str] = ()) -> Config:
    """The settings of `sources` and the environment, which precedes the last source.

    Raises ConfigError: a bad value.
    """
    values = {key: value for source in sources for key, value in source.values.items()}
    keys = [str(values["api_key_env"])] if "api_key_env" in values else []
    found = {key: value for key, value in from_environment(Config, keys).items() if key not in without}
    return validated(Config, [*sources[:-1], Source(found, lambda key: PREFIX + key.upper()), sources[-1]])


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
