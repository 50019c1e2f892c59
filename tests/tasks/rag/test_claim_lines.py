"""What a result line says of claims and contexts."""

from factreasoner.models import Atom, Context, Verdict
from factreasoner.tasks.rag.claim_lines import claim_lines, lines_of
from factreasoner.tasks.rag.result import RagResult


def result_of(**fields):
    verdicts = [
        ("c0", "a", "entailment"),
        ("c1", "a", "contradiction"),
        ("reference", "a", "contradiction"),
        ("answer", "r", "neutral"),
        ("c0", "r", "neutral"),
    ]
    given = {
        "claims": (Atom(id="a", text="A."),),
        "reference_claims": (Atom(id="r", text="R."),),
        "contexts": (Context(id="c0", text="x"), Context(id="c1", text="y")),
        "reference": "R.",
        "verdicts": tuple(
            Verdict(context_id=premise, target_id=claim, label=label, probability=0.9)
            for premise, claim, label in verdicts
        ),
    }
    return RagResult(record_id="q", status="ok", **{**given, **fields})


def test_claims_of_both_texts_with_what_bears_them_out_and_denies_them():
    found = claim_lines(result_of())
    (said,), (wanted,) = found["claims"], found["reference_claims"]
    assert (said["in_contexts"], said["borne_out_by"], said["contradicted_by"]) == (True, ["c0"], ["c1"])
    assert (said["in_reference"], said["contradicted_by_reference"]) == (False, True)
    assert (wanted["in_answer"], wanted["contradicted_by_answer"]) == (False, False)
    assert (wanted["in_contexts"], wanted["p_in_contexts"]) == (None, None)  # the verdict of c1 is missing


def test_what_was_not_there_to_be_held_against_is_left_out():
    found = claim_lines(result_of(contexts=None, reference=" ", reference_claims=None))
    assert found == {"claims": [{"id": "a", "text": "A."}], "reference_claims": []}
    (line,), _ = lines_of(result_of(contexts=None, reference=None))
    assert line[1:] == (None, None, None, None)
