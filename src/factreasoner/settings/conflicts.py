"""Settings that are valid one by one and not together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from factreasoner.settings.config import Config

PARTS_BY_MODEL = ("judge", "atomizer", "reviser", "fact_generator", "query_builder", "summarizer")
"""Settings that may be `llm`: a language model then does that part."""
_OF_VERIFIERS = (
    *("verifier", "verifier_model", "verifier_url", "verifier_revision", "verifier_file", "verifier_labels"),
)


def refuse_conflicts(config: Config) -> None:
    """Raise ValueError for settings that contradict each other, or that need another setting.

    The message names the setting and says what to add or leave out.
    """
    found = (problem for rules in (_judges, _model, _parts, _executor) for problem in rules(config))
    if (problem := next(found, None)) is not None:
        raise ValueError(problem)


def _judges(config: Config) -> Iterator[str]:
    if not config.further_models:
        return
    if config.model is None:
        yield "further_models: there is no first model: add --model NAME"
    if len(set(config.judge_models)) < len(config.judge_models):
        yield "model: one model is named twice; the judges of an ensemble must differ"
    if config.plugin("judge") != "llm":
        yield f"model: several models judge, and --judge {config.judge} asks none of them"
    if config.assessor != "factreasoner" or config.mode == "prompt-tf":
        asking = "prompt-tf" if config.mode == "prompt-tf" else config.assessor
        yield f"model: {asking} asks one model itself; name one"


def _model(config: Config) -> Iterator[str]:
    if config.reasoning_effort is not None and "reasoning_effort" in config.model_param:
        yield "reasoning_effort: model_param sets it too; leave one out"
    if config.api_base is not None and config.model is None:
        yield "api_base: there is no model to reach there: add --model NAME"
    for kind in PARTS_BY_MODEL:
        if getattr(config, kind) == "llm" and config.model is None:
            yield f"{kind}: 'llm' needs a model: add --model NAME"
    if config.batch != "none" and config.model is None:
        yield "batch: batches need a model: add --model NAME"
    if config.batch != "none" and config.executor != "threads":
        yield f"batch: nothing waits for a model between batches: leave out {config.executor!r}"


def _parts(config: Config) -> Iterator[str]:
    if config.judge == "recorded" and config.relations is None:
        yield "judge: 'recorded' needs verdicts: add --relations with a file or a run folder"
    if config.judge != "recorded" and config.relations is not None:
        yield f"relations: judge {config.judge!r} does not read them: add --judge recorded"
    yield from _verifier(config)
    if config.credibility is not None and config.assessor != "factreasoner":
        yield f"credibility: assessor {config.assessor!r} has no graph and no priors: leave it out"
    if config.reviser == "inline" and config.plugin("atomizer") != "llm":
        yield "reviser: 'inline' needs an atomizer by a model: add --model NAME"
    if config.reviser == "inline" and config.revise_given:
        yield "reviser: 'inline' can't revise given atoms: leave out --revise-given"


def _verifier(config: Config) -> Iterator[str]:
    if config.judge != "verifier":
        unread = [key for key in _OF_VERIFIERS if getattr(config, key) is not None]
        if unread:
            yield f"{unread[0]}: judge {config.judge!r} does not read it: add --judge verifier"
        return
    if config.verifier is None:
        yield "judge: 'verifier' needs to know which: add --verifier NAME (docs/verifiers.md)"
    if config.verifier_url is not None and config.verifier_file is not None:
        yield "verifier_file and verifier_url: a served verifier has no local file; leave one out"


def _executor(config: Config) -> Iterator[str]:
    if config.ray_address is not None and config.executor != "ray":
        yield "ray_address: only --executor ray uses a cluster; add that"
    if config.executor == "threads":
        if config.workers is not None:
            yield "workers: --concurrency sets the number of threads; add --executor processes"
        return
    asked = {"wikipedia", "web"} & set(config.retriever.split(","))
    if config.executor == "ray":
        if asked:
            yield (
                f"executor: limits on requests to {min(asked)!r} hold in one process only: retrieve by a run "
                "in threads, and give its folder to the run on Ray"
            )
        return
    if config.model is not None or asked:
        waits = f"model {config.model!r}" if config.model is not None else f"retriever {min(asked)!r}"
        yield (
            f"executor: 'processes' is for judges that compute; {waits} is waited for in threads, whose "
            "limits hold over all records: leave it out"
        )
    if config.max_cost is not None:
        yield "max_cost: money is counted in one process only; leave out --executor processes"
