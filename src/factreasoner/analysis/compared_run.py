"""A finished run as `compare` reads it: its scores, and what tells its records from another run's."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any, NamedTuple

from factreasoner.analysis.judging_usage import cached_calls, is_replayed, usage_of_judging
from factreasoner.inputs.gold_labels import GoldFile
from factreasoner.metrics.factuality import record_k
from factreasoner.metrics.factuality_table import FACTUALITY, scored_record
from factreasoner.metrics.samples import Sample
from factreasoner.metrics.table import Sampling
from factreasoner.models import Assessment, TaskResult, judged_atoms
from factreasoner.runs.finished import FinishedRun
from factreasoner.settings import Config


class RecordsSeen:
    """What was seen of each record of a run, by its id: status, and digests of its response and claims."""

    def __init__(self, run: FinishedRun[Any]) -> None:
        self.status: dict[str, str] = {}
        self.responses: dict[str, bytes] = {}
        self.claims: dict[str, bytes] = {}
        self._claims_of = run.task.claims

    def add(self, result: TaskResult) -> None:
        """Count a record."""
        self.status[result.record_id] = result.status
        self.responses[result.record_id] = _digest(result.response)
        texts = (text for claim in self._claims_of(result) for text in (claim.id, claim.text))
        self.claims[result.record_id] = _digest(*texts)


class ComparedRun(NamedTuple):
    """One run, read through: its scores, its records, and what a reader of the comparison must know."""

    sample: Sample
    seen: RecordsSeen
    notes: list[str]
    usage_estimated: bool


def compared_run(run: FinishedRun[Any]) -> ComparedRun:
    """A run of any task but factuality. Raises RunError where its journal can't be read."""
    tally, seen, cached = run.tally(run.config), RecordsSeen(run), 0
    for result in run.results():
        tally.add(result)
        seen.add(result)
        cached += sum(usage.cached_calls for usage in result.usage.values())
    notes = _unfinished(run)
    if cached:
        notes.append(
            f"{cached} of its calls were answered from the cache: their tokens and cost are not counted"
        )
    return ComparedRun(tally.sample(), seen, notes, bool(cached))


def compared_factuality_run(
    run: FinishedRun[Assessment], config: Config, k: int | None, gold: Path | None
) -> ComparedRun:
    """A run of factuality, scored with the K and gamma of `config` and the labels of the file `gold`.

    Raises:
        RunError: its journal can't be read.
        InputError: something is wrong with the gold file.
    """
    labels = None if gold is None else GoldFile(gold)
    sampling, seen, cached = Sampling(FACTUALITY), RecordsSeen(run), 0
    for assessment in run.results():
        labelled = labels.apply(assessment) if labels else assessment
        own_k = record_k(config.k, k, len(judged_atoms(labelled)))
        usage = usage_of_judging(run.config, assessment)
        sampling.add(assessment.record_id, scored_record(labelled, own_k, config.gamma, usage))
        seen.add(assessment)
        cached += cached_calls(assessment)
    notes = _unfinished(run)
    if labels is not None and (unused := labels.unused()):
        notes.append(unused)
    if is_replayed(run.config):
        notes.append("its verdicts were replayed: calls, tokens and cost are estimates of asking for them")
    elif cached:
        notes.append(
            f"{cached} of its calls were answered from the cache: tokens and cost are estimates of all"
        )
    return ComparedRun(sampling.sample(), seen, notes, bool(cached) or is_replayed(run.config))


def _unfinished(run: FinishedRun[Any]) -> list[str]:
    return [run.unfinished.removeprefix(f"{run.path}: ")] if run.unfinished else []


def _digest(*texts: str) -> bytes:
    return hashlib.sha256("\x1f".join(texts).encode("utf-8", "surrogatepass")).digest()[:16]
