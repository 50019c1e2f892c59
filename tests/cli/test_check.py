"""`check`: rules kept and broken, on intervals, in JUnit, and runs that can't be checked."""

import json
from xml.etree import ElementTree

import pytest
from assessments import assessment
from command import summary_of
from run_folders import run_folder

from factreasoner import rag
from factreasoner.models import Coherence, Failure, Usage
from factreasoner.pipeline.config import Config


def test_second_rule_needs_its_own_flag(factreasoner, run):
    done = factreasoner("check", run, "--min", "precision=0.2", "accuracy=0.1", code=2)
    assert "(accuracy=0.1); repeat --min before each" in " ".join(done.stderr.split())
    assert "write --" not in factreasoner("check", run, "more", code=2).stderr


@pytest.fixture
def run(tmp_path):
    failure = Failure(stage="judge", item_id="c0->a0", error_type="X", message="no")
    made = [
        assessment([0.9, 0.8, 0.3, 0.6], gold="SSNN", record_id="r0"),
        assessment([0.7, 0.4], gold="SN", record_id="r1", status="partial", failures=(failure,)),
        assessment([0.9, 0.1], gold="SN", record_id="r2", usage={"evaluator": Usage(calls=3, cost=None)}),
    ]
    return run_folder(tmp_path / "run", *made)


@pytest.mark.parametrize(
    ("rules", "code", "line"),
    [
        (("--min", "precision=0.5"), 0, "pass  precision >= 0.5: 0.5833"),
        (("--min", "precision=0.6"), 4, "FAIL  precision >= 0.6: 0.5833 ["),
        (("--max", "failures=1"), 0, "pass  failures <= 1: 1"),
        (("--max", "failures=0"), 4, "FAIL  failures <= 0: 1"),
        (("--min", "Macro-F1=0.8"), 0, "pass  macro_f1 >= 0.8: 0.87"),
        (("--max", "factuality_score=1"), 0, "pass  factuality_score <= 1"),
        (("--max", "cost=5"), 4, "FAIL  cost <= 5: unknown, because the price of a call is unknown"),
        (("--max", "calls=3"), 0, "pass  calls <= 3: 3"),
        (("--min", "three_way_accuracy=0.1"), 4, "no value: no judged atom is labelled C or U"),
        (("--min", "precision=0.19", "--on-interval"), 0, "pass  precision >= 0.19: 0.5833 [0.19"),
        (("--min", "precision=0.5", "--on-interval"), 4, "]; the lower end decides"),
        (("--max", "precision=0.75", "--on-interval"), 4, "]; the upper end decides"),
        (("--max", "failures=1", "--on-interval"), 0, "pass  failures"),
    ],
)
def test_rules(factreasoner, run, rules, code, line):
    done = factreasoner("check", run, *rules, code=code)
    assert line in done.stdout
    assert "--on-interval" in rules or "decides" not in done.stdout
    assert len(done.stdout.splitlines()) == 1


def test_one_broken_rule_fails_the_check(factreasoner, run, tmp_path):
    rules = ("--min", "precision=0.5", "--max", "brier=0.01", "--max", "failures=9")
    done = factreasoner("check", run, *rules, "--junit", "ci/j.xml", code=4)
    assert [line[:4] for line in done.stdout.splitlines()] == ["pass", "FAIL", "pass"]
    suite = ElementTree.parse(tmp_path / "ci" / "j.xml").getroot()
    assert (suite.get("tests"), suite.get("failures")) == ("3", "1")
    broken = [case.get("name") for case in suite if case.find("failure") is not None]
    assert broken == ["brier <= 0.01"]


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        (("--max", "failure=0"), "did you mean 'failures'?"),
        (("--max", "no_atoms=0"), "did you mean 'records_without_atoms'?"),
        (("--min", "faithfulness=0.8"), "a metric of `rag`, but this is a `run` folder"),
        (("--min", "precision"), "write NAME=NUMBER, as precision=0.8"),
        (("--min", "precision=high"), "write NAME=NUMBER"),
        (("--min", "precision=nan"), "write NAME=NUMBER"),
        (("--max", "brier=-1"), "brier is a number from 0 to 1"),
        ((), "no rule: add --min NAME=NUMBER or --max NAME=NUMBER, such as --min precision=0.8"),
    ],
)
def test_invalid_rules_are_refused(factreasoner, run, rules, words):
    assert words in factreasoner("check", run, *rules, code=2).stderr


def test_no_labels_and_one_record(factreasoner, tmp_path):
    run_folder(tmp_path / "run", assessment([0.9, 0.2]))
    done = factreasoner(
        "check", "run", "--min", "accuracy=0", "--min", "precision=0.1", "--on-interval", code=4
    )
    first, second = done.stdout.splitlines()
    assert "no value: no judged atom is labelled" in first
    assert "0.5000, with no interval: one record has what it is computed from" in second


