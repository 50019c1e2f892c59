"""Make the components of a pipeline from settings and custom components."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

from factreasoner.assessors.coherence import CoherenceCheck
from factreasoner.atoms.extraction import FactsByAtomizer
from factreasoner.calls.limits import Budget, SharedLimits
from factreasoner.errors import ConfigError
from factreasoner.judges.calibration import CalibratedJudge, calibration_of
from factreasoner.judges.encoder.settings import BUNDLED, EncoderSettings
from factreasoner.judges.ensemble import EnsembleJudge
from factreasoner.judges.prefilter import PrefilteredJudge
from factreasoner.llm.batches.folder import BatchFolder
from factreasoner.llm.capabilities import Memory
from factreasoner.llm.client import Panel
from factreasoner.pipeline.config import Config
from factreasoner.pipeline.loading import ConfigLike, keyword_settings
from factreasoner.plugins.kinds import (
    ATOMIZER,
    FACT_GENERATOR,
    JUDGE,
    RETRIEVER,
    SOLVER,
    OnDemand,
    PluginKind,
    checked_model,
    named,
)
from factreasoner.plugins.table import PLUGINS
from factreasoner.protocols import LLM, FactGenerator, Judge, Retriever
from factreasoner.retrieval.merged import MergedRetriever

P = TypeVar("P")
PARTS = PLUGINS.keys() - {"embedding"}
"""Settings that also accept a component, or a class or function that makes one."""


class Calls(NamedTuple):
    """How a pipeline's model is paid for and remembered, and custom components.

    `llm` replaces the model client. `spent` US dollars count towards `max_cost` from the start; `paid` is
    called with the cost of each answered request; `memory` keeps how the model is called; `batches` takes the
    requests with the setting `batch`. `parts` replace names: a class or function that makes one, or the
    component itself.
    """

    llm: LLM | None = None
    spent: float = 0.0
    paid: Callable[[float], None] | None = None
    memory: Memory | None = None
    batches: BatchFolder | None = None
    parts: Mapping[str, Any] = MappingProxyType({})


NO_CALLS = Calls()


class Assembly:
    """Makes the components of one pipeline; each constructor gets the others that it names."""

    def __init__(
        self, config: Config, llm: LLM | None, parts: Mapping[str, object], shared: SharedLimits | None = None
    ) -> None:
        self.config = config
        self.llm = llm
        self._parts = parts
        self._plugins: Mapping[str, object] = {kind: config.plugin(kind) for kind in PLUGINS} | dict(parts)
        self._shared = shared or SharedLimits(config)
        self._calibration = calibration_of(config) if config.calibration else None

    def made(self, kind: PluginKind[P]) -> P:
        """The given component, or the one named in the settings."""
        return kind.make(self._plugins[kind.name], self._offers(kind))

    def optional(self, kind: PluginKind[P]) -> P | None:
        """The component as by `made`; None if the settings name none."""
        known = PLUGINS[kind.name].get(str(self._plugins[kind.name]))
        return None if known is not None and known.is_none else self.made(kind)

    def _offers(self, kind: PluginKind[P]) -> dict[str, object]:
        """What a component may request; a judge may have a solver, but not conversely."""
        offers: dict[str, object] = {
            "config": self.config,
            "llm": self.llm,
            "cache": OnDemand(lambda: self._shared.cache),
        }
        if kind is RETRIEVER:
            offers["budget"] = self._shared.budget
        if kind is not SOLVER:
            offers["solver"] = OnDemand(lambda: self.made(SOLVER))
        if kind is not SOLVER and kind is not JUDGE:
            offers["judge"] = OnDemand(self.judge)
        return offers

    def fact_generator(self) -> FactGenerator:
        """Makes facts of a reference; a custom atomizer does so too, unless a generator is given."""
        given = self._plugins[FACT_GENERATOR.name]
        if isinstance(given, str) and given not in PLUGINS[FACT_GENERATOR.name]:
            return FactsByAtomizer(self.made(ATOMIZER))
        return self.made(FACT_GENERATOR)

    def retriever(self) -> Retriever:
        """The given or named retriever; several named ones are merged."""
        if "retriever" in self._parts:
            return self.made(RETRIEVER)
        names = retriever_names(self.config.retriever)
        found = {name: RETRIEVER.make(name, self._offers(RETRIEVER)) for name in names}
        return MergedRetriever(found, self.config) if len(found) > 1 else next(iter(found.values()))

    def judge(self, *, two_sided: bool = False) -> Judge:
        """The judge, calibrated and prefiltered as configured; `two_sided`: see `EnsembleJudge`."""
        members = {
            name: Assembly(with_single_model(self.config, name), llm, self._parts, self._shared).made(JUDGE)
            for name, llm in (self.llm.members.items() if isinstance(self.llm, Panel) else ())
        }
        judge = EnsembleJudge(members, two_sided=two_sided) if members else self.made(JUDGE)
        calibration = self._calibration
        if calibration and calibration.acts:
            judge = CalibratedJudge(judge, calibration.verdicts)
        filters = self.config.prefilter == "bundled" and self.config.judging_verifier != BUNDLED
        if not filters or self.config.part("judge").replays:
            return judge
        own = self._offers(JUDGE) | {"config": EncoderSettings(), "llm": None}
        return PrefilteredJudge(judge, JUDGE.make("verifier", own))

    def coherence(self) -> CoherenceCheck | None:
        """Finds contradicting claims; None unless configured."""
        return CoherenceCheck(self.judge(), self.config) if self.config.coherence else None


def retriever_names(setting: str) -> tuple[str, ...]:
    """The retrievers in a `retriever` setting, separated by commas.

    Raises ConfigError: one is named twice, or `given` is combined with others.
    """
    names = tuple(name.strip() for name in setting.split(","))
    if len(set(names)) < len(names) or not all(names):
        raise ConfigError(f"retriever: {setting!r} must name different retrievers, such as corpus,wikipedia")
    known = PLUGINS["retriever"]
    idle = [name for name in names if name in known and known[name].takes_given]
    if len(names) > 1 and idle:
        remedy = "a record's own contexts are used with any retriever"
        raise ConfigError(f"retriever: {setting!r}: `{idle[0]}` searches for nothing; {remedy}")
    return names


def assembly_of(config: Config, calls: Calls = NO_CALLS) -> Assembly:
    """Makes the components in `config`, which share one model client.

    The client is made if `config.model` is set and `calls` has none, so that concurrency, rate limits and
    budget apply to all components together.

    Raises:
        ConfigError: no such component, or a calibration that does not fit the other settings.
        InputError: the calibration file can't be read.
    """
    config = with_component_names(config, calls.parts)
    refuse_unasked_judge(config)
    budget = Budget(config.max_cost, calls.spent, paid=calls.paid)
    shared = SharedLimits(config, budget)
    llm = None if calls.llm is None else checked_model(calls.llm)
    if llm is None and config.first_model is not None:
        clients = {name: _client(with_single_model(config, name), shared, calls) for name in config.models}
        llm = Panel(clients) if config.judge_models else clients[config.first_model]
    if llm is not None and config.first_model is None:
        config = config.model_copy(update={"model": type(calls.llm).__name__})
    return Assembly(config, llm, calls.parts, shared)


def with_component_names(config: Config, parts: Mapping[str, object]) -> Config:
    """The settings with the names of custom components."""
    given = {kind: named(part) for kind, part in parts.items() if kind in Config.model_fields}
    return config.model_copy(update=given)


def _client(config: Config, shared: SharedLimits, calls: Calls) -> LLM:
    from factreasoner.judges.probe import prober_of
    from factreasoner.llm.client import LiteLLMClient

    return LiteLLMClient(
        config, shared=shared, memory=calls.memory, batches=calls.batches, prober=prober_of(config)
    )


def refuse_unasked_judge(config: Config) -> None:
    """Raise ConfigError for a calibration of verdicts without a judge.

    Raises InputError: the calibration file can't be read.
    """
    unasked = config.part("assessor").prompts and config.part("judge").prompts
    if unasked and calibration_of(config).acts:
        raise ConfigError(
            f"calibration: {config.calibration} is for a judge's verdicts, and {config.assessor} uses no "
            "judge; remove it"
        )


def with_single_model(config: Config, model: str) -> Config:
    """The settings with only that model."""
    return config.model_copy(update={"model": model})


def parts_and_config(settings: Mapping[str, Any], config: ConfigLike = None) -> tuple[dict[str, Any], Config]:
    """A caller's settings, separated into custom components and the rest.

    The rest overrides `config`, see `keyword_settings`.

    Raises ConfigError: an unknown or wrong setting.
    """
    parts = {
        kind: value for kind, value in settings.items() if kind in PARTS and not isinstance(value, str | None)
    }
    rest = {key: value for key, value in settings.items() if key not in parts}
    return parts, keyword_settings(rest, parts, config)
