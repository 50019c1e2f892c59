"""Atomizer and Reviser: from a response to self-contained atoms."""

from __future__ import annotations

from factreasoner.llm.usage import Meter
from factreasoner.models import Record
from factreasoner.protocols import Atomized, Atomizer, Reviser
from factreasoner.settings import Config


def atom_prompts(config: Config) -> list[str]:
    """Names of the prompts that a model's atomizer and reviser ask."""
    return ["atomizer"] if config.reviser == "inline" else ["atomizer", "reviser"]


def made_atoms(record: Record, atomizer: Atomizer, reviser: Reviser, meter: Meter) -> Atomized:
    """The self-contained atoms of `record.response`, and the failures of both stages.

    Each stage's usage and time go to that stage of `meter`. Without atoms nothing is revised.

    Raises:
        StageError: no atom could be made.
        ConfigError, BudgetError: from the model client.
    """
    with meter.stage("atomizer"):
        atomized = atomizer.atomize(record)
    if not atomized.atoms:
        return atomized
    with meter.stage("reviser"):
        revised = reviser.revise(atomized.atoms, record)
    return Atomized(revised.atoms, atomized.failures + revised.failures)
