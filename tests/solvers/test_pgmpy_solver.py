"""One test for every trap of pgmpy that the solver steps around; each fails without its step."""

import itertools

import numpy as np
import pytest

from factreasoner.errors import SolverError, WidthError
from factreasoner.models.graph import Factor, FactorGraph
from factreasoner.pipeline.config import Config
from factreasoner.solvers import exact
from factreasoner.solvers.pgmpy_solver import PgmpySolver


def network(count, *factors):
    return FactorGraph(
        tuple(f"x{i}" for i in range(count)),
        (2,) * count,
        tuple(Factor(scope, np.array(table, dtype=float)) for scope, table in factors),
    )


@pytest.mark.filterwarnings("ignore::FutureWarning")  # of pgmpy's own modules, when it is first imported
def test_its_own_elimination_orders_are_not_used(monkeypatch):
    from pgmpy.inference import VariableElimination

    asked = []
    query = VariableElimination.query

    def seen(self, variables, **settings):
        asked.append((variables, settings["elimination_order"]))
        return query(self, variables, **settings)

    monkeypatch.setattr(VariableElimination, "query", seen)
    table = [[5, 1], [1, 7]]
    PgmpySolver(Config()).marginals(network(6, *(((0, i), table) for i in range(1, 6))))
    for (variable,), order in asked:
        assert sorted([variable, *order]) == list(range(6))
        assert order.index(0) >= 3 if variable else True


def test_neither_warnings_nor_progress_bars_reach_the_user(capfd):
    """Warnings are errors in tests, those of the import of pgmpy too."""
    assert PgmpySolver(Config()).marginals(network(2, ((0, 1), [[1.0, 2.0], [3.0, 4.0]]))).p_true["x0"] == 0.7
    assert capfd.readouterr() == ("", "")


def test_memory_exceeding_network_is_refused_first(monkeypatch):
    table = [[5, 1], [1, 7]]
    graph = network(60, *((pair, table) for pair in itertools.combinations(range(60), 2)))
    with pytest.raises(WidthError, match="width 59"):
        PgmpySolver(Config()).marginals(graph)
    small = network(4, *((pair, table) for pair in itertools.combinations(range(4), 2)))
    monkeypatch.setattr(exact, "MEMORY_BUDGET", 128)
    with pytest.raises(WidthError, match=r"width 3 .* allowed: 128 bytes"):
        PgmpySolver(Config()).marginals(small)


def test_time_limits_the_queries():
    """Every query eliminates anew: a grid of 100 variables takes minutes."""
    pairs = itertools.combinations(range(6), 2)
    graph = network(6, *((pair, [[1, 2], [3, 4]]) for pair in pairs))
    with pytest.raises(SolverError, match=r"answered [0-5] of 6 queries .* in 1e-09 s; raise solver_seconds"):
        PgmpySolver(Config(solver_seconds=1e-9)).marginals(graph)
