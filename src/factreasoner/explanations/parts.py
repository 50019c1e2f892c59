"""The connected parts of a network, and what is left of one when variables are taken out."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from factreasoner.choices import FactorTable
from factreasoner.graph.components import components
from factreasoner.graph.factor_graph import Factor, FactorGraph
from factreasoner.graph.factors import factor_graph
from factreasoner.models import FactGraph


@dataclass(frozen=True, eq=False)
class Part:
    """A connected part of a record's network, of binary variables only.

    `atoms` are the variables to be explained, `contexts` those that can be taken out; both are positions in
    `graph`. `additive`: it has one atom, and its contexts are joined to nothing else, so that each of them
    adds its own share to the atom's log-odds.
    """

    graph: FactorGraph
    atoms: tuple[int, ...]
    contexts: tuple[int, ...]
    additive: bool

    def beside(self, atoms: Collection[int]) -> tuple[int, ...]:
        """The contexts with a relation to any of `atoms`."""
        near = {
            i
            for factor in self.graph.factors
            if not set(factor.scope).isdisjoint(atoms)
            for i in factor.scope
        }
        return tuple(i for i in self.contexts if i in near)


class Network(NamedTuple):
    """A record's network with the parts that hold atoms to be explained and contexts."""

    graph: FactorGraph
    parts: tuple[Part, ...]


def network(fact_graph: FactGraph, table: FactorTable, wanted: Collection[str]) -> Network:
    """The network of a fact graph, and its parts with any atom of `wanted` and any context.

    Relations whose table is constant join nothing.
    """
    whole = factor_graph(fact_graph, table)
    telling = [factor for factor in whole.factors if np.ptp(factor.table) > 0.0 or len(factor.scope) == 1]
    kinds = [node.kind for node in fact_graph.nodes]
    found = []
    for members in components(len(whole.names), [factor.scope for factor in telling]):
        atoms = [i for i in members if kinds[i] == "atom"]
        if len(atoms) == len(members) or not any(whole.names[i] in wanted for i in atoms):
            continue
        graph = induced(whole, members)
        place = {i: position for position, i in enumerate(members)}
        joins_contexts = any(
            len(factor.scope) > 1 and all(kinds[members[i]] == "context" for i in factor.scope)
            for factor in graph.factors
        )
        found.append(
            Part(
                graph,
                atoms=tuple(place[i] for i in atoms if whole.names[i] in wanted),
                contexts=tuple(place[i] for i in members if kinds[i] == "context"),
                additive=len(atoms) == 1 and not joins_contexts,
            )
        )
    return Network(whole, tuple(found))


def induced(graph: FactorGraph, kept: Iterable[int]) -> FactorGraph:
    """The network of the variables `kept` alone, in that order: the others go with all their factors."""
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
