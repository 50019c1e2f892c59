"""Explain an assessment from its fact graph, without model calls."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from factreasoner.errors import InputError, InputProblem
from factreasoner.explanations.components import SAYS_NOTHING, NetworkPart, network
from factreasoner.explanations.models import AtomExplanation, DirectRelation, Dispute, Effect, Explanation
from factreasoner.explanations.removal import Removals, log_odds, probability, removals
from factreasoner.explanations.settings import ExplanationSettings
from factreasoner.models import Assessment, FactGraph, Marginals, Outcome, Relation, support_of
from factreasoner.models.graph import FactorGraph, Table
from factreasoner.plugins.kinds import SOLVER
from factreasoner.plugins.table import nearest
from factreasoner.protocols import Solver

STANDARD_ERRORS = 4.0
"""A sampled change below this many standard errors counts as none."""

NEGLIGIBLE = 1e-6
"""An exact shift below this counts as none; some solvers print six decimals."""

DISAGREEING = 1e-4
"""Posteriors further than this from the graph's were not computed from it."""


OTHER_SETTINGS = (
    "its posteriors do not match its graph with factors {factors!r}; pass the config it was made with, "
    "or solve it again: `explain --factors {factors}`"
)


def explain(
    assessment: Assessment,
    config: ExplanationSettings | None = None,
    *,
    solver: Solver | None = None,
    atom_ids: Collection[str] | None = None,
) -> Explanation:
    """Why the atoms of an assessment (all judged ones, or `atom_ids`) have their posteriors.

    ::

        explain(assess(text, contexts=passages, factors="table1"), ExplanationSettings(factors="table1"))

    `config` has the settings of the assessment; `solver` defaults to the one it names, and runs for at most
    `config.solver_seconds` in all. `not_computed` says what could not be computed in time, or from posteriors
    that have not converged.

    Raises:
        InputError: there is no fact graph, an atom is unknown or not judged, or the settings differ.
        ConfigError: the solver is unknown or not installed.
        SolverError: inference was refused or failed.
    """
    config = config or ExplanationSettings()
    outcome = assessment.outcome
    if outcome is None or outcome.graph is None:
        raise _impossible(assessment, "", f"no fact graph to explain: {_reason_without_graph(assessment)}")
    wanted = _wanted(assessment, atom_ids)

    def timed(seconds: float) -> Solver:
        limited = config.model_copy(update={"solver_seconds": seconds})
        return solver or SOLVER.make(config.solver, {"config": limited})

    unhurried, deadline = timed(config.solver_seconds), time.monotonic() + config.solver_seconds
    whole, parts = network(outcome.graph, config.factors, wanted)
    known = _of_the_run(outcome, whole)
    base = known or unhurried.marginals(whole)
    ways = [(part, removals(part, base, timed, deadline=deadline)) for part in parts]
    if known and not all(_agree(part, way, known) for part, way in ways):
        raise _impossible(assessment, "", OTHER_SETTINGS.format(factors=config.factors))
    study = _Study(
        base=base,
        evidence=outcome.graph.evidence(),
        disputes=_disputes(outcome.graph),
        texts={atom.id: atom.text for atom in assessment.atoms},
    )
    return study.explanation(assessment.record_id, wanted, ways)


def _impossible(assessment: Assessment, field: str, *messages: str) -> InputError:
    where = f"record {assessment.record_id!r}"
    return InputError([InputProblem(where, field, message) for message in messages])


def _reason_without_graph(assessment: Assessment) -> str:
    if assessment.status == "no_atoms":
        return "the response has no atoms"
    if assessment.outcome is not None:
        return f"assessor {assessment.assessor!r} builds none"
    failures = "; ".join(f"{failure.stage}: {failure.message}" for failure in assessment.failures)
    return f"status {assessment.status!r}{', ' if failures else ''}{failures}"


def explainable_atoms(outcome: Outcome | None) -> list[str]:
    """The atoms that can be explained, in the order of the fact graph."""
    if outcome is None or outcome.graph is None:
        return []
    nodes = outcome.graph.nodes
    return [node.id for node in nodes if node.kind == "atom" and node.id not in outcome.unjudged]


def _wanted(assessment: Assessment, atom_ids: Collection[str] | None) -> list[str]:
    judged = explainable_atoms(assessment.outcome)
    missing = [i for i in atom_ids or () if i not in judged]
    if missing:
        known = {atom.id for atom in assessment.atoms}
        raise _impossible(
            assessment,
            "atom",
            *(
                f"{i!r} has no posterior: none of its judgements succeeded"
                if i in known
                else f"no atom {i!r}; {nearest(i, judged)}"
                for i in missing
            ),
        )
    return judged if atom_ids is None else [i for i in judged if i in atom_ids]


