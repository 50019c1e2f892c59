"""`factreasoner recall` without a model, and against a local server that answers well and badly."""

import pytest
from command import results, summary_of, write_records
from fake_server import FakeServer, answering

FACTS = ["She was born in Warsaw.", "She was born in Paris.", "She won two Nobel Prizes."]
LABELS = [True, False, True]


def record(record_id, *, variant="full", facts=FACTS, labels=LABELS, **fields):
    return {
        "id": record_id,
        "input": "Who was she?",
        "output": f"She was born in Warsaw and won two Nobel Prizes. ({record_id})",
        "facts": [{"text": text, "label": label} for text, label in zip(facts, labels, strict=True)],
        "variant": variant,
        **fields,
    }


good = answering(
    lambda name, prop, request: (
        "False" if "Paris" in prop["description"] else "True" if "enum" in prop else "She was born in Warsaw"
    )
)


def recall(factreasoner, server, data, *flags, **options):
    model = ("--model", "openai/fake", "--api-base", server.url, "--form", "tool", "--out", "out")
    return factreasoner("recall", data, *model, "--max-attempts", 2, *flags, **options)


@pytest.mark.parametrize("mode", ["tf", "tfn_citation"])
def test_one_call_a_record(factreasoner, tmp_path, mode):
    data = write_records(tmp_path / "d.jsonl", record("r1"), record("r2"))
    with FakeServer(good) as server:
        recall(factreasoner, server, data, "--mode", mode)
        assert server.calls == 2
        recall(factreasoner, server, data, "--mode", mode)
        assert server.calls == 2
    line = results(tmp_path / "out")[0]
    assert (line["recall"], line["num_true"], line["num_false"]) == (pytest.approx(2 / 3), 2, 1)
    assert (line["error_rate"], line["f1_false"]) == (0, 1)
    assert [fact["value"] for fact in line["facts"]] == LABELS
    quote = "She was born in Warsaw" if "citation" in mode else None
    assert line["facts"][0]["quote"] == quote
    assert line["metadata"] == {"variant": "full"}
    assert summary_of(tmp_path / "out")["metrics"]["recall"]["value"] == pytest.approx(2 / 3)


def test_explain_lists_the_facts_missed(factreasoner, tmp_path):
    data = write_records(tmp_path / "d.jsonl", record("r1"), record("r2", facts=FACTS[:1], labels=[True]))
    with FakeServer(good) as server:
        done = recall(factreasoner, server, data, "--explain")
    assert FACTS[1] in done.stdout
    assert FACTS[0] not in done.stdout
    assert "r2" not in done.stdout.replace("out/results.jsonl", "")
    assert done.stdout.startswith("P ")
    assert done.stdout.split("r1: facts, held against the answer")[1].count("contradicted by answer") == 1
    shown = factreasoner("show", "out").stdout
    assert ("unanswered" in shown, "stated" in shown, "supported" in shown) == (False, True, False)
    assert FACTS[1] not in factreasoner("show", "out", "--label", "stated").stdout
    assert FACTS[0] not in factreasoner("show", "out", "--label", "not_stated").stdout


def test_records_that_bring_nothing_to_recall_are_refused_before_any_call(factreasoner, tmp_path):
    data = write_records(tmp_path / "d.jsonl", record("r1"), {"id": "r2", "output": "x"})
    with FakeServer(good) as server:
        done = recall(factreasoner, server, data, code=1)
        assert server.calls == 0
    assert "facts: none given" in done.stderr
    assert ":2" in done.stderr
