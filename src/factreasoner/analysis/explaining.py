"""Explanations of a finished run, read from its journal; no model is called."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple

from factreasoner.errors import InputError, InputProblem, RunError, SolverError
from factreasoner.explanations.explain import explain, explainable_atoms
from factreasoner.explanations.models import Explanation
from factreasoner.models import Assessment
from factreasoner.pipeline.loading import parse_config
from factreasoner.pipeline.pipeline import rescore
from factreasoner.plugins.kinds import SOLVER
from factreasoner.runs.store import RunFolder


class ExplainedRecord(NamedTuple):
    """An assessment with its explanation, or the reason why there is none."""

    assessment: Assessment
    explanation: Explanation | None
    problems: tuple[InputProblem, ...] = ()


def explain_journal(
    folder: RunFolder[Assessment],
    changes: Mapping[str, Any],
    *,
    record: str | None,
    atom_ids: Collection[str],
) -> Iterator[ExplainedRecord]:
    """Explain one record or all: every judged atom, or those in `atom_ids`.

    With several records, those without atoms or without any of `atom_ids` are skipped. `changes` replace
    settings of the run; posteriors are then computed again.

    Raises:
        ConfigError: a setting is wrong, or the solver is unknown or not installed.
        RunError: the journal is damaged, no record was assessed, or none has a judged atom of that name.
    """
    config = parse_config(folder.config().model_dump(), str(folder.manifest.path), changes)
    folder.refuse_changed_files(named=("relations",))
    ids = folder.assessed() if record is None else [folder.known_id(record)]
    solver = SOLVER.make(config.solver, {"config": config})
    named = False
    for journaled in folder.results(ids):
        if journaled.status == "no_atoms" and len(ids) > 1:
            continue
        assessment = rescore(journaled, solver, config) if changes else journaled
        wanted = atom_ids
        if len(ids) > 1:
            wanted = [i for i in explainable_atoms(assessment.outcome) if i in atom_ids]
        if atom_ids and not wanted:
            continue
        named = True
        try:
            explanation = explain(assessment, config, atom_ids=wanted or None)
        except InputError as error:
            yield ExplainedRecord(assessment, None, error.problems)
        except SolverError as error:
            problem = InputProblem(f"record {assessment.record_id!r}", "solver", str(error))
            yield ExplainedRecord(assessment, None, (problem,))
        else:
            yield ExplainedRecord(assessment, explanation)
    if atom_ids and not named:
        names = " or ".join(map(repr, atom_ids))
        raise RunError(f"{folder.journal_path}: no record has a judged atom {names}")
