from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from factreasoner.config import Config
from factreasoner.errors import WidthError
from factreasoner.graph.factor_graph import Factor, FactorGraph
from factreasoner.solvers import merlin_plan
from factreasoner.solvers.merlin_plan import EliminationCost, choose_algorithm
from factreasoner.solvers.mini_buckets import mini_buckets


def cliques(*counts: int, evidence: dict[int, int] | None = None) -> FactorGraph:
    """Binary variables in groups; all pairs of a group have a factor."""
    total = sum(counts)
    ends = list(itertools.accumulate(counts))
    groups = [range(end - count, end) for end, count in zip(ends, counts, strict=True)]
    pairs = [pair for group in groups for pair in itertools.combinations(group, 2)]
    factors = tuple(Factor(pair, np.ones((2, 2))) for pair in pairs)
    return FactorGraph(tuple(map(str, range(total))), (2,) * total, factors, evidence or {})


def planned(*counts: int, **settings: Any) -> merlin_plan.AlgorithmChoice:
    return choose_algorithm(EliminationCost.of(cliques(*counts)), Config(**settings))


def test_what_is_observed_costs_nothing() -> None:
    problem = EliminationCost.of(cliques(3, 2, evidence={0: 1, 3: 0}))
    assert problem.cardinalities == (1, 2, 2, 1, 2)
    assert sorted(map(tuple, problem.scopes)) == [(1,), (1, 2), (2,), (4,)]
    assert sorted(problem.order) == [0, 1, 2, 3, 4]
    assert problem.width == 1
    assert EliminationCost.of(cliques(3, 2)).entries == 8 + 4 + 2 + 4 + 2


def test_exact_while_the_width_allows_it() -> None:
    assert planned(19) == ("cte", None, "elimination width 18 allows exact inference")
    assert planned(20, merlin_iterations=1).algorithm == "wmb"
    assert planned(20, max_width=19).algorithm == "cte"
    assert planned(5, max_width=3).algorithm == "wmb"


def test_many_tables_of_allowed_width_can_be_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(merlin_plan, "EXACT_ENTRIES", 1 << 10)
    assert planned(8).algorithm == "cte"
    assert planned(8, 8, 8).algorithm == "wmb"


def test_the_ibound_is_the_largest_within_a_second() -> None:
    problem = EliminationCost.of(cliques(30))
    chosen = planned(30)
    assert chosen.algorithm == "wmb"
    assert chosen.reason == "elimination width 29 is too large for exact inference"
    assert chosen.ibound is not None
    for ibound, fits in ((chosen.ibound, True), (chosen.ibound + 1, False)):
        cost = mini_buckets(problem.cardinalities, problem.scopes, problem.order, ibound=ibound)
        assert (cost.entries * 10 <= merlin_plan.ENTRIES_A_SECOND) == fits
    slower = planned(30, merlin_iterations=1000).ibound
    assert slower is not None
    assert slower < chosen.ibound


def test_what_is_set_is_kept() -> None:
    assert planned(4, merlin_algorithm="wmb", merlin_ibound=6) == (
        "wmb",
        6,
        "set by merlin_algorithm",
    )
    assert planned(4, merlin_algorithm="lbp", merlin_ibound=6) == (
        "lbp",
        None,
        "set by merlin_algorithm",
    )
    assert planned(4, merlin_algorithm="ijgp").ibound == 3


@pytest.mark.parametrize(
    "settings", [{"merlin_algorithm": "cte"}, {"merlin_algorithm": "bte"}, {"merlin_ibound": 59}]
)
def test_what_would_take_all_memory_is_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(WidthError, match=r"elimination width 59, more than half of this machine's memory"):
        planned(60, **settings)
