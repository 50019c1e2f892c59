"""`run --export-uai` and `score --export-uai`: networks that `solve` reads back to the run's posteriors."""

import json
from pathlib import Path

import pytest
from command import record, results, write_records

IDS = ["plain", "../up", "a/b", "a:b", "é" * 90]


@pytest.fixture
def data(tmp_path):
    return write_records(
        tmp_path / "d.jsonl", *map(record, IDS), record("idle") | {"output": "", "atoms": []}
    )


def read_back(factreasoner, folder):
    """P(true) by record and atom, as `solve` finds it."""
    found = {}
    for path in folder.glob("*.uai"):
        told = json.loads(factreasoner("solve", path, "--json").stdout)
        record_id = json.loads(Path(f"{path}.map.json").read_text("utf-8"))["record"]
        found[record_id] = {
            entry["variable"]: entry["probabilities"][1]
            for entry in told["marginals"]
            if entry["kind"] == "atom"
        }
    return found


def posteriors(folder):
    return {
        line["id"]: {m["variable"]: m["probabilities"][1] for m in line["marginals"]}
        for line in results(folder)
        if line["marginals"]
    }


def test_every_network_of_a_run_is_solved_to_its_posteriors(factreasoner, tmp_path, data):
    quiet = factreasoner("run", data, "--out", "out", "--export-uai", "nets/here", "--quiet", code=None)
    assert "networks written" not in quiet.stdout + quiet.stderr
    done = factreasoner("run", data, "--out", "out", "--export-uai", "nets/here")
    assert f"{len(IDS)} networks written to nets/here; 1 without one" in done.stdout
    assert not (tmp_path / "nets" / "up.uai").exists()
    found = read_back(factreasoner, tmp_path / "nets" / "here")
    expected = posteriors(tmp_path / "out")
    assert found.keys() == expected.keys() == set(IDS)
    for record_id, p_true in expected.items():
        assert found[record_id] == pytest.approx(p_true, abs=1e-12)


def test_a_finished_run_is_exported_with_other_settings(factreasoner, tmp_path, data):
    factreasoner("run", data, "--out", "out", "--quiet")
    done = factreasoner(
        "score", "out", "--out", "again", "--factors", "table1", "--export-uai", "nets", "--json"
    )
    assert json.loads(done.stdout)["records"]["total"] == len(IDS) + 1
    assert "networks written to nets" in done.stderr
    found, expected = read_back(factreasoner, tmp_path / "nets"), posteriors(tmp_path / "again")
    assert expected != posteriors(tmp_path / "out")
    for record_id, p_true in expected.items():
        assert found[record_id] == pytest.approx(p_true, abs=1e-12)


def test_what_can_not_be_written_is_found_out_before_anything_is_spent(factreasoner, tmp_path, data):
    (tmp_path / "taken").write_text("")
    done = factreasoner("run", data, "--out", "out", "--export-uai", "taken", code=1)
    assert "taken: networks can't be written there" in done.stderr
    assert not (tmp_path / "out").exists()
