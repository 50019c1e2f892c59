"""Explanations of a finished run, read from its journal; no model is called."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from factreasoner.config import Config
from factreasoner.errors import InputError, Problem, SolverError
from factreasoner.explanations import Explanation, explain
from factreasoner.explanations.flips import LARGEST_SIZE
from factreasoner.models import Assessment
from factreasoner.registry import load
from factreasoner.runs.rescoring import rescore
from factreasoner.runs.store import RunFolder


class Explained(NamedTuple):
    """An assessment with its explanation, or with the reasons that there is none."""

    assessment: Assessment
    explanation: Explanation | None
    problems: tuple[Problem, ...] = ()


def explain_journal(
    folder: RunFolder,
    ids: Sequence[str],
    config: Config,
    *,
    atom_ids: Collection[str] = (),
    search_size: int = LARGEST_SIZE,
    changed: bool = False,
) -> Iterator[Explained]:
    """Explain the records `ids`, one after another: all their judged atoms, or those named in `atom_ids`.

    Passed over are records without atoms, and of several records those that have none of `atom_ids`.
    `changed`: `config` is not the one of the run, so that posteriors are to be found anew.

    Raises:
        InputError: no record has a judged atom of that name.
        ConfigError: the solver is unknown or not installed.
        RunError: the journal is damaged.
    """
    solver = load("solver", config.solver)(config=config)
    passed_over = 0
    for assessment in folder.assessments(ids):
        if assessment.status == "no_atoms":
            continue
        if changed:
            assessment = rescore(assessment, solver, config)
        wanted = _wanted(assessment, atom_ids) if len(ids) > 1 else atom_ids
        if atom_ids and not wanted:
            passed_over += 1
            continue
        try:
            explanation = explain(
                assessment, config, solver=solver, atom_ids=wanted or None, search_size=search_size
            )
        except InputError as error:
            yield Explained(assessment, None, error.problems)
        except SolverError as error:
            problem = Problem(f"record {assessment.record_id!r}", "solver", str(error))
            yield Explained(assessment, None, (problem,))
        else:
            yield Explained(assessment, explanation)
    if passed_over and passed_over == len(ids):
        names = ", ".join(map(repr, atom_ids))
        raise InputError([Problem(str(folder.journal_path), "atom", f"no record has a judged atom {names}")])


def _wanted(assessment: Assessment, atom_ids: Collection[str]) -> tuple[str, ...]:
    """Those of `atom_ids` that the record has."""
    graph = assessment.outcome.graph if assessment.outcome else None
    nodes = graph.nodes if graph else ()
    return tuple(node.id for node in nodes if node.kind == "atom" and node.id in atom_ids)
