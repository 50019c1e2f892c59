"""`solve`: fact graphs and UAI networks, by one solver or all of them."""

import json

import pytest
from command import printed

from factreasoner.solvers import exact

PAIR = "MARKOV\n2\n2 2\n1\n2 0 1\n4\n0.1 0.2 0.3 0.4\n"
FACTS = {
    "nodes": [{"id": "a", "kind": "atom"}, {"id": "c", "kind": "context"}],
    "edges": [{"from": "c", "to": "a", "relation": "entailment", "probability": 0.9}],
}


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.delenv("MERLIN_PATH", raising=False)
    monkeypatch.setenv("PATH", "")
    (tmp_path / "g.json").write_text(json.dumps(FACTS))
    (tmp_path / "n.uai").write_text(PAIR)
    (tmp_path / "three.uai").write_text("MARKOV 2 3 2 1 2 0 1 6 1 2 3 4 5 6")


def solved(factreasoner, *arguments):
    return printed(factreasoner("solve", *arguments, "--json"))


def test_a_fact_graph(factreasoner, tmp_path):
    done = factreasoner("solve", "g.json")
    rows = [line.split() for line in done.stdout.splitlines()]
    assert ["a", "atom", "0.860000", "supported"] in rows
    assert ["c", "context", "0.900000"] in rows
    assert "solver exact, width 1" in done.stdout
    told = solved(factreasoner, "g.json", "--factors", "table1", "--context-prior", 0.8)
    assert told["solver"]["name"] == "exact"
    assert told["marginals"][0]["probabilities"][1] == pytest.approx(0.90 / 1.16)
    (tmp_path / "profile.yaml").write_text("factors: table1\ncontext_prior: 0.8\n")
    assert solved(factreasoner, "g.json", "--config", "profile.yaml")["marginals"] == told["marginals"]


def test_a_uai_network_with_its_evidence(factreasoner, tmp_path):
    assert solved(factreasoner, "n.uai")["marginals"][1]["probabilities"][1] == pytest.approx(0.6)
    (tmp_path / "seen").write_text("1 0 1")
    told = solved(factreasoner, "n.uai", "--evidence", "seen")
    assert [entry["observed"] for entry in told["marginals"]] == [1, None]
    assert told["marginals"][1]["probabilities"] == pytest.approx([3 / 7, 4 / 7])
    (tmp_path / "seen").rename(tmp_path / "n.uai.evid")
    assert "observed" in factreasoner("solve", "n.uai").stdout


def test_more_than_two_states(factreasoner):
    done = factreasoner("solve", "three.uai", "--compare")
    row = next(line.split() for line in done.stdout.splitlines() if line.startswith("0 = 2"))
    assert [float(p) for p in row[3:]] == pytest.approx([11 / 21] * 4, abs=0.015)
    assert solved(factreasoner, "three.uai")["marginals"][0]["probabilities"][2] == pytest.approx(11 / 21)


def test_all_solvers_side_by_side(factreasoner):
    done = factreasoner("solve", "g.json", "--compare")
    rows = [line.split() for line in done.stdout.splitlines()]
    assert ["node", "auto", "exact", "gibbs", "pgmpy"] in rows
    row = next(row for row in rows if row[0:1] == ["a"])
    assert [row[1], row[2], row[4]] == ["0.860000"] * 3
    assert any(row[:1] == ["gibbs"] and row[-7:-4] == ["gibbs,", "approximate,", "width"] for row in rows)
    assert any(row[:1] == ["auto"] and row[2:4] == ["the", "reference"] for row in rows)
    assert ["merlin", "-", "-", "did", "not", "run"] in rows
    assert "merlin: solver 'merlin': no merlin found" in done.stdout
    told = solved(factreasoner, "g.json", "--compare")
    assert told["measured_by"] == "auto"
    assert [solver["asked"] for solver in told["solvers"]] == ["auto", "exact", "gibbs", "pgmpy"]
    off = {solver["asked"]: solver["largest_difference"] for solver in told["solvers"]}
    assert 0 < off.pop("gibbs") < 0.015
    assert max(off.values()) < 1e-9
    assert [refusal["name"] for refusal in told["refused"]] == ["merlin"]
    assert told["marginals"][0]["probabilities"]["pgmpy"] == pytest.approx([0.14, 0.86])


