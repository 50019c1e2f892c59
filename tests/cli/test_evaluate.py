"""`evaluate`: scores against labels, by group, and run folders and gold files that lack something."""

import json

import pytest
from assessments import assessment
from command import summary_of, write_records
from run_folders import run_folder

from factreasoner.models import Failure


def made(number, p_true, gold, topic=None, **fields):
    return assessment(p_true, gold=gold, record_id=f"r{number}", topic=topic, **fields)


RUN = [
    made(0, [0.9, 0.8, 0.3, 0.6], "SSNN", "birds", metadata={"split": 1}),
    made(1, [0.2, 0.4], "SN", "birds", metadata={"split": 2}),
    made(2, [0.9, 0.1], "SN", "fish"),
]


def gold_file(tmp_path, *lines):
    keys = ("record", "atom", "label")
    return write_records(tmp_path / "gold.jsonl", *(dict(zip(keys, line, strict=True)) for line in lines))


def scores(done):
    content = json.loads(done.stdout, parse_constant=pytest.fail)
    return content, {name: found["value"] for name, found in content["scores"].items()}


def test_scores_by_hand(factreasoner, tmp_path):
    run_folder(tmp_path / "run", *RUN)
    content, found = scores(factreasoner("evaluate", "run", "--json"))
    assert found["precision"] == pytest.approx((0.75 + 0 + 0.5) / 3)
    assert found["gold_precision"] == 0.5
    assert found["mae_precision"] == pytest.approx(0.25)
    assert found["accuracy"] == pytest.approx(6 / 8)
    assert found["f1"] == pytest.approx(6 / 8)
    assert found["auroc"] == pytest.approx(13 / 16)
    assert found["three_way_accuracy"] is None
    counts = {"true_positive": 3, "true_negative": 3, "false_positive": 1, "false_negative": 1}
    assert content["confusion"] == counts
    assert content["k"] == 2
    low, high = content["scores"]["precision"]["interval_95"]
    assert low < found["precision"] < high
    assert content["notes"][-1].startswith("3 records: below 50, AUROC and ECE")


def test_evaluate_writes_records_and_keeps_the_run(factreasoner, tmp_path):
    run = run_folder(tmp_path / "run", *RUN)
    before = {path.name: path.read_bytes() for path in run.iterdir() if path.is_file()}
    factreasoner("evaluate", "run", "--k", 7)
    assert {path.name: path.read_bytes() for path in run.iterdir() if path.is_file()} == before
    lines = [json.loads(line) for line in (run / "evaluation" / "records.jsonl").read_text().splitlines()]
    assert [line["gold_factuality_score"] for line in lines] == [0.5, 0.5, 0.5]
    assert {line["k"] for line in lines} == {7}
    assert "marginals" not in lines[0]
    assert summary_of(run / "evaluation")["k"] == 7


@pytest.mark.parametrize(("by", "groups"), [("topic", ["birds", "fish"]), ("split", ["(none)", "1", "2"])])
def test_groups(factreasoner, tmp_path, by, groups):
    run_folder(tmp_path / "run", *RUN)
    content, _ = scores(factreasoner("evaluate", "run", "--by", by, "--json"))
    assert list(content["groups"]) == groups
    assert sum(group["num_records"] for group in content["groups"].values()) == 3
    table = factreasoner("evaluate", "run", "--by", by).stdout
    assert all(name in table for name in groups)
    pooled = "accuracy, F1, macro-F1, AUROC, Brier, ECE; the other scores are means over records."
    assert f"Over all labelled atoms together: {pooled}\n" in table
    assert f"{by} records labels precision " in " ".join(table.split())
    assert content["groups"][groups[-1]]["scores"]["accuracy"]["interval_95"] is None


def test_long_group_name_is_wrapped_and_escaped(factreasoner, tmp_path):
    topic = "\x1b[31mWhat may one take " + "and take again " * 9 + "finally"
    run_folder(tmp_path / "run", made(0, [0.9, 0.2], "SN", topic=topic))
    shown = factreasoner("evaluate", "run", "--by", "topic", env={"COLUMNS": "80"}).stdout
    assert "finally" in shown
    assert max(map(len, shown[shown.index("topic") :].splitlines())) <= 80
    assert "\x1b" not in shown


def test_a_key_no_record_has(factreasoner, tmp_path):
    run_folder(tmp_path / "run", *RUN)
    done = factreasoner("evaluate", "run", "--by", "topics", code=1)
    assert "no record has it; did you mean 'topic'?" in done.stderr
    assert not (tmp_path / "run" / "evaluation").exists()


def test_by_names_no_key_made_for_items(factreasoner, tmp_path):
    kept = {f"{kind}_fields": {"x": {"page": 1}} for kind in ("atom", "context", "fact", "reference_atom")}
    run_folder(tmp_path / "run", made(0, [0.9], "S", metadata={"variant": "a", **kept}))
    for by in ("id", *kept):
        done = factreasoner("evaluate", "run", "--by", by, code=1)
        assert done.stderr.strip().endswith("known: variant")


