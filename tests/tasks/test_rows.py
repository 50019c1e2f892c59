"""Results as rows: the label, the quote that decides it, and nothing made up where judging failed."""

import pytest
from assessments import assessment
from table_judge import rows_of

from factreasoner.models import Context, Verdict
from factreasoner.tasks.registry import TASKS, task_named
from factreasoner.tasks.rows import label_of
from factreasoner.tasks.task import Task


def verdict(**fields):
    return Verdict(context_id="c0", target_id="a0", label="neutral", probability=0.9, **fields)


def test_a_belief_is_told_as_one():
    context = Context(id="c0", text="x", title="Old maps")
    said = verdict(belief=0.31, nearness=0.5)
    (row,) = rows_of("run", assessment([0.31], contexts=(context,), outcome={"verdicts": (said,)}))
    assert (row.context, row.quote) == (None, None)
    assert row.note == "no passage says so; the judge's guess 0.31; nearest passage c0 (Old maps)"
    counted = said.model_copy(update={"confidence": "words"})
    (row,) = rows_of("run", assessment([0.31], contexts=(context,), outcome={"verdicts": (counted,)}))
    assert row.note == "no passage says so; by words in common 0.31; nearest passage c0 (Old maps)"


def test_a_supported_claim_says_what_speaks_against_it_and_what_decided_it():
    def said(context_id, label, probability, belief=None):
        fields = {"context_id": context_id, "target_id": "a0", "label": label, "belief": belief}
        return Verdict(**fields, probability=probability)

    contexts = (
        Context(id="c0", text="x", title="Old maps"),
        Context(id="c1", text="y"),
        Context(id="c2", text="z"),
    )

    def row_of(p_true, *verdicts):
        (row,) = rows_of("run", assessment([p_true], contexts=contexts, outcome={"verdicts": verdicts}))
        return row

    for_it, against = said("c2", "entailment", 0.9, belief=0.8), said("c1", "contradiction", 0.6)
    row = row_of(0.9, for_it, against, said("c0", "contradiction", 0.8))
    assert (row.cautions, row.decided_by) == (("disputed",), "verdict")
    assert row.note == "c0 (Old maps) and 1 more contradict it"
    quoted = against.model_copy(update={"quote": "It closed\nin 1930."})
    assert row_of(0.9, for_it, quoted).note == 'c1 contradicts it: "It closed in 1930."'
    assert (row_of(0.9, for_it).cautions, row_of(0.9, for_it).note) == ((), "")
    believed = row_of(0.7, said("c0", "neutral", 0.9, belief=0.7))
    assert (believed.cautions, believed.decided_by, believed.context) == ((), "belief", None)
    both = row_of(0.6, said("c0", "neutral", 0.9, belief=0.9), against)
    assert both.cautions == ()  # a passage contradicts it, and none supports it
    assert both.note.startswith("c1 contradicts it; no passage says so; the judge's guess 0.90")
    assert row_of(0.2, said("c0", "neutral", 0.9, belief=0.2)).cautions == ()
    assert row_of(0.7).decided_by is None


def test_every_correction_is_told_and_not_only_what_decides():
    def corrected(context_id, label):
        note = f"corrected by a reader to {label}"
        return Verdict(
            context_id=context_id,
            target_id="a0",
            label=label,
            probability=1.0,
            confidence="corrected",
            note=note,
        )

    contexts = (Context(id="c0", text="x", title="Old maps"), Context(id="c1", text="y"))
    both = (corrected("c0", "neutral"), corrected("c1", "entailment"))
    (row,) = rows_of("run", assessment([0.9], contexts=contexts, outcome={"verdicts": both}))
    told = "c0 (Old maps): corrected by a reader to neutral"
    assert (row.context, row.note) == ("c1", f"{told}; corrected by a reader to entailment")
    (row,) = rows_of("run", assessment([0.5], contexts=contexts, outcome={"verdicts": both[:1]}))
    assert (row.context, row.note) == (None, told)


@pytest.mark.parametrize(
    ("p", "labels", "label"),
    [
        (0.9, ["contradiction"], "unverified"),
        (0.9, ["entailment"], "supported"),
        (0.9, [], "unverified"),
        (0.5, ["entailment", "contradiction"], "conflicting"),
        (0.5, ["contradiction"], "unverified"),
        (0.1, ["neutral"], "unverified"),
        (0.1, ["neutral", "contradiction"], "contradicted"),
    ],
)
def test_silence_is_no_contradiction(p, labels, label):
    verdicts = [Verdict(context_id="c", target_id="x", label=name, probability=0.9) for name in labels]
    assert label_of(p, verdicts) == label


def test_every_task_has_rows_of_a_result_that_failed():
    for name in TASKS:
        task: Task = task_named(name)
        fields = {"assessor": "fr2"} if name == "run" else {}
        failed = task.result(record_id="r1", status="failed", **fields)
        assert list(task.rows(failed)) == []
        assert list(task.verdicts(failed)) == []


def test_contexts_are_named_by_title_or_link():
    context = Context(id="c0", text="x", link="https://example.org")
    said = verdict(note="nothing to compare")
    (row,) = rows_of("run", assessment([0.5], contexts=(context,), outcome={"verdicts": (said,)}))
    assert row.note == "c0 (https://example.org): nothing to compare"
