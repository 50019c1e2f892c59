"""`recall`; `evaluate`, `check` and `compare` of its runs; and the table of its modes."""

import csv
import json

import pytest
from command import manifest_of, model_flags, write_records
from fake_server import FakeServer, answering, missing, sequence
from run_folders import run_folder

from factreasoner.models import Atom, Failure, Usage, Verdict
from factreasoner.tasks.recall import RecallResult

FACTS = ["She was born in Warsaw.", "She was born in Paris.", "She won two Nobel Prizes."]


def verdict(name, prop, request):
    said = "False" if "Paris" in prop["description"] else "True"
    if name.endswith("citation"):
        return "She was born in Warsaw"
    return said if "enum" in prop else f"It is {said.lower()}."


good = answering(verdict)


def record(record_id, facts=FACTS):
    return {
        "id": record_id,
        "input": "Who was she?",
        "output": f"She was born in Warsaw and won two Nobel Prizes. ({record_id})",
        "facts": [{"text": text, "label": "Paris" not in text} for text in facts],
        "variant": "full",
    }


def recall(factreasoner, server, data, *flags, **options):
    return factreasoner("recall", data, *model_flags(server), "--max-attempts", 2, *flags, **options)


def test_record_without_facts_is_reported(factreasoner, tmp_path):
    data = write_records(tmp_path / "d.jsonl", record("r1", facts=[]))
    done = factreasoner("recall", data, "--out", "out", code=3)
    assert "No claims in 1 record: no fact is given, or found in the reference (r1)." in done.stderr
    assert "no fact is given" in factreasoner("show", "out").stdout


def test_explain_lists_the_facts_missed(factreasoner, tmp_path):
    data = write_records(tmp_path / "d.jsonl", record("r1"), record("r2", FACTS[:1]))
    with FakeServer(good) as server:
        done = recall(factreasoner, server, data, "--explain")
    assert FACTS[1] in done.stdout
    assert FACTS[0] not in done.stdout
    assert "r2" not in done.stdout.replace("out/results.jsonl", "")
    assert done.stdout.startswith("P ")
    assert done.stdout.split("r1: facts, checked against the answer")[1].count("contradicted by answer") == 1
    shown = factreasoner("show", "out").stdout.replace("supported by answer", "")
    assert ("unanswered" in shown, "stated" in shown, "supported" in shown) == (False, True, False)
    assert FACTS[1] not in factreasoner("show", "out", "--label", "stated").stdout
    assert FACTS[0] not in factreasoner("show", "out", "--label", "not_stated").stdout


def test_records_without_facts_are_refused_first(factreasoner, tmp_path):
    data = write_records(tmp_path / "d.jsonl", record("r1"), {"id": "r2", "output": "x"})
    with FakeServer(good) as server:
        done = recall(factreasoner, server, data, code=1)
        assert server.calls == 0
    assert "facts: none given" in done.stderr
    assert ":2" in done.stderr


def result(record_id, said, gold, *, variant="full", **fields):
    """`said`: T, F or - a fact; `gold`: T or F each."""
    facts = [Atom(id=f"f{i}", text=f"Fact {i}.", gold="S" if g == "T" else "NS") for i, g in enumerate(gold)]
    label = {"T": "entailment", "F": "contradiction"}
    verdicts = [
        Verdict(context_id="answer", target_id=f"f{i}", label=label[s], probability=0.9)
        for i, s in enumerate(said)
        if s != "-"
    ]
    lost = [
        Failure(stage="judge", item_id=f"answer->f{i}", error_type="X", message="no answer")
        for i, s in enumerate(said)
        if s == "-"
    ]
    usage = {"evaluator": Usage(calls=1, prompt_tokens=100, completion_tokens=20, cost=0.01)}
    status = "failed" if not verdicts else "partial" if lost else "ok"
    judged = {"facts": facts, "verdicts": verdicts, "failures": lost, "usage": usage}
    made = judged | {"response": "An answer.", "metadata": {"variant": variant}} | fields
    return RecallResult(record_id=record_id, status=status, **made)


@pytest.fixture
def one(tmp_path):
    return run_folder(
        tmp_path / "one",
        result("r0", "TTF", "TFF"),
        result("r1", "TFF", "TFF"),
        result("r2", "T-F", "TTT", variant="poor"),
        result("r3", "---", "TFF", variant="poor"),
        task="recall",
    )


