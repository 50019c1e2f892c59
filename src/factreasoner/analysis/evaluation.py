"""A finished run against human labels: what is in the files of `factreasoner evaluate`."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from factreasoner.config import Config
from factreasoner.errors import ConfigError, RunError
from factreasoner.inputs.gold_labels import GoldFile
from factreasoner.metrics.results import Summary, result_line
from factreasoner.metrics.samples import GOLDS, Sample, Sampling
from factreasoner.metrics.scores import SCORES, USAGE, confusion, estimates, three_way_confusion
from factreasoner.models import Assessment
from factreasoner.registry import nearest
from factreasoner.runs.finished import FinishedRun
from factreasoner.runs.store import replace_file

NO_VALUE = "(none)"
"""The group of records that have no value of the key grouped by."""
FEW = 20
"""Records below which intervals hold the truth clearly less often than 95 times in 100."""
ALL_OPEN = "no judged atom is supported or contradicted: the contexts decide nothing"
LEFT_OUT = ("input", "output", "marginals", "model_name", "solver", "usage", "elapsed_seconds", "metadata")
"""Fields of a result line that say nothing about labels."""
NAMES = tuple(name for name in SCORES if name not in USAGE)


class Numbers(NamedTuple):
    """A run as numbers: `summary` is what its summary.json would hold with these labels and this K."""

    sample: Sample
    summary: dict[str, Any]


def numbers_of(
    run: FinishedRun,
    config: Config,
    *,
    gold: GoldFile | None = None,
    each: Callable[[Assessment, Mapping[str, Any]], None] | None = None,
) -> Numbers:
    """Read a run through, scored as `config` says; `each` is told every assessment and its result line.

    Raises:
        InputError: a gold file none of whose labels is for an atom of the run.
    """
    summary = Summary(config.k, run.resolved_k(config), seed=config.seed, gamma=config.gamma)
    sampling = Sampling()
    for assessment in run.assessments():
        labelled = gold.apply(assessment) if gold else assessment
        k = summary.k_of(labelled)
        line = result_line(labelled, k, config.gamma)
        summary.add(labelled, line)
        sampling.add(labelled, k)
        if each is not None:
            each(labelled, line)
    if gold is not None:
        gold.unused()
    return Numbers(sampling.sample(), summary.content())


def evaluate_run(
    run: FinishedRun, config: Config, *, out: Path, gold: GoldFile | None = None, by: str | None = None
) -> dict[str, Any]:
    """Write records.jsonl and summary.json into `out`; returns the content of the latter.

    `gold` stands in for the labels of the run's input; `by` is "topic" or a metadata key. Nothing is
    written when something is wrong.

    Raises:
        RunError: no atom is labelled.
        InputError: no label of `gold` is for an atom of the run.
        ConfigError: no record has the key `by`.
    """
    lines: list[str] = []
    groups: dict[str, list[int]] = {}
    keys: Counter[str] = Counter()

    def each(assessment: Assessment, line: Mapping[str, Any]) -> None:
        shown = {name: value for name, value in line.items() if name not in LEFT_OUT}
        if by is not None:
            keys.update(_known_keys(assessment))
            group = _group_of(assessment, by)
            groups.setdefault(group, []).append(len(lines))
            shown["group"] = group
        lines.append(json.dumps(shown, ensure_ascii=False, allow_nan=False))

    sample, summary = numbers_of(run, config, gold=gold, each=each)
    if by is not None and not keys[by]:
        raise ConfigError(
            f"--by {by}: no record has it; {nearest(by, list(keys)) if keys else 'none has any'}"
        )
    if not len(sample.atom_gold) and not sample.left_out.any():
        raise RunError(f"{run.path}: no atom is labelled; give labels with --gold FILE")
    content = {
        "run": str(run.path),
        "records": summary["records"],
        "k_setting": summary["k_setting"],
        "k": summary["k"],
        "seed": config.seed,
        "gold_file": {"path": str(gold.path), **gold.counts()} if gold else None,
        **_scored(sample, config.seed),
        "by": by,
        "groups": {
            name: _scored(sample.take(places), config.seed) for name, places in sorted(groups.items())
        },
        "notes": list(_notes(run, sample, gold)),
    }
    out.mkdir(parents=True, exist_ok=True)
    replace_file(out / "records.jsonl", lines)
    replace_file(out / "summary.json", [json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False)])
    return content


def _scored(sample: Sample, seed: int) -> dict[str, Any]:
    scored = sample.take(sample.scored.nonzero()[0])
    return {
        "num_records": len(scored.ids),
        "labels": _label_counts(sample),
        "scores": {
            name: {"value": found.value, "interval_95": found.interval}
            for name, found in estimates(scored, NAMES, seed=seed).items()
        },
        "confusion": confusion(scored),
        "three_way_confusion": three_way_confusion(scored),
    }


def _label_counts(sample: Sample) -> dict[str, int]:
    counts = {label: int((sample.atom_gold == code).sum()) for code, label in enumerate(GOLDS)}
    return counts | {"left_out": int(sample.left_out.sum())}


def _known_keys(assessment: Assessment) -> list[str]:
    return [*(["topic"] if assessment.topic is not None else []), *assessment.metadata]


def _group_of(assessment: Assessment, by: str) -> str:
    value = assessment.topic if by == "topic" else assessment.metadata.get(by)
    if value is None:
        return NO_VALUE
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)


def _notes(run: FinishedRun, sample: Sample, gold: GoldFile | None) -> Iterator[str]:
    """What a reader of the scores must know."""
    if run.unfinished:
        yield run.unfinished
    if gold is not None and (unused := gold.unused()):
        yield unused
    unscored = int((~sample.scored).sum())
    if unscored:
        yield f"{unscored} of {len(sample.ids)} records have no judged atom and no score"
    if sample.open:
        yield ALL_OPEN
    left_out = int(sample.left_out.sum())
    if left_out:
        yield f"{left_out} labelled atoms could not be judged and are left out"
    supported = int((sample.atom_gold == GOLDS.index("S")).sum())
    other = len(sample.atom_gold) - supported
    if not supported or not other:
        yield f"AUROC needs labels of both kinds; there are {supported} S and {other} others"
    scored = int(sample.scored.sum())
    if scored < 2:
        yield "intervals need at least two records with a score"
    elif scored < FEW:
        yield narrow_intervals(scored)


def narrow_intervals(count: int) -> str:
    """How far intervals over so few records can be believed."""
    return f"{count} records: intervals over fewer than {FEW} are too narrow, most of all of AUROC and ECE"
