"""Results and summary, derived from a journal."""

from __future__ import annotations

import json
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

from factreasoner.assessors.credibility import credibility_fingerprint, read_credibility
from factreasoner.calibration.applying import calibration_fingerprint
from factreasoner.models import TaskResult
from factreasoner.runs.panel import PanelTally, SelfPreference
from factreasoner.runs.replacing import replace_file
from factreasoner.runs.store import RunFolder
from factreasoner.settings import Config

R = TypeVar("R", bound=TaskResult)
CORRECTED = "corrected"
"""Where the probability of a verdict comes from that a reader corrected."""
Content = dict[str, Any]
"""What summary.json holds."""


def score_journal(
    folder: RunFolder[R],
    ids: Sequence[str],
    config: Config,
    *,
    again: Callable[[R], R] | None = None,
    out: Path | None = None,
) -> Content:
    """Write results.jsonl and summary.json of `ids`, in that order; returns the summary.

    `again` is done to every result first: it is what scores a run anew. The files go to `out`, by default
    into the run folder, and replace older ones atomically.
    """
    out = out or folder.path
    out.mkdir(parents=True, exist_ok=True)
    sizes = array("L", (folder.entries[i].size for i in ids if i in folder.entries))
    tally = folder.task.tally(config, sizes)
    results: Iterable[R] = folder.results(ids)
    if again is not None:
        results = map(again, results)

    own = SelfPreference(config)
    panel = PanelTally(folder.task, config, sizes) if config.further_models else None
    fingerprint = _calibrated_by(folder, config, again=again is not None)

    def lines() -> Iterator[str]:
        for result in results:
            line = tally.add(result)
            own.add(result)
            if panel is not None:
                panel.add(result)
            line["calibration"] = fingerprint
            line["corrected_verdicts"] = sum(v.confidence == CORRECTED for v in folder.task.verdicts(result))
            yield json.dumps(line, ensure_ascii=False, allow_nan=False)

    replace_file(out / "results.jsonl", lines())
    content = tally.content()
    content["usage"]["spent"] = None if content["usage"]["total"]["cost"] is None else folder.spent
    content["records"]["unassessed"] = sum(i not in folder.entries for i in ids)
    content["probes"] = _probes_of(folder)
    content["judges"] = None if panel is None else panel.content()
    content["self_preference"] = own.content()
    content["corrected_verdicts"] = content["confidences"].get(CORRECTED, 0)
    content["calibration"] = fingerprint and {"file": str(config.calibration), "fingerprint": fingerprint}
    if content.get("credibility"):
        content["credibility"] |= _credibility_of(config, content["credibility"]["used_domains"])
    replace_file(out / "summary.json", [json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False)])
    return content


def _probes_of(folder: RunFolder[R]) -> Content:
    """What each model was found to bear, by model and prompt."""
    return {
        name: {prompt: probe.model_dump() for prompt, probe in known.probes.items()}
        for name, known in folder.manifest.models().items()
    }


def _credibility_of(config: Config, used: Sequence[str]) -> Content:
    """The table that rated contexts, and its domains that no context had."""
    if config.credibility is None:
        return {}
    table = read_credibility(config.credibility)
    return {
        "file": str(config.credibility),
        "fingerprint": credibility_fingerprint(config.credibility),
        "unused_domains": sorted(table.priors.keys() - set(used)),
    }


def _calibrated_by(folder: RunFolder[R], config: Config, *, again: bool) -> str | None:
    """Fingerprint of the calibration in force: of a run, the one it began with."""
    if config.calibration is None:
        return None
    if again:
        return calibration_fingerprint(config.calibration)
    fingerprint: str | None = folder.manifest.content().get("files", {}).get("calibration")
    return fingerprint
