"""Scores of finished runs, overall and by group, as `evaluate` and `compare --modes` write them."""

from __future__ import annotations

import json
import tempfile
from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np

from factreasoner.errors import ConfigError, RunError
from factreasoner.files import make_folder_of, replace_file
from factreasoner.inputs.gold_labels import GoldFile
from factreasoner.inputs.items import KEPT_UNDER
from factreasoner.metrics.factuality import FACTUALITY, GOLD, LABEL_CODES
from factreasoner.metrics.run_counts import Tally
from factreasoner.metrics.samples import Sample
from factreasoner.metrics.summary import confusion_counts
from factreasoner.metrics.table import Table
from factreasoner.models import Result, Usage
from factreasoner.models.formatting import number_of
from factreasoner.models.results import NO_VALUE, group_of
from factreasoner.pipeline.config import Config
from factreasoner.plugins.table import nearest
from factreasoner.runs.finished import FinishedRun
from factreasoner.tasks.factuality import TASK as FACTUALITY_TASK
from factreasoner.tasks.task import Task

JUDGING = "evaluator"
"""The stage whose calls, tokens and cost are compared; earlier stages may have been shared."""
ALL_OPEN = "no judged atom is supported or contradicted: the contexts decide nothing"
LEFT_OUT = ("input", "output", "marginals", "model_name", "solver", "usage", "elapsed_seconds", "metadata")
"""Fields of a result line that do not concern labels."""


def summarize_run(
    run: FinishedRun[Any],
    config: Config,
    each: Callable[[Result, Mapping[str, Any]], None],
    gold: GoldFile | None = None,
) -> Tally[Any]:
    """Read a run completely, scored as `config` says with the labels of `gold`, if given.

    `each` is called with every result and its line.

    Raises InputError: no label of `gold` is for an atom of the run.
    """
    summary = run.tally(config)
    for result in run.results():
        labelled = gold.apply(result) if gold else result
        each(labelled, summary.add(labelled))
    if gold is not None:
        gold.unused()
    return summary


def evaluate_run(
    run: FinishedRun[Any], config: Config, *, out: Path, gold: GoldFile | None = None, by: str | None = None
) -> dict[str, Any]:
    """Write records.jsonl and summary.json to `out`; returns the content of the summary.

    `gold` replaces the labels of the input; `by` is "topic" or a metadata key. Nothing is written on an
    error.

    Raises:
        RunError: no atom of a factuality run is labelled, and there is no `by`.
        InputError: no label of `gold` is for an atom of the run.
        ConfigError: no record has the key `by`, or `gold` is given for another task.
    """
    if gold is not None and run.task is not FACTUALITY_TASK:
        raise ConfigError(f"gold: it holds labels of atoms, and this is a run of `{run.task.name}`")
    with tempfile.TemporaryFile("w+", encoding="utf-8", newline="\n") as kept:
        read = _GroupedLines(by, kept)
        summary = summarize_run(run, config, gold=gold, each=read.add)
        sample, whole = summary.sample(), summary.content()
        _refuse_nothing(run, sample, read)
        content = {
            "run": str(run.path),
            "task": run.task.name,
            "records": whole["records"],
            "given": whole.get("given", {}),
            "k_setting": whole.get("k_setting"),
            "k": whole.get("k"),
            "gold_file": {"path": str(gold.path), **gold.counts()} if gold else None,
            **_scored(run.task, sample),
            "by": by,
            "groups": {name: _scored(run.task, sample.take(at)) for name, at in sorted(read.groups.items())},
            "notes": list(_notes(run, sample, gold)),
        }
        make_folder_of(out / "records.jsonl")
        replace_file(out / "records.jsonl", read.lines())
    replace_file(out / "summary.json", [json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False)])
    return content


class _GroupedLines:
    """The lines of records.jsonl, kept in a file, and which lines belong to each group.

    `by` is the grouping key: "topic" or a metadata key.
    """

    def __init__(self, by: str | None, kept: IO[str]) -> None:
        self.by = by
        self._kept = kept
        self._count = 0
        self.groups: dict[str, array[int]] = {}
        self.keys: Counter[str] = Counter()
        """How many records have each key that they could be grouped by."""

    def add(self, result: Result, line: Mapping[str, Any]) -> None:
        """Keep the label fields of a result line."""
        shown = {name: value for name, value in line.items() if name not in LEFT_OUT}
        if self.by is not None:
            own = [key for key in result.metadata if key not in KEPT_UNDER.values()]
            self.keys.update(["topic", *own] if result.topic is not None else own)
            group = group_of(result, self.by)
            self.groups.setdefault(group, array("L")).append(self._count)
            shown["group"] = group
        self._kept.write(f"{json.dumps(shown, ensure_ascii=False, allow_nan=False)}\n")
        self._count += 1

    def lines(self) -> Iterator[str]:
        """The lines in order."""
        self._kept.seek(0)
        return (line.removesuffix("\n") for line in self._kept)


def _refuse_nothing(run: FinishedRun[Any], sample: Sample, read: _GroupedLines) -> None:
    """Raise if no record has the grouping key, or if there are neither labels nor groups."""
    by, keys = read.by, read.keys
    if by is not None and not keys[by]:
        raise ConfigError(
            f"`by={by!r}`: no record has it; {nearest(by, list(keys)) if keys else 'none has any'}"
        )
    if by is None and run.task is FACTUALITY_TASK and not _labelled(sample):
        raise RunError(
            f"{run.path}: no atom is labelled; give labels with `gold=FILE`, or `by=KEY` for precision alone"
        )


