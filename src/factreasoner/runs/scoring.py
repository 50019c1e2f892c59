"""Results and summary, derived from a journal."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from factreasoner.calibration.applying import calibration_fingerprint
from factreasoner.config import Config
from factreasoner.metrics.factuality import resolve_k
from factreasoner.metrics.results import Summary
from factreasoner.models import Assessment
from factreasoner.protocols import Solver
from factreasoner.rescoring import rescore
from factreasoner.runs.store import RunFolder, replace_file

Content = dict[str, Any]
"""What summary.json holds."""


def score_journal(
    folder: RunFolder,
    ids: Sequence[str],
    config: Config,
    *,
    solver: Solver | None = None,
    out: Path | None = None,
) -> Content:
    """Write results.jsonl and summary.json of `ids`, in that order; returns the summary.

    With a `solver`, every assessment is solved again under `config` first. The files go to `out`, by
    default into the run folder, and replace older ones atomically.
    """
    out = out or folder.path
    out.mkdir(parents=True, exist_ok=True)
    counts = [folder.entries[i].num_atoms for i in ids if i in folder.entries]
    summary = Summary(config.k, resolve_k(config.k, counts), gamma=config.gamma)
    assessments: Iterable[Assessment] = folder.assessments(ids)
    if solver is not None:
        assessments = (rescore(assessment, solver, config) for assessment in assessments)

    fingerprint = _calibrated_by(folder, config, again=solver is not None)

    def lines() -> Iterator[str]:
        for assessment in assessments:
            line = summary.add(assessment)
            line["calibration"] = fingerprint
            yield json.dumps(line, ensure_ascii=False, allow_nan=False)

    replace_file(out / "results.jsonl", lines())
    content = summary.content()
    content["usage"]["spent"] = None if content["usage"]["total"]["cost"] is None else folder.spent
    content["records"]["unassessed"] = sum(i not in folder.entries for i in ids)
    content["calibration"] = fingerprint and {"file": str(config.calibration), "fingerprint": fingerprint}
    replace_file(out / "summary.json", [json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False)])
    return content


def _calibrated_by(folder: RunFolder, config: Config, *, again: bool) -> str | None:
    """Fingerprint of the calibration in force: of a run, the one it began with."""
    if config.calibration is None:
        return None
    if again:
        return calibration_fingerprint(config.calibration)
    fingerprint: str | None = folder.manifest().get("files", {}).get("calibration")
    return fingerprint
