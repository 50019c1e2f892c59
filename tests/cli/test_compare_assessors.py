"""`compare DATA --assessors`: shared atoms, contexts and verdicts, and what each assessor takes."""

import json
import re
from pathlib import Path

import pytest
from command import kept, manifest_of, printed, record, results, write_records
from fake_server import FakeServer, answering, server_error

from factreasoner.judges import judged_by
from factreasoner.pipeline.config import Config

DATA = Path(__file__).parents[2] / "examples" / "answers.jsonl"


def p_true(folder):
    return {
        (line["id"], m["variable"]): m["probabilities"][1]
        for line in results(folder)
        for m in line["marginals"]
    }


def choose(name, schema, request):
    values = schema.get("enum", ["Supported"])
    return values[0] if "Warsaw" in schema["description"] else values[1]


good = answering(choose)


def compared(factreasoner, server, data, names, *flags, **options):
    model = ("--model", "openai/fake", "--api-base", server.url, "--max-attempts", 1, "--form", "tool")
    return factreasoner("compare", data, "--assessors", names, "--out", "out", *model, *flags, **options)


def content(tmp_path):
    return json.loads((tmp_path / "out" / "comparison.json").read_text(), parse_constant=pytest.fail)


def test_compared_assessors_equal_separate_runs(factreasoner, tmp_path):
    names = ("fr1", "fr2", "fr3", "factscore")
    done = factreasoner("compare", DATA, "--limit", 2, "--assessors", ",".join(names), "--out", "out")
    assert set(content(tmp_path)["differing_settings"]) == {"assessor", "version"}
    assert "assessor: factreasoner (fr1, fr2, fr3), factscore\n" in done.stdout
    assert tuple(content(tmp_path)["runs"]) == names
    alone = (("--version", 1), ("--version", 2), ("--version", 3), ("--assessor", "factscore"))
    for name, flags in zip(names, alone, strict=True):
        factreasoner("run", DATA, "--limit", 2, *flags, "--out", f"alone-{name}")
        assert p_true(tmp_path / "out" / name) == pytest.approx(p_true(tmp_path / f"alone-{name}"))


def test_equal_scores_of_versions_are_explained(factreasoner, tmp_path):
    passages = ["Marie Curie was born in Warsaw.", "The weather is fine today."]
    data = write_records(tmp_path / "d.jsonl", record("r0", contexts=passages))
    done = factreasoner("compare", data, "--assessors", "fr2,fr3", "--out", "out")
    assert (
        "fr3: all verdicts between contexts are neutral: its scores are those of --version 2" in done.stderr
    )
    assert "fr2: all verdicts" not in done.stderr
    assert "The runs are identical: fr2, fr3" in (tmp_path / "out" / "comparison.md").read_text()


def test_replay_names_its_original_judge(factreasoner, tmp_path, two, monkeypatch):
    factreasoner("run", two, "--out", "first")
    (tmp_path / "away").mkdir()
    monkeypatch.chdir(tmp_path / "away")
    replay = ("run", two, "--judge", "recorded", "--version", 1)
    factreasoner(*replay, "--relations", "../first/journal.jsonl", "--out", "../second")
    factreasoner(*replay, "--relations", "../second", "--out", "../third")
    monkeypatch.chdir(tmp_path)
    for runs in (("first", "second", "third"), ("third", "second", "first")):
        found = printed(factreasoner("compare", *runs, "--json"))
        assert set(found["differing_settings"]) == {"version"}
        assert {run["judged_by"] for run in found["runs"].values()} == {judged_by(Config())}
    apart = printed(factreasoner("compare", "first", "third", "--json"))
    assert apart["differing_settings"]["judge"] == {
        "first": "word_judge:WordJudge",
        "third": "recorded verdicts of ../second",
    }


def test_compared_assessors_share_model_calls(factreasoner, tmp_path, two):
    names = "fr1,fr2,fr3,factscore"
    with FakeServer(good) as server:
        done = compared(factreasoner, server, two, names)
        assert server.calls == 2 * (2 + 2) + 2  # per record: two contexts on atoms, on each other, one call
        compared(factreasoner, server, two, names)
        assert server.calls == 10
    runs = content(tmp_path)["runs"]
    calls = {"fr1": 1.0, "fr2": 2.0, "fr3": 4.0, "factscore": 1.0}
    assert {name: run["scores"]["calls"]["value"] for name, run in runs.items()} == calls
    assert [run["usage_estimated"] for run in runs.values()] == [True, True, False, False]
    judges = [manifest_of(tmp_path / "out" / name)["config"]["judge"] for name in ("fr1", "fr3")]
    assert judges == ["recorded", "auto"]
    assert runs["fr2"]["scores"]["tokens"]["value"] > 0
    assert "fr2: its verdicts were replayed" in done.stderr
    assert "~2.0" in done.stdout


