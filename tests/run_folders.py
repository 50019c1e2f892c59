"""Run folders made by hand, for tests of what is read from them."""

from __future__ import annotations

from pathlib import Path

from factreasoner.models import Assessment
from factreasoner.runs.scoring import score_journal
from factreasoner.runs.store import RunFolder
from factreasoner.settings import Config
from factreasoner.tasks.factuality import TASK


def run_folder(
    path: Path, *assessments: Assessment, config: Config | None = None, finished: bool = True
) -> Path:
    """A run of these assessments; one that is not `finished` was killed before it wrote its results."""
    config = config or Config()
    folder = RunFolder(path, TASK)
    folder.start(config, {})
    for item in assessments:
        folder.append(item)
    if finished:
        score_journal(folder, list(folder.entries), config)
    folder.close()
    return path
