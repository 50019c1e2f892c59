"""Every setting, declared once: field, flag, variable, YAML key and keyword argument share one name.

`make settings` writes the keyword arguments below and docs/settings.md from the fields; a test compares them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, TypedDict, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, model_validator

from factreasoner.models import FactorTable
from factreasoner.plugins.table import PLUGINS
from factreasoner.settings import values
from factreasoner.settings.removed import REMOVED, told_removed
from factreasoner.settings.setting import setting, setting_of

if TYPE_CHECKING:
    from factreasoner import protocols

Url = Annotated[str, AfterValidator(values.checked_url)]
ServiceUrl = Annotated[str, AfterValidator(values.checked_service)]
Wikipedia = Annotated[str, AfterValidator(values.checked_wikipedia)]
Variable = Annotated[str, AfterValidator(values.checked_variable)]
Models = Annotated[str | tuple[str, ...] | None, BeforeValidator(values.one_model)]
Parameters = Annotated[
    dict[str, Any], BeforeValidator(values.parsed_parameters), AfterValidator(values.checked_parameters)
]
K = Annotated[int | Literal["median", "half"], BeforeValidator(values.checked_k)]

BUNDLED = "bundled"
"""The verifier whose network is in this package."""
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
    """All settings, with their defaults; docs/settings.md explains each. Help pages keep this order.

    Raises:
        ValidationError: (pydantic's) a setting is unknown, or its value is wrong.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    assessor: str = _assessor("factreasoner", f"{_NAMES['assessor']} or package.module:Class.")
    version: values.Version = _assessor(
        2,
        "1: a context counts for the atoms it was retrieved for; 2: for every atom; 3: contexts are judged "
        "against each other too.",
        common=True,
    )
    atomizer: str = _assessor("auto", f"auto, {_NAMES['atomizer']} or package.module:Class.")
    reviser: str = _assessor(
        "auto",
        f"auto, {_NAMES['reviser']} or package.module:Class.",
    )
    revise_given: bool = _assessor(False, "Also revise atoms given in the records.")
    retriever: str = _assessor(
        "given",
        f"{_NAMES['retriever']} or package.module:Class; or several, such as corpus,wikipedia.",
        common=True,
    )
    spacy_model: str | None = _assessor(
        None,
        "spaCy pipeline that parses English for the parts called rules: a name, a path, or none "
        "for whole sentences. (default: en_core_web_sm or another installed one)",
    )
    judge: str = _assessor(
        "auto",
        f"auto, {_NAMES['judge']} or package.module:Class. (default: llm with a model, else verifier)",
        common=True,
        once="give one; several models judge together by --model A --model B",
    )
    relations: Path | None = _assessor(
        None,
        "Verdicts of the recorded judge: JSONL, or an earlier run's folder.",
        affects="calls",
        common=True,
    )
    unlisted: values.Unlisted = _assessor(
        "missing",
        "A pair that --relations does not list, in a record it names, is missing (a failure) or neutral.",
    )

    verifier: str | None = _verifier(
        None,
        "Verifier: a name such as factcg, or a TOML file. (default: bundled)",
        common=True,
    )
    verifier_model: str | None = _verifier_call(
        None,
        "ONNX model of the verifier: a folder, a file, or ID, ID@REVISION or ID/FILE.onnx of the hub.",
        common=True,
    )
    verifier_url: Url | None = _verifier(
        None, "URL of a server that runs it: http://.../predict (TEI) or http://.../classify (vLLM)."
    )
    verifier_device: values.Device = _verifier_call("cpu", "cpu, or cuda with your own onnxruntime-gpu.")

    model: Models = _model(
        None,
        "Any litellm model, such as openai/gpt-4o-mini. Repeat it: all judge, the majority decides, and "
        "the first does the rest.",
        common=True,
        several=True,
    )
    api_base: Url | None = _model(
        None, "URL of an OpenAI-compatible server, such as http://localhost:8000/v1.", common=True
    )
    api_key_env: Variable | None = _model_call(None, "Environment variable that holds the key.")
    temperature: float = _model(0.0, "Sampling temperature.", ge=0.0, le=2.0)
    max_tokens: int = _model(
        4096, "Longest reply in tokens, reasoning included; raised once if a reply is cut off.", ge=16
    )
    model_param: Parameters = _model(
        {},
        "KEY=VALUE sent with every request, such as num_ctx=8192; repeatable.",
        keyword="Mapping[str, Any] | Sequence[str]",
    )
    timeout: float = _model_call(120.0, "Seconds one request may take.", gt=0.0)
    max_attempts: int = _model_call(
        5, "Most times one claim is asked about, including bad replies and timeouts.", ge=1
    )
    patience: float = _model_call(
        120.0,
        "Seconds a call waits for a server that is down or busy before it fails.",
        ge=0.0,
        allow_inf_nan=False,
    )
    concurrency: int = _model_call(16, "Requests in flight, over all records.", common=True, ge=1)
    executor: values.Executor = _model_call(
        "threads",
        "Where records are processed: in threads; with a local judge also in processes (all cores) or on "
        "a Ray cluster (RAY_ADDRESS).",
    )
    workers: int | None = _model_call(None, "Number of processes. (default: one per core)", ge=1)
    requests_per_minute: int | None = _model_call(
        None, "Most requests sent per minute; others wait. (default: no limit)", ge=1
    )
    tokens_per_minute: int | None = _model_call(
        None, "Most tokens used per minute; others wait. (default: no limit)", ge=1
    )
    max_cost: float | None = _model_call(
        None, "Stop before spending more US dollars than this. (default: no limit)", common=True, ge=0.0
    )
    batch: values.BatchMode = _model_call(
        "none",
        "Send calls in batches, at half the price. files: you get them answered (exit code 5 until they "
        "are); openai: they are uploaded, and the run waits for the answers.",
    )
    cache: bool = _model_call(True, "Keep answers on disk and reuse them.")
    cache_dir: Path | None = _model_call(None, "Folder of the cache. (default: the user's cache folder)")

    query_builder: str = _retrieval(
        "subject",
        "Writes the search queries: subject adds what the record is about; none, auto, llm or "
        "package.module:Class.",
    )
    summarizer: str = _retrieval(
        "none",
        "Summarises contexts and drops irrelevant ones: none, auto, llm or package.module:Class.",
    )
    retrieve_k: int = _retrieval(3, "Contexts retrieved for each atom.", ge=1, le=50)
    search: values.Search = _retrieval(
        "auto", "Search your own documents by words, vectors or both. (default: both if there are vectors)"
    )
    wikipedia: Wikipedia = _retrieval(
        "en", "Language of Wikipedia, or the URL of another MediaWiki's api.php."
    )
    search_url: ServiceUrl = _retrieval(
        "https://google.serper.dev", "URL of a Serper-compatible search service."
    )
    fetch_text: bool = _retrieval(False, "Read the pages found, not just their snippets.")
    allow_domains: tuple[str, ...] = _retrieval(
        (), "Use only pages from this domain; repeatable. (default: all)"
    )
    deny_domains: tuple[str, ...] = _retrieval((), "Never use pages from this domain; repeatable.")
    allow_private_hosts: bool = _retrieval(False, "Also fetch from private addresses, for intranets.")

    collection: str = _documents("documents", "Collection of passages.", common=True)
    store_dir: Path | None = _documents(
        None, "Folder of collections. (default: in the user's data folder)", alias="--store"
    )
    embedding: str | None = _documents(
        None,
        "none, minilm, a litellm model such as openai/text-embedding-3-small, or package.module:function. "
        "(default: the collection's own; none for a new one)",
    )
    embedding_api_base: Url | None = _documents(None, "URL of an OpenAI-compatible embedding server.")

    mode: values.Mode = _judging(
        "tfn", "Verdicts a call may give; some modes ask for a citation or reasoning first.", common=True
    )
    form: values.FormChoice = _judging(
        "auto", "How a call asks for its answer; auto: a form that the model follows."
    )
    atoms_per_call: int | None = _judging(
        None, "Atoms verified in one call. (default: as many as a probe shows the model can handle)", ge=1
    )
    confidence: values.Confidence = _judging("auto", "Where a verdict's probability comes from.")
    coherence: bool = _judging(
        False, "Report atoms of one answer that contradict each other; the graph does not use this."
    )
    prefilter: values.Prefilter = _judging(
        "none",
        "bundled: do not send the model pairs that the bundled judge calls neutral with P of at least 0.95.",
    )

    premise: values.PremiseMode = _claims(
        "each",
        "each: judge contexts one by one (an exact matrix); joint: in one call (cheaper).",
        common=True,
    )
    uncited: values.Uncited = _claims(
        "flag",
        "What to do with claims that cite nothing: flag them, or check them against all sources.",
        common=True,
    )
    rounds: int = _claims(
        2, "Most times an answer is corrected and verified again; 0: never.", common=True, ge=0, le=2
    )

    factors: FactorTable = _graph("conditional", "Factor tables.")
    atom_prior: float = _graph(0.5, "P(true) of an atom before any evidence.", gt=0.0, lt=1.0)
    context_prior: float = _graph(0.9, "P(true) of a context before any evidence.", gt=0.0, lt=1.0)
    credibility: Path | None = _graph(
        None,
        "Priors of contexts by the domain of their link: a CSV file with the header domain,prior.",
        affects="calls",
    )
    summary_prior: bool = _graph(False, "Scale the prior of a context by its summary's confidence.")
    independence: bool = _graph(
        False, "Count copies of a text, or passages of one page, as one voice: the strongest."
    )
    solver: str = _graph("auto", f"{_NAMES['solver']} or package.module:Class.")
    solver_seconds: float = _graph(
        30.0, "Seconds gibbs, pgmpy or merlin may take for one record.", gt=0.0, allow_inf_nan=False
    )
    merlin_path: Path | None = _graph(
        None, "The merlin binary. (default: MERLIN_PATH, else merlin on PATH)", affects="calls"
    )
    merlin_algorithm: values.MerlinAlgorithm | None = _graph(
        None, "How merlin infers. (default: cte while the width allows it, else wmb)"
    )
    merlin_ibound: int | None = _graph(None, "i-bound of wmb and ijgp. (default: 10)", ge=1)

    calibration: Path | None = _calibration(
        None, "Calibration file to apply, written by `calibrate`.", affects="calls"
    )

    k: K = _scores("median", "K of F1@K: median, half or a number.", affects="scores", common=True)
    gamma: float | None = _scores(
        None,
        "Add FActScore's penalty for answers with fewer atoms; published value: 10.",
        affects="scores",
        gt=0.0,
        allow_inf_nan=False,
    )
    seed: int = _scores(0, "Random seed.")

    @model_validator(mode="before")
    @classmethod
    def _removed_values(cls, data: Any) -> Any:  # noqa: ANN401 - whatever is to be validated
        """Refuse values that earlier versions had."""
        for key, value in data.items() if isinstance(data, dict) else ():
            if f"{key} {value}" in REMOVED:
                raise ValueError(f"{key}: {told_removed(key, value)}")
        return data

    @model_validator(mode="after")
    def _agree(self) -> Config:
        values.refuse_conflicts(self)
        return self

    @property
    def judging_verifier(self) -> str | None:
        """The verifier that judges; None where another judge does."""
        return (self.verifier or BUNDLED) if self.plugin("judge") == "verifier" else None

    @property
    def models(self) -> tuple[str, ...]:
        """The models: the first does everything, and the others judge beside it."""
        if self.model is None:
            return ()
        return (self.model,) if isinstance(self.model, str) else self.model

    @property
    def first_model(self) -> str | None:
        """The model that does everything but to judge beside others."""
        return next(iter(self.models), None)

    @property
    def judge_models(self) -> tuple[str, ...]:
        """The models of an ensemble of judges; empty if there is no ensemble."""
        return self.models if len(self.models) > 1 else ()

    def plugin(self, kind: str) -> str:
        """The name of a plug-in, with `auto` resolved: `llm` if there is a model, else the one without."""
        name: str = getattr(self, "atomizer" if kind == "fact_generator" else kind)
        if name != "auto" or kind == "solver":
            return name
        if self.model:
            return "llm"
        return WITHOUT_MODEL.get(kind, "rules")


WITHOUT_MODEL = {"query_builder": "subject", "summarizer": "none", "judge": "verifier"}
"""What `auto` means without a model, unless that is `rules`."""
CALL_SETTINGS = frozenset(
    key for key, field in Config.model_fields.items() if setting_of(field).affects == "calls"
)
"""Settings whose values never change a result; a file's content, which does, is in the manifest."""
FILE_SETTINGS = frozenset(("relations", "calibration", "credibility", "verifier_model"))
"""Those that name what does: other names may mean other results."""
SCORE_SETTINGS = frozenset(
    key for key, field in Config.model_fields.items() if setting_of(field).affects == "scores"
)
"""Settings used only to compute metrics from assessments."""
GRAPH_SETTINGS = frozenset(
    key for key, field in Config.model_fields.items() if setting_of(field).panel == "Graph"
)
"""Settings of the fact graph and its solver."""

P = TypeVar("P")
Part: TypeAlias = str | P | Callable[..., P]
"""A part: its name, the part itself, or a class or function that makes it."""


class Keywords(TypedDict, total=False):
    """Every setting as a keyword argument."""

    # Written by `make settings`.
    assessor: Part[protocols.Evaluator]
    version: values.Version
    atomizer: Part[protocols.Atomizer]
    reviser: Part[protocols.Reviser]
    revise_given: bool
    retriever: Part[protocols.Retriever]
    spacy_model: str | None
    judge: Part[protocols.Judge]
    relations: str | Path | None
    unlisted: values.Unlisted
    verifier: str | None
    verifier_model: str | None
    verifier_url: Url | None
    verifier_device: values.Device
    model: Models
    api_base: Url | None
    api_key_env: Variable | None
    temperature: float
    max_tokens: int
    model_param: Mapping[str, Any] | Sequence[str]
    timeout: float
    max_attempts: int
    patience: float
    concurrency: int
    executor: values.Executor
    workers: int | None
    requests_per_minute: int | None
    tokens_per_minute: int | None
    max_cost: float | None
    batch: values.BatchMode
    cache: bool
    cache_dir: str | Path | None
    query_builder: Part[protocols.QueryBuilder]
    summarizer: Part[protocols.Summarizer]
    retrieve_k: int
    search: values.Search
    wikipedia: Wikipedia
    search_url: ServiceUrl
    fetch_text: bool
    allow_domains: Sequence[str]
    deny_domains: Sequence[str]
    allow_private_hosts: bool
    collection: str
    store_dir: str | Path | None
    embedding: str | None
    embedding_api_base: Url | None
    mode: values.Mode
    form: values.FormChoice
    atoms_per_call: int | None
    confidence: values.Confidence
    coherence: bool
    prefilter: values.Prefilter
    premise: values.PremiseMode
    uncited: values.Uncited
    rounds: int
    factors: FactorTable
    atom_prior: float
    context_prior: float
    credibility: str | Path | None
    summary_prior: bool
    independence: bool
    solver: Part[protocols.Solver]
    solver_seconds: float
    merlin_path: str | Path | None
    merlin_algorithm: values.MerlinAlgorithm | None
    merlin_ibound: int | None
    calibration: str | Path | None
    k: K
    gamma: float | None
    seed: int
