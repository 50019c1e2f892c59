import itertools
import json

import numpy as np
import pytest
from merlin_stand_in import brute_force_merlin, script
from oracle import brute_force, largest_error

from factreasoner.errors import ConfigError, SolverError, WidthError
from factreasoner.graph.uai import read_uai_network
from factreasoner.models.graph import Factor, FactorGraph
from factreasoner.pipeline.config import Config
from factreasoner.solvers import merlin_solver
from factreasoner.solvers.exact import plan_of_network
from factreasoner.solvers.merlin_solver import IBOUND, MerlinSolver

TRIANGLE = FactorGraph(
    names=("b", "a", "c", "lonely", "bare"),
    cardinalities=(2, 3, 2, 2, 4),
    factors=(
        Factor((1, 0), np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])),
        Factor((0, 1), np.array([[1.0, 0.0, 2.0], [2.0, 1.0, 1.0]])),
        Factor((2, 1), np.array([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]])),
        Factor((0, 2), np.array([[0.1, 0.9], [0.8, 0.2]])),
        Factor((3,), np.array([3.0, 1.0])),
    ),
)


@pytest.fixture(scope="module")
def merlin(tmp_path_factory):
    return brute_force_merlin(tmp_path_factory.mktemp("merlin"))


def solver(path, **values):
    return MerlinSolver(Config(merlin_path=path, **values))


def calls(path):
    log = path.parent / "calls.jsonl"
    lines = log.read_text().splitlines() if log.exists() else []
    words = [json.loads(line)["words"] for line in lines]
    return [dict(zip(line[::2], line[1::2], strict=True)) for line in words]


def test_the_result_names_the_algorithm_and_its_precision(merlin):
    found = solver(merlin).marginals(TRIANGLE)
    assert largest_error(found, brute_force(TRIANGLE)) < 2e-6
    assert (found.solver, found.exact, found.width, found.stderr) == ("merlin", True, 2, None)
    assert found.diagnostics["algorithm"] == "cte"
    assert found.diagnostics["precision"] == 1e-6
    assert found.diagnostics["reason"] == "elimination width 2 allows exact inference"
    assert float(found.diagnostics["seconds"]) > 0
    assert "ibound" not in found.diagnostics
    for probabilities in found.probabilities.values():
        assert sum(probabilities) == pytest.approx(1.0, abs=1e-15)


def test_merlin_settings_apply_and_approximation_is_inexact(merlin):
    found = solver(merlin, merlin_algorithm="wmb", merlin_ibound=6).marginals(TRIANGLE)
    assert not found.exact
    assert (found.stderr, found.converged) == (None, None)
    assert "without an error bound" in str(found.diagnostics["warning"])
    assert (found.diagnostics["ibound"], found.diagnostics["iterations"]) == (6, 10)
    words = calls(merlin)[-1]
    assert (words["--algorithm"], words["--ibound"], words["--iterations"]) == ("wmb", "6", "10")
    assert solver(merlin, merlin_algorithm="bte").marginals(TRIANGLE).exact


def test_a_wide_network_goes_to_mini_buckets(merlin, monkeypatch):
    monkeypatch.setattr(merlin_solver, "EXACT_WIDTH", 4)
    pairs = [Factor(pair, np.array([[2.0, 1.0], [1.0, 2.0]])) for pair in itertools.combinations(range(8), 2)]
    graph = FactorGraph(tuple("abcdefgh"), (2,) * 8, tuple(pairs))
    found = solver(merlin).marginals(graph)
    assert (found.exact, found.width) == (False, 7)
    assert (found.diagnostics["algorithm"], found.diagnostics["ibound"]) == ("wmb", IBOUND)
    assert found.diagnostics["reason"] == "elimination width 7 is too large for exact inference"


def clique(count, evidence=None):
    factors = [Factor(pair, np.ones((2, 2))) for pair in itertools.combinations(range(count), 2)]
    return FactorGraph(tuple(map(str, range(count))), (2,) * count, tuple(factors), evidence or {})


def test_observed_variables_cost_nothing():
    plan = plan_of_network(clique(3, {0: 1}))
    assert (plan.width, plan.total) == (1, 1 + 4 + 2)


