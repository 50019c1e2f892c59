"""Explains an assessment from its fact graph; no model is called."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple

from factreasoner.config import Config
from factreasoner.errors import InputError, Problem
from factreasoner.explanations.conflicts import conflicts
from factreasoner.explanations.flips import LARGEST_SIZE, Flip, Flips, FlipSearch, probability
from factreasoner.explanations.models import AtomExplanation, Effect, Explanation, FlipSet
from factreasoner.explanations.parts import Part, network
from factreasoner.explanations.removal import Removals, log_odds, removals
from factreasoner.graph.factor_graph import FactorGraph, Table
from factreasoner.models import Assessment, FactGraph, Marginals, Outcome, support_of
from factreasoner.protocols import Solver
from factreasoner.registry import load

NEGLIGIBLE = 1e-6
"""An exact shift below this is none; some solvers print six decimals."""

STANDARD_ERRORS = 4.0
"""A sampled shift below this many standard errors is none."""


def explain(
    assessment: Assessment,
    config: Config | None = None,
    *,
    solver: Solver | None = None,
    atom_ids: Collection[str] | None = None,
    search_size: int = LARGEST_SIZE,
) -> Explanation:
    """Why the atoms of an assessment have their posteriors: all judged atoms, or those of `atom_ids`.

    `config` is the one the assessment was made with; `solver` is by default the one it names. All sets of
    up to `search_size` contexts are tried in search of one that changes an atom's label, if affordable; 0:
    no search.

    Raises:
        InputError: there is no fact graph to explain, or an atom is unknown or was not judged.
        ConfigError: the solver is unknown or not installed.
        SolverError: inference was refused or failed.
    """
    config = config or Config()
    outcome = assessment.outcome
    if outcome is None or outcome.graph is None:
        message = f"no fact graph to explain: assessor {assessment.assessor!r}, status {assessment.status!r}"
        raise InputError([Problem(f"record {assessment.record_id!r}", "", message)])
    wanted = _wanted(assessment.record_id, outcome.graph, atom_ids)
    solver = solver or load("solver", config.solver)(config=config)
    whole, parts = network(outcome.graph, config.factors, wanted)
    known = _of_the_run(outcome, whole)
    base = known or solver.marginals(whole)
    analyses = [_Analysis.of(part, base, solver, search_size) for part in parts]
    found = {atom: told for analysis in analyses for atom, told in analysis.explained()}
    evidence = conflicts(outcome.graph)
    texts = {atom.id: atom.text for atom in assessment.atoms}
    atoms = (
        found.get(i, AtomExplanation(atom_id=i, p_true=p, support=support_of(p))).model_copy(
            update={"text": texts.get(i, ""), **evidence[i]._asdict()}
        )
        for i in wanted
        for p in [base.probabilities[i][1]]
    )
    return Explanation(
        record_id=assessment.record_id,
        atoms=tuple(atoms),
        solver=base.solver,
        exact=base.exact and all(analysis.removals.exact for analysis in analyses),
        stderr=max(
            (e for e in (base.stderr, *(a.removals.stderr for a in analyses)) if e is not None), default=None
        ),
        solves=(known is None) + sum(analysis.removals.solves for analysis in analyses),
    )


def _wanted(record_id: str, graph: FactGraph, atom_ids: Collection[str] | None) -> list[str]:
    """The atoms to explain, in the order of the graph."""
    judged = [node.id for node in graph.nodes if node.kind == "atom"]
    if atom_ids is None:
        return judged
    if unknown := [i for i in atom_ids if i not in judged]:
        where = f"record {record_id!r}"
        raise InputError([Problem(where, "atom", f"no judged atom {i!r}") for i in unknown])
    return [i for i in judged if i in atom_ids]


def _of_the_run(outcome: Outcome, graph: FactorGraph) -> Marginals | None:
    """The posteriors the run found, if it found all of them."""
    known = outcome.marginals
    if known is None or any(len(known.probabilities.get(name, ())) != 2 for name in graph.names):
        return None
    return known


class _Analysis(NamedTuple):
    """What was found out about one part: its atoms without each candidate in turn, and the flips."""

    part: Part
    base: Marginals
    removals: Removals
    alone: Table
    flips: Flips | None

    @classmethod
    def of(cls, part: Part, base: Marginals, solver: Solver, search_size: int) -> _Analysis:
        """Solve what has to be solved for one part."""
        ways = removals(part, base, solver)
        alone = ways.one_by_one()
        flips = None
        if search_size:
            now = log_odds(base, [part.graph.names[i] for i in part.atoms])
            margin = STANDARD_ERRORS * (ways.stderr or 0.0)
            search = FlipSearch(ways, now, alone, additive=part.additive, margin=margin)
            flips = search.search(search_size)
        return cls(part, base, ways, alone, flips)

    def explained(self) -> Iterator[tuple[str, AtomExplanation]]:
        """An explanation for every atom of the part, without what only the fact graph says."""
        for column, variable in enumerate(self.part.atoms):
            atom_id = self.part.graph.names[variable]
            p_true = self.base.probabilities[atom_id][1]
            flip = self.flips.found[column] if self.flips else None
            yield (
                atom_id,
                AtomExplanation(
                    atom_id=atom_id,
                    p_true=p_true,
                    support=support_of(p_true),
                    effects=self._effects(p_true, probability(self.alone[:, column]).tolist()),
                    flip=self._named(flip) if flip else None,
                    searched=self.flips.searched[column] if self.flips else 0,
                    tried=len(self.removals.candidates),
                    connected=len(self.part.contexts),
                ),
            )

    def _effects(self, p_true: float, without: list[float]) -> tuple[Effect, ...]:
        least = max(NEGLIGIBLE, STANDARD_ERRORS * (self.removals.stderr or 0.0))
        effects = [
            Effect(context_id=self.part.graph.names[c], p_without=p, shift=p_true - p)
            for c, p in zip(self.removals.candidates, without, strict=True)
            if abs(p_true - p) > least
        ]
        return tuple(sorted(effects, key=lambda effect: -abs(effect.shift)))

    def _named(self, flip: Flip) -> FlipSet:
        p = float(probability(flip.log_odds))
        return FlipSet(
            context_ids=tuple(self.part.graph.names[c] for c in flip.contexts),
            p_without=p,
            support=support_of(p),
            smallest=flip.smallest and self.removals.exact,
        )
