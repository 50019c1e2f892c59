"""Every setting, declared once: the field, its flag, its variable, its YAML key and its keyword are one word.

`make settings` writes the keyword arguments below, and docs/settings.md, from the fields. A test compares.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, TypedDict, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, model_validator

from factreasoner.models import FactorTable
from factreasoner.plugins.table import PLUGINS
from factreasoner.settings import choices
from factreasoner.settings.conflicts import refuse_conflicts
from factreasoner.settings.setting import setting, setting_of
from factreasoner.settings.values import (
    checked_k,
    checked_parameters,
    checked_service,
    checked_url,
    checked_variable,
    parsed_parameters,
)

if TYPE_CHECKING:
    from factreasoner import protocols

Url = Annotated[str, AfterValidator(checked_url)]
ServiceUrl = Annotated[str, AfterValidator(checked_service)]
Variable = Annotated[str, AfterValidator(checked_variable)]
Parameters = Annotated[dict[str, Any], BeforeValidator(parsed_parameters), AfterValidator(checked_parameters)]
K = Annotated[int | Literal["median", "half"], BeforeValidator(checked_k)]

_NAMES = {kind: ", ".join(names) for kind, names in PLUGINS.items()}
_assessor = partial(setting, "Assessor")
_verifier = partial(setting, "Verifier")
_verifier_call = partial(_verifier, affects="calls")
_model = partial(setting, "Model")
_model_call = partial(_model, affects="calls")
_retrieval = partial(setting, "Retrieval")
_documents = partial(setting, "Own documents")
_judging = partial(setting, "Judging")
_claims = partial(setting, "Claims")
_graph = partial(setting, "Graph")
_calibration = partial(setting, "Calibration")
_scores = partial(setting, "Scores")


class Config(BaseModel):
    """One assessor, completely described: see docs/settings.md for what each setting means.

    A new setting is a field here. Help pages show panels and fields in this order.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    assessor: str = _assessor("factreasoner", f"{_NAMES['assessor']} or package.module:Class.")
    version: choices.Version = _assessor(
        2,
        "1: a context counts for the atoms it was retrieved for; 2: for every atom; 3: contexts are judged "
        "against each other too.",
        common=True,
    )
    atomizer: str = _assessor("auto", f"auto, {_NAMES['atomizer']} or package.module:Class.")
    reviser: str = _assessor(
        "auto",
        "auto, llm, inline (the atomizer's own wording stands), embedded, none or package.module:Class.",
    )
    fact_generator: str = _assessor(
        "auto", f"Makes facts of a reference: auto, {_NAMES['fact_generator']} or package.module:Class."
    )
    revise_given: bool = _assessor(False, "Revise the atoms that records bring, too.")
    retriever: str = _assessor(
        "given",
        f"{_NAMES['retriever']} or package.module:Class; or several, as corpus,wikipedia.",
        common=True,
    )
    spacy_model: str | None = _assessor(
        None,
        "spaCy pipeline the embedded atomizer and reviser parse English with: a name, a path, or none for "
        "whole sentences. (default: en_core_web_sm or another one that is installed)",
    )
    judge: str = _assessor(
        "auto",
        f"auto, {_NAMES['judge']} or package.module:Class. (default: llm with a model, else embedded)",
        common=True,
        once="give one; several models judge together by --model A --model B",
    )
    # What is in a file counts, not where it lies; the manifest has its fingerprint.
    relations: Path | None = _assessor(
        None,
        "Verdicts of the recorded judge: JSONL, or an earlier run's folder.",
        affects="calls",
        common=True,
    )
    unlisted: choices.Unlisted = _assessor(
        "missing",
        "What a pair not listed by --relations is, in a record it names; a missing one is a failure.",
    )

    verifier: str | None = _verifier(None, "Which verifier judges, as factcg, or a TOML file.", common=True)
    # Of the model, too, the manifest has the fingerprint.
    verifier_model: str | None = _verifier_call(
        None, "Its ONNX model: a folder, a file, or a hub id.", common=True
    )
    verifier_url: Url | None = _verifier(
        None, "Where it is served instead: http://.../predict (TEI) or http://.../classify (vLLM)."
    )
    verifier_api_key_env: Variable | None = _verifier_call(
        None, "Environment variable that holds that server's key."
    )
    verifier_revision: str | None = _verifier_call(None, "Branch, tag or commit of an id on the hub.")
    verifier_file: str | None = _verifier_call(
        None, "Which .onnx file of the model. (default: model.onnx, or the only one)"
    )
    verifier_labels: str | None = _verifier(
        None,
        "What its outputs mean, in their order, as entailment,neutral,contradiction. "
        "(default: as the verifier, or its config.json, says)",
    )
    verifier_window: int | None = _verifier(
        None,
        "Most tokens of passage and claim together; longer ones in windows. (default: the verifier's)",
        ge=32,
    )
    verifier_device: choices.Device = _verifier_call(
        "cpu", "cpu, or cuda with an onnxruntime-gpu of your own."
    )
    verifier_threads: int | None = _verifier_call(None, "Threads of the CPU. (default: one a core)", ge=1)
    verifier_batch: int = _verifier_call(32, "Pairs of 128 tokens run at once; longer ones are fewer.", ge=1)
    verifier_download: bool = _verifier_call(
        False, "Fetch the model from the hub where it is not in its local cache."
    )

    model: str | None = _model(
        None,
        "Any litellm model, as openai/gpt-4o-mini. Several, repeated: all judge, the majority counts, "
        "and the first does the rest.",
        common=True,
        several=True,
        keyword="str | Sequence[str] | None",
    )
    further_models: tuple[str, ...] = _model((), "Models that judge beside --model; repeatable.")
    api_base: Url | None = _model(
        None, "URL of an OpenAI-compatible server, as http://localhost:8000/v1.", common=True
    )
    api_key_env: Variable | None = _model_call(None, "Environment variable that holds the key.")
    temperature: float = _model(0.0, "Sampling temperature.", ge=0.0, le=2.0)
    max_tokens: int = _model(
        4096, "Longest reply in tokens, reasoning included; raised once where it cuts.", ge=16
    )
    reasoning_effort: str | None = _model(
        None, "How much a reasoning model reasons: low, medium, high, ...", min_length=1
    )
    model_param: Parameters = _model(
        {},
        "KEY=VALUE sent with every request, as num_ctx=8192; repeatable.",
        keyword="Mapping[str, Any] | Sequence[str]",
    )
    timeout: float = _model_call(120.0, "Seconds one request may take.", gt=0.0)
    max_attempts: int = _model_call(
        5, "Times one claim is asked about: bad replies and timeouts count.", ge=1
    )
    patience: float = _model_call(
        120.0,
        "Seconds a call waits for a server that is down or busy, before it fails.",
        ge=0.0,
        allow_inf_nan=False,
    )
    concurrency: int = _model_call(16, "Requests in flight, over all records.", common=True, ge=1)
    executor: choices.Executor = _model_call(
        "threads",
        "Work on records in threads, in processes (for judges that compute, on all cores), or on a Ray "
        "cluster.",
    )
    workers: int | None = _model_call(None, "Processes. (default: one a core)", ge=1)
    ray_address: str | None = _model_call(
        None, "The cluster's, as auto or HOST:6379. (default: one on this machine)"
    )
    requests_per_minute: int | None = _model_call(
        None, "Wait rather than send more. (default: no limit)", ge=1
    )
    tokens_per_minute: int | None = _model_call(None, "Wait rather than send more. (default: no limit)", ge=1)
    max_cost: float | None = _model_call(
        None, "Stop before spending more US dollars than this. (default: no limit)", common=True, ge=0.0
    )
    batch: choices.BatchMode = _model_call(
        "none",
        "Have calls answered in batches, at half the price: files, for you to have answered (exit code 5 "
        "until they are), or openai, which uploads them and waits.",
    )
    cache: bool = _model_call(True, "Keep answered calls on disk and reuse them.")
    cache_dir: Path | None = _model_call(None, "Where. (default: the user's cache folder)")

    query_builder: str = _retrieval(
        "subject",
        "Words the searches: subject puts in what the record is about; none, auto, llm or "
        "package.module:Class.",
    )
    summarizer: str = _retrieval(
        "none",
        "Have a model summarise contexts and drop irrelevant ones: none, auto, llm or package.module:Class.",
    )
    retrieve_k: int = _retrieval(3, "Contexts an atom gets.", ge=1, le=50)
    retrieve_question: bool = _retrieval(True, "Search for the prompt or topic too; versions 2 and 3.")
    search: choices.Search = _retrieval(
        "auto", "Own documents: by words, vectors or both. (default: both, where there are vectors)"
    )
    wikipedia_language: str = _retrieval("en", "Which Wikipedia.", pattern=r"^[a-z][a-z0-9-]{0,19}$")
    wikipedia_url: ServiceUrl | None = _retrieval(
        None, "api.php of another MediaWiki. (default: Wikipedia's)"
    )
    search_url: ServiceUrl = _retrieval("https://google.serper.dev", "A Serper-compatible search service.")
    fetch_text: bool = _retrieval(False, "Read the pages found, not snippets alone.")
    fetch_pages: int = _retrieval(20, "Pages read of a PDF.", ge=1)
    fetch_bytes: int = _retrieval(10_000_000, "Largest page, packed and unpacked.", ge=1000)
    fetch_timeout: float = _retrieval(
        20.0, "Seconds one page may take to come, and to be read.", affects="calls", gt=0.0
    )
    ignore_robots: bool = _retrieval(False, "Read pages that a site's robots.txt asks to leave alone.")
    allow_domains: tuple[str, ...] = _retrieval(
        (), "Use pages of this domain alone; repeatable. (default: all)"
    )
    deny_domains: tuple[str, ...] = _retrieval((), "Never use pages of this domain; repeatable.")
    allow_private_hosts: bool = _retrieval(False, "Fetch from private addresses, for intranets.")

    collection: str = _documents("documents", "Where passages are kept.", common=True)
    store_dir: Path | None = _documents(
        None, "Folder of collections. (default: in the user's data folder)", alias="--store"
    )
    embedding: str | None = _documents(
        None,
        "none, minilm, a litellm model as openai/text-embedding-3-small, or package.module:function. "
        "(default: as the collection was made; a new one: none)",
    )
    embedding_api_base: Url | None = _documents(None, "URL of an OpenAI-compatible server of embeddings.")
    embedding_api_key_env: Variable | None = _documents(
        None, "Environment variable that holds its key.", affects="calls"
    )
    embedding_price: float | None = _documents(
        None, "US dollars a million tokens. (default: as litellm lists it)", affects="calls", ge=0.0
    )

    mode: choices.Mode = _judging(
        "tfn", "Verdicts a call may give; with citations or reasoning first.", common=True
    )
    form: choices.FormChoice = _judging("auto", "How calls are made; auto: as the first answers show.")
    atoms_per_call: int | None = _judging(
        None, "Atoms verified by one call. (default: as many as a probe finds the model to bear)", ge=1
    )
    calls: choices.AtomsPerCall = _judging(
        "batched", "How factscore and the like ask: many atoms a call, or one as published."
    )
    confidence: choices.Confidence = _judging("auto", "Where a verdict's probability comes from.")
    constant_confidence: float = _judging(0.9, "The probability of `constant`.", ge=0.5, le=1.0)
    votes: int = _judging(5, "Samples of `votes`.", ge=2)
    audit_share: float = _judging(
        0.0, "Share of a model's verdicts asked again one at a time.", ge=0.0, le=1.0
    )
    premise_tokens: int = _judging(256, "Length of a context used as a claim, version 3.", ge=16)

    coherence: bool = _judging(
        False, "Report atoms of one answer that contradict each other; they stay out of the graph."
    )
    prefilter: choices.Prefilter = _judging(
        "none",
        "words: leave out pairs of a passage and an atom, or of two passages, that share no word; for "
        "judges that read each pair alone.",
    )
    prefilter_audit: float = _judging(
        0.05, "Share of the pairs left out that is judged all the same.", ge=0.0, le=1.0
    )

    premise: choices.PremiseMode = _claims(
        "each",
        "Judge contexts one by one (each: an exact matrix), or in one call (joint: cheap).",
        common=True,
    )
    window_tokens: int = _claims(
        16_000, "Tokens of passages that one call shows at most; longer ones are judged in pieces.", ge=256
    )
    uncited: choices.Uncited = _claims(
        "flag", "Claims that cite nothing: flag them, or check them against all sources.", common=True
    )
    rounds: int = _claims(
        2, "Times an answer is corrected and verified again, at most; 0: never.", common=True, ge=0, le=2
    )

    factors: FactorTable = _graph("conditional", "Factor tables.")
    atom_prior: float = _graph(0.5, "P(true) of an atom before evidence.", gt=0.0, lt=1.0)
    context_prior: float = _graph(0.9, "P(true) of a context before evidence.", gt=0.0, lt=1.0)
    # Of this file, too, the manifest has the fingerprint.
    credibility: Path | None = _graph(
        None,
        "Priors of contexts by the domain of their link: a CSV file with the header domain,prior.",
        affects="calls",
    )
    summary_prior: bool = _graph(False, "Scale the prior of a context by its summary's confidence.")
    independence: bool = _graph(
        False, "Let copies of a text and passages of a page speak with one voice: the strongest."
    )
    solver: str = _graph("auto", f"{_NAMES['solver']} or package.module:Class.")
    max_width: int | None = _graph(
        None, "Largest elimination width solved exactly. (default: by memory)", ge=1
    )
    tolerance: float = _graph(0.003, "Standard error at which gibbs stops.", gt=0.0, lt=1.0)
    solver_seconds: float = _graph(
        30.0, "Seconds gibbs or pgmpy may take for one record.", gt=0.0, allow_inf_nan=False
    )
    merlin_path: Path | None = _graph(
        None, "The merlin binary. (default: MERLIN_PATH, else merlin on PATH)", affects="calls"
    )
    merlin_algorithm: choices.MerlinAlgorithm | choices.RemovedMerlinAlgorithm | None = _graph(
        None,
        "How merlin infers. (default: cte while the width allows it, else wmb)",
        keyword="choices.MerlinAlgorithm | None",
    )
    merlin_ibound: int | None = _graph(None, "i-bound of wmb and ijgp. (default: 10)", ge=1)
    merlin_iterations: int | None = _graph(None, "Iterations of merlin. (default: 10)", ge=1)
    merlin_timeout: float = _graph(
        120.0, "Seconds merlin may take for one record.", affects="calls", gt=0.0, allow_inf_nan=False
    )

    # Of this file, too, the manifest has the fingerprint.
    calibration: Path | None = _calibration(
        None, "Apply what `calibrate` wrote into this file.", affects="calls"
    )

    k: K = _scores("median", "K of F1@K: median, half or a number.", affects="scores", common=True)
    gamma: float | None = _scores(
        None,
        "Add FActScore's penalty for answers of fewer atoms; published: 10.",
        affects="scores",
        gt=0.0,
        allow_inf_nan=False,
    )
    seed: int = _scores(0, "Seed of everything random.")

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
    key for key, field in Config.model_fields.items() if setting_of(field).affects == "calls"
)
"""Settings that change how things are done and never a result."""
SCORE_SETTINGS = frozenset(
    key for key, field in Config.model_fields.items() if setting_of(field).affects == "scores"
)
"""Settings used only to compute metrics from assessments."""

