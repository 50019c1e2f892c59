from __future__ import annotations

import itertools

from hypothesis import given
from oracle import networks

from factreasoner.graph.factor_graph import FactorGraph
from factreasoner.solvers.elimination import eliminate
from factreasoner.solvers.mini_buckets import MiniBuckets, largest_ibound, mini_buckets

CLIQUE = list(itertools.combinations(range(6), 2))
ORDER = range(6)
BINARY = [2] * 6


def test_a_clique_by_hand() -> None:
    # At i-bound 1 no two edges join: 5 + 4 + ... tables of two, and each leaves a message of one variable,
    # which joins the next variable's first table (the last variable's are all messages).
    loose = mini_buckets(BINARY, CLIQUE, ORDER, ibound=1)
    assert loose == MiniBuckets(tables=16, entries=15 * 4 + 2)
    # At i-bound 5 all of a variable's tables join: 64 + 32 + ... + 2.
    assert mini_buckets(BINARY, CLIQUE, ORDER, ibound=5) == MiniBuckets(tables=6, entries=126)
    assert mini_buckets(BINARY, CLIQUE, ORDER, ibound=9) == MiniBuckets(tables=6, entries=126)


def test_a_table_wider_than_the_bound_stays_whole() -> None:
    assert mini_buckets([3, 2, 2], [(0, 1, 2)], [1, 0, 2], ibound=1) == MiniBuckets(3, 12 + 6 + 2)


def test_the_largest_ibound_within_a_budget() -> None:
    sizes = [mini_buckets(BINARY, CLIQUE, ORDER, ibound=i).entries for i in range(1, 6)]
    for i, entries in enumerate(sizes, start=1):
        chosen = largest_ibound(BINARY, CLIQUE, ORDER, entries=entries, most=5)
        assert chosen >= i
        assert sizes[chosen - 1] <= entries
    assert largest_ibound(BINARY, CLIQUE, ORDER, entries=10**9, most=3) == 3
    assert largest_ibound(BINARY, CLIQUE, ORDER, entries=1, most=5) == 1


@given(networks())
def test_at_the_elimination_width_it_is_exact_elimination(graph: FactorGraph) -> None:
    scopes = [factor.scope for factor in graph.factors] + [(i,) for i in range(len(graph.names))]
    plan = eliminate(graph.cardinalities, scopes)
    found = mini_buckets(graph.cardinalities, scopes, plan.order, ibound=plan.width)
    assert found == MiniBuckets(len(graph.names), plan.total)
