"""Finished runs over the same records side by side: what is in the files of `factreasoner compare`."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from factreasoner.analysis.evaluation import ALL_OPEN, all_open
from factreasoner.errors import ConfigError, RunError
from factreasoner.inputs.gold_labels import GoldFile
from factreasoner.llm.transport import price
from factreasoner.metrics.comparison import PERMUTATIONS, differences
from factreasoner.metrics.factuality import FACTUALITY, record_k, resolve_k, scored_record
from factreasoner.metrics.samples import Sample
from factreasoner.metrics.table import Metric, Table, estimate
from factreasoner.models import Assessment, Usage, judged_atoms
from factreasoner.plugins.table import nearest
from factreasoner.runs.finished import FinishedRun, record_of
from factreasoner.runs.manifest import result_settings
from factreasoner.runs.plan import plan
from factreasoner.settings import Config, parse_config
from factreasoner.tasks.factuality import TASK as FACTUALITY_TASK

JUDGING = "evaluator"
"""The stage whose calls, tokens and cost are compared; what came before may have been shared."""
SHOWN_IDS = 3
UNTESTABLE = 5
"""Records up to which no exchange of assessments is as rare as 5 in 100."""


class ComparisonSettings(NamedTuple):
    """How runs are compared: `k` as in Config, the seed of random permutations, whose labels."""

    k: int | str | None = None
    seed: int = 0
    gold: Path | None = None
    intersect: bool = False


class _Seen(NamedTuple):
    """What was seen of a record: its status, and digests of its response and of its claims."""

    status: str
    response: bytes
    claims: bytes


class _Read(NamedTuple):
    """One run, read through: its scores, its records, and what a reader of the comparison must know."""

    sample: Sample
    seen: dict[str, _Seen]
    notes: list[str]
    usage_estimated: bool


class _Scoring(NamedTuple):
    """How a run of factuality is scored: with the K and gamma of `config`, `k`, and the labels of `gold`."""

    config: Config
    k: int | None
    gold: Path | None


def named_runs(paths: Sequence[Path]) -> dict[str, FinishedRun[Any]]:
    """Runs of one task by the shortest endings of their paths that tell them apart.

    Raises:
        ConfigError: fewer than two, or one folder twice.
        RunError: one is not a run folder, or of another task than the first.
    """
    resolved = [path.resolve() for path in paths]
    if len(set(resolved)) < len(resolved):
        raise ConfigError("one run folder is named twice")
    if len(paths) < 2:
        raise ConfigError("name at least two run folders, or one data file with --assessors fr1,fr2,...")
    depth = 1
    while len(names := ["/".join(path.parts[-depth:]) for path in resolved]) > len(set(names)):
        depth += 1
    task = FinishedRun.of_any_task(paths[0]).task
    return {name: FinishedRun(path, task) for name, path in zip(names, paths, strict=True)}


def compare_runs(
    runs: Mapping[str, FinishedRun[Any]],
    *,
    baseline: str | None = None,
    settings: ComparisonSettings | None = None,
) -> dict[str, Any]:
    """The scores of every run, and their differences from those of `baseline` (the first by default).

    Every run is scored with the baseline's K, over the records that have a score in each.

    Raises:
        RunError: the runs are not over the same records and `intersect` is off, or share none; or, of
            factuality, a record has another response in another run.
        ConfigError: no run is called `baseline`; or labels of atoms are given for another task.
        InputError: something is wrong with the gold file.
    """
    settings = settings or ComparisonSettings()
    if baseline is not None and baseline not in runs:
        raise ConfigError(f"--baseline: no run is called {baseline!r}; {nearest(baseline, list(runs))}")
    baseline = baseline or next(iter(runs))
    task = runs[baseline].task
    table: Table[Any] = task.table
    scoring = None
    if task is FACTUALITY_TASK:
        config = runs[baseline].config
        if settings.k is not None:
            config = parse_config(config.model_dump(), "settings", {"k": settings.k})
        scoring = _Scoring(config, resolve_k(config.k, runs[baseline].sizes), settings.gold)
    elif settings.gold is not None:
        raise ConfigError(f"--gold: it holds labels of atoms, and these are runs of `{task.name}`")
    read = {name: _read(run, scoring) for name, run in runs.items()}
    if scoring is not None:
        _refuse_other_responses(read)
    ids = _common(table, read, baseline, intersect=settings.intersect)
    samples = {name: _taken(part.sample, ids) for name, part in read.items()}
    metrics = [m for m in table.shown_in("compare") if _labelled(samples) or not m.needs.labels]
    return {
        "task": task.name,
        "baseline": baseline,
        "num_records": len(ids),
        "k_setting": scoring and scoring.config.k,
        "k": scoring and scoring.k,
        "seed": settings.seed,
        "permutations": PERMUTATIONS,
        "differing_settings": _differing(runs),
        "runs": {name: _run_content(run, read[name], samples[name], metrics) for name, run in runs.items()},
        "differences": [d._asdict() for d in differences(samples, baseline, metrics, seed=settings.seed)],
        "notes": list(_notes(table, read, samples, ids, baseline)),
    }


def _read(run: FinishedRun[Any], scoring: _Scoring | None) -> _Read:
    """Read a run through; one of factuality is scored by `scoring`."""
    labels = GoldFile(scoring.gold) if scoring and scoring.gold else None
    atoms, tally = FACTUALITY.sampling(), run.tally(run.config)
    seen: dict[str, _Seen] = {}
    cached = 0
    failed: Counter[str] = Counter()
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
        if failures := len(result.all_failures if scoring else result.failures):
            failed.update(records=1, failures=failures)
        seen[result.record_id] = _Seen(result.status, _digest(result.response), _digest(*texts))
    notes = [run.unfinished.removeprefix(f"{run.path}: ")] if run.unfinished else []
    if failed:
        notes.append(f"{failed['failures']} failures, in {failed['records']} of its {len(seen)} records")
    if labels is not None and (unused := labels.unused()):
        notes.append(unused)
    replayed = scoring is not None and _is_replayed(run.config)
    if replayed:
        notes.append("its verdicts were replayed: calls, tokens and cost are estimates of asking for them")
    elif cached:
        told = "tokens and cost are estimates of all" if scoring else "their tokens and cost are not counted"
        notes.append(f"{cached} of its calls were answered from the cache: {told}")
    sample = atoms.sample() if scoring else tally.sample()
    return _Read(sample, seen, notes, bool(cached) or replayed)


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
    calls, cached = used.calls, used.cached_calls
    if _is_replayed(config):
        calls, cached = sum(stage.calls for stage in stages), 0
    cost = price(str(config.model), prompt, completion)
    return Usage(
        calls=calls, cached_calls=cached, prompt_tokens=prompt, completion_tokens=completion, cost=cost
    )


def _digest(*texts: str) -> bytes:
    return hashlib.sha256("\x1f".join(texts).encode("utf-8", "surrogatepass")).digest()[:16]


def _refuse_other_responses(read: Mapping[str, _Read]) -> None:
    first: dict[str, tuple[str, bytes]] = {}
    for name, part in read.items():
        for record_id, record in part.seen.items():
            other, there = first.setdefault(record_id, (name, record.response))
            if there != record.response:
                raise RunError(
                    f"record {record_id!r} has one response in {other} and another in {name}: these are "
                    "runs over different data"
                )


def _common(table: Table[Any], read: Mapping[str, _Read], baseline: str, *, intersect: bool) -> list[str]:
    """Ids of the records with a score in every run, in the order of the baseline's.

    Those that no run has the first score of, as of answers without claims, count for the others they have.
    """
    scored = {name: set(table.scored(part.sample).ids) for name, part in read.items()}
    anywhere = set().union(*scored.values())
    lacking = {name: anywhere - ids for name, ids in scored.items() if anywhere - ids}
    if lacking and not intersect:
        lines = [f"{name} {_lack(read[name], ids, len(anywhere))}" for name, ids in lacking.items()]
        raise RunError(
            "the runs do not score the same records: "
            + "; ".join(lines)
            + ". Finish those runs, or compare the records they share with --intersect"
        )
    valued = [_valued(table, part.sample) for part in read.values()]
    common = [
        record_id
        for record_id in read[baseline].sample.ids
        if all(record_id in ids for ids in scored.values())
        or (record_id not in anywhere and all(record_id in ids for ids in valued))
    ]
    if not common:
        counts = ", ".join(f"{name} scores {len(ids)}" for name, ids in scored.items())
        raise RunError(f"no record has a score in every run: {counts}")
    return common


def _valued(table: Table[Any], sample: Sample) -> set[str]:
    """Ids of the records that have any score at all."""
    names = [m.name for m in table.shown_in("compare") if not m.usage and m.name in sample.values]
    known = np.any([~np.isnan(sample.values[name]) for name in names], axis=0)
    return {sample.ids[place] for place in known.nonzero()[0]}


def _lack(part: _Read, ids: set[str], total: int) -> str:
    why = {None: "not in the run", "failed": "failed", "no_atoms": "without atoms"}
    found = (part.seen[record_id].status if record_id in part.seen else None for record_id in ids)
    reasons = Counter(why.get(status, "without a judged atom") for status in found)
    counts = ", ".join(f"{count} {reason}" for reason, count in reasons.items())
    shown = ", ".join(map(repr, sorted(ids)[:SHOWN_IDS])) + (", ..." if len(ids) > SHOWN_IDS else "")
    return f"lacks {len(ids)} of {total} ({counts}: {shown})"


def _taken(sample: Sample, ids: Sequence[str]) -> Sample:
    place = {record_id: number for number, record_id in enumerate(sample.ids)}
    return sample.take([place[record_id] for record_id in ids])


def _labelled(samples: Mapping[str, Sample]) -> bool:
    return any(len(sample.claims.p) for sample in samples.values())


def _run_content(
    run: FinishedRun[Any], read: _Read, sample: Sample, metrics: Sequence[Metric]
) -> dict[str, Any]:
    return {
        "path": str(run.path),
        "assessor": run.config.assessor,
        "version": run.config.version,
        "judge": run.config.plugin("judge"),
        "model": run.config.model,
        "labelled_atoms": len(sample.claims.p),
        "left_out": int(sample.left_out.sum()),
        "scores": {metric.name: estimate(metric, sample).content() for metric in metrics},
        "usage_estimated": read.usage_estimated,
    }


def _few_records(table: Table[Any], sample: Sample) -> Iterator[str]:
    """What can't be said of so few records."""
    count = len(sample.ids)
    if count < 2:
        yield "one record: there are no intervals and no tests"
    elif (few := table.few_records(sample)) is not None:
        yield few
    if 2 <= count <= UNTESTABLE:
        yield f"{count} records: no p can be below {2 / 2**count:.3g}, however large the difference"


