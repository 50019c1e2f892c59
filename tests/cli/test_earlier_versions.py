"""A run folder whose manifest has no task, no form and fewer settings is read, scored and compared.

`run_of_an_earlier_version` was written by that version: of two equal contexts it judged the first of the
input, and contradiction between contexts had a direction.
"""

import json
import shutil
from pathlib import Path

import pytest
from command import record, results, write_records

HERE = Path(__file__).parent


@pytest.fixture
def old(tmp_path):
    return shutil.copytree(HERE / "run_of_an_earlier_version", tmp_path / "old")


def configured(folder, **settings):
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text("utf-8"))
    manifest["config"] |= settings
    path.write_text(json.dumps(manifest), "utf-8")


def test_it_is_scored_again_over_the_context_that_was_judged(factreasoner, tmp_path, old):
    factreasoner("score", "old")
    replay = ("--judge", "recorded", "--relations", "old", "--version", "3", "--out", "replayed")
    factreasoner("run", "old", *replay)
    (first, empty), (again, _) = results(old / "rescored"), results(tmp_path / "replayed")
    assert (empty["status"], first["num_contexts"]) == ("no_atoms", 3)
    assert [m["variable"] for m in first["marginals"]] == ["a0", "a1", "a2"]
    for one, other in zip(first["marginals"], again["marginals"], strict=True):
        assert one["probabilities"] == pytest.approx(other["probabilities"], abs=1e-9)


@pytest.mark.parametrize(
    "words",
    [
        ("evaluate", "old"),
        ("check", "old", "--min", "precision=0.1"),
        ("compare", "old", "copy"),
        ("explain", "old", "--factors", "conditional"),
        ("run", "old", "--out", "new"),
    ],
)
def test_every_command_reads_it(factreasoner, tmp_path, old, words):
    shutil.copytree(old, tmp_path / "copy")
    factreasoner(*words)


def test_its_undecided_atoms_are_unverified(factreasoner, old):
    journal = old / "journal.jsonl"
    text = journal.read_text("utf-8").replace('"a2":"contradicted"', '"a2":"undecided"')
    journal.write_text(text, "utf-8")
    rows = json.loads(factreasoner("show", "old", "--json").stdout)
    assert [row["label"] for row in rows] == ["supported", "contradicted", "unverified"]


def test_explain_says_how_to_explain_posteriors_that_tables_of_today_would_not_give(factreasoner, old):
    assert "`explain --factors conditional`" in factreasoner("explain", "old", code=1).stderr


def test_its_results_are_not_mixed_with_those_of_this_version(factreasoner, tmp_path, old):
    data = write_records(tmp_path / "d.jsonl", record("bridge"))
    done = factreasoner("run", data, "--version", "3", "--out", "old", code=1)
    assert "made by an earlier version" in done.stderr
    assert "--fresh" in done.stderr
    factreasoner("run", data, "--version", "3", "--out", "old", "--fresh")


@pytest.mark.parametrize("algorithm", ["gibbs", "jglp"])
def test_one_made_by_an_algorithm_that_is_gone_is_read_but_not_solved_by_it(factreasoner, old, algorithm):
    configured(old, solver="merlin", merlin_algorithm=algorithm)
    factreasoner("check", "old", "--min", "precision=0.1")
    factreasoner("evaluate", "old")
    refused = factreasoner("score", "old", code=1)
    assert f"merlin_algorithm: {algorithm!r} is no longer offered" in refused.stderr
    factreasoner("score", "old", "--solver", "exact")
