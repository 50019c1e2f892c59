"""Posteriors that have not converged are part of the result; folders that did not say so are read."""

import json

import pytest
from command import results, summary_of

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
