"""Fingerprints of what decides a run's results beside its settings."""

from __future__ import annotations

from factreasoner import prompts
from factreasoner.config import Config
from factreasoner.evaluators.assessors import ASSESSORS
from factreasoner.judges.recorded import recording_fingerprint


def prompt_fingerprints(config: Config) -> dict[str, str]:
    """Fingerprint of each prompt that may be asked."""
    row = ASSESSORS.get(config.assessor)
    return prompts.fingerprints(("atomizer", "judge" if row is None else row.prompt, "reviser"))


def file_fingerprints(config: Config) -> dict[str, str]:
    """Fingerprint of each file that a setting names, by setting. Raises InputError when one can't be read."""
    return {} if config.relations is None else {"relations": recording_fingerprint(config.relations)}