def test_failed_records_are_reported(factreasoner, tmp_path):
    failed = assessment([], record_id="lost").model_copy(update={"status": "failed"})
    run_folder(tmp_path / "run", assessment([0.9, 0.2], record_id="kept"), failed)
    done = factreasoner("check", "run", "--min", "precision=0.5")
    assert done.stdout == "pass  precision >= 0.5: 0.5000 (1 of 2 records)\n"
    assert "these scores exclude 1 failed record; --max records_failed=0 makes" in done.stderr
    ruled = factreasoner("check", "run", "--min", "precision=0.5", "--max", "records_failed=0", code=4)
    assert "these scores exclude" not in ruled.stderr


def test_score_names_its_number_of_records(factreasoner, tmp_path):
    empty = [assessment([], record_id=name).model_copy(update={"status": "no_atoms"}) for name in "ab"]
    run_folder(tmp_path / "run", assessment([0.9, 0.2], record_id="kept"), *empty)
    done = factreasoner("check", "run", "--min", "precision=0.5", "--max", "records_without_atoms=1", code=4)
    assert done.stdout == (
        "pass  precision >= 0.5: 0.5000 (1 of 3 records)\nFAIL  records_without_atoms <= 1: 2\n"
    )
    assert "records_without_atoms, failures, " in factreasoner("metrics", "rag").stdout


def test_failed_verdicts_that_could_break_rules_do(factreasoner, tmp_path):
    failure = Failure(stage="judge", item_id="c0->a1", error_type="X", message="no")
    found = assessment([0.9, 0.8], record_id="part", status="partial", failures=(failure,))
    outcome = found.outcome.model_copy(update={"partly_judged": ("a1",)})
    whole = assessment([0.9, 0.7], record_id="whole")
    run_folder(tmp_path / "run", found.model_copy(update={"outcome": outcome}), whole)
    done = factreasoner("check", "run", "--min", "precision=0.8", code=4)
    assert "; 1 failure could take it to 0.7500" in done.stdout
    assert "1 failure in 1 record, scored on the rest; --max failures=0 makes" in done.stderr
    assert factreasoner("check", "run", "--min", "precision=0.7", "--max", "failures=1").stderr == ""
    factreasoner("check", "run", "--min", "avg_prob=0.5", code=4)
    unlimited = factreasoner("check", "run", "--max", "norm_entropy=100", code=4)
    assert "; 1 failure could take it to any number" in unlimited.stdout
    for rule, code in (("atoms_contradicted=0", 4), ("atoms_contradicted=1", 0), ("atoms_unjudged=0", 0)):
        factreasoner("check", "run", "--max", rule, code=code)
    factreasoner("check", "run", "--min", "atoms_supported=4", code=4)


def test_scores_lost_to_failed_verdicts_break_rules(factreasoner, tmp_path):
    text = "The museum opened in 1932."
    given = {"contexts": [text], "atoms": [text], "reference": text, "reference_atoms": [text]}
    whole = rag(text, **given, gold_contexts=["c0"], id="whole")
    failure = Failure(stage="judge", item_id="c0->a0", error_type="X", message="no")
    lost = {"status": "partial", "verdicts": (), "failures": (failure,)}
    run_folder(tmp_path / "run", whole, rag(text, **given, id="lost").model_copy(update=lost), task="rag")
    rules = (f"--min={name}=0.9" for name in ("faithfulness", "claim_f1", "retrieval_recall"))
    done = factreasoner("check", "run", *rules, code=4)
    assert done.stdout.splitlines() == [
        "FAIL  faithfulness >= 0.9: 1.0000 (1 of 2 records); 1 failure could take it to 0.5000",
        "FAIL  claim_f1 >= 0.9: 1.0000 (1 of 2 records); 1 failure could take it to 0.5000",
        "pass  retrieval_recall >= 0.9: 1.0000 (1 of 2 records)",
    ]


def test_a_run_that_was_cut_off_passes_nothing(factreasoner, run, tmp_path):
    summary = summary_of(run)
    summary["records"]["unassessed"] = 2
    (run / "summary.json").write_text(json.dumps(summary))
    done = factreasoner("check", run, "--min", "precision=0", code=1)
    assert "interrupted with 2 records not assessed" in done.stderr
    (run / "summary.json").write_text("{}")
    assert "summary.json can't be read" in factreasoner("check", run, "--min", "precision=0", code=1).stderr
    (run / "summary.json").unlink()
    factreasoner("check", run, "--min", "precision=0", code=1)


def test_unjudged_claim_pairs_break_maximum_rules(factreasoner, tmp_path):
    found = assessment([0.9, 0.2], coherence=Coherence(unjudged_pairs=2))
    run_folder(tmp_path / "run", found, config=Config(coherence=True))
    done = factreasoner("check", "run", "--max", "self_contradictions=0", code=4)
    assert "0, with 2 pairs of claims not judged" in done.stdout