def test_scores_by_variant_count_what_stayed_unanswered(factreasoner, one):
    done = factreasoner("evaluate", one, "--by", "variant", "--json")
    content = json.loads(done.stdout)
    assert (content["task"], content["num_records"], content["labels"]) == ("recall", 4, {"labelled": 12})
    scores = content["scores"]
    assert scores["error_rate"]["value"] == pytest.approx(2 / 8)
    # People call six facts False, of which three are found; four are said to be False.
    assert scores["f1_false"]["value"] == pytest.approx(2 * 3 / (4 + 6))
    poor = content["groups"]["poor"]["scores"]
    assert poor["num_unanswered"]["value"] == 2
    assert poor["recall"]["value"] == 0.5
    assert content["groups"]["full"]["scores"]["num_unanswered"]["value"] == 0
    assert "confusion" not in factreasoner("evaluate", one).stdout


def test_labels_of_atoms_are_refused_for_facts(factreasoner, one, tmp_path):
    gold = write_records(tmp_path / "gold.jsonl", {"record": "r0", "atom": "f0", "label": "S"})
    assert "a run of `recall`" in factreasoner("evaluate", one, "--gold", gold, code=1).stderr


@pytest.mark.parametrize(
    ("rule", "code", "words"),
    [
        (("--min", "recall=0.4"), 0, "pass  recall >= 0.4: 0.5"),
        (("--min", "recall=0.45"), 4, "1 failure could take it to 0.4444"),
        (("--min", "recall=0.8"), 4, "FAIL  recall >= 0.8: 0.5"),
        (("--max", "error-rate=0.3"), 0, "pass  error_rate"),
        (("--max", "failures=0"), 4, "FAIL  failures <= 0: 4"),
        (("--max", "records_failed=0"), 4, "FAIL  records_failed <= 0: 1"),
        (("--min", "precision=0.8"), 2, "a metric of `run`, but this is a `recall` folder"),
        (("--min", "atoms=1"), 2, "unknown metric 'atoms'"),
    ],
)
def test_rules_use_the_metrics_of_their_task(factreasoner, one, rule, code, words):
    done = factreasoner("check", one, *rule, code=code)
    assert words in done.stdout + done.stderr


def test_two_runs_are_compared_record_by_record(factreasoner, one, tmp_path):
    made = (result(f"r{i}", "TFF", "TFF", response="Another answer.") for i in range(4))
    other = run_folder(tmp_path / "other", *made, task="recall")
    assert "one lacks 1 of 4 (1 failed: 'r3')" in factreasoner("compare", one, other, code=1).stderr
    done = factreasoner("compare", one, other, "--intersect", "--json")
    content = json.loads(done.stdout)
    assert (content["task"], content["num_records"], content["k"]) == ("recall", 3, None)
    assert content["runs"]["other"]["scores"]["num_unanswered"]["value"] == 0
    assert content["runs"]["one"]["scores"]["num_unanswered"]["value"] == pytest.approx(1 / 3)
    unanswered = [d for d in content["differences"] if d["score"] == "num_unanswered"]
    assert unanswered[0]["value"] == pytest.approx(-1 / 3)
    assert "one: the comparison excludes 1 of 4 records (1 failed)" in done.stderr
    assert "its answer differs from that of one in 3 records" in done.stderr


def test_runs_of_two_tasks_are_not_compared(factreasoner, one, tmp_path):
    data = write_records(tmp_path / "d.jsonl", {"id": "r0", "output": "It is.", "contexts": ["It is."]})
    factreasoner("run", data, "--out", "run")
    done = factreasoner("compare", one, tmp_path / "run", code=1)
    assert "a run of `run`, not of `recall`; name another folder" in done.stderr
    told = factreasoner("verify", one, code=1).stderr
    assert "one: the folder of a run of `recall`; give the records it was made from" in " ".join(told.split())


# Modes


def data_file(tmp_path):
    made = (record(f"r{i}") | {"variant": ("full", "poor")[i % 2]} for i in range(4))
    return write_records(tmp_path / "d.jsonl", *made)


def modes(factreasoner, server, data, names, *flags, **options):
    model = (*model_flags(server), "--no-cache", *flags)
    return factreasoner("compare", data, "--modes", names, *model, **options)


def test_modes_without_model_are_refused(factreasoner, tmp_path):
    data = data_file(tmp_path)
    done = factreasoner("compare", data, "--modes", "tf,tfn", "--out", "out")
    assert "add --model" in done.stderr


