"""The retriever that searches nothing: the contexts a record brings."""

from __future__ import annotations

from collections.abc import Sequence

from factreasoner.errors import InputError, InputProblem
from factreasoner.models import Atom, Record
from factreasoner.protocols import Retrieved


class GivenRetriever:
    """Hands on the contexts of the record, unchanged and in order. An empty tuple of contexts is fine."""

    def retrieve(self, atoms: Sequence[Atom], record: Record) -> Retrieved:
        """The record's own contexts.

        Raises InputError: the record was given none at all (None, not an empty tuple).
        """
        if record.contexts is None:
            searching = "choose a retriever that searches for them (`retriever: wikipedia`, `retriever: web`)"
            problem = f"none given: add `contexts` to the record, or {searching}"
            raise InputError([InputProblem(f"record {record.id!r}", "contexts", problem)])
        return Retrieved(record.contexts)
