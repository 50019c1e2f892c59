"""Fingerprints of what decides a run's results beside its settings."""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

from factreasoner import prompts
from factreasoner.assessors.credibility import credibility_fingerprint
from factreasoner.calibration.applying import calibration_fingerprint
from factreasoner.errors import RunError
from factreasoner.judges.recorded import recording_fingerprint
from factreasoner.plugins.table import load
from factreasoner.runs.store import RunFolder
from factreasoner.settings import Config
from factreasoner.tasks.task import Task

_FILES: dict[str, Callable[[Path], str]] = {
    "relations": recording_fingerprint,
    "calibration": calibration_fingerprint,
    "credibility": credibility_fingerprint,
}
"""How the file is fingerprinted that a setting names, and that a finished run needs still."""


def prompt_fingerprints(task: Task[Any], config: Config) -> dict[str, str]:
    """Fingerprint of each prompt that the task may ask."""
    return prompts.fingerprints(task.prompts(config))


def file_fingerprints(config: Config) -> dict[str, str]:
    """Fingerprint of what each setting names that names a file or a classifier, by setting.

    Raises:
        InputError: a file can't be read.
        ConfigError: the classifier is not there.
        MissingExtraError: an optional package is needed to read it.
    """
    paths = {name: getattr(config, name) for name in _FILES}
    found = {name: _FILES[name](path) for name, path in paths.items() if path is not None}
    if config.verifier is not None:
        found["verifier"] = load("judge", "verifier").fingerprint(config)
    return found


def refuse_changed_files(folder: RunFolder[Any], *, named: Collection[str] = ()) -> None:
    """Refuse a run whose files are not what they were when it was made.

    Those of settings that are `named` anew are not asked for; recorded verdicts that are gone are not
    missed, since the journal has them.

    Raises:
        RunError: a file has changed since.
        InputError: the calibration can't be read.
    """
    config, recorded = folder.config(), folder.manifest.content().get("files", {})
    for name, fingerprint in _FILES.items():
        path: Path | None = getattr(config, name)
        if path is None or name in named or (name == "relations" and not path.exists()):
            continue
        if fingerprint(path) != recorded.get(name):
            raise RunError(
                f"{folder.path}: {path} ({name}) has changed since this run; run again with another --out"
                + (f", or give it again with --{name}" if name in ("calibration", "credibility") else "")
            )
