"""Compare finished runs over the same records, as `factreasoner compare` does."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from factreasoner.analysis.evaluation import ALL_OPEN, JUDGING, all_undecided
from factreasoner.errors import ConfigError, RunError, UsageError
from factreasoner.inputs.gold_labels import GoldFile, example_ids
from factreasoner.judges.recorded import recording_fingerprint
from factreasoner.llm.transport import price
from factreasoner.metrics.comparison import PERMUTATIONS, differences
from factreasoner.metrics.factuality import FACTUALITY, resolve_k
from factreasoner.metrics.run_counts import Tally
from factreasoner.metrics.samples import Floats, Sample
from factreasoner.metrics.table import Metric, Table
from factreasoner.models import Assessment, Usage
from factreasoner.models.formatting import number_of
from factreasoner.models.rows import by_value
from factreasoner.pipeline.config import FILE_SETTINGS, Config
from factreasoner.pipeline.loading import parse_config
from factreasoner.plugins.table import PLUGINS, nearest
from factreasoner.runs.finished import FinishedRun, distinct_names, record_of
from factreasoner.runs.manifest import result_settings
from factreasoner.runs.plan import plan
from factreasoner.tasks.factuality import TASK as FACTUALITY_TASK

UNTESTABLE = 5
"""With so few records, no permutation test can reach p < 0.05."""
LACKS = {None: "not in the run", "failed": "failed", "no_atoms": "without atoms"}


class ComparisonSettings(NamedTuple):
    """How runs are compared: `k` as in Config, the permutation seed, the gold labels to use."""

    k: int | str | None = None
    seed: int = 0
    gold: Path | None = None
    intersect: bool = False


class _Read(NamedTuple):
    """One run, read completely: its scores, its notes, and the status and digests of each record.

    The sample lacks failed records. The digests are of a record's response and claims. `own_contexts`: every
    atom was judged by contexts of its own. `stages` are those that any record went through.
    """

    sample: Sample
    notes: list[str]
    usage_estimated: bool
    own_contexts: bool
    stages: set[str]
    status: dict[str, str]
    response: dict[str, bytes]
    claims: dict[str, bytes]


def named_runs(paths: Sequence[Path]) -> dict[str, FinishedRun[Any]]:
    """Runs of one task, named by the shortest path endings that are unique.

    Raises:
        UsageError: fewer than two, or one folder twice.
        RunError: one is not a run folder, or of another task than the first.
    """
    names = distinct_names(paths)
    if len(paths) < 2:
        raise UsageError("name at least two run folders, or one data file with `assessors='fr1,fr2,...'`")
    task = FinishedRun.of_any_task(paths[0]).task
    return {name: FinishedRun(path, task) for name, path in zip(names, paths, strict=True)}


def compare_runs(
    runs: Mapping[str, FinishedRun[Any]],
    *,
    baseline: str | None = None,
    settings: ComparisonSettings | None = None,
) -> dict[str, Any]:
    """The scores of every run, and their differences from `baseline` (the first run by default).

    Every run is scored with the baseline's K, over the records that have the score in every run.

    Raises:
        RunError: the runs have different records and `intersect` is off, or share none; or a record has
            different responses.
        ConfigError: no run is called `baseline`, or atom labels are given for another task.
        InputError: the gold file is wrong.
    """
    settings = settings or ComparisonSettings()
    if baseline is not None and baseline not in runs:
        raise ConfigError(f"baseline: no run is called {baseline!r}; {nearest(baseline, list(runs))}")
    baseline = baseline or next(iter(runs))
    first = runs[baseline]
    table: Table[Any] = first.task.table
    factuality = first.task is FACTUALITY_TASK
    if settings.gold is not None and not factuality:
        raise ConfigError(f"gold: it holds labels of atoms, and these are runs of `{first.task.name}`")
    config = first.config
    if settings.k is not None:
        config = parse_config(config.model_dump(), "settings", {"k": settings.k})
    sizes = _shared_sizes(first, runs)
    read = {name: _read(run, config, sizes, settings.gold) for name, run in runs.items()}
    if factuality:
        _refuse_other_responses(read)
    ids = _common(table, read, baseline, intersect=settings.intersect)
    samples = _paired(table, {name: _select(part.sample, ids) for name, part in read.items()})
    judging = _judging(runs)
    metrics = [m for m in table.metrics_at("compare") if _labelled(samples) or not m.needs.labels]
    return {
        "task": first.task.name,
        "baseline": baseline,
        "num_records": len(ids),
        "k_setting": config.k if factuality else None,
        "k": resolve_k(config.k, sizes) if factuality else None,
        "seed": settings.seed,
        "permutations": PERMUTATIONS,
        "differing_settings": _differing(runs, judging, read),
        "runs": {n: _run_content(run, judging[n], read[n], samples[n], metrics) for n, run in runs.items()},
        "identical": _identical([_select(part.sample, ids) for part in read.values()], metrics),
        "differences": [d._asdict() for d in differences(samples, baseline, metrics, seed=settings.seed)],
        "notes": list(_notes(table, read, samples, ids, baseline)),
    }


def _identical(samples: Iterable[Sample], metrics: Sequence[Metric]) -> bool:
    """Whether the runs have equal scores in every record, apart from usage."""
    names = [m.name for m in metrics if not m.usage]
    scores = (
        [(sample.values[name] + 0.0).tobytes() for name in names if name in sample.values]
        for sample in samples
    )
    first = next(scores)
    return all(one == first for one in scores)


def _shared_sizes(first: FinishedRun[Any], runs: Mapping[str, FinishedRun[Any]]) -> list[int]:
    """How many claims `first` judged in each record where all runs judged some."""
    judged = ({i for i, size in zip(run.ids, run.sizes, strict=True) if size} for run in runs.values())
    shared = set.intersection(*judged)
    return [size for i, size in zip(first.ids, first.sizes, strict=True) if i in shared]


def _read(run: FinishedRun[Any], config: Config, sizes: Sequence[int], gold: Path | None) -> _Read:
    """Read a run completely.

    It is scored as `config` says, with K from `sizes`; the usage of a factuality run is that of judging only.
    """
    factuality = run.task is FACTUALITY_TASK
    tally: Tally[Any] = run.task.tally(config, sizes)
    labels = GoldFile(gold) if gold else None
    replayed = factuality and run.config.part("judge").replays and run.config.first_model is not None
    status, response, claims = dict[str, str](), dict[str, bytes](), dict[str, bytes]()
    counts, stages = Counter[str](), set[str]()
    for found in run.results():
        result = labels.apply(found) if labels else found
        if factuality:
            usage = _usage_of_judging(run.config, result, replayed=replayed)
            result = result.model_copy(update={"usage": {JUDGING: usage}})
            counts["linked"] += any(context.atom_ids for context in result.contexts)
        tally.add(result)
        counts["cached"] += sum(usage.cached_calls for usage in result.usage.values())
        failures = len(result.failures)
        stages.update(found.seconds)
        counts.update(failed=bool(failures), failures=failures)
        name = result.record_id
        status[name], response[name] = result.status, _digest(result.response)
        claims[name] = _digest(*(text for one in run.task.claims(result) for text in (one.id, one.text)))
    notes = [run.unfinished.removeprefix(f"{run.path}: ")] if run.unfinished else []
    counted = tally.content()
    if counted.get("context_verdicts") and not counted["context_relations"]:
        notes.append("all verdicts between contexts are neutral: its scores are those of `version=2`")
    if counts["failed"]:
        message = number_of(counts["failures"], "failure")
        notes.append(f"{message}, in {counts['failed']} of its {len(status)} records")
    if labels is not None and (unused := labels.unused()):
        notes.append(unused)
    if replayed:
        notes.append("its verdicts were replayed: calls, tokens and cost are estimates for a model")
    elif counts["cached"]:
        message = (
            "tokens and cost are estimates for all of them"
            if factuality
            else "their tokens and cost are not counted"
        )
        notes.append(f"{counts['cached']} of its calls were answered from the cache: {message}")
    estimated = bool(counts["cached"]) or replayed
    own_contexts = bool(counts["linked"]) and (run.config.part("assessor").prompts or run.config.version == 1)
    sample = _select(tally.sample(), [name for name in status if status[name] != "failed"])
    return _Read(sample, notes, estimated, own_contexts, stages, status, response, claims)


def _usage_of_judging(config: Config, assessment: Assessment, *, replayed: bool) -> Usage:
    """Usage of the assessor's own calls; estimated for cached calls and `replayed` verdicts."""
    used = assessment.usage.get(JUDGING, Usage())
    if config.first_model is None or not (replayed or used.cached_calls):
        return used
    changes: dict[str, object] = {"summarizer": "none", "coherence": False}
    if replayed:
        changes |= {"judge": "auto", "relations": None}
    asked = plan([record_of(assessment)], parse_config(config.model_dump() | changes, "settings")).total
    tokens = {"prompt_tokens": asked.prompt_tokens, "completion_tokens": asked.completion_tokens}
    calls = {"calls": asked.calls, "cached_calls": 0} if replayed else {}
    return used.model_copy(update=calls | tokens | {"cost": price(config.first_model, *tokens.values())})


