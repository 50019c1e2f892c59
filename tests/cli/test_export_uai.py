"""`run --export-uai` and `score --export-uai`: networks that `solve` reads back to the run's posteriors."""

import pytest
from command import p_true, printed, record, write_records


@pytest.fixture
def data(tmp_path):
    return write_records(tmp_path / "d.jsonl", record("plain"), record("idle") | {"output": "", "atoms": []})


def solved(factreasoner, network):
    """P(true) of each atom, as `solve` finds it."""
    told = printed(factreasoner("solve", network, "--json"))
    return {m["variable"]: m["probabilities"][1] for m in told["marginals"] if m["kind"] == "atom"}


def test_exported_network_gives_the_run_posteriors(factreasoner, tmp_path, data):
    quiet = factreasoner("run", data, "--out", "out", "--export-uai", "nets/here", "--quiet")
    assert (quiet.stdout, quiet.stderr) == ("", "")
    done = factreasoner("run", data, "--out", "out", "--export-uai", "nets/here")
    assert "1 network written to nets/here; 1 without one" in done.stdout
    found = solved(factreasoner, "nets/here/plain.uai")
    assert found == pytest.approx(p_true(tmp_path / "out"), abs=1e-12)


def test_a_finished_run_is_exported_with_other_settings(factreasoner, tmp_path, data):
    factreasoner("run", data, "--out", "out", "--quiet")
    flags = ("--out", "again", "--factors", "table1", "--export-uai", "nets", "--json")
    done = factreasoner("score", "out", *flags)
    assert printed(done)["records"]["total"] == 2
    assert "network written to nets" in done.stderr
    expected = p_true(tmp_path / "again")
    assert solved(factreasoner, "nets/plain.uai") == pytest.approx(expected, abs=1e-12)
    assert expected != p_true(tmp_path / "out")


def test_unwritable_export_fails_before_any_cost(factreasoner, tmp_path, data):
    (tmp_path / "taken").write_text("")
    done = factreasoner("run", data, "--out", "out", "--export-uai", "taken", code=1)
    assert "taken: networks can't be written there" in done.stderr
    assert not (tmp_path / "out").exists()
