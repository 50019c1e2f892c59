"""Fingerprints of what decides a run's results beside its settings."""

from __future__ import annotations

from factreasoner import prompts
from factreasoner.config import Config
from factreasoner.evaluators.assessors import ASSESSORS
from factreasoner.evaluators.calibrated import calibration_fingerprint
from factreasoner.judges.recorded import recording_fingerprint

_OPTIONAL = {"query_builder": "query", "summarizer": "summarizer"}
"""Prompts of the parts that a run may do without."""


def prompt_fingerprints(config: Config) -> dict[str, str]:
    """Fingerprint of each prompt that may be asked."""
    row = ASSESSORS.get(config.assessor)
    names = ["atomizer", "judge" if row is None else row.prompt, "reviser"]
    names += [prompt for part, prompt in _OPTIONAL.items() if config.plugin(part) == "llm"]
    return prompts.fingerprints(names)


def file_fingerprints(config: Config) -> dict[str, str]:
    """Fingerprint of each file that a setting names, by setting. Raises InputError when one can't be read."""
    found = {}
    if config.relations is not None:
        found["relations"] = recording_fingerprint(config.relations)
    if config.calibration is not None:
        found["calibration"] = calibration_fingerprint(config.calibration)
    return found