def _digest(*texts: str) -> bytes:
    return hashlib.sha256("\x1f".join(texts).encode("utf-8", "surrogatepass")).digest()[:16]


def _refuse_other_responses(read: Mapping[str, _Read]) -> None:
    first: dict[str, tuple[str, bytes]] = {}
    for name, part in read.items():
        for record_id, response in part.response.items():
            other, there = first.setdefault(record_id, (name, response))
            if there != response:
                raise RunError(
                    f"record {record_id!r} has different responses in {other} and {name}: the runs are "
                    "over different data"
                )


def _common(table: Table[Any], read: Mapping[str, _Read], baseline: str, *, intersect: bool) -> list[str]:
    """Ids of the records with a main score in every run or in none, in the baseline's order."""
    scored = {name: set(table.scored(part.sample).ids) for name, part in read.items()}
    anywhere = set().union(*scored.values())
    lines = [
        f"{name} {_lack(read[name], anywhere - ids, len(anywhere))}"
        for name, ids in scored.items()
        if anywhere - ids
    ]
    if lines and not intersect:
        raise RunError(
            f"the runs do not score the same records: {'; '.join(lines)}. Finish those runs, or compare the "
            "records they share with `intersect`"
        )
    valued = [_valued(table, part.sample) for part in read.values()]
    everywhere = set.intersection(*scored.values()) | (set.intersection(*valued) - anywhere)
    common = [record_id for record_id in read[baseline].sample.ids if record_id in everywhere]
    if not common:
        counts = ", ".join(f"{name} scores {len(ids)}" for name, ids in scored.items())
        raise RunError(f"no record has a score in every run: {counts}")
    return common


