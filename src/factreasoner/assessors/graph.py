"""FactReasoner: judge pairs, build the factor graph, solve it. FR1, FR2 and FR3 are its versions.

Source: "FactReasoner: A Probabilistic Approach to Long-Form Factuality Assessment" (arXiv 2502.18573).
"""

from __future__ import annotations

from collections.abc import Sequence

from factreasoner.assessors.credibility import add_priors
from factreasoner.assessors.judging import judged_outcome, judging_threads, tasks
from factreasoner.assessors.settings import AssessorSettings
from factreasoner.assessors.sources import merge_sources
from factreasoner.calls.usage import stage
from factreasoner.errors import PluginError, SolverError
from factreasoner.graph.fact_graph import build_fact_graph
from factreasoner.graph.factors import factor_graph
from factreasoner.graph.pairs import ContextPairs, merge_equal, pairs, relations, relevant
from factreasoner.models import Atom, Context, Failure, Outcome, Pruned, Record, supports_of
from factreasoner.protocols import Judge, Solver


class GraphEvaluator:
    """P(atom is true) as the posterior marginal of a factor graph over atoms and contexts."""

    def __init__(self, judge: Judge, solver: Solver, config: AssessorSettings | None = None) -> None:
        self._judge = judge
        self._solver = solver
        self._config = config or AssessorSettings()
        self._threads = judging_threads(judge, self._config)

    def evaluate(self, atoms: Sequence[Atom], contexts: Sequence[Context], record: Record) -> Outcome:
        """Judge every pair the version requires, and solve.

        An atom without any verdict is left out of `p_true` and listed in `unjudged`; one with some failed
        verdicts is scored on the rest and listed in `partly_judged`.

        Raises ConfigError, BudgetError: from the model client.
        """
        given = contexts
        contexts, planned = self._planned(atoms, contexts)
        asked = tasks(planned, atoms, contexts, record.id)
        outcome = judged_outcome(self._judge, asked, atoms, planned, workers=self._threads)
        if self._config.prefilter == "bundled":
            pairs_left_out = sum(verdict.confidence == "bundled" for verdict in outcome.verdicts)
            outcome = outcome.model_copy(update={"pruned": Pruned(pairs=pairs_left_out)})
        outcome = with_graph(outcome, atoms, given, self._config)
        return solved(outcome, self._solver, self._config, record_id=record.id)

    def _planned(
        self, atoms: Sequence[Atom], contexts: Sequence[Context]
    ) -> tuple[tuple[Context, ...], tuple[ContextPairs, ...]]:
        """The contexts to judge (from version 2 on, equal ones merged), and the claims for each."""
        if self._config.version > 1:
            contexts = merge_equal(contexts)
        return relevant(contexts), pairs(self._config.version, atoms, contexts)


def with_graph(
    outcome: Outcome, atoms: Sequence[Atom], contexts: Sequence[Context], config: AssessorSettings
) -> Outcome:
    """The outcome with the fact graph of its verdicts."""
    known = {atom.id for atom in atoms}
    scored = [atom for atom in atoms if atom.id not in outcome.unjudged]
    priors = add_priors(relevant(contexts), config)
    used = priors.contexts
    joined = relations(outcome.verdicts, atom_ids=known, contexts=used)
    independence = None
    if config.independence:
        used, joined, independence = merge_sources(used, joined)
    elif config.version > 1:
        used = merge_equal(used)
    if config.summary_prior:
        used = tuple(map(_scaled, used))
    graph = build_fact_graph(scored, used, joined, atom_prior=config.atom_prior)
    credit = {"prior_from": priors.prior_from, "used_domains": tuple(sorted(priors.used))}
    found = {"graph": graph, "independence": independence}
    return outcome.model_copy(update=found | (credit if config.credibility is not None else {}))


def _scaled(context: Context) -> Context:
    """The context with its prior times the confidence of its summary, as in the reference code."""
    if context.p_summary is None or context.prior is None:
        return context
    return context.model_copy(update={"prior": context.prior * context.p_summary})


def solved(outcome: Outcome, solver: Solver, config: AssessorSettings, *, record_id: str) -> Outcome:
    """The outcome with posteriors; a solver's refusal becomes a Failure and keeps the rest.

    Raises ValueError: the outcome has no graph.
    """
    graph = outcome.graph
    if graph is None:
        raise ValueError("an outcome without a graph can't be solved")
    with stage("solver"):
        try:
            marginals = solver.marginals(factor_graph(graph, config.factors))
        except (PluginError, SolverError) as error:
            failure = Failure.of("solver", record_id, error)
            return outcome.model_copy(update={"failures": (*outcome.failures, failure)})
    p_true = {node.id: marginals.probabilities[node.id][1] for node in graph.nodes if node.kind == "atom"}
    return outcome.model_copy(
        update={
            "marginals": marginals,
            "p_true": p_true,
            "support": supports_of(p_true, graph, marginals.stderr),
        }
    )
