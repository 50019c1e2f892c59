"""Explains an assessment from its fact graph; no model is called."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple

from factreasoner.calibration.applying import calibration_of
from factreasoner.errors import InputError, InputProblem
from factreasoner.explanations.flips import (
    LARGEST_SIZE,
    STANDARD_ERRORS,
    Flip,
    Flips,
    FlipSearch,
    Labels,
    Scale,
)
from factreasoner.explanations.models import (
    AtomExplanation,
    Effect,
    Explanation,
    FlipSet,
    NearestBelief,
    NextPrior,
)
from factreasoner.explanations.parts import Beliefs, Conflicts, Part, conflicts, network
from factreasoner.explanations.removal import Removals, log_odds, probability, removals
from factreasoner.graph.pairs import Belief, beliefs
from factreasoner.models import Assessment, Marginals, Outcome, Relation, Support, support_of
from factreasoner.models.factor_graph import FactorGraph, Table
from factreasoner.plugins.kinds import SOLVER
from factreasoner.plugins.table import nearest
from factreasoner.protocols import Solver
from factreasoner.settings import Config

NEGLIGIBLE = 1e-6
"""An exact shift below this is none; some solvers print six decimals."""

DISAGREEING = 1e-4
"""Posteriors further than this from what the graph gives were not computed from this graph."""


OTHER_SETTINGS = (
    "its posteriors are not those of its graph with factors {factors!r}; pass the config it was made with, "
    "or solve it again first, as runs of earlier versions need: `explain --factors {factors}` does"
)


def explain(
    assessment: Assessment,
    config: Config | None = None,
    *,
    solver: Solver | None = None,
    atom_ids: Collection[str] | None = None,
    search_size: int = LARGEST_SIZE,
) -> Explanation:
    """Why the atoms of an assessment have their posteriors: all judged atoms, or those of `atom_ids`.

    ::

        explain(assess(text, contexts=passages, factors="table1"), Config(factors="table1"))

    `config` has the settings the assessment was made with; `solver` is by default the one it names. All sets
    of up to `search_size` contexts are tried, if affordable, in search of one that changes an atom's
    label; 0: no search. If `config` names a calibration of posteriors, all probabilities and labels
    are calibrated. The solver runs for at most `config.solver_seconds` in all. `untold` says what could not
    be computed by then, or from posteriors that have not converged.

    Raises:
        InputError: there is no fact graph to explain; an atom is unknown or was not judged; the assessment
            was made with other settings; or the calibration can't be read.
        ConfigError: the solver is unknown or not installed.
        SolverError: inference was refused or failed.
    """
    config = config or Config()
    outcome = assessment.outcome
    if outcome is None or outcome.graph is None:
        raise _impossible(assessment, f"no fact graph to explain: {_why_none(assessment)}")
    wanted, timed = _wanted(assessment, atom_ids), _timed(config, solver)
    deadline = time.monotonic() + config.solver_seconds
    unhurried = timed(config.solver_seconds)
    judged = Beliefs(_beliefs(outcome), config.atom_prior)
    whole, parts = network(outcome.graph, config.factors, wanted, judged)
    known = _of_the_run(outcome, whole)
    study = _Study(
        base=known or unhurried.marginals(whole),
        solver=timed,
        deadline=deadline,
        scale=Scale(calibration_of(config).posteriors),
        search_size=search_size,
        evidence=outcome.graph.evidence(),
        conflicts=conflicts(outcome.graph),
        beliefs=judged,
    )
    studied = [study.of(part) for part in parts]
    if known and not all(part.agrees for part in studied):
        raise _impossible(assessment, OTHER_SETTINGS.format(factors=config.factors))
    return study.explanation(assessment, wanted, studied, solves=int(known is None))


def _timed(config: Config, solver: Solver | None) -> Callable[[float], Solver]:
    """Makes a solver that takes about so many seconds, or returns the one that is given."""

    def timed(seconds: float) -> Solver:
        limited = config.model_copy(update={"solver_seconds": seconds})
        return solver or SOLVER.make(config.solver, {"config": lambda: limited})

    return timed


def _impossible(assessment: Assessment, message: str) -> InputError:
    return InputError([InputProblem(f"record {assessment.record_id!r}", "", message)])


def _why_none(assessment: Assessment) -> str:
    if assessment.status == "no_atoms":
        return "the response has no atoms"
    if assessment.outcome is not None:
        return f"assessor {assessment.assessor!r} builds none"
    failures = "; ".join(f"{failure.stage}: {failure.message}" for failure in assessment.failures)
    return f"status {assessment.status!r}{', ' if failures else ''}{failures}"


def explainable_atoms(outcome: Outcome | None) -> list[str]:
    """The atoms that can be explained, in the order of the fact graph."""
    graph = outcome.graph if outcome else None
    if outcome is None or graph is None:
        return []
    return [node.id for node in graph.nodes if node.kind == "atom" and node.id not in outcome.unjudged]


def _wanted(assessment: Assessment, atom_ids: Collection[str] | None) -> list[str]:
    judged = explainable_atoms(assessment.outcome)
    if atom_ids is None:
        return judged
    if missing := [i for i in atom_ids if i not in judged]:
        where = f"record {assessment.record_id!r}"
        raise InputError([InputProblem(where, "atom", _why_missing(assessment, i, judged)) for i in missing])
    return [i for i in judged if i in atom_ids]


def _why_missing(assessment: Assessment, atom_id: str, judged: list[str]) -> str:
    if any(atom.id == atom_id for atom in assessment.atoms):
        return f"{atom_id!r} has no posterior: none of its judgements succeeded"
    return f"no atom {atom_id!r}; {nearest(atom_id, judged)}"


def _beliefs(outcome: Outcome) -> dict[str, tuple[Belief, ...]]:
    """The judge's beliefs by atom, each by the node that stands for its context."""
    sources = outcome.independence.sources if outcome.independence else ()
    node = {member: chosen for chosen, *members in sources for member in members}
    atoms = {node.id for node in outcome.graph.nodes if node.kind == "atom"} if outcome.graph else set()
    return {
        atom_id: tuple(
            belief._replace(context_id=node.get(belief.context_id, belief.context_id)) for belief in ranked
        )
        for atom_id, ranked in beliefs(outcome.verdicts, atoms).items()
    }


