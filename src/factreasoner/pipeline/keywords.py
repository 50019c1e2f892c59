"""Every setting as a keyword argument. `make settings` writes them from the fields; a test compares them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypedDict, TypeVar

from factreasoner.corpus.settings import Search
from factreasoner.graph.settings import Version
from factreasoner.judges.encoder.settings import Device
from factreasoner.judges.settings import Prefilter, Unlisted
from factreasoner.llm.settings import BatchMode, Confidence, FormChoice, Mode
from factreasoner.metrics.settings import K
from factreasoner.models import FactorTable
from factreasoner.pipeline.settings import Executor, PremiseMode, Uncited
from factreasoner.retrieval.settings import Wikipedia
from factreasoner.settings.values import ServiceUrl, Url, Variable
from factreasoner.solvers.settings import MerlinAlgorithm

if TYPE_CHECKING:
    from factreasoner import protocols


P = TypeVar("P")
Part: TypeAlias = str | P | Callable[..., P]
"""A part: its name, the part itself, or a class or function that makes it."""


class Keywords(TypedDict, total=False):
    """Every setting as a keyword argument."""

    # Written by `make settings`.
    solver: Part[protocols.Solver]
    solver_seconds: float
    merlin_path: str | Path | None
    merlin_algorithm: MerlinAlgorithm | None
    merlin_ibound: int | None
    seed: int
    version: Version
    factors: FactorTable
    atom_prior: float
    context_prior: float
    credibility: str | Path | None
    summary_prior: bool
    independence: bool
    allow_domains: Sequence[str]
    deny_domains: Sequence[str]
    allow_private_hosts: bool
    api_base: Url | None
    timeout: float
    max_attempts: int
    patience: float
    concurrency: int
    requests_per_minute: int | None
    tokens_per_minute: int | None
    max_cost: float | None
    cache: bool
    cache_dir: str | Path | None
    search: Search
    collection: str
    store: str | Path | None
    embedding: str | None
    embedding_api_base: Url | None
    model: str | Sequence[str] | None
    api_key_env: Variable | None
    temperature: float
    max_tokens: int
    model_param: Mapping[str, Any] | Sequence[str]
    batch: BatchMode
    mode: Mode
    form: FormChoice
    confidence: Confidence
    atomizer: Part[protocols.Atomizer]
    reviser: Part[protocols.Reviser]
    revise_given: bool
    spacy_model: str | None
    retriever: Part[protocols.Retriever]
    query_builder: Part[protocols.QueryBuilder]
    summarizer: Part[protocols.Summarizer]
    retrieve_k: int
    wikipedia: Wikipedia
    search_url: ServiceUrl
    fetch_text: bool
    verifier: str | None
    verifier_model: str | None
    verifier_url: Url | None
    verifier_device: Device
    judge: Part[protocols.Judge]
    relations: str | Path | None
    unlisted: Unlisted
    atoms_per_call: int | None
    coherence: bool
    prefilter: Prefilter
    calibration: str | Path | None
    assessor: Part[protocols.Evaluator]
    premise: PremiseMode
    uncited: Uncited
    rounds: int
    k: K
    gamma: float | None
    executor: Executor
    workers: int | None