def _valued(table: Table[Any], sample: Sample) -> set[str]:
    """Ids of the records that have any score."""
    names = [m.name for m in table.metrics_at("compare") if not m.usage and m.name in sample.values]
    known = np.any([~np.isnan(sample.values[name]) for name in names], axis=0)
    return {sample.ids[place] for place in known.nonzero()[0]}


def _lack(part: _Read, ids: set[str], total: int) -> str:
    counts = _counted(LACKS.get(part.status.get(name), "without a judged atom") for name in sorted(ids))
    return f"lacks {len(ids)} of {total} ({counts}: {example_ids(ids)})"


def _counted(reasons: Iterable[str]) -> str:
    return ", ".join(f"{count} {reason}" for reason, count in Counter(reasons).items())


def _excluded_note(part: _Read, ids: Sequence[str]) -> str:
    """How many of a run's records are not compared, and why; "" if all are."""
    left, total = set(part.status).difference(ids), len(part.status)
    counts = _counted(LACKS.get(part.status[name], "not scored in every run") for name in sorted(left))
    return f"the comparison excludes {len(left)} of {total} records ({counts})" if left else ""


def _select(sample: Sample, ids: Sequence[str]) -> Sample:
    place = {record_id: number for number, record_id in enumerate(sample.ids)}
    return sample.take([place[record_id] for record_id in ids])


def _paired(table: Table[Any], samples: Mapping[str, Sample]) -> dict[str, Sample]:
    """The samples, with each score only of records that have it in every run with such scores."""

    def shared(name: str, values: Floats) -> Floats:
        runs = [known for s in samples.values() if not np.isnan(known := s.values[name]).all()]
        return values if table[name].usage else np.where(np.isnan(runs).any(axis=0), np.nan, values)

    return {
        run: one._replace(values={name: shared(name, values) for name, values in one.values.items()})
        for run, one in samples.items()
    }


def _labelled(samples: Mapping[str, Sample]) -> bool:
    return any(len(sample.claims.p) for sample in samples.values())


def _run_content(
    run: FinishedRun[Any], judging: FinishedRun[Any], read: _Read, sample: Sample, metrics: Sequence[Metric]
) -> dict[str, Any]:
    estimates = run.task.table.estimates(sample, [metric.name for metric in metrics])
    return {
        "path": str(run.path),
        "assessor": run.config.assessor,
        "version": run.config.version,
        "judge": run.config.plugin("judge"),
        "model": run.config.first_model,
        "judged_by": judging.judged_by,
        "labelled_atoms": len(sample.claims.p),
        "left_out": int(sample.left_out.sum()),
        "scores": {name: found.content() for name, found in estimates.items()},
        "usage_estimated": read.usage_estimated,
    }


