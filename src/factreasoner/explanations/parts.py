"""The connected parts of a network, and what is left without some contexts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from factreasoner.graph.factors import components, factor_graph
from factreasoner.graph.pairs import Belief
from factreasoner.models import FactGraph, FactorTable
from factreasoner.models.factor_graph import Factor, FactorGraph

SAYS_NOTHING = 0.5
"""A relation of at most this probability is not evidence."""


class Prior(NamedTuple):
    """A prior P(true) of an atom, and the context it comes from; None if that can't be taken out."""

    context: int | None
    p_true: float


class Beliefs(NamedTuple):
    """The judge's beliefs by atom, that of the nearest context first, and the prior if none is left."""

    ranked: Mapping[str, Sequence[Belief]]
    otherwise: float


NO_BELIEFS = Beliefs({}, 0.5)


@dataclass(frozen=True, eq=False)
class Part:
    """A connected part of a record's network, of binary variables only.

    `atoms` are the variables to explain, `contexts` those that can be taken out; both are positions in
    `graph`. `additive`: it has one atom, and each context is joined to that once and to nothing else, so
    that each adds its own share to the atom's log-odds. `priors` has, for atoms whose prior comes from a
    context, the priors that would take its place in turn; the last one comes from no context.
    """

    graph: FactorGraph
    atoms: tuple[int, ...]
    contexts: tuple[int, ...]
    additive: bool
    priors: Mapping[int, Sequence[Prior]] = field(default_factory=dict)

    def without(self, gone: Collection[int]) -> FactorGraph:
        """The network without some contexts: their factors go, and the priors that come from them change."""
        left = {
            atom: next(prior.p_true for prior in ranked if prior.context not in gone)
            for atom, ranked in self.priors.items()
        }
        factors = tuple(
            Factor(factor.scope, np.array([1.0 - left[factor.scope[0]], left[factor.scope[0]]]))
            if len(factor.scope) == 1 and factor.scope[0] in left
            else factor
            for factor in self.graph.factors
        )
        kept = [i for i in range(len(self.graph.names)) if i not in gone]
        return induced(replace(self.graph, factors=factors), kept)

    def beside(self, atoms: Collection[int]) -> tuple[int, ...]:
        """The contexts with a relation to any of `atoms`."""
        near = {
            i
            for factor in self.graph.factors
            if not set(factor.scope).isdisjoint(atoms)
            for i in factor.scope
        } | {prior.context for atom in atoms for prior in self.priors.get(atom, ())}
        return tuple(i for i in self.contexts if i in near)


class Network(NamedTuple):
    """A record's network, and its parts with contexts and atoms to explain."""

    graph: FactorGraph
    parts: tuple[Part, ...]


def network(
    fact_graph: FactGraph, table: FactorTable, wanted: Collection[str], known: Beliefs = NO_BELIEFS
) -> Network:
    """The network of a fact graph, and its parts with any atom of `wanted` and any context.

    Relations whose table is constant join nothing. A belief joins an atom and its nearest context.
    """
    whole = factor_graph(fact_graph, table)
    telling = [factor for factor in whole.factors if np.ptp(factor.table) > 0.0 or len(factor.scope) == 1]
    kinds = [node.kind for node in fact_graph.nodes]
    index = {name: i for i, name in enumerate(whole.names)}
    nearest = [
        (index[atom], index[ranked[0].context_id])
        for atom, ranked in known.ranked.items()
        if atom in index and ranked[0].context_id in index
    ]
    found = []
    for members in components(len(whole.names), [*(factor.scope for factor in telling), *nearest]):
        atoms = [i for i in members if kinds[i] == "atom"]
        if len(atoms) == len(members) or not any(whole.names[i] in wanted for i in atoms):
            continue
        graph = induced(whole, members)
        place = {i: position for position, i in enumerate(members)}
        inside = {whole.names[i]: position for i, position in place.items()}
        priors = {
            place[i]: _priors(known.ranked[whole.names[i]], known.otherwise, inside)
            for i in atoms
            if known.ranked.get(whole.names[i])
        }
        pairs = [factor.scope for factor in graph.factors if len(factor.scope) > 1]
        star = len(pairs) == len(members) - 1 and all(place[atoms[0]] in pair for pair in pairs)
        found.append(
            Part(
                graph,
                atoms=tuple(place[i] for i in atoms if whole.names[i] in wanted),
                contexts=tuple(place[i] for i in members if kinds[i] == "context"),
                additive=star and len(atoms) == 1 and not priors,
                priors=priors,
            )
        )
    return Network(whole, tuple(found))


def _priors(ranked: Sequence[Belief], otherwise: float, inside: Mapping[str, int]) -> tuple[Prior, ...]:
    """The priors up to the first one of a context outside the part, which can't be taken out."""
    found = []
    for belief in ranked:
        context = inside.get(belief.context_id)
        found.append(Prior(context, belief.p_true))
        if context is None:
            return tuple(found)
    return (*found, Prior(None, otherwise))


def induced(graph: FactorGraph, kept: Iterable[int]) -> FactorGraph:
    """The network of the variables `kept` alone, in that order; the others go with all their factors."""
    kept = list(kept)
    place = {i: position for position, i in enumerate(kept)}
    return FactorGraph(
        names=tuple(graph.names[i] for i in kept),
        cardinalities=tuple(graph.cardinalities[i] for i in kept),
        factors=tuple(
            Factor(tuple(place[i] for i in factor.scope), factor.table)
            for factor in graph.factors
            if all(i in place for i in factor.scope)
        ),
        evidence={place[i]: state for i, state in graph.evidence.items() if i in place},
    )
