"""All settings, flat, with one name each: the YAML key, the flag and the field are the same word."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, field_validator, model_validator

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
    RemovedMerlinAlgorithm,
    Search,
    Uncited,
    Unlisted,
    Version,
)
from factreasoner.credentials import checked_url, checked_variable
from factreasoner.models import Model
from factreasoner.parameters import checked_parameters, parsed_parameters
from factreasoner.setting_conflicts import refuse_conflicts


def _k_of(value: object) -> object:
    if value in ("median", "half"):
        return value
    try:
        number = int(str(value))
    except ValueError:
        number = 0
    if number < 1:
        raise ValueError("must be a positive integer, 'median' or 'half'")
    return number


class Config(Model):
    """One assessor, completely described.

    Keys of `CALL_SETTINGS` change how things are done and never a result, those of `SCORE_SETTINGS` scores
    alone.
    """

    assessor: str = "factreasoner"
    version: Version = 2
    atomizer: str = "auto"
    reviser: str = "auto"
    fact_generator: str = "auto"
    revise_given: bool = Field(default=False, description="revise atoms that the record brings, too")
    spacy_model: str | None = Field(
        default=None, description="what parses English; none: the first installed; 'none': nothing"
    )
    query_builder: str = "subject"
    retriever: str = "given"
    summarizer: str = "none"
    judge: str = "auto"
    relations: Path | None = Field(default=None, description="where the recorded judge's verdicts are")
    unlisted: Unlisted = Field(default="missing", description="what a pair without a recorded verdict is")
    verifier: str | None = Field(default=None, description="which verifier: a name, or a TOML file")
    verifier_model: str | None = Field(default=None, description="its ONNX files: a folder or an id")
    verifier_url: str | None = Field(
        default=None, description="where it is served: .../predict, .../classify"
    )
    verifier_api_key_env: str | None = None
    verifier_revision: str | None = Field(default=None, description="branch, tag or commit; or ID@REV")
    verifier_file: str | None = Field(default=None, description="which .onnx file; none: model.onnx")
    verifier_labels: str | None = Field(default=None, description="what its outputs mean, in their order")
    verifier_window: int | None = Field(default=None, ge=32, description="most tokens; none: the verifier's")
    verifier_device: Device = "cpu"
    verifier_threads: int | None = Field(default=None, ge=1, description="none: one a core")
    verifier_batch: int = Field(default=32, ge=1, description="pairs of 128 tokens run at once")
    verifier_download: bool = Field(default=False, description="fetch the model where it is not here yet")

    model: str | None = None
    further_models: tuple[str, ...] = Field(default=(), description="models that judge beside `model`")
    api_base: str | None = None
    api_key_env: str | None = None
    temperature: float = Field(default=0.0, ge=0.0, le=2.0)
    max_tokens: int = Field(default=4096, ge=16, description="longest reply, reasoning included")
    reasoning_effort: str | None = Field(default=None, min_length=1, description="how much a model reasons")
    model_param: Annotated[
        dict[str, Any], BeforeValidator(parsed_parameters), AfterValidator(checked_parameters)
    ] = Field(default_factory=dict, description="further parameters of each request")
    form: FormChoice = Field(default="auto", description="form of calls; auto: as first answers show")
    timeout: float = Field(default=120.0, gt=0.0, description="seconds one request may take")
    max_attempts: int = Field(
        default=5, ge=1, description="times one claim is asked about, bad replies and timeouts included"
    )
    patience: float = Field(
        default=120.0,
        ge=0.0,
        allow_inf_nan=False,
        description="seconds a call waits for a server that is down",
    )
    concurrency: int = Field(default=16, ge=1)
    executor: Executor = Field(default="threads", description="where records are worked on")
    workers: int | None = Field(default=None, ge=1, description="processes; none: one a core")
    ray_address: str | None = Field(default=None, description="a Ray cluster; none: one of this machine")
    requests_per_minute: int | None = Field(default=None, ge=1)
    tokens_per_minute: int | None = Field(default=None, ge=1)
    max_cost: float | None = Field(default=None, ge=0.0, description="US dollars")
    batch: BatchMode = Field(default="none", description="have calls answered in batches, at half the price")
    cache: bool = True
    cache_dir: Path | None = None

    mode: Mode = "tfn"
    atoms_per_call: int = Field(default=32, ge=1)
    calls: Calls = Field(default="batched", description="how a prompted assessor asks: atoms a call, or one")
    confidence: Confidence = "auto"
    constant_confidence: float = Field(default=0.9, ge=0.5, le=1.0)
    votes: int = Field(default=5, ge=2)
    audit_share: float = Field(default=0.0, ge=0.0, le=1.0)
    premise_tokens: int = Field(default=256, ge=16, description="cut of a context used as a claim (FR3)")

    premise: PremiseMode = Field(default="each", description="contexts judged one by one, or together")
    window_tokens: int = Field(default=16_000, ge=256, description="tokens of passages that a call shows")
    uncited: Uncited = Field(
        default="flag", description="what `verify` does with claims that cite nothing; check: by all sources"
    )
    rounds: int = Field(default=2, ge=0, le=2, description="times `verify` corrects an answer at most")

    retrieve_k: int = Field(default=3, ge=1, le=50, description="contexts an atom gets from a retriever")
    retrieve_question: bool = Field(default=True, description="search for the prompt or topic too (FR2, FR3)")
    wikipedia_language: str = Field(default="en", pattern=r"^[a-z][a-z0-9-]{0,19}$")
    wikipedia_url: str | None = Field(default=None, description="URL of another MediaWiki's api.php")
    search_url: str = Field(default="https://google.serper.dev", description="a Serper-compatible service")
    fetch_text: bool = Field(default=False, description="read the pages found, not their snippets alone")
    fetch_pages: int = Field(default=20, ge=1, description="pages read of a PDF")
    fetch_bytes: int = Field(default=10_000_000, ge=1000, description="largest page, packed and unpacked")
    fetch_timeout: float = Field(
        default=20.0, gt=0.0, description="seconds one page may take to come, and to be read"
    )
    ignore_robots: bool = Field(default=False, description="read pages that robots.txt asks to leave alone")
    allow_domains: tuple[str, ...] = Field(default=(), description="use pages of these domains alone")
    deny_domains: tuple[str, ...] = Field(default=(), description="never use pages of these domains")
    allow_private_hosts: bool = Field(default=False, description="fetch from private addresses (intranets)")

    store_dir: Path | None = Field(default=None, description="folder of the passages of own documents")
    collection: str = "documents"
    search: Search = Field(default="auto", description="auto: hybrid where the collection has vectors")
    embedding: str | None = Field(default=None, description="none: as the collection was made")
    embedding_api_base: str | None = None
    embedding_api_key_env: str | None = None
    embedding_price: float | None = Field(default=None, ge=0.0, description="US dollars a million tokens")

    factors: FactorTable = "conditional"
    atom_prior: float = Field(default=0.5, gt=0.0, lt=1.0)
    context_prior: float = Field(default=0.9, gt=0.0, lt=1.0)
    summary_prior: bool = Field(default=False, description="scale priors by the confidence of summaries")
    independence: bool = Field(default=False, description="let contexts of one source speak with one voice")
    solver: str = "auto"
    max_width: int | None = Field(default=None, ge=1)
    tolerance: float = Field(default=0.003, gt=0.0, lt=1.0, description="largest standard error of gibbs")
    solver_seconds: float = Field(
        default=30.0, gt=0.0, allow_inf_nan=False, description="limit of gibbs and pgmpy"
    )
    merlin_path: Path | None = Field(default=None, description="the merlin binary; else MERLIN_PATH, PATH")
    merlin_algorithm: MerlinAlgorithm | RemovedMerlinAlgorithm | None = Field(
        default=None, description="none: cte where it fits"
    )
    merlin_ibound: int | None = Field(default=None, ge=1, description="none: 10")
    merlin_iterations: int | None = Field(default=None, ge=1)
    merlin_timeout: float = Field(default=120.0, gt=0.0, allow_inf_nan=False, description="seconds")

    calibration: Path | None = Field(default=None, description="a file that `calibrate` wrote")

    k: Annotated[int | Literal["median", "half"], BeforeValidator(_k_of)] = "median"
    gamma: float | None = Field(
        default=None,
        gt=0.0,
        allow_inf_nan=False,
        description="atoms below which FActScore's length penalty sets in",
    )
    seed: int = 0

    @field_validator("wikipedia_url", "search_url")
    @classmethod
    def _no_secrets(cls, url: str | None) -> str | None:
        """Settings stand in every run folder, so a service's URL may hold neither credentials nor a query."""
        if url is not None and re.search(r"[@?]", url):
            raise ValueError(
                "a URL with credentials or a query would be written into results; leave them out"
            )
        return url

    @field_validator("api_base", "embedding_api_base", "verifier_url")
    @classmethod
    def _no_credentials(cls, url: str | None) -> str | None:
        """These may have a query (`?api-version=...`), but a server's key comes from the environment."""
        return None if url is None else checked_url(url)

    @field_validator("api_key_env", "embedding_api_key_env", "verifier_api_key_env")
    @classmethod
    def _no_key(cls, name: str | None) -> str | None:
        """A key given in the place of the name of its variable is refused, and not repeated."""
        return None if name is None else checked_variable(name)

    @model_validator(mode="before")
    @classmethod
    def _several_models(cls, data: Any) -> Any:  # noqa: ANN401 - whatever is to be validated
        """Of a list of models the first does everything, and the others judge beside it."""
        if not isinstance(data, dict) or not isinstance(data.get("model"), list | tuple):
            return data
        first, others = next(iter(data["model"]), None), tuple(data["model"][1:])
        if data.get("further_models") and others:
            raise ValueError("further_models: several models are given as `model` already; leave one out")
        return data | {"model": first} | ({"further_models": others} if others else {})

    @model_validator(mode="before")
    @classmethod
    def _nli(cls, data: Any) -> Any:  # noqa: ANN401 - whatever is to be validated
        """Judge `nli` is another name of the verifier `nli`."""
        if not isinstance(data, dict) or data.get("judge") != "nli":
            return data
        if data.get("verifier") not in (None, "nli"):
            raise ValueError(
                f"judge: 'nli' is the verifier 'nli', and verifier is {data['verifier']!r}; give one"
            )
        return data | {"judge": "verifier", "verifier": "nli"}

    @model_validator(mode="after")
    def _agree(self) -> Config:
        refuse_conflicts(self)
        return self

    @property
    def judge_models(self) -> tuple[str, ...]:
        """The models of an ensemble of judges; none where one model judges, or none."""
        return (str(self.model), *self.further_models) if self.further_models else ()

    @property
    def model_parameters(self) -> dict[str, Any]:
        """The parameters that a request carries by the user's wish, whatever the model."""
        effort = {} if self.reasoning_effort is None else {"reasoning_effort": self.reasoning_effort}
        return {**effort, **self.model_param}

    def plugin(self, kind: str) -> str:
        """The name of a plug-in with `auto` decided: the model's when there is one, else the embedded one.

        Of those that can be left out there is no embedded one.
        """
        name: str = getattr(self, kind)
        if name != "auto" or kind == "solver":
            return name
        if self.model:
            return "llm"
        return WITHOUT_MODEL.get(kind, "embedded")


WITHOUT_MODEL = {"query_builder": "subject", "summarizer": "none"}
"""What `auto` is without a model, where that is not `embedded`."""

CALL_SETTINGS = frozenset(
    {
        "api_key_env",
        "timeout",
        "concurrency",
        "executor",
        "workers",
        "ray_address",
        "requests_per_minute",
        "tokens_per_minute",
        "max_cost",
        "max_attempts",
        "patience",
        "batch",
        "cache",
        "cache_dir",
        "embedding_api_key_env",
        "embedding_price",
        "fetch_timeout",
        "merlin_path",
        "merlin_timeout",
        "calibration",  # what is in the file counts, not where it lies; the manifest has its fingerprint
        "relations",  # likewise
        "verifier_model",  # likewise
        "verifier_revision",
        "verifier_file",
        "verifier_api_key_env",
        "verifier_device",
        "verifier_threads",
        "verifier_batch",
        "verifier_download",
    }
)
SCORE_SETTINGS = frozenset({"k", "gamma"})
"""Keys used only to compute metrics from assessments."""