def _few_records(table: Table[Any], sample: Sample) -> Iterator[str]:
    """A note on what so few records cannot show."""
    count = len(sample.ids)
    if count < 2:
        yield "only one record: no intervals and no tests"
    elif (few := table.few_records(sample)) is not None:
        yield few
    if 2 <= count <= UNTESTABLE:
        yield f"{count} records: no p can be below {2 / 2**count:.3g}, however large the difference"


def _differing(
    runs: Mapping[str, FinishedRun[Any]], judging: Mapping[str, FinishedRun[Any]], read: Mapping[str, _Read]
) -> dict[str, dict[str, Any]]:
    """Settings that affect results and differ between the runs, with their value in each.

    "-" marks a setting that was not used, such as the version of an assessor without a graph.
    """
    settings: dict[str, dict[str, Any]] = {}
    for name, run in runs.items():
        found = result_settings(run.config.model_dump(mode="json"))
        found |= {kind: run.config.plugin(kind) for kind in PLUGINS if kind in found}
        judge = judging[name].config
        found |= {key: str(getattr(run.config, key) or "none") for key in FILE_SETTINGS - {"relations"}}
        replays = judge.part("judge").replays
        found["judge"] = judging[name].judged_by if replays else judge.plugin("judge")
        idle = {"version"} if run.config.part("assessor").prompts else set[str]()
        idle |= {"query_builder", "summarizer"} - read[name].stages
        settings[name] = found | dict.fromkeys(idle, "-")
    keys = next(iter(settings.values())).keys()
    by_key = {key: {name: values[key] for name, values in settings.items()} for key in keys}
    return {key: values for key, values in by_key.items() if len(set(map(str, values.values())) - {"-"}) > 1}


def _judging(runs: Mapping[str, FinishedRun[Any]]) -> dict[str, FinishedRun[Any]]:
    """For each run, the name of the run whose judge gave its verdicts.

    For a replay of another compared run it is that run, unless that one has changed since; else the run
    itself.
    """
    replays = any(run.config.part("judge").replays for run in runs.values())
    by_journal = {recording_fingerprint(run.source): run for run in runs.values()} if replays else {}

    def judging(run: FinishedRun[Any]) -> FinishedRun[Any]:
        left = dict(by_journal)  # each is replayed once at most: a copy of a run has its journal
        while run.config.part("judge").replays:
            verdicts = run.manifest.content().get("files", {}).get("relations")
            if (replayed := left.pop(verdicts, None)) is None:
                break
            run = replayed
        return run

    return {name: judging(run) for name, run in runs.items()}


def _notes(
    table: Table[Any],
    read: Mapping[str, _Read],
    samples: Mapping[str, Sample],
    ids: Sequence[str],
    baseline: str,
) -> Iterator[str]:
    """Notes for a reader of the comparison."""
    claim, first = ("atoms" if table is FACTUALITY else "claims"), read[baseline]
    left_out = by_value({name: _excluded_note(part, ids) for name, part in read.items()})
    yield from (f"{', '.join(names)}: {message}" for message, names in left_out.items() if message)
    for name, part in read.items():
        yield from (f"{name}: {note}" for note in part.notes)
        if other := sum(part.claims[i] != first.claims[i] for i in ids):
            yield f"{name}: its {claim} differ from those of {baseline} in {number_of(other, 'record')}"
        if other := sum(part.response[i] != first.response[i] for i in ids):
            yield f"{name}: its answer differs from that of {baseline} in {number_of(other, 'record')}"
        if table is FACTUALITY and all_undecided(samples[name]):
            yield f"{name}: {ALL_OPEN}"
    own = [name for name, part in read.items() if part.own_contexts]
    if 0 < len(own) < len(read):
        others = ", ".join(name for name in read if name not in own)
        yield f"{', '.join(own)}: each atom has its own contexts; {others}: all contexts of the record"
    judged = {name: len(sample.claims.p) for name, sample in samples.items()}
    if len(set(judged.values())) > 1:
        counts = ", ".join(f"{name} {count}" for name, count in judged.items())
        yield f"scores against labels are over each run's own labelled {claim}: {counts}"
    if table is FACTUALITY and not _labelled(samples):
        yield "no judged atom has a label: scores against labels are missing; add `gold=FILE`"
    yield from _few_records(table, samples[baseline])
    costs = {name: s.values["cost"] for name, s in samples.items() if "cost" in table}
    if unknown := [name for name, cost in costs.items() if np.isnan(cost).any()]:
        yield f"the cost is unknown for {', '.join(unknown)}"
