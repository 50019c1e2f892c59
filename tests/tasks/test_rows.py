"""Results as rows: the label, the quote that decides it, and nothing made up where judging failed."""

import pytest
from assessments import assessment

from factreasoner import assess, rag, recall, verify
from factreasoner.models import Context, Failure, Verdict
from factreasoner.protocols import Judged
from factreasoner.tasks.registry import TASKS, task_named
from factreasoner.tasks.rows import label_of
from factreasoner.tasks.task import Task

PASSAGES = [
    {"id": "old", "text": "It opened in 1932.", "title": "History", "link": "https://example.org/h"},
    {"id": "new", "text": "It closed in 1999."},
]


class Table:
    """A judge by a table: (premise, word in the claim) -> label, p; "lost" is a failure, else neutral."""

    def __init__(self, table):
        self.table = table

    def judge(self, premise, claims):
        verdicts, failures = [], []
        for claim in claims:
            found = next(
                (
                    said
                    for (where, word), said in self.table.items()
                    if where == premise.id and word in claim.text
                ),
                ("neutral", 0.9),
            )
            if found == "lost":
                item = f"{premise.id}->{claim.id}"
                failures.append(Failure(stage="judge", item_id=item, error_type="LLMError", message="lost"))
                continue
            label, probability = found
            quote = f"{premise.text[:9]}" if label != "neutral" else None
            verdicts.append(
                Verdict(
                    context_id=premise.id,
                    target_id=claim.id,
                    label=label,
                    probability=probability,
                    quote=quote,
                )
            )
        return Judged(tuple(verdicts), tuple(failures))


def rows(task, result):
    return list(task_named(task).rows(result))


def test_an_atom_shows_the_strongest_verdict_of_its_label_with_its_source():
    table = {
        ("old", "1930"): ("contradiction", 0.9),
        ("new", "1930"): ("contradiction", 0.7),
        ("old", "1932"): ("entailment", 0.8),
        ("new", "1932"): ("contradiction", 0.6),
    }
    atoms = [{"text": "It opened in 1930.", "label": "NS", "original": "in 1930"}, "In 1932.", "It is big."]
    found = assess("It opened in 1930.", contexts=PASSAGES, atoms=atoms, judge=Table(table))
    wrong, right, silent = rows("run", found)
    assert (wrong.label, wrong.context, wrong.quote) == ("contradicted", "old", "It opened")
    assert (wrong.title, wrong.link, wrong.gold, wrong.original) == (
        "History",
        "https://example.org/h",
        "NS",
        "in 1930",
    )
    assert (wrong.num_entailing, wrong.num_contradicting) == (0, 2)
    assert (right.label, right.context, right.num_entailing, right.num_contradicting) == (
        "supported",
        "old",
        1,
        1,
    )
    assert (silent.label, silent.quote, silent.context, silent.judged) == ("unverified", None, None, "fully")
    assert [row.p_true for row in (wrong, right, silent)] == [
        pytest.approx(found.p_true[atom.id], abs=1e-12) for atom in found.atoms
    ]


def test_what_was_not_judged_has_no_label_and_no_probability():
    found = assessment([0.9, None], outcome={"partly_judged": ("a0",)})
    first, second = rows("run", found)
    assert (first.judged, first.label) == ("partly", "supported")
    assert (second.judged, second.label, second.p_true) == ("no", None, None)


def test_a_record_that_failed_before_it_was_judged_has_rows_for_its_atoms():
    failed = assessment([0.9], outcome=None).model_copy(update={"outcome": None, "status": "failed"})
    assert [(row.judged, row.label) for row in rows("run", failed)] == [("no", None)]


def test_an_atom_that_nothing_could_be_held_against_says_so():
    dropped = Context(id="c0", text="x", dropped="irrelevant")
    of_another = Context(id="c0", text="x", atom_ids=("a7",))
    for contexts, note in [
        ((), "no context"),
        ((dropped,), "no context: all were dropped"),
        ((of_another,), "no context of its own"),
        ((Context(id="c0", text="x"),), ""),
    ]:
        (row,) = rows("run", assessment([0.5], contexts=contexts))
        assert row.note == note
    claims = rows("rag", rag("It opened in 1930.", contexts=[], reference="Entry is free.").result)
    assert {(row.against, row.note) for row in claims if row.against == "contexts"} == {
        ("contexts", "no context")
    }


def verdict(**fields):
    return Verdict(context_id="c0", target_id="a0", label="neutral", probability=0.9, **fields)


