"""The connected parts of a network, and what remains without a context."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from factreasoner.graph.factors import components, factor_graph
from factreasoner.models import FactGraph, FactorTable
from factreasoner.models.graph import Factor, FactorGraph

SAYS_NOTHING = 0.5
"""A relation of at most this probability is not evidence."""


@dataclass(frozen=True, eq=False)
class NetworkPart:
    """A connected part of a record's network, with binary variables only.

    `atoms` are the variables to explain, `contexts` the removable ones; both are positions in `graph`.
    """

    graph: FactorGraph
    atoms: tuple[int, ...]
    contexts: tuple[int, ...]

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
    """A record's network, and its parts with contexts and atoms to explain."""

    graph: FactorGraph
    parts: tuple[NetworkPart, ...]


def network(fact_graph: FactGraph, table: FactorTable, wanted: Collection[str]) -> Network:
    """The network of a fact graph, and its parts with an atom of `wanted` and a context.

    Relations with a constant table connect nothing.
    """
    whole = factor_graph(fact_graph, table)
    telling = [factor for factor in whole.factors if np.ptp(factor.table) > 0.0 or len(factor.scope) == 1]
    kinds = [node.kind for node in fact_graph.nodes]
    found = []
    for members in components(len(whole.names), [factor.scope for factor in telling]):
        atoms = [i for i in members if kinds[i] == "atom"]
        if len(atoms) == len(members) or not any(whole.names[i] in wanted for i in atoms):
            continue
        graph = subgraph(whole, members)
        place = {i: position for position, i in enumerate(members)}
        found.append(
            NetworkPart(
                graph,
                atoms=tuple(place[i] for i in atoms if whole.names[i] in wanted),
                contexts=tuple(place[i] for i in members if kinds[i] == "context"),
            )
        )
    return Network(whole, tuple(found))


def subgraph(graph: FactorGraph, kept: Iterable[int]) -> FactorGraph:
    """The network of only the variables `kept`, in that order."""
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
