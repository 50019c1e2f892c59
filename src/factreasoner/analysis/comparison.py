"""Finished runs over the same records side by side: what is in the files of `factreasoner compare`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from factreasoner.analysis.compared_run import AtomScoring, ComparedRun, compared_run
from factreasoner.analysis.evaluation import ALL_OPEN, all_open
from factreasoner.errors import ConfigError, RunError
from factreasoner.metrics.comparison import PERMUTATIONS, differences
from factreasoner.metrics.factuality import FACTUALITY, resolve_k
from factreasoner.metrics.samples import Sample
from factreasoner.metrics.table import Metric, Table, estimate
from factreasoner.plugins.table import nearest
from factreasoner.runs.finished import FinishedRun
from factreasoner.runs.manifest import result_settings
from factreasoner.settings import parse_config
from factreasoner.tasks.factuality import TASK as FACTUALITY_TASK

SHOWN_IDS = 3
UNTESTABLE = 5
"""Records up to which no exchange of assessments is as rare as 5 in 100."""


class ComparisonSettings(NamedTuple):
    """How runs are compared: `k` as in Config, the seed of random permutations, whose labels."""

    k: int | str | None = None
    seed: int = 0
    gold: Path | None = None
    intersect: bool = False


def named_runs(paths: Sequence[Path]) -> dict[str, FinishedRun[Any]]:
    """Runs of one task by the shortest endings of their paths that tell them apart.

    Raises:
        ConfigError: fewer than two, or one folder twice.
        RunError: one is no run folder, or of another task than the first.
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
    baseline = _baseline(runs, baseline)
    task = runs[baseline].task
    table: Table[Any] = task.table
    scoring = None
    if task is FACTUALITY_TASK:
        config = runs[baseline].config
        if settings.k is not None:
            config = parse_config(config.model_dump(), "settings", {"k": settings.k})
        scoring = AtomScoring(config, resolve_k(config.k, runs[baseline].sizes), settings.gold)
    elif settings.gold is not None:
        raise ConfigError(f"--gold: it holds labels of atoms, and these are runs of `{task.name}`")
    read = {name: compared_run(run, scoring) for name, run in runs.items()}
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
        "runs": {
            name: _run_content(run, samples[name], metrics) | {"usage_estimated": read[name].usage_estimated}
            for name, run in runs.items()
        },
        "differences": [d._asdict() for d in differences(samples, baseline, metrics, seed=settings.seed)],
        "notes": list(_notes(table, read, samples, ids, baseline)),
    }


def _baseline(runs: Mapping[str, FinishedRun[Any]], name: str | None) -> str:
    if name is not None and name not in runs:
        raise ConfigError(f"--baseline: no run is called {name!r}; {nearest(name, list(runs))}")
    return next(iter(runs)) if name is None else name


def _refuse_other_responses(read: Mapping[str, ComparedRun]) -> None:
    first: dict[str, tuple[str, bytes]] = {}
    for name, part in read.items():
        for record_id, record in part.seen.items():
            other, there = first.setdefault(record_id, (name, record.response))
            if there != record.response:
                raise RunError(
                    f"record {record_id!r} has one response in {other} and another in {name}: these are "
                    "runs over different data"
                )


def _common(
    table: Table[Any], read: Mapping[str, ComparedRun], baseline: str, *, intersect: bool
) -> list[str]:
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


def _lack(part: ComparedRun, ids: set[str], total: int) -> str:
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


def _run_content(run: FinishedRun[Any], sample: Sample, metrics: Sequence[Metric]) -> dict[str, Any]:
    return {
        "path": str(run.path),
        "assessor": run.config.assessor,
        "version": run.config.version,
        "judge": run.config.plugin("judge"),
        "model": run.config.model,
        "labelled_atoms": len(sample.claims.p),
        "left_out": int(sample.left_out.sum()),
        "scores": {metric.name: estimate(metric, sample).content() for metric in metrics},
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
    read: Mapping[str, ComparedRun],
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