def _of_the_run(outcome: Outcome, graph: FactorGraph) -> Marginals | None:
    """The posteriors the run found, if it found all of them."""
    known = outcome.marginals
    if known is None or any(len(known.probabilities.get(name, ())) != 2 for name in graph.names):
        return None
    return known


class _Studied(NamedTuple):
    """The results for one part, its atoms without what the fact graph adds.

    `agrees`: the posteriors it started from are those of its network, if that is cheap to check.
    """

    removals: Removals
    agrees: bool
    atoms: dict[str, AtomExplanation]


class _Study(NamedTuple):
    """What the parts of one record share: its posteriors, and how to compute and read others."""

    base: Marginals
    solver: Callable[[float], Solver]
    deadline: float
    scale: Scale
    search_size: int
    evidence: Mapping[str, Sequence[Relation]]
    conflicts: Mapping[str, Conflicts]
    beliefs: Beliefs

    def of(self, part: Part) -> _Studied:
        """Solve what has to be solved for one part."""
        ways = removals(part, self.base, self.solver, deadline=self.deadline)
        alone = ways.one_by_one()
        atom_ids = [part.graph.names[i] for i in part.atoms]
        now = log_odds(self.base, atom_ids)
        flips = Flips((None,) * len(atom_ids), (0,) * len(atom_ids))
        if self.search_size:
            labels = Labels.of(part, self.evidence, scale=self.scale, stderr=self.base.stderr)
            search = FlipSearch(ways, now, alone, additive=part.additive, labels=labels)
            flips = search.search(self.search_size)
        again = ways.whole()
        atoms = {}
        for atom_id, column, flip, searched in zip(
            atom_ids, alone.T, flips.found, flips.searched, strict=True
        ):
            found = {
                "effects": self._effects(atom_id, part, ways, column),
                "flip": self._named(atom_id, part, ways, flip) if flip else None,
                "searched": searched,
                "tried": len(ways.candidates),
                "connected": len(part.contexts),
                "untold": ways.untold,
            }
            atoms[atom_id] = self._bare(atom_id).model_copy(update=found)
        agrees = again is None or bool((abs(probability(again) - probability(now)) <= DISAGREEING).all())
        return _Studied(ways, agrees, atoms)

    def explanation(
        self, assessment: Assessment, atom_ids: Sequence[str], studied: Sequence[_Studied], *, solves: int
    ) -> Explanation:
        """What all parts say about the atoms, in the order of `atom_ids`; `solves` were needed beforehand."""
        found = {atom_id: atom for part in studied for atom_id, atom in part.atoms.items()}
        texts = {atom.id: atom.text for atom in assessment.atoms}
        ways = [part.removals for part in studied]
        errors = [e for e in (self.base.stderr, *(way.stderr for way in ways)) if e is not None]
        return Explanation(
            record_id=assessment.record_id,
            atoms=tuple(
                found.get(i, self._bare(i)).model_copy(
                    update={"text": texts.get(i, ""), **self.conflicts[i]._asdict()}
                )
                for i in atom_ids
            ),
            solver=self.base.solver,
            exact=self.base.exact and all(way.exact for way in ways),
            converged=self.base.converged,
            stderr=max(errors, default=None),
            solves=solves + sum(way.solves for way in ways),
            calibrated=self.scale.calibrator is not None,
        )

    def _bare(self, atom_id: str) -> AtomExplanation:
        """An atom's posterior and label, and nothing else."""
        p_true = self.scale.calibrated(self.base.probabilities[atom_id][1])
        ranked = self.beliefs.ranked.get(atom_id)
        return AtomExplanation(
            atom_id=atom_id,
            p_true=p_true,
            support=self._label(atom_id, p_true),
            belief=NearestBelief(**ranked[0]._asdict()) if ranked else None,
        )

    def _label(self, atom_id: str, p_true: float, *, without: Collection[str] = ()) -> Support:
        left = (r for r in self.evidence[atom_id] if r.source not in without and r.target not in without)
        return support_of(p_true, left, self.base.stderr)

    def _effects(self, atom_id: str, part: Part, ways: Removals, column: Table) -> tuple[Effect, ...]:
        least = max(NEGLIGIBLE, STANDARD_ERRORS * (ways.stderr or 0.0))
        p_found = self.base.probabilities[atom_id][1]
        p_true = self.scale.calibrated(p_found)
        effects = []
        for context, found in zip(ways.candidates, column.tolist(), strict=True):
            p_without = self.scale.probability(found)
            # Sampling blurs the solver's numbers; a calibration may level exact ones.
            if abs(p_found - probability(found)) > least and abs(p_true - p_without) > NEGLIGIBLE:
                name = part.graph.names[context]
                then = self._next_prior(atom_id, name)
                effects.append(
                    Effect(context_id=name, p_without=p_without, shift=p_true - p_without, next_prior=then)
                )
        return tuple(sorted(effects, key=lambda effect: (-round(abs(effect.shift), 12), effect.context_id)))

    def _next_prior(self, atom_id: str, gone: str) -> NextPrior | None:
        """The atom's prior without a context, if it comes from that context."""
        ranked = self.beliefs.ranked.get(atom_id, ())
        if not ranked or ranked[0].context_id != gone:
            return None
        left = next((belief for belief in ranked if belief.context_id != gone), None)
        if left is None:
            return NextPrior(context_id=None, p_true=self.beliefs.otherwise)
        return NextPrior(**left._asdict())

    def _named(self, atom_id: str, part: Part, ways: Removals, flip: Flip) -> FlipSet:
        p = self.scale.probability(flip.log_odds)
        gone = tuple(part.graph.names[c] for c in sorted(flip.contexts))
        return FlipSet(
            context_ids=gone,
            p_without=p,
            support=self._label(atom_id, p, without=gone),
            smallest=flip.smallest and ways.exact and not ways.untold,
        )