def _differing(runs: Mapping[str, FinishedRun[Any]]) -> dict[str, dict[str, Any]]:
    """Settings that decide results and are not the same in every run, with their value in each."""
    settings = {name: result_settings(run.config) for name, run in runs.items()}
    keys = next(iter(settings.values())).keys()
    by_key = {key: {name: values[key] for name, values in settings.items()} for key in keys}
    return {key: values for key, values in by_key.items() if len(set(map(str, values.values()))) > 1}


def _notes(
    table: Table[Any],
    read: Mapping[str, _Read],
    samples: Mapping[str, Sample],
    ids: Sequence[str],
    baseline: str,
) -> Iterator[str]:
    """What a reader of the comparison must know."""
    claim, first = ("atoms" if table is FACTUALITY else "claims"), read[baseline]
    for name, part in read.items():
        yield from (f"{name}: {note}" for note in part.notes)
        left = len(part.sample.ids) - len(ids)
        if left:
            yield f"{name}: {left} of its {len(part.sample.ids)} records are left out"
        if other := sum(part.seen[i].claims != first.seen[i].claims for i in ids):
            yield f"{name}: {other} records have other {claim} than in {baseline}"
        if other := sum(part.seen[i].response != first.seen[i].response for i in ids):
            yield f"{name}: {other} records have another response than in {baseline}"
        if table is FACTUALITY and all_open(samples[name]):
            yield f"{name}: {ALL_OPEN}"
    judged = {name: len(sample.claims.p) for name, sample in samples.items()}
    if len(set(judged.values())) > 1:
        counts = ", ".join(f"{name} {count}" for name, count in judged.items())
        yield f"scores against labels are over each run's own labelled {claim}: {counts}"
    if table is FACTUALITY and not _labelled(samples):
        yield "no judged atom is labelled: scores against labels are left out; --gold FILE gives labels"
    yield from _few_records(table, samples[baseline])
    costs = {name: s.values["cost"] for name, s in samples.items() if "cost" in table}
    unknown = [name for name, cost in costs.items() if bool(np.isnan(cost).any())]
    if unknown:
        yield f"the cost is unknown for {', '.join(unknown)}"
