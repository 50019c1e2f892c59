"""From a fact graph to factors: three kinds of relation tables, and connected components."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from factreasoner.models import FactGraph, FactorTable, NodeKind, RelationKind
from factreasoner.models.graph import Factor, FactorGraph, Table
from factreasoner.models.rows import grouped

HIGHEST = 0.999
"""Upper limit on a relation's probability."""

TARGET_PRIOR: Mapping[NodeKind, float] = {"atom": 0.5, "context": 0.9}
"""Constants of the reference implementation's tables, in place of the graph's priors."""


def relation_table(
    kind: RelationKind,
    p: float,
    table: FactorTable,
    *,
    source: NodeKind = "context",
    target: NodeKind = "atom",
) -> Table:
    """The 2 x 2 table of a relation with probability `p`; rows are source states, columns target states.

    `table1` is Table 1 of FactReasoner (arXiv 2502.18573). `reference` is its implementation, with a constant
    for the kind of target. `conditional` is P(target | source), where a false source has no influence;
    between two nodes of one kind, a contradiction is symmetric.
    """
    if kind == "equivalence":
        return np.array([[p, 1 - p], [1 - p, p]])
    if table == "conditional":
        if kind == "contradiction" and source == target:
            return np.array([[0.5, 0.5], [0.5, 1 - p]])
        false_row = [0.5, 0.5]
    elif table == "table1":
        false_row = [p, p]
    else:
        false_row = [1 - TARGET_PRIOR[target], TARGET_PRIOR[target]]
    true_row = [1 - p, p] if kind == "entailment" else [p, 1 - p]
    return np.array([false_row, true_row])


def factor_graph(fact_graph: FactGraph, table: FactorTable = "conditional") -> FactorGraph:
    """A binary Markov network: a prior for every node, then a table for every relation, in order.

    A relation's probability is raised to at least 0.5, and lowered to at most `HIGHEST`.
    """
    index = {node.id: i for i, node in enumerate(fact_graph.nodes)}
    factors = [
        Factor((i,), np.array([1 - node.prior, node.prior])) for i, node in enumerate(fact_graph.nodes)
    ]
    for relation in fact_graph.relations:
        source, target = index[relation.source], index[relation.target]
        ends: dict[str, NodeKind] = {
            "source": fact_graph.nodes[source].kind,
            "target": fact_graph.nodes[target].kind,
        }
        p = min(max(relation.probability, 0.5), HIGHEST)
        factors.append(Factor((source, target), relation_table(relation.kind, p, table, **ends)))
    return FactorGraph(
        names=tuple(node.id for node in fact_graph.nodes),
        cardinalities=(2,) * len(fact_graph.nodes),
        factors=tuple(factors),
    )


def components(count: int, scopes: Iterable[Sequence[int]]) -> list[tuple[int, ...]]:
    """Connected components of 0 to `count` - 1, joined by `scopes`; sorted by first member."""
    # By union and find: importing scipy's takes longer than most networks do, and so does handing it edges.
    above = list(range(count))

    def root(i: int) -> int:
        while above[i] != i:
            above[i] = i = above[above[i]]
        return i

    for scope in scopes:
        for other in scope[1:]:
            first, second = root(scope[0]), root(other)
            above[max(first, second)] = min(first, second)
    return [tuple(group) for group in grouped(range(count), root).values()]
