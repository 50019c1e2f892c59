"""Posteriors that have not converged are part of the result."""

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
    said = factreasoner("check", "out", "--min", "precision=0").stderr
    assert "sampling did not converge in 2 records; --max records_partial=0 makes that a rule" in said


def test_scored_again_by_one_that_does(factreasoner, tmp_path, two):
    factreasoner("run", two, "--out", "out", *UNSETTLED, code=3)
    factreasoner("score", "out", "--solver", "exact", "--out", "again")
    assert [line["status"] for line in results(tmp_path / "again")] == ["ok", "ok"]
    assert summary_of(tmp_path / "again")["solver"]["converged"] is True
    factreasoner("score", "out", *UNSETTLED, "--out", "thrice", code=3)


def test_assess_reports_missing_convergence(factreasoner, tmp_path):
    (tmp_path / "c.txt").write_text("Paris is the capital of France.")
    factreasoner("assess", "Paris is in France.", "--context", "c.txt", *UNSETTLED, code=3)
