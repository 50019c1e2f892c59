"""Atomizer and Reviser: from a response to self-contained atoms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from factreasoner.atoms.coverage import accounted
from factreasoner.atoms.embedded import reference_record
from factreasoner.calls.usage import Meter
from factreasoner.models import Atom, Record
from factreasoner.protocols import Atomized, Atomizer, Reviser
from factreasoner.text.reasoning import blanked_reasoning, reasoning_spans

ATOM_PROMPTS = ("atomizer", "reviser")
"""What a model's atomizer and reviser ask."""


class FactsByAtomizer:
    """Makes facts of a reference as the atomizer makes atoms of an answer."""

    def __init__(self, atomizer: Atomizer) -> None:
        self._atomizer = atomizer

    def generate(self, record: Record) -> Atomized:
        """The facts, in the order of the reference."""
        return self._atomizer.atomize(reference_record(record))


def as_read(record: Record) -> Record:
    """The record with blanks in the place of reasoning and of tokens that end a turn, in its response."""
    read = blanked_reasoning(record.response)
    return record if read == record.response else record.model_copy(update={"response": read})


def account_of(record: Record, atoms: Sequence[Atom] | None) -> tuple[tuple[Atom, ...], dict[str, Any]]:
    """Atoms with their spans, and the fields of a result that say what they leave out of the response.

    `atoms` are None if none were made of it.
    """
    removed = {"removed_reasoning": sum(end - start for start, end in reasoning_spans(record.response))}
    if atoms is None:
        return (), removed
    found = accounted(record.response, atoms)
    return found.atoms, {"unchecked": found.unchecked, "sentences": found.sentences, **removed}


def made_atoms(record: Record, atomizer: Atomizer, reviser: Reviser, meter: Meter) -> Atomized:
    """The self-contained atoms of `record.response`, and the failures of both stages.

    Each stage's usage and time go to that stage of `meter`. Without atoms nothing is revised.

    Raises:
        StageError: no atom could be made.
        ConfigError, BudgetError: from the model client.
    """
    record = as_read(record)
    with meter.stage("atomizer"):
        atomized = atomizer.atomize(record)
    if not atomized.atoms:
        return atomized
    with meter.stage("reviser"):
        revised = reviser.revise(atomized.atoms, record)
    return Atomized(revised.atoms, atomized.failures + revised.failures)