def _of_the_run(outcome: Outcome, graph: FactorGraph) -> Marginals | None:
    """The run's posteriors, if it has all of them."""
    known = outcome.marginals
    if known is None or any(len(known.probabilities.get(name, ())) != 2 for name in graph.names):
        return None
    return known


def _agree(part: NetworkPart, ways: Removals, known: Marginals) -> bool:
    """Whether the posteriors match the part's network, if that is cheap to check."""
    again = ways.whole()
    now = log_odds(known, [part.graph.names[i] for i in part.atoms])
    return again is None or bool((abs(probability(again) - probability(now)) <= DISAGREEING).all())


def _disputes(graph: FactGraph) -> list[Dispute]:
    """The contradictions between contexts."""
    contexts = {node.id for node in graph.nodes if node.kind == "context"}
    return [
        Dispute(source=r.source, target=r.target, probability=r.probability)
        for r in graph.relations
        if r.kind == "contradiction" and r.probability > SAYS_NOTHING and {r.source, r.target} <= contexts
    ]


class _Study(NamedTuple):
    """Shared by the parts of one record: its posteriors, and how to read others."""

    base: Marginals
    evidence: Mapping[str, Sequence[Relation]]
    disputes: Sequence[Dispute]
    texts: Mapping[str, str]

    def explanation(
        self, record_id: str, atom_ids: Sequence[str], ways: Sequence[tuple[NetworkPart, Removals]]
    ) -> Explanation:
        """The explanations of the atoms by all parts, in the order of `atom_ids`."""
        found: dict[str, dict[str, Any]] = {}
        for part, way in ways:
            found |= self.of(part, way)
        errors = [e for e in (self.base.stderr, *(way.stderr for _, way in ways)) if e is not None]
        return Explanation(
            record_id=record_id,
            atoms=tuple(self.atom(i, found.get(i, {})) for i in atom_ids),
            solver=self.base.solver,
            exact=self.base.exact and all(way.exact for _, way in ways),
            converged=self.base.converged,
            stderr=max(errors, default=None),
        )

    def of(self, part: NetworkPart, ways: Removals) -> dict[str, dict[str, Any]]:
        """The effects of removing contexts from one part, by atom."""
        alone = ways.one_by_one()
        atom_ids = [part.graph.names[i] for i in part.atoms]
        return {
            atom_id: {
                "effects": self._effects(atom_id, part, ways, alone[:, atom]),
                "tried": len(ways.candidates),
                "connected": len(part.contexts),
                "not_computed": ways.not_computed,
            }
            for atom, atom_id in enumerate(atom_ids)
        }

    def atom(self, atom_id: str, found: Mapping[str, Any]) -> AtomExplanation:
        """An atom's posterior, label, evidence and conflicts, with the effects found."""
        p_true = self.base.probabilities[atom_id][1]
        evidence = [
            DirectRelation(
                context_id=r.source if r.target == atom_id else r.target,
                kind=r.kind,
                probability=r.probability,
            )
            for r in sorted(self.evidence[atom_id], key=lambda relation: -relation.probability)
            if r.probability > SAYS_NOTHING
        ]
        own = {item.context_id for item in evidence}
        return AtomExplanation(
            atom_id=atom_id,
            text=self.texts.get(atom_id, ""),
            p_true=p_true,
            support=support_of(p_true, self.evidence[atom_id], self.base.stderr),
            entailing=tuple(item for item in evidence if item.kind != "contradiction"),
            contradicting=tuple(item for item in evidence if item.kind == "contradiction"),
            disputes=tuple(d for d in self.disputes if d.source in own or d.target in own),
            **found,
        )

    def _effects(self, atom_id: str, part: NetworkPart, ways: Removals, column: Table) -> tuple[Effect, ...]:
        least = max(NEGLIGIBLE, STANDARD_ERRORS * (ways.stderr or 0.0))
        p_true, effects = self.base.probabilities[atom_id][1], []
        for context, p_without in zip(ways.candidates, probability(column).tolist(), strict=True):
            if abs(p_true - p_without) > least:
                name = part.graph.names[context]
                effects.append(Effect(context_id=name, p_without=p_without, shift=p_true - p_without))
        return tuple(sorted(effects, key=lambda effect: (-round(abs(effect.shift), 12), effect.context_id)))
