"""The settings of :class:`Config` as keyword arguments, so that a type checker sees a misspelt or wrong one.

A test holds them to `Config`: every setting is here, and takes what it takes there. Where a setting names a
part, an object or class of one's own may stand. What is wrong with a call is told in words of Python.
"""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, ParamSpec, TypedDict, TypeVar, get_args, get_type_hints

from factreasoner.choices import (
    BatchMode,
    Calls,
    Confidence,
    Device,
    Executor,
    FactorTable,
    FormChoice,
    MerlinAlgorithm,
    Mode,
    PremiseMode,
    Search,
    Uncited,
    Unlisted,
    Version,
)
from factreasoner.errors import ConfigError, FactReasonerError, InputError
from factreasoner.protocols import (
    Atomizer,
    Evaluator,
    FactGenerator,
    Judge,
    QueryBuilder,
    Retriever,
    Reviser,
    Solver,
    Summarizer,
)
from factreasoner.registry import PLUGINS, nearest

P = ParamSpec("P")
R = TypeVar("R")


class Settings(TypedDict, total=False):
    """Every setting of :class:`Config`; those left out have their defaults."""

    assessor: str | Evaluator | Callable[..., Evaluator]
    version: Version
    atomizer: str | Atomizer | Callable[..., Atomizer]
    reviser: str | Reviser | Callable[..., Reviser]
    fact_generator: str | FactGenerator | Callable[..., FactGenerator]
    revise_given: bool
    spacy_model: str | None
    query_builder: str | QueryBuilder | Callable[..., QueryBuilder]
    retriever: str | Retriever | Callable[..., Retriever]
    summarizer: str | Summarizer | Callable[..., Summarizer]
    judge: str | Judge | Callable[..., Judge]
    relations: str | Path | None
    unlisted: Unlisted
    verifier: str | None
    verifier_model: str | None
    verifier_url: str | None
    verifier_api_key_env: str | None
    verifier_revision: str | None
    verifier_file: str | None
    verifier_labels: str | None
    verifier_window: int | None
    verifier_device: Device
    verifier_threads: int | None
    verifier_batch: int
    verifier_download: bool
    model: str | Sequence[str] | None
    further_models: Sequence[str]
    api_base: str | None
    api_key_env: str | None
    temperature: float
    max_tokens: int
    reasoning_effort: str | None
    model_param: Mapping[str, Any] | Sequence[str]
    form: FormChoice
    timeout: float
    max_attempts: int
    patience: float
    concurrency: int
    executor: Executor
    workers: int | None
    ray_address: str | None
    requests_per_minute: int | None
    tokens_per_minute: int | None
    max_cost: float | None
    batch: BatchMode
    cache: bool
    cache_dir: str | Path | None
    mode: Mode
    atoms_per_call: int
    calls: Calls
    confidence: Confidence
    constant_confidence: float
    votes: int
    audit_share: float
    premise_tokens: int
    premise: PremiseMode
    window_tokens: int
    uncited: Uncited
    rounds: int
    retrieve_k: int
    retrieve_question: bool
    wikipedia_language: str
    wikipedia_url: str | None
    search_url: str
    fetch_text: bool
    fetch_pages: int
    fetch_bytes: int
    fetch_timeout: float
    ignore_robots: bool
    allow_domains: Sequence[str]
    deny_domains: Sequence[str]
    allow_private_hosts: bool
    store_dir: str | Path | None
    collection: str
    search: Search
    embedding: str | None
    embedding_api_base: str | None
    embedding_api_key_env: str | None
    embedding_price: float | None
    factors: FactorTable
    atom_prior: float
    context_prior: float
    summary_prior: bool
    independence: bool
    solver: str | Solver | Callable[..., Solver]
    max_width: int | None
    tolerance: float
    solver_seconds: float
    merlin_path: str | Path | None
    merlin_algorithm: MerlinAlgorithm | None
    merlin_ibound: int | None
    merlin_iterations: int | None
    merlin_timeout: float
    calibration: str | Path | None
    k: int | Literal["median", "half"]
    gamma: float | None
    seed: int


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
    known = [*own, *Settings.__annotations__]
    strange = [f"unknown setting {name!r}; {nearest(name, known)}" for name in names if name not in known]
    if strange:
        raise ConfigError("\n".join(strange))


_FLAG = re.compile(r"`[^`]*`|--(no-)?([a-z][a-z0-9-]*)(?:[ =]([A-Za-z0-9_.'/-]+(?:=[\w'-]+)?))?")
_OTHER_ARGUMENTS = {"column_map": Mapping, "fresh": bool, "out": Path}
"""Arguments that have flags, and are no settings."""


def in_python(message: str) -> str:
    """A message with flags of the command line as the keyword arguments that they are in Python.

    A command, which stands in backticks, is left as it is.
    """
    return _FLAG.sub(_as_keyword, message)


def _as_keyword(flag: re.Match[str]) -> str:
    if flag[2] is None:
        return flag[0]
    negated, name, value = flag[1], flag[2].replace("-", "_"), flag[3]
    kinds = {**get_type_hints(Settings), **_OTHER_ARGUMENTS}
    rest = f" {value}" if value else ""
    if name not in kinds:
        return flag[0]
    if kinds[name] is bool:
        return f"{name}={not negated}{rest}"
    theirs, _, ours = (value or "").partition("=")
    if name == "column_map":
        return f"{name}={{{theirs!r}: {ours!r}}}" if ours else f"{name}{rest}"
    if value and (value.isupper() or value.replace(".", "").isdigit()):
        return f"{name}={value}"
    if value in PLUGINS.get(name, ()) or value in get_args(kinds[name]):
        return f'{name}="{value}"'
    return f"{name}{rest}"