@pytest.mark.parametrize(
    "settings", [{"merlin_algorithm": "cte"}, {"merlin_algorithm": "bte"}, {"merlin_ibound": 59}]
)
def test_memory_exceeding_network_is_refused(merlin, settings):
    with pytest.raises(WidthError, match=r"elimination width 59, more than half of this machine's memory"):
        solver(merlin, **settings).marginals(clique(60))


def test_the_network_is_sent_as_it_is(tmp_path):
    """Disconnected, with evidence and equal scopes: a fault of what other solvers do first would show."""
    body = """
import shutil
shutil.copy(options["input-file"], os.path.join(here, "sent.uai"))
shutil.copy(options["evidence-file"], os.path.join(here, "sent.evid"))
rows = ['{"variable": %d, "states": 2, "probabilities": [0.333333, 0.666666]}' % i for i in range(5)]
rows.append('{"variable": 5, "states": 2, "probabilities": [0, 1]}')
answer('{"status": "true", "marginals": [%s]}' % ", ".join(rows))
"""
    table = np.array([[0.9, 0.1], [0.2, 0.8]])
    pairs = ((0, 1), (1, 0), (2, 5))
    names = tuple(f"x{i}" for i in range(6))
    graph = FactorGraph(names, (2,) * 6, tuple(Factor(pair, table) for pair in pairs), evidence={5: 1})
    found = solver(script(tmp_path, body)).marginals(graph)
    sent = read_uai_network(tmp_path / "sent.uai", tmp_path / "sent.evid").graph
    assert [factor.scope for factor in sent.factors[:3]] == [(0, 1), (1, 0), (2, 5)]
    assert (sent.cardinalities, sent.evidence) == ((2,) * 6, {5: 1})
    assert found.probabilities == dict.fromkeys(names, pytest.approx((1 / 3, 2 / 3), abs=1e-15)) | {
        "x5": (0.0, 1.0)
    }


def test_no_variables_need_no_merlin(tmp_path):
    path = script(tmp_path, "answer('')")
    assert solver(path).marginals(FactorGraph((), (), ())).probabilities == {}
    assert calls(path) == []


def test_zeros_are_certain_and_impossible_networks_refused(merlin):
    same = np.array([[1.0, 0.0], [0.0, 1.0]])
    graph = FactorGraph(("a", "b"), (2, 2), (Factor((0, 1), same), Factor((0,), np.array([0.0, 1.0]))))
    assert solver(merlin).marginals(graph).probabilities == {"a": (0.0, 1.0), "b": (0.0, 1.0)}
    impossible = FactorGraph(("a", "b"), (2, 2), (Factor((0, 1), same), Factor((1, 0), 1.0 - same)))
    with pytest.raises(SolverError, match="no joint state is possible"):
        solver(merlin).marginals(impossible)
    ring = [Factor((i, (i + 1) % 3), 1.0 - same) for i in range(3)]
    with pytest.raises(SolverError, match="merlin gave up"):
        solver(merlin).marginals(FactorGraph(("a", "b", "c"), (2, 2, 2), tuple(ring)))


@pytest.mark.parametrize(
    ("body", "parts"),
    [
        ("os.kill(os.getpid(), signal.SIGSEGV)", ["died of SIGSEGV", "--task MAR --algorithm cte"]),
        ("sys.exit('out of luck')", ["exit code 1", "stderr: out of luck"]),
        ("answer('{}')", ["merlin gave up"]),
        ("time.sleep(600)", ["stopped after 0.5 seconds"]),
    ],
)
def test_merlin_errors_keep_the_bridge_message(tmp_path, body, parts):
    limit = 0.5 if "sleep" in body else 60.0
    with pytest.raises(SolverError) as error:
        solver(script(tmp_path, body), solver_seconds=limit).marginals(TRIANGLE)
    for part in ["solver 'merlin': ", *parts]:
        assert part in str(error.value)


def test_a_missing_binary_is_a_setting_to_fix(tmp_path, monkeypatch):
    with pytest.raises(ConfigError, match=r"(?s)missing.*does not exist.*radum2275/merlin"):
        solver(tmp_path / "missing")
    monkeypatch.setenv("MERLIN_PATH", "")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ConfigError, match="no merlin found"):
        MerlinSolver(Config())