def test_a_gold_file_with_three_labels(factreasoner, tmp_path):
    run_folder(tmp_path / "run", made(0, [0.9, 0.2, 0.5, 0.8], "NNNN"), made(1, [0.7], "S"))
    gold = gold_file(tmp_path, ("r0", "a0", "S"), ("r0", "a1", "C"), ("r0", "a2", "U"), ("r0", "a3", "C"))
    content, found = scores(factreasoner("evaluate", "run", "--gold", gold, "--json"))
    assert content["labels"] == {"S": 1, "C": 2, "U": 1, "NS": 0, "left_out": 0}
    assert found["three_way_accuracy"] == 0.75
    assert found["accuracy"] == 0.75
    assert content["gold_file"]["used"] == 4
    assert "macro-F1 S/C/U" in factreasoner("evaluate", "run", "--gold", gold).stdout


def test_likely_unsupported_atoms_are_not_positive(factreasoner, tmp_path):
    shown = {"support": {"a0": "unverified", "a1": "unverified", "a2": "supported"}}
    run_folder(tmp_path / "run", made(0, [0.7, 0.8, 0.9], "UUS", outcome=shown))
    _, found = scores(factreasoner("evaluate", "run", "--json"))
    assert (found["three_way_accuracy"], found["three_way_macro_f1"]) == (1.0, 1.0)
    assert (found["accuracy"], found["labelled_precision"]) == (1.0, pytest.approx(1 / 3))
    assert found["precision"] == pytest.approx(1 / 3)


def test_gold_of_other_records(factreasoner, tmp_path):
    run_folder(tmp_path / "run", *RUN)
    gold = gold_file(tmp_path, ("x", "a0", "S"), ("r0", "a9", "S"))
    told = "none of its 2 labels is for an atom of this run: 1 of other records, 1 of other atoms"
    assert told in factreasoner("evaluate", "run", "--gold", gold, code=1).stderr
    gold = gold_file(tmp_path, ("x", "a0", "S"), ("r0", "a0", "S"))
    assert "1 of 2 labels are used" in factreasoner("evaluate", "run", "--gold", gold).stderr


def test_missing_inputs_of_scores_are_reported(factreasoner, tmp_path):
    failure = Failure(stage="judge", item_id="c0->a1", error_type="X", message="no")
    unjudged = made(0, [0.9, None], "SN", status="partial", failures=(failure,))
    run_folder(tmp_path / "run", unjudged, made(1, [], ""))
    done = factreasoner("evaluate", "run", "--json")
    content, found = scores(done)
    assert (found["accuracy"], found["auroc"]) == (1.0, None)
    assert content["labels"]["left_out"] == 1
    for words in (
        "no judged atom and no score in 1 of 2 records",
        "scores exclude 1 labelled atom not judged",
        "all labels are S: macro-F1 is the F1 of S alone",
        "AUROC: it needs labels of both kinds; there are 1 S and 0 others",
        "intervals need at least two records",
    ):
        assert words in done.stderr
    assert "nan" not in factreasoner("evaluate", "run").stdout.lower()


def test_unlabelled_atoms_and_missing_intervals_are_noted(factreasoner, tmp_path):
    run_folder(tmp_path / "run", made(0, [0.9, 0.4, 0.2], "SN-"), made(1, [0.7, 0.4], "S-"))
    done = factreasoner("evaluate", "run")
    told = " ".join(done.stderr.split())
    assert "2 of 5 judged atoms have no label: precision and F1@K count them" in told
    assert "AUROC 1.000 (no interval: one record alone has all claims of one label)" in " ".join(
        done.stdout.split()
    )


def test_run_without_judged_atoms_is_evaluated(factreasoner, tmp_path):
    run_folder(tmp_path / "run", made(0, [None, None], "SN", status="failed"))
    done = factreasoner("evaluate", "run", "--json")
    _, found = scores(done)
    assert {name: value for name, value in found.items() if value is not None} == {
        "precision_low": 0.0,  # what precision can be, whatever the unjudged atoms are
        "precision_high": 1.0,
    }
    assert "scores exclude 2 labelled atoms not judged" in done.stderr
    assert "too narrow" not in done.stderr
    factreasoner("evaluate", "run")


def test_no_labels(factreasoner, tmp_path):
    run_folder(tmp_path / "run", made(0, [0.9, 0.5], "--"))
    done = factreasoner("evaluate", "run", code=1)
    assert "no atom is labelled; give labels with --gold FILE, or --by KEY" in done.stderr


def test_groups_need_no_labels(factreasoner, tmp_path):
    run_folder(tmp_path / "run", made(0, [0.9, 0.5], "--", "birds"), made(1, [0.9], "-", "fish"))
    done = factreasoner("evaluate", "run", "--by", "topic", env={"COLUMNS": "80"})
    assert done.stdout.startswith("2 records with a score; labelled atoms: none\n")
    shown = [line.split() for line in done.stdout.splitlines()]
    assert shown[-6:-3] == [
        ["topic", "records", "precision"],
        ["birds", "1", "0.500"],
        ["fish", "1", "1.000"],
    ]
    told = "precision: share of a record's judged atoms that are supported.\nScores are means over records.\n"
    assert told in done.stdout
    assert "called false" not in done.stdout
    assert "macro-F1" not in done.stdout
    assert "no atom has a label: scores against labels are missing" in done.stderr


def test_labels_of_one_kind_are_noted(factreasoner, tmp_path):
    run_folder(tmp_path / "run", made(0, [0.9, 0.2], "SS"))
    done = factreasoner("evaluate", "run", "--json")
    assert scores(done)[1]["macro_f1"] == pytest.approx((2 / 3 + 0) / 2)
    assert "all labels are S: macro-F1 takes the F1 of NS as 0" in done.stderr
    assert "1 record: below 50, ECE is unreliable" in done.stderr