def test_too_wide_solvers_are_rows_with_reasons(factreasoner, tmp_path, monkeypatch):
    monkeypatch.setattr(exact, "MEMORY_BUDGET", 128)
    pairs = [(i, j) for i in range(5) for j in range(i)]
    scopes = "\n".join(f"2 {i} {j}" for i, j in pairs)
    tables = "\n".join("4 1 2 3 4" for _ in pairs)
    (tmp_path / "five.uai").write_text(f"MARKOV 5\n2 2 2 2 2\n{len(pairs)}\n{scopes}\n{tables}\n")
    told = solved(factreasoner, "five.uai", "--compare")
    assert [solver["asked"] for solver in told["solvers"]] == ["auto", "gibbs"]
    reasons = {refusal["name"]: refusal["reason"] for refusal in told["refused"]}
    assert "elimination width 4" in reasons["exact"]
    assert "elimination width 4" in reasons["pgmpy"]
    done = factreasoner("solve", "five.uai", "--solver", "exact", code=1)
    assert done.stdout == ""
    assert "Use solver 'gibbs'" in done.stderr


def test_unmixed_sampling_is_reported_with_finite_numbers(factreasoner, tmp_path):
    """Two worlds that no sweep leaves, and no time for more: R-hat is infinite, which JSON can not hold."""
    pairs = [(i, j) for i in range(14) for j in range(i)]
    scopes = " ".join(f"2 {i} {j}" for i, j in pairs)
    tables = " ".join("4 1 1e-80 1e-80 1" for _ in pairs)
    (tmp_path / "worlds.uai").write_text(f"MARKOV 14 {'2 ' * 14} {len(pairs)} {scopes} {tables}")
    command = ("solve", "worlds.uai", "--solver-seconds", 0.001)
    for flags in (["--solver", "gibbs"], ["--compare"]):
        done = factreasoner(*command, *flags, code=3)
        assert "gibbs: sampling stopped after 0.001 s without converging: split R-hat" in done.stdout
    told = printed(factreasoner(*command, "--solver", "gibbs", "--json", code=3))
    assert told["solver"]["converged"] is False
    assert told["solver"]["stderr"] > 0.01
    assert "split R-hat infinite" in told["solver"]["diagnostics"]["warning"]
    assert "r_hat" not in told["solver"]["diagnostics"]
    assert len(told["marginals"]) == 14
    assert all(sum(entry["probabilities"]) == pytest.approx(1.0) for entry in told["marginals"])


def test_when_no_solver_can(factreasoner, tmp_path):
    (tmp_path / "zero.uai").write_text("MARKOV 1 2 1 1 0 2 0 0")
    done = factreasoner("solve", "zero.uai", "--compare", code=1)
    assert "no solver could solve it" in done.stderr
    assert "exact: the network is inconsistent" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["gone.uai"], "gone.uai: can't be read: No such file or directory; check the path"),
        (["n.uai", "--evidence", "gone"], "gone: can't be read"),
        (["n.uai", "--evidence", "g.json"], "g.json, line 1: the number of observations"),
        (["g.json", "--evidence", "g.json"], "--evidence: for UAI networks only"),
        (["n.uai", "--factors", "table1", "--atom-prior", 0.4], "--factors, --atom-prior: for fact graphs"),
        (["n.uai", "--solver", "merlin"], "MERLIN_PATH"),
        (["n.uai", "--solver", "exakt"], "did you mean 'exact'"),
    ],
)
def test_invalid_solve_arguments_are_refused(factreasoner, arguments, words):
    done = factreasoner("solve", *arguments, code=1)
    assert done.stdout == ""
    assert words in done.stderr
