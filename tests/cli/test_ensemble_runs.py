"""Several `--model` in `run` and `recall`: votes, each judge's own scores, agreement, failures, resuming."""

import re

import pytest
from command import manifest_of, results, summary_of, write_records
from fake_server import FakeServer, answering, server_error

FACTS = ["Fact one.", "Fact two.", "Fact three."]
MODELS = ("openai/a", "openai/b", "openai/c")
SAID = {"a": "TTF", "b": "TFT", "c": "TFF"}


def said(letters):
    """True or False by the number word of the claim."""
    words = ("one", "two", "three")
    return answering(
        lambda name, prop, request: next(
            "True" if letter == "T" else "False"
            for word, letter in zip(words, letters, strict=True)
            if word in prop["description"]
        )
    )


def panel(broken=()):
    def answer(request):
        model = request.body["model"]
        return server_error(400) if model in broken else said(SAID[model])(request)

    return answer


def record(record_id="r1", **fields):
    atoms = [{"id": f"a{i}", "text": text} for i, text in enumerate(FACTS)]
    texts = {"facts": FACTS, "atoms": atoms, "contexts": [f"A passage on {record_id}."]}
    return {"id": record_id, "input": "Q?", "output": f"Answer {record_id}."} | texts | fields


def judge(factreasoner, command, server, data, *flags, models=MODELS, **options):
    named = [part for model in models for part in ("--model", model)]
    base = ("--api-base", server.url, "--form", "tool", "--confidence", "constant", "--out", "out")
    return factreasoner(command, data, *named, *base, *flags, **options)


OWN = {"openai/a": 2 / 3, "openai/b": 2 / 3, "openai/c": 1 / 3}


def own_scores(tmp_path, metric):
    """Each judge's own score."""
    judges = summary_of(tmp_path / "out")["judges"]["scores"]
    return {name: scores[metric]["value"] for name, scores in judges.items()}


def test_recall_by_three_judges(factreasoner, tmp_path):
    data = write_records(tmp_path / "d.jsonl", record("r1"), record("r2"))
    with FakeServer(panel()) as server:
        done = judge(factreasoner, "recall", server, data)
        assert server.calls == 6
        judge(factreasoner, "recall", server, data)
        assert server.calls == 6
    line = results(tmp_path / "out")[0]
    assert [fact["value"] for fact in line["facts"]] == [True, False, False]
    judges = summary_of(tmp_path / "out")["judges"]
    assert own_scores(tmp_path, "recall") == pytest.approx(OWN)
    assert judges["pairs"] == 6
    # Values by fact: TTT, TFF, FTF; n = 18 with 5 * 2 True: of 1 - (n - 1) * disagreeing / expected
    assert judges["alpha"] == pytest.approx(1 - 17 * (4 * 2) / (2 * 10 * 8))
    assert "Krippendorff's alpha" in done.stdout
    assert "by openai/b alone" in done.stdout
    manifest = manifest_of(tmp_path / "out")
    assert tuple(manifest["config"]["model"]) == MODELS
    assert set(manifest["models"]) == set(MODELS)


def test_the_graph_takes_the_majority(factreasoner, tmp_path):
    data = write_records(tmp_path / "d.jsonl", record())
    with FakeServer(panel()) as server:
        judge(factreasoner, "run", server, data)
        assert server.calls == 3
    assert results(tmp_path / "out")[0]["predictions"] == {"a0": "S", "a1": "NS", "a2": "NS"}
    assert own_scores(tmp_path, "precision") == pytest.approx(OWN)


def test_failed_judge_has_no_score(factreasoner, tmp_path):
    data = write_records(tmp_path / "d.jsonl", record("r1"), record("r2", output=""))
    broken = {"b"}
    with FakeServer(lambda request: panel(broken)(request)) as server:
        done = judge(factreasoner, "recall", server, data, code=3)
        assert "recall none (the judge never answered)" in " ".join(done.stdout.split())
        line = results(tmp_path / "out")[0]
        assert [fact["value"] for fact in line["facts"]] == [True, None, False]
        assert any("openai/b: " in failure["message"] for failure in line["failures"])
        own = own_scores(tmp_path, "recall")
        assert (own["openai/a"], own["openai/b"]) == (pytest.approx(1 / 3), None)
        broken.clear()
        done = judge(factreasoner, "recall", server, data)
        assert re.search(
            r"calls +\d+ in the last attempt of each record; \d more from the cache", done.stdout
        )
    assert results(tmp_path / "out")[0]["num_unanswered"] == 0


def test_judge_of_its_own_answers_is_reported(factreasoner, tmp_path):
    data = write_records(
        tmp_path / "d.jsonl", record("r1", model_name="B"), record("r2", model_name="someone-else")
    )
    with FakeServer(panel()) as server:
        done = judge(factreasoner, "recall", server, data)
    assert summary_of(tmp_path / "out")["self_preference"] == {"openai/b": 1}
    assert "openai/b judges 1 answer of its own" in done.stdout


def test_flag_replaces_a_list_in_profile(factreasoner, tmp_path):
    data = write_records(tmp_path / "d.jsonl", record())
    profile = tmp_path / "p.yaml"
    profile.write_text("model: [openai/a, openai/b, openai/c]\n")
    plan = factreasoner("run", data, "--config", profile, "--dry-run")
    assert "judge  3 " in " ".join(plan.stdout.split()).replace("judge 3", "judge  3 "), plan.stdout
    alone = factreasoner("run", data, "--config", profile, "--model", "openai/d", "--dry-run")
    assert "judge 1 " in " ".join(alone.stdout.split())


def test_two_judges_are_refused_naming_the_ensemble(factreasoner, tmp_path):
    data = write_records(tmp_path / "data.jsonl", [record()])
    done = factreasoner(
        "run", data, "--out", tmp_path / "out", "--judge", "llm", "--judge", "word_judge:WordJudge", code=2
    )
    assert "given 2 times (llm, word_judge:WordJudge)" in " ".join(done.stderr.split())
    assert "--model A --model B" in " ".join(done.stderr.split())
    assert not (tmp_path / "out").exists()
