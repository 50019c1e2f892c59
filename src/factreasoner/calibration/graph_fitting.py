"""Settings of the factor graph chosen by labelled atoms, on verdicts that are there: no model is called."""

from __future__ import annotations

from collections import Counter
from itertools import product
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from factreasoner.calibration.applying import (
    JUDGED_BY,
    Calibration,
    GraphSettings,
    calibration_of,
    settings_of,
)
from factreasoner.calibration.cross_validation import ALIKE_DIGITS, FOLDS, folds, improvement
from factreasoner.calibration.fitting import (
    Fitting,
    KnownOutcome,
    claims_of,
    gain_notes,
    improvement_content,
    labelled_assessments,
    refuse_too_little,
)
from factreasoner.choices import FactorTable
from factreasoner.config import Config
from factreasoner.errors import ConfigError
from factreasoner.metrics.samples import Claims, Floats
from factreasoner.metrics.statistics import brier, log_losses
from factreasoner.models import HALF_TOLERANCE, Assessment, judged_atoms
from factreasoner.plugins import SOLVER
from factreasoner.protocols import Solver
from factreasoner.rescoring import rescore

if TYPE_CHECKING:
    from factreasoner.inputs.gold_labels import GoldFile
    from factreasoner.runs.finished import FinishedRun

FACTORS: tuple[FactorTable, ...] = get_args(FactorTable)
CONTEXT_PRIORS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)
SETTINGS_USED = (*JUDGED_BY, "assessor", "version", "atom_prior", "independence")


def fit_graph(run: FinishedRun[Assessment], gold: GoldFile | None, how: Fitting) -> Calibration:
    """Choose factor table and context prior by the log loss of the labelled atoms' posteriors.

    What is gained is measured on records held out: for each fold, the choice is made on the other records.
    Where nothing is gained the run's own settings are written.
    Where several choices do alike, the run's own settings stand first. A calibration of the verdicts that
    the run was made with stays in force.

    Raises:
        ConfigError: the assessor builds no graph.
        InputError: no label of `gold` is for an atom of the run.
        RunError: no atom is labelled, or too few are.
    """
    own = GraphSettings(factors=run.config.factors, context_prior=run.config.context_prior)
    grid = (GraphSettings(factors=f, context_prior=c) for f, c in product(FACTORS, CONTEXT_PRIORS))
    candidates = [own, *(settings for settings in grid if settings != own)]
    known, posteriors, left_out = _posteriors(run, gold, candidates)
    at_half = (np.abs(posteriors - 0.5) <= HALF_TOLERANCE).all(axis=0)
    refuse_too_little(run, known.at(np.flatnonzero(~at_half)), int(at_half.sum()))
    losses = np.stack([log_losses(row, known.hits) for row in posteriors])
    after, chosen = np.empty_like(known.p), Counter[int]()
    for train, test in folds(known.record, seed=how.seed):
        best = _best(losses[:, train])
        after[test] = posteriors[best, test]
        chosen[best] += 1
    found = improvement(known, after)
    best = _best(losses) if found.helps else 0
    content = improvement_content(found)
    source: dict[str, Any] = {
        "run": str(run.path),
        "settings": settings_of(run.config, SETTINGS_USED),
        "gold": None if gold is None else str(gold.path),
        "seed": how.seed,
        "folds": FOLDS,
        "counts": {"labelled": len(known.p), "without_posterior": left_out},
        "own": own.model_dump(),
        "chosen": candidates[best].model_dump(),
        "chosen_in_folds": [{**candidates[i].model_dump(), "folds": n} for i, n in chosen.most_common()],
        "candidates": _scored(candidates, known, posteriors, losses),
        "fits": {"graph": content},
        "notes": [*filter(None, [run.unfinished]), *gain_notes("graph", content, written=found.helps)],
    }
    earlier = calibration_of(run.config)
    return Calibration(
        verdicts=earlier.verdicts,
        graph=candidates[best],
        source={name: part for name, part in earlier.source.items() if name == "verdicts"}
        | {"graph": source},
    )


def _posteriors(
    run: FinishedRun[Assessment], gold: GoldFile | None, candidates: list[GraphSettings]
) -> tuple[Claims, Floats, int]:
    """The labelled atoms under the first candidate and, shape (candidates, atoms), under each.

    The last value counts the atoms that were left out, since some candidate's network was not solved.
    """
    uncalibrated = run.config.model_copy(update={"calibration": None})
    configs = [uncalibrated.model_copy(update=settings.model_dump()) for settings in candidates]
    solver: Solver = SOLVER.make(run.config.solver, {"config": lambda: run.config})
    columns: list[list[float]] = []
    outcomes: list[KnownOutcome] = []
    left_out = 0
    for number, assessment in enumerate(labelled_assessments(run, gold)):
        if assessment.outcome is None:
            continue
        if assessment.outcome.graph is None:
            raise ConfigError(
                f"--fit-priors: {run.config.assessor} builds no graph, so it has no such settings"
            )
        found = [_by_atom(assessment, solver, config) for config in configs]
        for item in judged_atoms(assessment):
            if item.atom.gold is None:
                continue
            if all(item.atom.id in values for values in found):
                columns.append([values[item.atom.id] for values in found])
                outcomes.append(KnownOutcome(columns[-1][0], item.atom.gold == "S", number))
            else:
                left_out += 1
    posteriors = np.asarray(columns, dtype=float).reshape(-1, len(candidates)).T
    return claims_of(outcomes), posteriors, left_out


def _scored(
    candidates: list[GraphSettings], known: Claims, posteriors: Floats, losses: Floats
) -> list[dict[str, Any]]:
    """Each candidate with its mean log loss and Brier score; arrays are of shape (candidates, atoms)."""
    return [
        {
            **settings.model_dump(),
            "log_loss": float(losses[i].mean()),
            "brier": brier(known._replace(p=posteriors[i])).value,
        }
        for i, settings in enumerate(candidates)
    ]


def _by_atom(assessment: Assessment, solver: Solver, config: Config) -> dict[str, float]:
    return {item.atom.id: item.p_true for item in judged_atoms(rescore(assessment, solver, config))}


def _best(losses: Floats) -> int:
    """The candidate of the smallest mean, the first of those that do alike."""
    return int(np.argmin(np.round(losses.mean(axis=1), ALIKE_DIGITS)))
