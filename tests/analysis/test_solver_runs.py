import numpy as np
import pytest

from factreasoner.analysis import solver_runs
from factreasoner.analysis.solver_runs import (
    SolverRun,
    difference,
    reference_run,
    run_all_solvers,
    run_solver,
)
from factreasoner.errors import ConfigError, WidthError
from factreasoner.models import Marginals
from factreasoner.models.graph import Factor, FactorGraph
from factreasoner.pipeline.config import Config
from factreasoner.plugins.table import PLUGINS
from factreasoner.solvers import exact

TRIANGLE = FactorGraph(
    ("a", "b", "c"),
    (2, 2, 2),
    tuple(Factor(pair, np.array([[1.0, 2.0], [3.0, 4.0]])) for pair in ((0, 1), (1, 2), (0, 2))),
)


def marginals(p, *, exact=True, **fields):
    told = {"solver": "told", "exact": exact, **fields}
    return Marginals.model_validate({"probabilities": {"a": (1 - p, p), "b": (0.5, 0.5)}, **told})


@pytest.fixture(autouse=True)
def no_merlin(monkeypatch):
    monkeypatch.delenv("MERLIN_PATH", raising=False)
    monkeypatch.setenv("PATH", "")


def test_one_solver_by_name(monkeypatch):
    trial = run_solver("exact", TRIANGLE, Config())
    assert (trial.asked, trial.marginals.solver) == ("exact", "exact")
    assert trial.seconds > 0.0
    with pytest.raises(ConfigError, match="unknown solver 'exakt'"):
        run_solver("exakt", TRIANGLE, Config())
    monkeypatch.setattr(exact, "MEMORY_BUDGET", 64)
    with pytest.raises(WidthError):
        run_solver("exact", TRIANGLE, Config())


def test_every_solver_runs_or_gives_a_reason(monkeypatch):
    monkeypatch.setattr(exact, "MEMORY_BUDGET", 64)
    own = "factreasoner.solvers.gibbs:GibbsSolver"
    runs, refused = run_all_solvers(TRIANGLE, Config(solver=own))
    assert {run.asked for run in runs} | refused.keys() == {*PLUGINS["solver"], own}
    assert runs[-1].asked == own
    assert refused.keys() == {"exact", "pgmpy", "merlin"}
    assert "width 2" in refused["exact"]
    assert "MERLIN_PATH" in refused["merlin"]


def test_solver_imports_are_excluded_from_timing(monkeypatch):
    solved = []

    def noted(name, graph, config):
        solved.append((name, graph is not TRIANGLE))
        return run_solver(name, graph, config)

    monkeypatch.setattr(solver_runs, "run_solver", noted)
    run_all_solvers(TRIANGLE, Config())
    assert [small for name, small in solved if name == "pgmpy"] == [True, False]


def test_most_precise_exact_solver_is_the_reference():
    sampled = SolverRun("sampled", 1.0, marginals(0.4, exact=False, stderr=0.01))
    printed = SolverRun("printed", 1.0, marginals(0.4, diagnostics={"precision": 1e-6}))
    exact = SolverRun("exact", 1.0, marginals(0.4))
    assert reference_run([sampled, printed, exact]) is exact
    assert reference_run([sampled, printed]) is printed
    assert reference_run([sampled]) is sampled


def test_largest_difference_names_its_variable():
    assert difference(marginals(0.4), marginals(0.7)) == (pytest.approx(0.3), "a")
    assert difference(marginals(0.4), marginals(0.4))[0] == 0.0
    nothing = Marginals(probabilities={}, solver="told", exact=True)
    assert difference(nothing, nothing) == (0.0, "")
