"""Solve finished assessments again with other settings of graph and solver, without any model call."""

from __future__ import annotations

from factreasoner.assessors.assessors import ASSESSORS
from factreasoner.assessors.graph import solved, with_graph
from factreasoner.assessors.prompted import concluded
from factreasoner.calibration.applying import calibrated_posteriors, calibrated_verdicts, calibration_of
from factreasoner.errors import ConfigError
from factreasoner.models import Assessment, Outcome, status_of
from factreasoner.protocols import Solver
from factreasoner.settings import Config


def rescore(assessment: Assessment, solver: Solver, config: Config) -> Assessment:
    """The assessment with posteriors recomputed from what was judged, calibrated as `config` says.

    One that holds nothing judged, because it failed before or had no atoms, comes back as it is; so does
    that of an assessor of somebody else's that makes no graph.

    Raises:
        ConfigError: there is a calibration, and it can't be applied to that assessor's results.
    """
    if assessment.outcome is None:
        return assessment
    row = ASSESSORS.get(assessment.assessor)
    if row is not None:
        judged = _calibrated(assessment.outcome, config)
        return _with_posteriors(assessment, concluded(judged, assessment.atoms, row), config)
    built = rebuilt(assessment, config).outcome
    if built is None or built.graph is None:
        if config.calibration is not None:
            raise ConfigError(f"calibration: {assessment.assessor} keeps nothing to compute posteriors from")
        return assessment
    solution = solved(built, solver, config, record_id=assessment.record_id)
    return _with_posteriors(assessment, solution, config)


def _with_posteriors(assessment: Assessment, outcome: Outcome, config: Config) -> Assessment:
    again = calibrated_posteriors(outcome, calibration_of(config).posteriors)
    status = status_of(again, assessment.failures)
    return assessment.model_copy(update={"outcome": again, "status": status})


def _calibrated(outcome: Outcome, config: Config) -> Outcome:
    """The outcome with its verdicts calibrated; without a calibration they stay what they are."""
    if config.calibration is None:
        return outcome
    verdicts = calibrated_verdicts(outcome.verdicts, calibration_of(config).verdicts)
    return outcome.model_copy(update={"verdicts": verdicts})


def rebuilt(assessment: Assessment, config: Config) -> Assessment:
    """The assessment with the fact graph its recorded verdicts make, and no posteriors yet.

    One that holds no verdicts comes back as it is.
    """
    outcome = assessment.outcome
    if outcome is None or outcome.graph is None:
        return assessment
    kept = tuple(failure for failure in outcome.failures if failure.stage != "solver")
    cleared = outcome.model_copy(update={"failures": kept, "p_true": {}, "support": {}, "marginals": None})
    judged = _calibrated(cleared, config)
    graphed = with_graph(judged, assessment.atoms, assessment.contexts, config)
    return assessment.model_copy(update={"outcome": graphed})