P = TypeVar("P")
Part: TypeAlias = str | P | Callable[..., P]
"""A part is named, or given: the part itself, or a class or function that makes one."""


class Keywords(TypedDict, total=False):
    """Every setting as a keyword argument. Those left out have their defaults."""

    # Written by `make settings`.
    assessor: Part[protocols.Evaluator]
    version: choices.Version
    atomizer: Part[protocols.Atomizer]
    reviser: Part[protocols.Reviser]
    fact_generator: Part[protocols.FactGenerator]
    revise_given: bool
    retriever: Part[protocols.Retriever]
    spacy_model: str | None
    judge: Part[protocols.Judge]
    relations: str | Path | None
    unlisted: choices.Unlisted
    verifier: str | None
    verifier_model: str | None
    verifier_url: Url | None
    verifier_api_key_env: Variable | None
    verifier_revision: str | None
    verifier_file: str | None
    verifier_labels: str | None
    verifier_window: int | None
    verifier_device: choices.Device
    verifier_threads: int | None
    verifier_batch: int
    verifier_download: bool
    model: str | Sequence[str] | None
    further_models: Sequence[str]
    api_base: Url | None
    api_key_env: Variable | None
    temperature: float
    max_tokens: int
    reasoning_effort: str | None
    model_param: Mapping[str, Any] | Sequence[str]
    timeout: float
    max_attempts: int
    patience: float
    concurrency: int
    executor: choices.Executor
    workers: int | None
    ray_address: str | None
    requests_per_minute: int | None
    tokens_per_minute: int | None
    max_cost: float | None
    batch: choices.BatchMode
    cache: bool
    cache_dir: str | Path | None
    query_builder: Part[protocols.QueryBuilder]
    summarizer: Part[protocols.Summarizer]
    retrieve_k: int
    retrieve_question: bool
    search: choices.Search
    wikipedia_language: str
    wikipedia_url: ServiceUrl | None
    search_url: ServiceUrl
    fetch_text: bool
    fetch_pages: int
    fetch_bytes: int
    fetch_timeout: float
    ignore_robots: bool
    allow_domains: Sequence[str]
    deny_domains: Sequence[str]
    allow_private_hosts: bool
    collection: str
    store_dir: str | Path | None
    embedding: str | None
    embedding_api_base: Url | None
    embedding_api_key_env: Variable | None
    embedding_price: float | None
    mode: choices.Mode
    form: choices.FormChoice
    atoms_per_call: int | None
    calls: choices.AtomsPerCall
    confidence: choices.Confidence
    constant_confidence: float
    votes: int
    audit_share: float
    premise_tokens: int
    coherence: bool
    prefilter: choices.Prefilter
    prefilter_audit: float
    premise: choices.PremiseMode
    window_tokens: int
    uncited: choices.Uncited
    rounds: int
    factors: FactorTable
    atom_prior: float
    context_prior: float
    credibility: str | Path | None
    summary_prior: bool
    independence: bool
    solver: Part[protocols.Solver]
    max_width: int | None
    tolerance: float
    solver_seconds: float
    merlin_path: str | Path | None
    merlin_algorithm: choices.MerlinAlgorithm | None
    merlin_ibound: int | None
    merlin_iterations: int | None
    merlin_timeout: float
    calibration: str | Path | None
    k: K
    gamma: float | None
    seed: int
