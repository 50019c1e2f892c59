"""A finished run as `compare` reads it: its scores, and what tells its records from another run's."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any, NamedTuple

from factreasoner.inputs.gold_labels import GoldFile
from factreasoner.llm.transport import price
from factreasoner.metrics.factuality import FACTUALITY, record_k, scored_record
from factreasoner.metrics.samples import Sample
from factreasoner.models import Assessment, Usage, judged_atoms
from factreasoner.runs.finished import FinishedRun, record_of
from factreasoner.runs.plan import plan
from factreasoner.settings import Config, parse_config

JUDGING = "evaluator"
"""The stage whose calls, tokens and cost are compared; what came before may have been shared."""


class RecordSeen(NamedTuple):
    """What was seen of a record: its status, and digests of its response and of its claims."""

    status: str
    response: bytes
    claims: bytes


class ComparedRun(NamedTuple):
    """One run, read through: its scores, its records, and what a reader of the comparison must know."""

    sample: Sample
    seen: dict[str, RecordSeen]
    notes: list[str]
    usage_estimated: bool


class AtomScoring(NamedTuple):
    """How a run of factuality is scored: with the K and gamma of `config`, `k`, and the labels of `gold`."""

    config: Config
    k: int | None
    gold: Path | None


def compared_run(run: FinishedRun[Any], scoring: AtomScoring | None) -> ComparedRun:
    """A run of any task; of factuality with its `scoring`.

    Raises:
        RunError: its journal can't be read.
        InputError: something is wrong with the gold file.
    """
    labels = GoldFile(scoring.gold) if scoring and scoring.gold else None
    atoms, tally = FACTUALITY.sampling(), run.tally(run.config)
    seen: dict[str, RecordSeen] = {}
    cached = 0
    for read in run.results():
        result = labels.apply(read) if labels else read
        stages = [JUDGING] if scoring else result.usage
        cached += sum(result.usage.get(stage, Usage()).cached_calls for stage in stages)
        if scoring:
            own_k = record_k(scoring.config.k, scoring.k, len(judged_atoms(result)))
            usage = _usage_of_judging(run.config, result)
            atoms.add(result.record_id, scored_record(result, own_k, scoring.config.gamma, usage))
        else:
            tally.add(result)
        texts = (text for claim in run.task.claims(result) for text in (claim.id, claim.text))
        seen[result.record_id] = RecordSeen(result.status, _digest(result.response), _digest(*texts))
    notes = [run.unfinished.removeprefix(f"{run.path}: ")] if run.unfinished else []
    if labels is not None and (unused := labels.unused()):
        notes.append(unused)
    replayed = scoring is not None and _is_replayed(run.config)
    if replayed:
        notes.append("its verdicts were replayed: calls, tokens and cost are estimates of asking for them")
    elif cached:
        told = "tokens and cost are estimates of all" if scoring else "their tokens and cost are not counted"
        notes.append(f"{cached} of its calls were answered from the cache: {told}")
    sample = atoms.sample() if scoring else tally.sample()
    return ComparedRun(sample, seen, notes, bool(cached) or replayed)


def _is_replayed(config: Config) -> bool:
    """Whether the verdicts of a run are a model's that another run paid for."""
    return config.judge == "recorded" and config.model is not None


def _usage_of_judging(config: Config, assessment: Assessment) -> Usage:
    """What the assessor's own calls took; of replayed and cached ones an estimate of what they would."""
    used = assessment.usage.get(JUDGING, Usage())
    if not _is_replayed(config) and (not used.cached_calls or config.model is None):
        return used
    changes: dict[str, object] = {"summarizer": "none", "coherence": False}
    if _is_replayed(config):
        changes |= {"judge": "auto", "relations": None}
    asking = parse_config(config.model_dump() | changes, "settings")
    stages = plan([record_of(assessment)], asking).stages
    prompt, completion = (sum(s.prompt_tokens for s in stages), sum(s.completion_tokens for s in stages))
    estimate = Usage(
        calls=sum(stage.calls for stage in stages),
        prompt_tokens=prompt,
        completion_tokens=completion,
        cost=price(str(config.model), prompt, completion),
    )
    if _is_replayed(config):
        return estimate
    return estimate.model_copy(update={"calls": used.calls, "cached_calls": used.cached_calls})


def _digest(*texts: str) -> bytes:
    return hashlib.sha256("\x1f".join(texts).encode("utf-8", "surrogatepass")).digest()[:16]