def test_the_table_of_modes(factreasoner, tmp_path):
    data = data_file(tmp_path)
    with FakeServer(good) as server:
        done = modes(factreasoner, server, data, "prompt-tf,tf,tfn_citation")
        assert server.calls == 12 + 4 + 4
        again = modes(factreasoner, server, data, "prompt-tf,tf,tfn_citation")
        assert server.calls == 20
    assert again.stdout == done.stdout
    tables = [table.split("\n") for table in done.stdout.split("\n\n")]
    assert [table[0] for table in tables[:4]] == ["full", "poor", "all", "judging"]
    assert tables[0][1].split() == ["mode", "N/A", "%", "error", "rate", "F1", "False"]
    for table in tables[:3]:
        assert [line.split() for line in table[2:]] == [
            [mode, "0.0", "0.000", "1.000"] for mode in ("prompt-tf", "tf", "tfn_citation")
        ]
    assert [line.split()[:2] for line in tables[3][2:]] == [
        ["prompt-tf", "12"],
        ["tf", "4"],
        ["tfn_citation", "4"],
    ]
    rows = list(csv.reader((tmp_path / "out" / "modes.csv").read_text().splitlines()))
    assert rows[0] == ["", "full", "", "", "poor", "", "", "all", "", "", "", "", ""]
    assert rows[1] == ["mode", *["N/A %", "error rate", "F1 False"] * 3, "calls", "tokens", "cost"]
    assert [row[0] for row in rows[2:]] == ["prompt-tf", "tf", "tfn_citation"]
    assert rows[2][1:10] == ["0.0", "0.000", "1.000"] * 3
    assert [row[10] for row in rows[2:]] == ["12", "4", "4"]
    assert rows[2][12] == "unknown"
    content = json.loads((tmp_path / "out" / "modes.json").read_text())
    assert content["modes"]["tf"]["groups"]["poor"]["num_facts"] == 6
    assert manifest_of(tmp_path / "out" / "tf")["task"] == "recall"
    assert (tmp_path / "out" / "modes.md").read_text().startswith("|  | full |")


def test_unanswered_facts_are_shown_per_mode(factreasoner, tmp_path):
    data = data_file(tmp_path)
    with FakeServer(sequence(*[good] * 4, missing("fact_1", policy=good))) as server:
        modes(factreasoner, server, data, "tf,tfn", "--max-attempts", 1, "--concurrency", 1, code=3)
    content = json.loads((tmp_path / "out" / "modes.json").read_text())["modes"]
    assert content["tf"]["all"]["num_unanswered"] == 0
    assert (content["tfn"]["all"]["num_unanswered"], content["tfn"]["all"]["na"]) == (4, pytest.approx(1 / 3))
    assert content["tfn"]["all"]["error_rate"]["value"] == 0
    assert content["tfn"]["all"]["f1_false"]["value"] == 0


def test_every_mode_uses_the_first_facts(factreasoner, tmp_path):
    data = write_records(tmp_path / "d.jsonl", {"id": "r", "output": "x", "reference": "She was. It was."})
    made = {"statements": ["She was.", "It was."]}
    with FakeServer(lambda r: made if r.function == "report_statements" else good(r)) as server:
        modes(factreasoner, server, data, "tf,tfn")
        assert server.calls == 3
    content = json.loads((tmp_path / "out" / "modes.json").read_text())["modes"]
    assert [mode["usage"]["calls"] for mode in content.values()] == [1, 1]
    assert content["tf"]["groups"] == {}
    assert content["tf"]["all"]["f1_false"]["reason"] == "no fact is labelled"


@pytest.mark.parametrize(
    ("flags", "words", "code"),
    [
        (("--modes", "tf"), "name at least two", 2),
        (("--modes", "tf,tf"), "occurs twice", 2),
        (("--modes", "tf,tnf"), "did you mean 'tf", 2),
        (("--modes", "tf,tfn", "--mode", "tf"), "--mode: has no effect", 1),
        (("--modes", "tf,tfn", "--assessors", "fr1,fr2"), "--assessors", 1),
        (("--modes", "tf,prompt-tf"), "--model", 1),
    ],
)
def test_unfit_flags_are_reported_before_running(factreasoner, tmp_path, flags, words, code):
    assert words in factreasoner("compare", data_file(tmp_path), *flags, "--out", "out", code=code).stderr
    assert not (tmp_path / "out").exists()
