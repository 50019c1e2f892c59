"""Posteriors that have not converged are part of the result; folders that did not say so are read."""

import json

import numpy as np
import pytest
from command import results, summary_of

from factreasoner.graph.uai import uai_text
from factreasoner.models.factor_graph import Factor, FactorGraph

UNSETTLED = ("--solver", "unsettled_solver:UnsettledSolver")


def test_a_run_whose_sampler_has_not_converged(factreasoner, tmp_path, two):
    done = factreasoner("run", two, "--out", "out", *UNSETTLED, code=3)
    assert "not converged on 2" in done.stdout + done.stderr
    for line in results(tmp_path / "out"):
        assert line["status"] == "partial"
        assert line["solver"]["converged"] is False
    told = summary_of(tmp_path / "out")
    assert told["solver"]["converged"] is False
    assert told["solver"]["not_converged"] == 2
    assert told["records"]["partial"] == 2


def test_scored_again_by_one_that_does(factreasoner, tmp_path, two):
    factreasoner("run", two, "--out", "out", *UNSETTLED, code=3)
    factreasoner("score", "out", "--solver", "exact", "--out", "again")
    assert [line["status"] for line in results(tmp_path / "again")] == ["ok", "ok"]
    assert summary_of(tmp_path / "again")["solver"]["converged"] is True
    factreasoner("score", "out", *UNSETTLED, "--out", "thrice", code=3)


def test_assess_says_so_too(factreasoner, tmp_path):
    (tmp_path / "c.txt").write_text("Paris is the capital of France.")
    factreasoner("assess", "Paris is in France.", "--context", "c.txt", *UNSETTLED, code=3)


@pytest.mark.parametrize(
    ("diagnostics", "status"),
    [
        ({"chains": 256, "sweeps": 64, "r_hat": None, "warning": "sampling stopped after 30 s"}, 3),
        ({"chains": 256, "sweeps": 64, "r_hat": 1.9, "warning": "sampling stopped after 30 s"}, 3),
        ({"chains": 256, "sweeps": 64, "r_hat": 1.01}, 0),
    ],
)
def test_a_folder_of_an_earlier_version_stays_readable(factreasoner, tmp_path, two, diagnostics, status):
    """An infinite R-hat was written as null, and nothing but the warning told of it."""
    factreasoner("run", two, "--out", "out")
    journal = tmp_path / "out" / "journal.jsonl"
    lines = [json.loads(line)["result"] for line in journal.read_text("utf-8").splitlines()]
    for line in lines:
        marginals = line["outcome"]["marginals"]
        del marginals["converged"]
        marginals |= {"solver": "gibbs", "exact": False, "stderr": 0.02, "diagnostics": diagnostics}
    journal.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    done = factreasoner("run", two, "--out", "out", code=status)
    assert [line["status"] for line in results(tmp_path / "out")] == ["partial" if status else "ok"] * 2
    assert ("not converged on 2" in done.stdout + done.stderr) is bool(status)
    told = [line["solver"]["converged"] for line in results(tmp_path / "out")]
    assert told == [status == 0] * 2
    factreasoner("explain", "out", "--json")
    factreasoner("score", "out", "--k", "5")
    factreasoner("run", "out", "--judge", "recorded", "--relations", "out", "--out", "b")


def test_chains_that_are_stuck_are_told_in_finite_numbers(factreasoner, tmp_path):
    """Two worlds that no sweep leaves, and no time for more: R-hat is infinite, which JSON can not hold."""
    same = np.array([[1.0, 1e-80], [1e-80, 1.0]])
    pairs = [(i, j) for i in range(14) for j in range(i)]
    graph = FactorGraph(tuple(map(str, range(14))), (2,) * 14, tuple(Factor(pair, same) for pair in pairs))
    (tmp_path / "n.uai").write_text(uai_text(graph))
    done = factreasoner("solve", "n.uai", "--solver", "gibbs", "--solver-seconds", 0.001, "--json", code=3)
    told = json.loads(done.stdout, parse_constant=pytest.fail)
    assert told["solver"]["converged"] is False
    assert told["solver"]["stderr"] > 0.01
    assert "split R-hat infinite" in told["solver"]["diagnostics"]["warning"]
    assert "r_hat" not in told["solver"]["diagnostics"]
    assert len(told["marginals"]) == 14
    assert all(sum(entry["probabilities"]) == pytest.approx(1.0) for entry in told["marginals"])
