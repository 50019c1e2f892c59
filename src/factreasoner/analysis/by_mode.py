"""Modes of factual recall over the same facts, each into a run folder of its own, and their table.

Source: "FaaF: Facts as a Function for the evaluation of generated text" (arXiv 2403.03888), Table 2.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

import numpy as np

from factreasoner.analysis.side_by_side import Contender, ShowProgress, SideBySide, Source
from factreasoner.errors import ConfigError, RunError
from factreasoner.judges.asking import MOST_FACTS
from factreasoner.metrics.samples import Sample
from factreasoner.models import Record, Usage
from factreasoner.models.results import NO_VALUE, group_of
from factreasoner.plugins.table import nearest
from factreasoner.runs.finished import FinishedRun
from factreasoner.runs.store import RunFolder
from factreasoner.settings import Config, load_settings
from factreasoner.settings.choices import Mode
from factreasoner.tasks.recall.result import RECALL, RecallResult, scored_recall
from factreasoner.tasks.recall.task import TASK

JUDGING = "evaluator"
"""The stage whose calls, tokens and cost are compared; making the facts is shared by all modes."""


def parse_modes(names: Sequence[str], settings: Mapping[str, Any], profile: Path | None) -> list[Contender]:
    """Modes by name; `settings` and `profile` hold for all of them.

    Raises:
        ConfigError: an unknown mode (the nearest known one is named), one that occurs twice, fewer than two,
            or settings that do not fit.
    """
    known = get_args(Mode)
    wanted = [name.strip() for name in names if name.strip()]
    for number, name in enumerate(wanted):
        if name not in known:
            raise ConfigError(f"--modes: unknown {name!r}; {nearest(name, list(known))}")
        if name in wanted[:number]:
            raise ConfigError(f"--modes: {name!r} occurs twice")
    if len(wanted) < 2:
        raise ConfigError(f"--modes: name at least two, with commas between: {', '.join(known)}")
    return [Contender(name, _alike(load_settings(profile, {**settings, "mode": name}))) for name in wanted]


def _alike(config: Config) -> Config:
    """Settings by which every mode asks about equally many facts a call."""
    return config.model_copy(update={"atoms_per_call": config.atoms_per_call or MOST_FACTS})


def run_modes(
    contenders: Sequence[Contender], source: Source, out: Path, *, fresh: bool, progress: ShowProgress
) -> bool:
    """Run every mode into `out`/name; returns whether all of them are complete.

    Where records bring no facts the first mode makes them, and the others take its facts.

    Raises:
        RunError: a run folder holds another run, or the budget is used up.
        ConfigError: see :class:`SideBySide`.
    """
    runs = SideBySide(TASK, contenders, out, fresh=fresh, progress=progress)
    first, *others = contenders
    runs.run(first, source)
    shared = _SameFacts(source, out / first.name)
    for contender in others:
        runs.run(contender, shared)
    return runs.complete


class _SameFacts:
    """The records of `source` with the facts that a run made for them; those it has none for are left out."""

    def __init__(self, source: Source, path: Path) -> None:
        self._source = source
        self._folder = RunFolder(path, TASK)
        made = self._folder.results(source.ids)
        self.ids = [result.record_id for result in made if result.status != "failed" or result.facts]
        if not self.ids:
            raise RunError(f"{path}: no record got any facts; see its results.jsonl")

    def records(self) -> Iterator[Record]:
        """The records, in the order of the source."""
        wanted = set(self.ids)
        for record in self._source.records():
            if record.id in wanted and record.facts is None:
                (made,) = self._folder.results([record.id])
                yield record.model_copy(update={"facts": made.facts})
            elif record.id in wanted:
                yield record


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
    found = RECALL.estimates(sample, ("recall", "error_rate", "f1_false"))
    return {
        "num_records": len(sample.ids),
        "num_facts": facts,
        "num_unanswered": unanswered,
        "na": unanswered / facts if facts else None,
        **{name: item.content() for name, item in found.items()},
    }


def mode_rows(content: Mapping[str, Any]) -> list[list[str]]:
    """The table of modes: a line of groups, a line of captions, then a row a mode.

    N/A is in percent of the facts; calls, tokens and cost are those of judging, over the whole run.
    """
    modes: Mapping[str, Any] = content["modes"]
    first = next(iter(modes.values()))
    groups = [*first["groups"], "all"]
    head = ["", *(cell for group in groups for cell in (group, "", ""))]
    captions = ["mode", *(["N/A %", "error rate", "F1 False"] * len(groups)), "calls", "tokens", "cost"]
    rows = [[*head, "", "", ""], captions]
    for name, mode in modes.items():
        cells = [mode["all"] if group == "all" else mode["groups"].get(group) for group in groups]
        rows.append([name, *(text for cell in cells for text in _texts(cell)), *_usage_texts(mode["usage"])])
    return rows


def _texts(cell: Mapping[str, Any] | None) -> list[str]:
    if cell is None:
        return ["-", "-", "-"]
    na = "-" if cell["na"] is None else f"{100 * cell['na']:.1f}"
    return [na, *(RECALL[name].text(cell[name]["value"]) for name in ("error_rate", "f1_false"))]


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
        yield "the modes were not asked about as many facts: " + ", ".join(
            f"{name} {count}" for name, count in counts.items()
        )
