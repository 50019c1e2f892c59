"""Atomizer and reviser together: from a response to self-contained atoms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from factreasoner.atoms.coverage import accounted
from factreasoner.atoms.rules import reference_record
from factreasoner.calls.usage import Meter
from factreasoner.models import Atom, Record
from factreasoner.protocols import Atomized, Atomizer, Reviser
from factreasoner.text.reasoning import blanked_reasoning, reasoning_spans

ATOM_PROMPTS = ("atomizer", "reviser")
"""The prompts of a model's atomizer and reviser."""


class FactsByAtomizer:
    """Makes facts from a reference with the atomizer."""

    def __init__(self, atomizer: Atomizer) -> None:
        self._atomizer = atomizer

    def generate(self, record: Record) -> Atomized:
        """The facts, in the order of the reference."""
        return self._atomizer.atomize(reference_record(record))


def without_hidden_text(record: Record) -> Record:
    """The record with reasoning and end-of-turn tokens of its response replaced by spaces."""
    read = blanked_reasoning(record.response)
    return record if read == record.response else record.model_copy(update={"response": read})


def account_for(record: Record, atoms: Sequence[Atom] | None) -> tuple[tuple[Atom, ...], dict[str, Any]]:
    """Atoms with spans, and the result fields that say which parts of the response they omit.

    `atoms` is None if none were made of it.
    """
    removed = {"removed_reasoning": sum(end - start for start, end in reasoning_spans(record.response))}
    if atoms is None:
        return (), removed
    found = accounted(record.response, atoms)
    return found.atoms, {"unchecked": found.unchecked, "sentences": found.sentences, **removed}


def make_atoms(record: Record, atomizer: Atomizer, reviser: Reviser, meter: Meter) -> Atomized:
    """The self-contained atoms of `record.response`, and the failures of both stages.

    Each stage's usage and time go to `meter`.

    Raises:
        StageError: no atom could be made.
        ConfigError, BudgetError: from the model client.
    """
    record = without_hidden_text(record)
    with meter.stage("atomizer"):
        atomized = atomizer.atomize(record)
    if not atomized.atoms:
        return atomized
    with meter.stage("reviser"):
        revised = reviser.revise(atomized.atoms, record)
    return Atomized(revised.atoms, atomized.failures + revised.failures)
