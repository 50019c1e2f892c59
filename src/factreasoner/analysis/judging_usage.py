"""What an assessor's judgements take, also where they were not asked for anew."""

from __future__ import annotations

from factreasoner.llm.transport import price
from factreasoner.models import Assessment, Usage
from factreasoner.runs.plan import plan
from factreasoner.runs.replay import record_of
from factreasoner.settings import Config, parse_config

JUDGING = "evaluator"
"""The stage whose usage is compared."""


def is_replayed(config: Config) -> bool:
    """Whether the verdicts of a run are a model's that another run paid for."""
    return config.judge == "recorded" and config.model is not None


def cached_calls(assessment: Assessment) -> int:
    """How many of the assessor's calls the cache answered."""
    return assessment.usage.get(JUDGING, Usage()).cached_calls


def usage_of_judging(config: Config, assessment: Assessment) -> Usage:
    """What the assessor's own calls took; for replayed and cached ones an estimate of what they would take.

    What came before, the atoms and contexts, may have been shared and is not counted.
    """
    used = assessment.usage.get(JUDGING, Usage())
    if is_replayed(config):
        return _estimate(config, assessment)
    if not used.cached_calls or config.model is None:
        return used
    estimate = _estimate(config, assessment)
    return estimate.model_copy(update={"calls": used.calls, "cached_calls": used.cached_calls})


def _estimate(config: Config, assessment: Assessment) -> Usage:
    changes: dict[str, object] = {"summarizer": "none"}
    if is_replayed(config):
        changes |= {"judge": "auto", "relations": None}
    asking = parse_config(config.model_dump() | changes, "settings")
    stages = plan([record_of(assessment)], asking).stages
    prompt, completion = (sum(s.prompt_tokens for s in stages), sum(s.completion_tokens for s in stages))
    return Usage(
        calls=sum(stage.calls for stage in stages),
        prompt_tokens=prompt,
        completion_tokens=completion,
        cost=price(str(config.model), prompt, completion),
    )
