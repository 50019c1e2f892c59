"""Solve finished assessments again with other settings of graph and solver, without any model call."""

from __future__ import annotations

from factreasoner.config import Config
from factreasoner.evaluators.calibrated import calibrated_posteriors, calibrated_verdicts, calibration_of
from factreasoner.evaluators.graph import solved, with_graph
from factreasoner.models import Assessment, Status
from factreasoner.protocols import Solver


def rescore(assessment: Assessment, solver: Solver, config: Config) -> Assessment:
    """The assessment with posteriors recomputed from its recorded verdicts, calibrated as `config` says.

    One that holds no verdicts, because it failed before or had no atoms, comes back as it is.
    """
    built = rebuilt(assessment, config)
    if built.outcome is None or built.outcome.graph is None:
        return built
    solution = solved(built.outcome, solver, config, record_id=assessment.record_id)
    again = calibrated_posteriors(solution, calibration_of(config).posteriors)
    status: Status = "partial" if assessment.failures or again.failures else "ok"
    return assessment.model_copy(update={"outcome": again, "status": status if again.p_true else "failed"})


def rebuilt(assessment: Assessment, config: Config) -> Assessment:
    """The assessment with the fact graph its recorded verdicts make, and no posteriors yet.

    One that holds no verdicts comes back as it is.
    """
    outcome = assessment.outcome
    if outcome is None or outcome.graph is None:
        return assessment
    kept = tuple(failure for failure in outcome.failures if failure.stage != "solver")
    cleared = outcome.model_copy(update={"failures": kept, "p_true": {}, "support": {}, "marginals": None})
    if config.calibration is not None:
        verdicts = calibrated_verdicts(outcome.verdicts, calibration_of(config).verdicts)
        cleared = cleared.model_copy(update={"verdicts": verdicts})
    return assessment.model_copy(
        update={"outcome": with_graph(cleared, assessment.atoms, assessment.contexts, config)}
    )