def _labelled(sample: Sample) -> bool:
    """Whether any atom has a label, judged or not."""
    return bool(len(sample.claims.p) or sample.left_out.any())


def _scored(task: Task[Any], sample: Sample) -> dict[str, Any]:
    table: Table[Any] = task.table
    scored = table.scored(sample)
    names = [metric.name for metric in table if not metric.usage]
    content = {
        "num_records": len(scored.ids),
        "scores": {name: found.content() for name, found in table.estimates(sample, names).items()},
    }
    if task is not FACTUALITY_TASK:
        return content | {"labels": {"labelled": len(sample.claims.p)}}
    labels = {label: int((sample.claims.gold == code).sum()) for label, code in GOLD.items()}
    return content | {
        "labels": labels | {"left_out": int(sample.left_out.sum())},
        "confusion": confusion_counts(scored.claims),
    }


def all_undecided(sample: Sample) -> bool:
    """Whether atoms were judged and none is supported or contradicted."""
    decided = np.nansum(sample.values["supported"]) + np.nansum(sample.values["contradicted"])
    return bool(FACTUALITY.has_score(sample).any()) and not decided


def _notes(run: FinishedRun[Any], sample: Sample, gold: GoldFile | None) -> Iterator[str]:
    """Notes for a reader of the scores."""
    table: Table[Any] = run.task.table
    if run.unfinished:
        yield run.unfinished
    if gold is not None and (unused := gold.unused()):
        yield unused
    unscored = int((~table.has_score(sample)).sum())
    if unscored:
        claim = "atom" if table is FACTUALITY else "claim"
        yield f"no judged {claim} and no score in {unscored} of {len(sample.ids)} records"
    scored = table.scored(sample)
    if table is FACTUALITY:
        yield from _notes_on_atoms(sample, scored)
    if len(scored.ids) < 2:
        yield "intervals need at least two records with a score"
    if (few := table.few_records(sample)) is not None:
        yield few


def _notes_on_atoms(sample: Sample, scored: Sample) -> Iterator[str]:
    if all_undecided(sample):
        yield ALL_OPEN
    left_out = int(sample.left_out.sum())
    if left_out:
        yield f"scores exclude {number_of(left_out, 'labelled atom')} not judged"
    judged = int(sum(np.nansum(sample.values[name]) for name in LABEL_CODES))
    labelled = len(sample.claims.p)
    if labelled < judged and labelled:
        yield (
            f"{judged - labelled} of {judged} judged atoms have no label: precision and F1@K count them, "
            "scores against labels do not"
        )
    counts = confusion_counts(scored.claims)
    supported = counts["true_positive"] + counts["false_negative"]
    if (labels := sum(counts.values())) and supported in (0, labels):
        kind, other = ("S", "NS") if supported else ("NS", "S")
        predicted = counts["false_negative"] + counts["false_positive"]
        means = f"takes the F1 of {other} as 0" if predicted else f"is the F1 of {kind} alone"
        yield f"all labels are {kind}: macro-F1 {means}"
    auroc = FACTUALITY.estimates(scored, ["auroc"])["auroc"]
    if not _labelled(sample):
        yield "no atom has a label: scores against labels are missing; add `gold=FILE`"
    elif auroc.value is None:
        yield f"AUROC: {auroc.reason}"


def modes_content(runs: Mapping[str, FinishedRun[Any]], by: str) -> dict[str, Any]:
    """The table of recall modes: scores of every mode, overall and by group, and its usage.

    `by` is "topic" or a metadata key.
    """
    return {"task": "recall", "by": by, "modes": {name: _mode(run, by) for name, run in runs.items()}}


def _mode(run: FinishedRun[Any], by: str) -> dict[str, Any]:
    groups: dict[str, list[int]] = {}
    used: list[Usage] = []

    def each(result: Result, line: Mapping[str, Any]) -> None:
        groups.setdefault(group_of(result, by), []).append(len(used))
        used.append(result.usage.get(JUDGING, Usage()))

    table: Table[Any] = run.task.table
    sample = summarize_run(run, run.config, each=each).sample()
    grouped = {} if groups.keys() == {NO_VALUE} else groups
    return {
        "path": str(run.path),
        "unfinished": run.unfinished,
        "groups": {name: _mode_scores(table, sample.take(at)) for name, at in sorted(grouped.items())},
        "all": _mode_scores(table, sample),
        "usage": {**sum(used, Usage()).model_dump(), "records": len(used)},
    }


def _mode_scores(table: Table[Any], sample: Sample) -> dict[str, Any]:
    """N/A, error rate and F1 of one mode and group; `na` is the share of unanswered facts."""
    # NaN is of a record without facts
    facts, unanswered = (int(np.nansum(sample.values[name])) for name in ("num_facts", "num_unanswered"))
    scores = table.estimates(sample, ("recall", "error_rate", "f1_false"))
    return {
        "num_records": len(sample.ids),
        "num_facts": facts,
        "num_unanswered": unanswered,
        "na": unanswered / facts if facts else None,
        **{name: found.content() for name, found in scores.items()},
    }
