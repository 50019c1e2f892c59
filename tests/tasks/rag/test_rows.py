"""The claims of a rag result as rows, and what the reference says of them in words."""

import pytest
from table_judge import PASSAGES, TableJudge, rows_of

from factreasoner import rag
from factreasoner.models import Atom, Context, Verdict
from factreasoner.tasks.rag.result import RagResult
from factreasoner.tasks.rag.rows import rag_rows


def verdict(premise, claim, label, **fields):
    return Verdict(context_id=premise, target_id=claim, label=label, **{"probability": 0.9, **fields})


def rows(by_reference, by_contexts=None):
    """The row of the answer's claim against contexts, and that against the reference."""
    result = RagResult(
        record_id="q",
        status="ok",
        claims=(Atom(id="a", text="It opened in 1932."),),
        contexts=(Context(id="c", text="It is a museum."),),
        reference="It opened in 1932.",
        verdicts=(by_contexts or verdict("c", "a", "neutral"), by_reference),
    )
    return list(rag_rows(result))


@pytest.mark.parametrize(
    ("by_reference", "said", "own"),
    [
        (verdict("reference", "a", "entailment"), "the reference bears it out", ""),
        (
            verdict("reference", "a", "neutral", belief=0.8),
            "",
            "the reference does not say so; the judge's guess 0.80",
        ),
        (
            verdict("reference", "a", "neutral", belief=0.2),
            "",
            "the reference does not say so; the judge's guess 0.20",
        ),
        (verdict("reference", "a", "contradiction", quote="x"), 'the reference contradicts it: "x"', ""),
    ],
)
def test_the_reference_says_one_thing_in_both_rows(by_reference, said, own):
    against_contexts, against_reference = rows(by_reference)
    assert (against_contexts.against, against_contexts.note) == ("contexts", said)
    assert (against_reference.against, against_reference.note) == ("reference", own)


def test_where_contexts_say_the_same_the_reference_is_not_named():
    claim, _ = rows(verdict("reference", "a", "entailment"), verdict("c", "a", "entailment"))
    assert (claim.label, claim.note, claim.context) == ("supported", "", "c")
    denied, _ = rows(verdict("reference", "a", "contradiction"), verdict("c", "a", "contradiction"))
    assert (denied.label, denied.note) == ("contradicted", "")


def test_a_claim_without_a_verdict_is_not_judged():
    result = RagResult(
        record_id="q", status="partial", claims=(Atom(id="a", text="A."),), contexts=(), reference="R."
    )
    against_contexts, against_reference = rag_rows(result)
    assert (against_reference.label, against_reference.judged) == (None, "no")
    assert against_contexts.note == "no context"


def test_claims_of_both_texts_have_a_row_for_all_they_were_held_against():
    table = {("old", "1932"): ("entailment", 0.9), ("reference", "1932"): ("contradiction", 0.9)}
    table |= {("answer", "1931"): "lost", ("old", "1931"): ("contradiction", 0.8)}
    found = rag(
        "It opened in 1932.",
        contexts=PASSAGES,
        reference="It opened in 1931.",
        claims=[{"id": "x", "text": "It opened in 1932."}],
        reference_claims=[{"id": "y", "text": "It opened in 1931."}],
        judge=TableJudge(table),
    )
    said = {(row.claim, row.of, row.against): row for row in rows_of("rag", found.result)}
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
    found = rag("It opened in 1932.", contexts=PASSAGES, claims=claims, judge=TableJudge(table))
    (row,) = rows_of("rag", found.result)
    assert (row.label, row.judged) == ("supported", "partly")
