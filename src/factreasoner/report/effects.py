"""What P(true) of each atom would be without each context, for as many records as a report may take."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any, NamedTuple

from factreasoner.errors import FactReasonerError
from factreasoner.explanations import Effect, explain
from factreasoner.models import Assessment, TaskResult
from factreasoner.runs.finished import FinishedRun

MOST_PAIRS = 6_000
"""Pairs of an atom and a context after which a report works out no further record: a few seconds."""
SECONDS = 5.0
"""What a solver may take for one record."""


class Told(NamedTuple):
    """What contexts do to atoms, by the ids of atom and context; `untold`: why there is less."""

    effects: Mapping[str, Mapping[str, Effect]] = {}
    untold: str = ""


class Effects:
    """Tells what contexts do to atoms, for the records of one run."""

    def __init__(self, run: FinishedRun[Any]) -> None:
        self._path = run.source
        self._config = run.config.model_copy(
            update={"solver_seconds": min(SECONDS, run.config.solver_seconds)}
        )
        self._left = MOST_PAIRS

    def of(self, result: TaskResult) -> Told:
        """What contexts do to the atoms of a result; nothing where it has no fact graph."""
        if not isinstance(result, Assessment) or result.outcome is None or result.outcome.graph is None:
            return Told()
        if self._left <= 0:
            command = shlex.join(["factreasoner", "explain", str(self._path), "--record", result.record_id])
            return Told(untold=f"too much for a report of this size; this tells it: {command}")
        self._left -= len(result.atoms) * len(result.contexts)
        try:
            explanation = explain(result, self._config, search_size=0)
        except FactReasonerError as error:
            return Told(untold=str(error))
        return Told(
            {
                atom.atom_id: {effect.context_id: effect for effect in atom.effects}
                for atom in explanation.atoms
            },
            next((atom.untold for atom in explanation.atoms if atom.untold), ""),
        )
