"""A folder of scores: which run was scored again, and how, so that it can be looked at like a run."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import NamedTuple

from factreasoner.errors import RunError
from factreasoner.runs.manifest import MANIFEST, SCORED_AGAIN, Manifest
from factreasoner.runs.replacing import replace_file
from factreasoner.settings import Config, kept_config

CORRECTIONS = "corrections.jsonl"


class ScoredAgain(NamedTuple):
    """The run that was scored again, the settings it was scored with, and a reader's corrections, if any."""

    run: Path
    config: Config
    corrections: Path | None


def note_scored_again(out: Path, scored: ScoredAgain) -> None:
    """Write into `out`, a folder of its own, how the scores there came about; corrections are copied."""
    if out.resolve() == scored.run.resolve():
        return
    kept = out / CORRECTIONS
    if scored.corrections is None:
        kept.unlink(missing_ok=True)
    elif scored.corrections.resolve() != kept.resolve():
        kept.write_bytes(scored.corrections.read_bytes())
    content = {
        "run": os.path.relpath(scored.run.resolve(), out.resolve()),
        "config": scored.config.model_dump(mode="json"),
        "corrections": None if scored.corrections is None else CORRECTIONS,
    }
    replace_file(out / SCORED_AGAIN, [json.dumps(content, indent=2, ensure_ascii=False)])


def read_scored_again(path: Path) -> ScoredAgain | None:
    """How the scores in a folder came about; None of a run's own folder, or any other.

    Raises:
        RunError: the note is damaged.
    """
    note = path / SCORED_AGAIN
    if (path / MANIFEST).exists() or not note.exists():
        return None
    try:
        content = json.loads(note.read_text(encoding="utf-8"))
        corrections = content["corrections"] and path / content["corrections"]
        return ScoredAgain(
            path / content["run"], kept_config(content["config"], str(note)), corrections or None
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RunError(f"{note}: can't be read ({error}); score the run again") from error


def parser_of(path: Path) -> str | None:
    """Name and version of the parser that made the atoms of a run, or of the run a folder has scores of."""
    scored = read_scored_again(path)
    return Manifest(scored.run if scored else path).parser
