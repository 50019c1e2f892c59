"""Summaries, dropped contexts and evidence counted once, from the command to the results."""

import json

import pytest
from command import manifest_of, model_flags, p_true, record, results, summary_of, write_records
from fake_server import FakeServer

PAGE = "https://x.example/curie"


def answer(request):
    """Everything is true; what speaks of the tower is irrelevant."""
    if "relevance" in request.properties:
        relevance = "irrelevant" if "Eiffel" in request.text else "relevant"
        return {"reason": "A tower.", "relevance": relevance, "summary": "Born there.", "confidence": 50}
    return dict.fromkeys(request.properties, "True")


@pytest.fixture
def run(factreasoner, one):

    def run(server, *flags):
        return factreasoner("run", one, *model_flags(server), *flags)

    return run


def test_summaries_are_planned_made_and_reported(factreasoner, tmp_path, run):
    with FakeServer(answer) as server:
        planned = run(server, "--summarizer", "llm", "--dry-run")
        assert server.calls == 0
        done = run(server, "--summarizer", "llm", "--summary-prior")
        assert server.calls == 3
    assert any(line.split()[:2] == ["summarizer", "2"] for line in planned.stdout.splitlines())
    assert "contexts found irrelevant: 1" in done.stdout
    (line,) = results(tmp_path / "out")
    assert line["dropped_contexts"] == {"c1": "irrelevant: A tower."}
    assert line["num_contexts"] == 1
    assert p_true(tmp_path / "out")["a0"] == pytest.approx(0.5 + 0.4 * 0.45)
    summary = summary_of(tmp_path / "out")
    assert summary["dropped_contexts"] == 1
    assert summary["usage"]["by_stage"]["summarizer"]["calls"] == 2
    manifest = manifest_of(tmp_path / "out")
    assert "summarizer" in manifest["prompts"]

    done = factreasoner("score", "out", "--no-summary-prior")
    assert p_true(tmp_path / "out" / "rescored")["a0"] == pytest.approx(0.86)


def test_given_contexts_ignore_retriever_with_one_note(factreasoner, one):
    said = "--retriever wikipedia is ignored for 1 of 1 records, which already have contexts."
    done = factreasoner("run", one, "--retriever", "wikipedia")
    assert done.stderr.count(said) == 1
    again = factreasoner("run", one, "--retriever", "wikipedia", "--quiet")
    item = json.loads(one.read_text())
    twice = write_records(one.with_name("twice.jsonl"), item, item, item | {"output": 5})
    done = factreasoner("run", twice, "--retriever", "wikipedia", "--skip-invalid")
    assert said in done.stderr
    assert (done.returncode, again.returncode, again.stderr) == (0, 0, "")


@pytest.fixture
def copies(factreasoner, tmp_path):
    """A run over two passages of one page, judged by a file of relations."""
    item = record("r1")
    item["contexts"] = [context | {"link": f"{PAGE}#{context['id']}"} for context in item["contexts"]]
    relations = [
        {"record": "r1", "source": c, "target": f"a{i}", "label": label, "probability": 0.9}
        for c in ("c0", "c1")
        for i, label in enumerate(("entailment", "contradiction", "neutral"))
    ]
    data = write_records(tmp_path / "d.jsonl", item)
    file = write_records(tmp_path / "relations.jsonl", *relations)

    def run(*flags):
        return factreasoner("run", data, "--judge", "recorded", "--relations", file, "--out", "out", *flags)

    return run


def test_relations_count_each_unless_independence_is_set(factreasoner, tmp_path, copies):
    done = copies()
    (line,) = results(tmp_path / "out")
    assert (line["independence"], line["shared_sources"], line["relations_left_out"]) == (False, [], 0)
    assert p_true(tmp_path / "out")["a0"] > 0.95
    done = factreasoner("score", "out", "--independence", "--json")
    once = {"records": 1, "shared_sources": 1, "relations_left_out": 2}
    assert json.loads(done.stdout)["independence"] == once
    assert p_true(tmp_path / "out" / "rescored") == pytest.approx({"a0": 0.86, "a1": 0.14, "a2": 0.5})


def test_run_notes_when_all_context_verdicts_are_neutral(factreasoner, tmp_path, copies):
    done = copies("--version", "3", "--unlisted", "neutral")
    assert "2 judged between them, all neutral: the scores are those of --version 2" in " ".join(
        done.stdout.split()
    )
    summary = summary_of(tmp_path / "out")
    assert (summary["context_verdicts"], summary["context_relations"]) == (2, 0)
    assert "between them" not in copies("--fresh").stdout


def test_run_counts_neutral_context_verdicts(factreasoner, tmp_path):
    high = "The tower is 30 metres high."
    texts = {"a": high, "b": f"{high} It is old.", "c": "Cats sleep."}
    item = {"id": "r", "output": high, "contexts": [{"id": i, "text": text} for i, text in texts.items()]}
    done = factreasoner("run", write_records(tmp_path / "d.jsonl", item), "--version", "3")
    assert "6 judged between them, 5 of them neutral" in " ".join(done.stdout.split())