def test_one_budget_holds_for_all_assessors(factreasoner, tmp_path):
    data = write_records(tmp_path / "d.jsonl", *(record(f"r{i}") for i in range(4)))
    with FakeServer(good) as server:
        command = ("compare", data, "--assessors", "fr2,factscore", "--out", "out", "--form", "tool")
        command += ("--model", "openai/gpt-4o-mini", "--api-base", server.url)
        command += ("--concurrency", 1, "--max-tokens", 64, "--max-cost")
        done = factreasoner(*command, 0.001, code=1)
        assert re.search(r"Error: factscore: max_cost 0.001.* raise --max-cost and rerun", done.stderr)
        assert server.calls == 4 * 2
        factreasoner(*command, 1)
        assert server.calls == 4 * (2 + 1)


def test_atoms_are_found_once(factreasoner, tmp_path):
    item = record("r1") | {"output": "Marie Curie was born in Warsaw. Marie Curie was born in Paris."}
    del item["atoms"]
    data = write_records(tmp_path / "d.jsonl", item)
    with FakeServer(good) as server:
        embedded = ("--atomizer", "rules", "--reviser", "none")
        compared(factreasoner, server, data, "fr2,factscore", *embedded)
    (one,), (other,) = (kept(tmp_path / "out" / name) for name in ("fr2", "factscore"))
    assert one["atoms"] == other["atoms"]
    assert len(one["atoms"]) == 2


def test_record_failed_by_one_assessor_is_reported(factreasoner, tmp_path, two):
    def answer(request):
        broken = "\nTopic:\n" in request.text and "[r2]" in request.text
        return server_error() if broken else good(request)

    with FakeServer(answer) as server:
        done = compared(factreasoner, server, two, "fr2,factscore", "--patience", 0, code=1)
        assert "factscore lacks 1 of 2 (1 failed: 'r2')" in done.stderr
        done = compared(factreasoner, server, two, "fr2,factscore", "--intersect", "--patience", 0, code=3)
    assert content(tmp_path)["num_records"] == 1


def test_foreign_run_is_not_overwritten(factreasoner, tmp_path, two):
    with FakeServer(good) as server:
        model = ("--model", "openai/fake", "--api-base", server.url, "--form", "tool")
        factreasoner("run", two, "--version", 1, "--out", "out/fr1", *model)
        before = (tmp_path / "out" / "fr1" / "journal.jsonl").read_bytes()
        done = compared(factreasoner, server, two, "fr1,fr2", code=1)
    assert "out/fr1: holds a run that is not a replay" in done.stderr
    assert (tmp_path / "out" / "fr1" / "journal.jsonl").read_bytes() == before


def test_profiles_take_part_and_override(factreasoner, tmp_path, two):
    (tmp_path / "mine.yaml").write_text("version: 2\nfactors: table1\n")
    factreasoner(
        "compare", two, "--assessors", "fr2,mine.yaml", "--context-prior", 0.8, "--out", "out", "--quiet"
    )
    found = content(tmp_path)
    assert found["differing_settings"]["factors"] == {"fr2": "conditional", "mine": "table1"}
    assert "context_prior" not in found["differing_settings"]


def test_different_judge_settings_call_model_again(factreasoner, tmp_path, two):
    (tmp_path / "other.yaml").write_text("version: 2\ntemperature: 0.5\n")
    (tmp_path / "same.yaml").write_text("version: 2\nfactors: table1\n")
    with FakeServer(good) as server:
        compared(factreasoner, server, two, "fr2,other.yaml,same.yaml")
        assert server.calls == 2 * 2 * 2
    judges = [manifest_of(tmp_path / "out" / name)["config"]["judge"] for name in ("fr2", "other", "same")]
    assert judges == ["auto", "auto", "recorded"]


def test_missing_component_needs_are_reported_first(factreasoner, tmp_path, two):
    done = factreasoner("compare", two, "--assessors", "fr2,prompt-tf", "--out", "out", code=1)
    assert "--model" in done.stderr
    assert not (tmp_path / "out").exists()


def test_missing_atom_contexts_error_fits_compare(factreasoner, tmp_path):
    data = write_records(tmp_path / "d.jsonl", {"output": "x", "atoms": ["x"], "contexts": ["y"]})
    done = factreasoner("compare", data, "--assessors", "fr1,fr2", code=1)
    assert "no atom names a context" in done.stderr
    assert "(of `compare`: fr2, fr3)" in done.stderr
    factreasoner("compare", data, "--assessors", "fr2,fr3")


def test_a_finished_run_can_be_the_data(factreasoner, tmp_path, two):
    factreasoner("run", two, "--out", "first")
    factreasoner("compare", "first", "--assessors", "fr1,fr2", "--out", "out")
    assert p_true(tmp_path / "out" / "fr2") == p_true(tmp_path / "first")
