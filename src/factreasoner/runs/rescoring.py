"""Solve finished assessments again under other priors, factor tables or solvers, without any model call."""

from __future__ import annotations

from factreasoner.config import Config
from factreasoner.evaluators.graph import solved
from factreasoner.graph.fact_graph import build_fact_graph
from factreasoner.graph.pairs import merge_equal, relations
from factreasoner.models import Assessment, Status
from factreasoner.protocols import Solver


def rescore(assessment: Assessment, solver: Solver, config: Config) -> Assessment:
    """The assessment with posteriors recomputed from its recorded verdicts.

    One that holds no verdicts, because it failed before or had no atoms, comes back as it is.
    """
    outcome = assessment.outcome
    if outcome is None or outcome.graph is None:
        return assessment
    contexts = merge_equal(assessment.contexts) if config.version > 1 else assessment.contexts
    graph = build_fact_graph(
        [atom for atom in assessment.atoms if atom.id not in outcome.unjudged],
        contexts,
        relations(outcome.verdicts, {atom.id for atom in assessment.atoms}),
        atom_prior=config.atom_prior,
        context_prior=config.context_prior,
    )
    kept = tuple(failure for failure in outcome.failures if failure.stage != "solver")
    again = solved(
        outcome.model_copy(update={"failures": kept, "p_true": {}, "support": {}, "marginals": None}),
        graph,
        solver,
        config,
        record_id=assessment.record_id,
    )
    status: Status = "partial" if assessment.failures or again.failures else "ok"
    return assessment.model_copy(update={"outcome": again, "status": status if again.p_true else "failed"})
