"""The table of modes of factual recall: of finished runs, one a mode, over the same facts.

Source: "FaaF: Facts as a Function for the evaluation of generated text" (arXiv 2403.03888), Table 2.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from factreasoner.analysis.comparison import JUDGING
from factreasoner.metrics.samples import Sample
from factreasoner.models import Usage
from factreasoner.models.results import NO_VALUE, group_of
from factreasoner.runs.finished import FinishedRun
from factreasoner.tasks.recall import RECALL, TASK, RecallResult, scored_recall

SCORES = ("error_rate", "f1_false")


def modes_content(runs: Mapping[str, FinishedRun[RecallResult]], by: str) -> dict[str, Any]:
    """What the table of modes holds: for every mode its scores by group and over all, and what it took.

    `by` is "topic" or a metadata key; a group is of the records with one value of it.
    """
    return {"task": TASK.name, "by": by, "modes": {name: _mode(run, by) for name, run in runs.items()}}


def _mode(run: FinishedRun[RecallResult], by: str) -> dict[str, Any]:
    sampling = RECALL.sampling()
    groups: dict[str, list[int]] = {}
    used = Usage()
    for place, result in enumerate(run.results()):
        sampling.add(result.record_id, scored_recall(result))
        groups.setdefault(group_of(result, by), []).append(place)
        used += result.usage.get(JUDGING, Usage())
    sample = sampling.sample()
    grouped = {} if groups.keys() == {NO_VALUE} else groups
    return {
        "path": str(run.path),
        "unfinished": run.unfinished,
        "groups": {name: _cells(sample.take(places)) for name, places in sorted(grouped.items())},
        "all": _cells(sample),
        "usage": {**used.model_dump(), "records": len(sample.ids)},
    }


def _cells(sample: Sample) -> dict[str, Any]:
    """N/A, error rate and F1 of one mode and group; `na` is the share of facts that stayed unanswered."""
    # NaN is of a record without facts
    facts, unanswered = (int(np.nansum(sample.values[name])) for name in ("num_facts", "num_unanswered"))
    return {
        "num_records": len(sample.ids),
        "num_facts": facts,
        "num_unanswered": unanswered,
        "na": unanswered / facts if facts else None,
        **{name: item.content() for name, item in RECALL.estimates(sample, ("recall", *SCORES)).items()},
    }


def mode_rows(content: Mapping[str, Any]) -> list[list[str]]:
    """The table of modes: a line of groups, a line of captions, then a row a mode.

    N/A is in percent of the facts; calls, tokens and cost are those of judging, over the whole run.
    """
    modes: Mapping[str, Any] = content["modes"]
    groups = [*next(iter(modes.values()))["groups"], "all"]
    head = ["", *(cell for group in groups for cell in (group, "", "")), "", "", ""]
    captions = ["mode", *(["N/A %", "error rate", "F1 False"] * len(groups)), "calls", "tokens", "cost"]
    rows = [head, captions]
    for name, mode in modes.items():
        cells = [(mode["groups"] | {"all": mode["all"]}).get(group) for group in groups]
        rows.append([name, *(text for cell in cells for text in _texts(cell)), *_usage_texts(mode["usage"])])
    return rows


def _texts(cell: Mapping[str, Any] | None) -> list[str]:
    if cell is None:
        return ["-", "-", "-"]
    na = "-" if cell["na"] is None else f"{100 * cell['na']:.1f}"
    return [na, *(RECALL[name].text(cell[name]["value"]) for name in SCORES)]


def _usage_texts(usage: Mapping[str, Any]) -> list[str]:
    about = "~" if usage["cached_calls"] else ""
    tokens = usage["prompt_tokens"] + usage["completion_tokens"]
    cost = "unknown" if usage["cost"] is None else f"{about}${usage['cost']:.4f}"
    return [f"{usage['calls'] + usage['cached_calls']:,}", f"{about}{tokens:,}", cost]


def mode_notes(content: Mapping[str, Any]) -> Iterator[str]:
    """What a reader of the table must know."""
    for name, mode in content["modes"].items():
        if mode["unfinished"]:
            yield mode["unfinished"]
        if cached := mode["usage"]["cached_calls"]:
            yield f"{name}: {cached} calls were cached; their tokens and cost are not counted"
        if (f1 := mode["all"]["f1_false"])["value"] is None:
            yield f"{name}: no F1 of False: {f1['reason']}"
    counts = {name: mode["all"]["num_facts"] for name, mode in content["modes"].items()}
    if len(set(counts.values())) > 1:
        each = ", ".join(f"{name} {count}" for name, count in counts.items())
        yield f"the modes were not asked about as many facts: {each}"
