"""From a fact graph to factors: the three tables a relation can have."""

from __future__ import annotations

import numpy as np

from factreasoner.choices import FactorTable
from factreasoner.errors import InputError, Problem
from factreasoner.graph.factor_graph import Factor, FactorGraph, Table
from factreasoner.models import FactGraph, RelationKind

HIGHEST = 0.999
"""The most a judge is believed: a probability above it counts as this much."""

RECORDED_HIGHEST = 1 - 1e-6
"""The same bound for relations recorded elsewhere at full precision, whose certainty is not ours to cut."""

TARGET_PRIOR = {"atom": 0.5, "context": 0.9}
"""The reference implementation's prior constants, which its tables use whatever the graph's own priors."""


def relation_table(kind: RelationKind, p: float, table: FactorTable, target_prior: float) -> Table:
    """The 2 x 2 table of a relation of probability `p`; rows are the source's state, columns the target's.

    `table1` is Table 1 of FactReasoner (arXiv 2502.18573); `reference` is what its implementation does;
    `conditional` is P(target | source) with a false source saying nothing. `target_prior` matters to
    `reference` only.
    """
    if kind == "equivalence":
        return np.array([[p, 1 - p], [1 - p, p]])
    if table == "conditional":
        false_row = [0.5, 0.5]
    elif table == "table1":
        false_row = [p, p]
    else:
        false_row = [1 - target_prior, target_prior]
    true_row = [1 - p, p] if kind == "entailment" else [p, 1 - p]
    return np.array([false_row, true_row])


def factor_graph(
    fact_graph: FactGraph, table: FactorTable = "conditional", *, highest: float = HIGHEST
) -> FactorGraph:
    """A binary Markov network: a prior for every node, in order, then a table for every relation, in order.

    A relation's probability below 0.5 is no evidence against it: it is raised to 0.5. It is then kept
    within [1 - highest, highest]; `RECORDED_HIGHEST` keeps relations read from a file as they are.

    Raises:
        InputError: a relation names an unknown node.
    """
    index = {node.id: i for i, node in enumerate(fact_graph.nodes)}
    factors = [
        Factor((i,), np.array([1 - node.prior, node.prior])) for i, node in enumerate(fact_graph.nodes)
    ]
    for i, relation in enumerate(fact_graph.relations):
        if relation.source not in index or relation.target not in index:
            message = f"{relation.source!r} -> {relation.target!r} names an unknown node"
            raise InputError([Problem("fact graph", f"relations[{i}]", message)])
        source, target = index[relation.source], index[relation.target]
        prior = TARGET_PRIOR[fact_graph.nodes[target].kind]
        p = min(max(relation.probability, 0.5), highest)
        factors.append(Factor((source, target), relation_table(relation.kind, p, table, prior)))
    return FactorGraph(
        names=tuple(node.id for node in fact_graph.nodes),
        cardinalities=(2,) * len(fact_graph.nodes),
        factors=tuple(factors),
    )
