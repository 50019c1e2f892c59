"""Every setting as a keyword argument. `make settings` generates them; a test compares them."""

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
"""A component: its name, itself, or a class or function that makes it."""

class Keywords(TypedDict, total=False):
    """Every setting as a keyword argument."""

    # Written by `make settings`.
    solver: Part[protocols.Solver] | None
    solver_seconds: float | None
    merlin_path: str | Path | None
    merlin_algorithm: MerlinAlgorithm | None
    merlin_ibound: int | None
    seed: int | None
    version: Version | None
    factors: FactorTable | None
    atom_prior: float | None
    context_prior: float | None
    credibility: str | Path | None
    summary_prior: bool | None
    independence: bool | None
    allow_domains: Sequence[str] | None
    deny_domains: Sequence[str] | None
    allow_private_hosts: bool | None
    api_base: Url | None
    timeout: float | None
    max_attempts: int | None
    patience: float | None
    concurrency: int | None
    requests_per_minute: int | None
    tokens_per_minute: int | None
    max_cost: float | None
    cache: bool | None
    cache_dir: str | Path | None
    search: Search | None
    collection: str | None
    store: str | Path | None
    embedding: str | None
    embedding_api_base: Url | None
    model: str | Sequence[str] | None
    api_key_env: Variable | None
    temperature: float | None
    max_tokens: int | None
    model_param: Mapping[str, Any] | Sequence[str] | None
    batch: BatchMode | None
    mode: Mode | None
    form: FormChoice | None
    confidence: Confidence | None
    atomizer: Part[protocols.Atomizer] | None
    reviser: Part[protocols.Reviser] | None
    revise_given: bool | None
    retriever: Part[protocols.Retriever] | None
    query_builder: Part[protocols.QueryBuilder] | None
    summarizer: Part[protocols.Summarizer] | None
    retrieve_k: int | None
    wikipedia: Wikipedia | None
    search_url: ServiceUrl | None
    fetch_text: bool | None
    verifier: str | None
    verifier_model: str | None
    verifier_url: Url | None
    verifier_device: Device | None
    judge: Part[protocols.Judge] | None
    relations: str | Path | None
    unlisted: Unlisted | None
    atoms_per_call: int | None
    coherence: bool | None
    prefilter: Prefilter | None
    calibration: str | Path | None
    assessor: Part[protocols.Evaluator] | None
    premise: PremiseMode | None
    uncited: Uncited | None
    rounds: int | None
    k: K | None
    gamma: float | None
    executor: Executor | None
    workers: int | None
