from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from factreasoner.config import Config
from factreasoner.errors import WidthError
from factreasoner.graph.factor_graph import Factor
from factreasoner.solvers import merlin_plan
from factreasoner.solvers.merlin_plan import Problem, plan
from factreasoner.solvers.mini_buckets import mini_buckets
from factreasoner.solvers.reduction import Component


def clique(count: int) -> Component:
    """All pairs of `count` binary variables."""
    pairs = [Factor(pair, np.ones((2, 2))) for pair in itertools.combinations(range(count), 2)]
    return Component(tuple(range(count)), (2,) * count, tuple(pairs))


def planned(*parts: Component, **settings: Any) -> merlin_plan.Plan:
    return plan(Problem.of(parts), Config(**settings))


def test_components_are_put_side_by_side() -> None:
    left = Component((1, 4), (2, 3), (Factor((0, 1), np.ones((2, 3))),))
    right = Component(
        (0, 2, 3), (2, 2, 2), (Factor((1, 2), np.ones((2, 2))), Factor((0, 1), np.ones((2, 2))))
    )
    problem = Problem.of([left, right])
    assert problem.variables == (1, 4, 0, 2, 3)
    assert problem.cardinalities == (2, 3, 2, 2, 2)
    assert problem.scopes == [(0, 1), (3, 4), (2, 3)]
    assert sorted(problem.order) == [0, 1, 2, 3, 4]
    assert problem.width == 1
    assert problem.entries == (6 + 3) + (4 + 4 + 2)


def test_exact_while_the_width_allows_it() -> None:
    assert planned(clique(19)) == ("cte", None, "elimination width 18 allows exact inference")
    assert planned(clique(20), merlin_iterations=1).algorithm == "wmb"
    assert planned(clique(20), max_width=19).algorithm == "cte"
    assert planned(clique(5), max_width=3).algorithm == "wmb"


def test_many_tables_of_allowed_width_can_be_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(merlin_plan, "EXACT_ENTRIES", 1 << 10)
    assert planned(clique(8)).algorithm == "cte"
    assert planned(clique(8), clique(8), clique(8)).algorithm == "wmb"


def test_the_ibound_is_the_largest_within_a_second() -> None:
    parts = clique(30)
    problem = Problem.of([parts])
    chosen = planned(parts)
    assert chosen.algorithm == "wmb"
    assert chosen.reason == "elimination width 29 is too large for exact inference"
    assert chosen.ibound is not None
    for ibound, fits in ((chosen.ibound, True), (chosen.ibound + 1, False)):
        cost = mini_buckets(problem.cardinalities, problem.scopes, problem.order, ibound=ibound)
        assert (cost.entries * 10 <= merlin_plan.ENTRIES_A_SECOND) == fits
    slower = planned(parts, merlin_iterations=1000).ibound
    assert slower is not None
    assert slower < chosen.ibound


def test_what_is_set_is_kept() -> None:
    assert planned(clique(4), merlin_algorithm="wmb", merlin_ibound=6) == (
        "wmb",
        6,
        "set by merlin_algorithm",
    )
    assert planned(clique(4), merlin_algorithm="lbp", merlin_ibound=6) == (
        "lbp",
        None,
        "set by merlin_algorithm",
    )
    assert planned(clique(4), merlin_algorithm="ijgp").ibound == 3


@pytest.mark.parametrize(
    "settings", [{"merlin_algorithm": "cte"}, {"merlin_algorithm": "bte"}, {"merlin_ibound": 59}]
)
def test_what_would_take_all_memory_is_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(WidthError, match=r"elimination width 59, more than half of this machine's memory"):
        planned(clique(60), **settings)