def test_a_belief_is_told_as_one():
    context = Context(id="c0", text="x", title="Old maps")
    said = verdict(belief=0.31, nearness=0.5)
    (row,) = rows("run", assessment([0.31], contexts=(context,), outcome={"verdicts": (said,)}))
    assert (row.context, row.quote) == (None, None)
    assert row.note == "no passage decides it; nearest passage c0 (Old maps): 0.31"


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
        (row,) = rows("run", assessment([p_true], contexts=contexts, outcome={"verdicts": verdicts}))
        return row

    for_it, against = said("c2", "entailment", 0.9, belief=0.8), said("c1", "contradiction", 0.6)
    row = row_of(0.9, for_it, against, said("c0", "contradiction", 0.8))
    assert (row.cautions, row.decided_by) == (("contested",), "verdict")
    assert row.note == "c0 (Old maps) and 1 more contradict it"
    assert (row_of(0.9, for_it).cautions, row_of(0.9, for_it).note) == ((), "")
    believed = row_of(0.7, said("c0", "neutral", 0.9, belief=0.7))
    assert (believed.cautions, believed.decided_by, believed.context) == (("believed",), "belief", None)
    both = row_of(0.6, said("c0", "neutral", 0.9, belief=0.9), against)
    assert both.cautions == ("contested", "believed")
    assert both.note == "c1 contradicts it; no passage bears it out; nearest passage c0 (Old maps): 0.90"
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
    (row,) = rows("run", assessment([0.9], contexts=contexts, outcome={"verdicts": both}))
    told = "c0 (Old maps): corrected by a reader to neutral"
    assert (row.context, row.note) == ("c1", f"{told}; corrected by a reader to entailment")
    (row,) = rows("run", assessment([0.5], contexts=contexts, outcome={"verdicts": both[:1]}))
    assert (row.context, row.note) == (None, told)


def test_a_given_atom_has_its_place_where_it_stands_in_the_answer_once():
    answer = "It opened in 1932. It is big. Yes. Yes."
    atoms = [
        {"text": "The mill opened in 1932.", "original": "It opened in 1932."},
        "Yes.",
        "It is small.",
        "It is big.",
    ]
    found = assess(answer, contexts=PASSAGES, atoms=atoms, judge=Table({}))
    assert [(row.start, row.end) for row in rows("run", found)] == [
        (0, 18),
        (None, None),
        (None, None),
        (19, 29),
    ]


def test_facts_that_stayed_unanswered_are_not_false():
    table = {("answer", "1932"): ("entailment", 0.9), ("answer", "1999"): "lost"}
    table[("answer", "tall")] = ("contradiction", 0.9)
    facts = ["Opened in 1932.", "Closed in 1999.", "It is tall.", "It is big."]
    found = recall("It opened in 1932.", facts=facts, judge=Table(table))
    assert [(row.of, row.against) for row in rows("recall", found)] == [("facts", "answer")] * 4
    assert [row.label for row in rows("recall", found)] == ["supported", None, "contradicted", "unverified"]
    assert [row.judged for row in rows("recall", found)] == ["fully", "no", "fully", "fully"]


def test_claims_of_both_texts_have_a_row_for_all_they_were_held_against():
    table = {("old", "1932"): ("entailment", 0.9), ("reference", "1932"): ("contradiction", 0.9)}
    table |= {("answer", "1931"): "lost", ("old", "1931"): ("contradiction", 0.8)}
    found = rag(
        "It opened in 1932.",
        contexts=PASSAGES,
        reference="It opened in 1931.",
        claims=[{"id": "x", "text": "It opened in 1932."}],
        reference_claims=[{"id": "y", "text": "It opened in 1931."}],
        judge=Table(table),
    )
    said = {(row.claim, row.of, row.against): row for row in rows("rag", found.result)}
    assert {key: row.label for key, row in said.items()} == {
        ("x", "answer", "contexts"): "supported",
        ("x", "answer", "reference"): "contradicted",
        ("y", "reference", "answer"): None,
        ("y", "reference", "contexts"): "contradicted",
    }
    assert said["x", "answer", "contexts"].title == "History"
    assert said["y", "reference", "answer"].judged == "no"


def test_a_claim_whose_contexts_were_judged_in_part_says_so():
    table = {("old", "1932"): ("entailment", 0.9), ("new", "1932"): "lost"}
    claims = [{"id": "x", "text": "It opened in 1932."}]
    found = rag("It opened in 1932.", contexts=PASSAGES, claims=claims, judge=Table(table))
    (row,) = rows("rag", found.result)
    assert (row.label, row.judged) == ("supported", "partly")


def test_cited_claims_keep_their_labels_quotes_and_fates():
    table = {("old", "1930"): ("contradiction", 0.9), ("new", "1999"): ("entailment", 0.9)}
    text = "It opened in 1930 [1]. It closed in 1999 [2]. It is loved [7]. It is big."
    found = verify(text, sources=PASSAGES, judge=Table(table), spacy_model="none")
    wrong, right, unknown, uncited = rows("verify", found)
    assert (wrong.label, wrong.context, wrong.title, wrong.fate) == (
        "contradicted",
        "old",
        "History",
        "removed",
    )
    assert text[wrong.start : wrong.end] in "It opened in 1930 [1]."
    assert (right.label, right.quote, right.fate, right.against) == (
        "supported",
        "It closed",
        "kept",
        "cited",
    )
    assert (unknown.label, uncited.label, uncited.against) == ("unknown_source", "uncited", "contexts")
    assert uncited.p_true is None


@pytest.mark.parametrize(
    ("p", "labels", "label"),
    [
        (0.9, ["contradiction"], "supported"),
        (0.5, ["entailment", "contradiction"], "undecided"),
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
    (row,) = rows("run", assessment([0.5], contexts=(context,), outcome={"verdicts": (said,)}))
    assert row.note == "c0 (https://example.org): nothing to compare"
