"""`run` as a task: prompts, what is done again, other verdicts, and its atoms as rows."""

import pytest
from assessments import assessment
from table_judge import PASSAGES, TableJudge

from factreasoner import Config, assess
from factreasoner.models import Context, Failure, Record
from factreasoner.tasks.factuality import TASK


def test_a_record_that_could_not_be_worked_on():
    failure = Failure(stage="pipeline", item_id="r1", error_type="KeyError", message="x")
    found = TASK.failed(Record(id="r1", response="x"), Config(), failure)
    assert found.assessor == "factreasoner"
    assert TASK.with_verdicts(found, ()) is found


@pytest.mark.parametrize(
    ("status", "failures", "again"),
    [("ok", 0, False), ("failed", 0, True), ("partial", 1, True), ("partial", 0, False)],
)
def test_record_repeats_for_failures_not_posteriors(status, failures, again):
    failure = Failure(stage="judge", item_id="c0->a0", error_type="ProviderError", message="x")
    found = assessment([0.5]).model_copy(update={"status": status, "failures": (failure,) * failures})
    assert TASK.to_repeat(found) is again


def test_atom_row_shows_strongest_verdict_and_source():
    table = {
        ("old", "1930"): ("contradiction", 0.9),
        ("new", "1930"): ("contradiction", 0.7),
        ("old", "1932"): ("entailment", 0.8),
        ("new", "1932"): ("contradiction", 0.6),
    }
    atoms = [{"text": "It opened in 1930.", "label": "NS", "original": "in 1930"}, "In 1932.", "It is big."]
    found = assess("It opened in 1930.", contexts=PASSAGES, atoms=atoms, judge=TableJudge(table))
    wrong, right, silent = found.rows()
    assert (wrong.label, wrong.context, wrong.quote) == ("contradicted", "old", "It opened")
    assert (wrong.title, wrong.link) == ("History", "https://example.org/h")
    assert (wrong.gold, wrong.original) == ("NS", "in 1930")
    assert (wrong.num_entailing, wrong.num_contradicting) == (0, 2)
    assert (right.label, right.context) == ("supported", "old")
    assert (right.num_entailing, right.num_contradicting) == (1, 1)
    assert (silent.label, silent.quote, silent.context, silent.judged) == ("unverified", None, None, "fully")
    assert [row.p_true for row in (wrong, right, silent)] == [
        pytest.approx(found.p_true[atom.id], abs=1e-12) for atom in found.atoms
    ]


def test_unjudged_atom_has_no_label_or_probability():
    found = assessment([0.9, None], outcome={"partly_judged": ("a0",)})
    first, second = found.rows()
    assert (first.judged, first.label) == ("partly", "supported")
    assert (second.judged, second.label, second.p_true) == ("no", None, None)
    failed = assessment([0.9], outcome=None).model_copy(update={"outcome": None, "status": "failed"})
    assert [(row.judged, row.label) for row in failed.rows()] == [("no", None)]


def test_atom_without_usable_context_has_a_note():
    (row,) = assessment([0.5], contexts=()).rows()
    assert row.note == "no context"
    for fields, note in [
        ({"dropped": "irrelevant"}, "no context: all were dropped"),
        ({"atom_ids": ("a7",)}, "no context of its own"),
        ({}, ""),
    ]:
        (row,) = assessment([0.5], contexts=(Context(id="c0", text="x", **fields),)).rows()
        assert row.note == note


def test_given_atom_gets_span_of_unique_text():
    answer = "It opened in 1932. It is big. Yes. Yes."
    atoms = [
        {"text": "The mill opened in 1932.", "original": "It opened in 1932."},
        "Yes.",
        "It is small.",
        "It is big.",
    ]
    found = assess(answer, contexts=PASSAGES, atoms=atoms, judge=TableJudge({}))
    nowhere = (None, None)
    places = [(row.start, row.end) for row in found.rows()]
    assert places == [(0, 18), nowhere, nowhere, (19, 29)]
