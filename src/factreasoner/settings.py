"""The settings of :class:`Config` as keyword arguments, so that a type checker sees a misspelt or wrong one.

A test holds them to `Config`: every setting is here, and takes what it takes there. Where a setting names a
part, an object or class of one's own may stand.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypedDict

from factreasoner.choices import (
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
    nli_model: str | None
    nli_revision: str | None
    nli_file: str | None
    nli_labels: str | None
    nli_window: int
    nli_device: Device
    nli_threads: int | None
    nli_batch: int
    nli_download: bool
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
    requests_per_minute: int | None
    tokens_per_minute: int | None
    max_cost: float | None
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
    chroma_url: str | None
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
