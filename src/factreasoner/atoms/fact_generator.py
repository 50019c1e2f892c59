"""Fact generators: from a question and its right answer to the facts an answer should state."""

from __future__ import annotations

from factreasoner.atoms.atomizer import LLMAtomizer
from factreasoner.atoms.embedded import EmbeddedAtomizer, EmbeddedReviser
from factreasoner.models import Record
from factreasoner.protocols import Atomized
from factreasoner.settings import Config


class LLMFactGenerator(LLMAtomizer):
    """Has a language model list the facts of the reference that answer the question.

    Short, independent of each other, without pronouns (FaaF, arXiv 2403.03888, section 3.1).
    """

    PROMPT = "fact_generator"
    COVERS = False

    def generate(self, record: Record) -> Atomized:
        """The facts, in the order of the reference.

        Raises:
            StageError: no fact could be had.
            ConfigError, BudgetError: from the model client.
        """
        return self.atomize(reference_record(record))


class EmbeddedFactGenerator:
    """Makes each statement of the reference a fact, without a model; English only."""

    def __init__(self, config: Config | None = None) -> None:
        self._atomizer = EmbeddedAtomizer(config, instructions=True)
        self._reviser = EmbeddedReviser(config)

    def generate(self, record: Record) -> Atomized:
        """The facts, in the order of the reference."""
        reference = reference_record(record)
        return self._reviser.revise(self._atomizer.atomize(reference).atoms, reference)


def reference_record(record: Record) -> Record:
    """The record with the reference in the place of the response."""
    return Record(id=record.id, response=record.reference or "", prompt=record.prompt, topic=record.topic)
