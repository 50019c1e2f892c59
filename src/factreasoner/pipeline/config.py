"""All settings, composed of each part's settings.py; and their conflicts."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import ValidationError, model_validator

from factreasoner.assessors.settings import AssessorSettings
from factreasoner.atoms.settings import AtomSettings
from factreasoner.errors import ConfigError
from factreasoner.explanations.settings import ExplanationSettings
from factreasoner.metrics.settings import MetricSettings
from factreasoner.models.records import CallerModel
from factreasoner.pipeline.settings import RunSettings, TaskSettings
from factreasoner.plugins.table import plugin_named
from factreasoner.retrieval.settings import RetrievalSettings
from factreasoner.settings.setting import ConflictError, setting_of
from factreasoner.settings.sources import refusal


class Config(
    RunSettings,
    MetricSettings,
    TaskSettings,
    ExplanationSettings,
    AssessorSettings,
    RetrievalSettings,
    AtomSettings,
    CallerModel,
):
    """All settings, with their defaults; docs/settings.md explains each.

    Raises ConfigError: a setting is unknown, or its value is wrong.
    """

    @classmethod
    def _refusal(cls, error: ValidationError) -> ConfigError:
        """Our error for one of pydantic's."""
        return refusal(cls, error, {})

    @model_validator(mode="after")
    def _agree(self) -> Config:
        refuse_conflicts(self)
        return self


PANELS = (
    *("Assessor", "Verifier", "Model", "Retrieval", "Own documents", "Judging", "Claims", "Graph"),
    *("Calibration", "Scores"),
)
"""Headings of settings on help pages and in docs/settings.md, in order."""
SETTINGS = {
    key: setting_of(field)
    for key, field in sorted(
        Config.model_fields.items(), key=lambda item: PANELS.index(setting_of(item[1]).panel)
    )
}
"""The declaration of each setting, panel by panel."""
CALL_SETTINGS = frozenset(key for key, setting in SETTINGS.items() if setting.affects == "calls")
"""Settings whose values never change a result; a file's content, which does, is in the manifest."""
FILE_SETTINGS = frozenset(("relations", "calibration", "credibility", "verifier_model"))
"""Settings that name files affecting results."""
SCORE_SETTINGS = frozenset(key for key, setting in SETTINGS.items() if setting.affects == "scores")
"""Settings used only to compute metrics from assessments."""
GRAPH_SETTINGS = frozenset(key for key, setting in SETTINGS.items() if setting.panel == "Graph")
"""Settings of the fact graph and its solver."""


PARTS_BY_MODEL = ("judge", "atomizer", "reviser", "query_builder", "summarizer")
"""Settings that may be `llm`: a language model then does that stage."""
_OF_VERIFIERS = ("verifier", "verifier_model", "verifier_url")


def refuse_conflicts(config: Config) -> None:
    """Raise ConflictError, with the fix, for settings that conflict or that need another setting."""
    found = (problem for rules in (_judges, _model, _parts, _executor) for problem in rules(config))
    if (problem := next(found, None)) is not None:
        raise ConflictError(*problem)


def _judges(config: Config) -> Iterator[tuple[str, str]]:
    if not config.judge_models:
        return
    if len(set(config.judge_models)) < len(config.judge_models):
        yield "model", "one model is named twice; name different models"
    if not config.part("judge").prompts:
        yield (
            "model",
            f"several models judge, but `judge={config.judge!r}` uses none of them; remove `judge` or "
            "all models but one. `factreasoner compare` shows runs by different judges side by side",
        )
    if not config.part("assessor").builds_graph or config.mode == "prompt-tf":
        asking = "prompt-tf" if config.mode == "prompt-tf" else config.assessor
        yield "model", f"{asking} uses one model; name only one"


def _model(config: Config) -> Iterator[tuple[str, str]]:
    if config.api_base is not None and config.model is None:
        yield "api_base", "needs a model; add `model=NAME`"
    for kind in PARTS_BY_MODEL:
        if config.part(kind).prompts and config.model is None:
            yield kind, "'llm' needs a model; add `model=NAME`"
    if config.batch != "none" and config.model is None:
        yield "batch", "batches need a model; add `model=NAME`"
    if config.batch != "none" and config.executor != "threads":
        yield "batch", f"batches do not use executor {config.executor!r}; remove it"


def _parts(config: Config) -> Iterator[tuple[str, str]]:
    if config.part("judge").replays and config.relations is None:
        yield "judge", "'recorded' needs verdicts; add `relations` with a file or a run folder"
    if not config.part("judge").replays and config.relations is not None:
        yield "relations", f"judge {config.judge!r} does not use them; add `judge='recorded'`"
    yield from _verifier(config)
    if config.credibility is not None and not config.part("assessor").builds_graph:
        yield "credibility", f"assessor {config.assessor!r} has no priors; remove it"


def _verifier(config: Config) -> Iterator[tuple[str, str]]:
    given = [key for key in _OF_VERIFIERS if getattr(config, key) is not None]
    if not config.part("judge").classifies:
        if given:
            yield given[0], f"judge {config.plugin('judge')!r} uses no verifier; add `judge='verifier'`"
        return
    if config.verifier is None and given:
        yield given[0], "needs a verifier; add `verifier=NAME` (docs/verifiers.md)"
    if config.judging_verifier == "bundled" and config.verifier_url is not None:
        yield "verifier_url", "the bundled judge needs no server; remove it, or name another `verifier`"


def remote_service(config: Config) -> str:
    """The model or search service that records wait for; empty for local computation."""
    if config.model is not None:
        return f"model {config.first_model!r}"
    return f"retriever {min(asked)!r}" if (asked := _searched(config)) else ""


def _searched(config: Config) -> set[str]:
    """The search services of the retrievers."""
    names = map(str.strip, config.retriever.split(","))
    return {name for name in names if plugin_named("retriever", name).waits}


def _executor(config: Config) -> Iterator[tuple[str, str]]:
    if config.executor == "threads":
        if config.workers is not None:
            yield "workers", "`concurrency` sets the number of threads; add `executor='processes'`"
        return
    if waits := remote_service(config):
        yield (
            "executor",
            f"{config.executor!r} works only with local judges, and this run calls {waits}. "
            "Use `executor='threads'`",
        )
    if config.max_cost is not None:
        yield "max_cost", f"cost is counted in one process only; remove `executor={config.executor!r}`"
