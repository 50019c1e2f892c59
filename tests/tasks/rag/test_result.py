"""What verdicts say of a claim, with some missing, and the claims as rows."""

import pytest
from table_judge import PASSAGES, TableJudge

from factreasoner import Config, rag
from factreasoner.models import Atom, Context, Verdict
from factreasoner.tasks.rag.losses import lost_claims
from factreasoner.tasks.rag.result import NEVER, UNDECIDED, ContextEvidence, Event, lines_of
from factreasoner.tasks.rag.table import RagResult
from factreasoner.tasks.rag.task import TASK

CLAIM = (Atom(id="a", text="A."),)


def verdict(premise, label, **fields):
    return Verdict(context_id=premise, target_id="a", label=label, **{"probability": 0.9, **fields})


def result(*verdicts, together=False, **fields):
    """A record whose answer makes one claim, which is held against two contexts."""
    contexts = tuple(Context(id=f"c{n}", text="x") for n in range(2))
    asked = {"contexts": ("c0", "c1")} if together else {}
    given = {"contexts": contexts, "together": asked, "verdicts": verdicts, "claims": CLAIM}
    return RagResult(record_id="q", status="ok", **{**given, **fields})


def line(*verdicts, **fields):
    said, wanted = lines_of(result(*verdicts, **fields))
    return (*said, *wanted)[0]


def holds(events):
    return [event.holds for event in events]


def test_second_look_counts_where_single_contexts_fail():
    silent = (verdict("c0", "neutral"), verdict("c1", "neutral"))
    both = verdict("contexts", "entailment", rests_on=("c1",))
    found = line(*silent, both, together=True).contexts
    assert (found.any.holds, found.needs_several, found.rests_on) == (True, True, (1,))
    assert found.within((NEVER, found.together)).holds is True
    assert found.within((found.together, NEVER)).holds is False
    wanted = line(*silent, both, together=True, claims=(), reference_claims=CLAIM)
    assert wanted.contexts.any.holds is False


def test_second_look_that_contradicts_counts():
    neutral = verdict("c1", "neutral")
    found = result(verdict("c0", "neutral"), neutral, verdict("contexts", "contradiction"), together=True)
    assert ([row.label for row in found.rows()], found.metrics["contradicted"]) == (["contradicted"], 1.0)
    assert list(lost_claims(found)) == [("answer", "contradicted by the contexts", "A.")]
    not_asked_again = result(verdict("c0", "entailment"), neutral, together=True)
    assert not_asked_again.metrics["contradicted"] == 0.0


def test_missing_own_verdict_leaves_context_undecided():
    yes = Event(True, 0.9)
    found = ContextEvidence((UNDECIDED, NEVER), together=yes, rests_on=(1,))
    assert (found.needs_several, found.within((NEVER, yes)).holds) == (False, None)
    assert not ContextEvidence((NEVER, NEVER)).needs_several


def test_joint_verdict_credits_contexts_it_rests_on():
    named = line(verdict("contexts", "entailment", rests_on=("c1",)), together=True, joint=True)
    assert holds(named.contexts.each) == [False, True]
    unnamed = line(verdict("contexts", "entailment"), together=True, joint=True).contexts
    assert (holds(unnamed.each), unnamed.any.holds) == ([None, None], True)
    silent = line(verdict("contexts", "neutral"), together=True, joint=True).contexts
    assert holds(silent.each) == [False, False]


def test_missing_texts_give_no_rows_or_keys():
    alone = result(contexts=None, reference=" ")
    assert alone.rows() == []
    shown = TASK.tally(Config(), ()).add(alone)
    assert (shown["claims"], shown["reference_claims"]) == ([{"id": "a", "text": "A."}], [])


def test_result_lines_name_supporting_and_contradicting_sources():
    by_reference = verdict("reference", "contradiction")
    found = result(verdict("c0", "entailment"), verdict("c1", "contradiction"), by_reference, reference="R.")
    (said,) = TASK.tally(Config(), ()).add(found)["claims"]
    assert (said["in_contexts"], said["supported_by"], said["contradicted_by"]) == (True, ["c0"], ["c1"])
    assert (said["in_reference"], said["contradicted_by_reference"]) == (False, True)
    wanted = {"claims": None, "reference_claims": CLAIM}
    found = result(verdict("answer", "neutral"), verdict("c0", "neutral"), **wanted)
    (said,) = TASK.tally(Config(), ()).add(found)["reference_claims"]
    assert (said["in_answer"], said["contradicted_by_answer"]) == (False, False)
    assert (said["in_contexts"], said["p_in_contexts"]) == (None, None)  # the verdict of c1 is missing


def rows(by_reference, by_contexts=None):
    """The row of the answer's claim against contexts, and that against the reference."""
    result = RagResult(
        record_id="q",
        status="ok",
        claims=(Atom(id="a", text="It opened in 1932."),),
        contexts=(Context(id="c", text="It is a museum."),),
        reference="It opened in 1932.",
        verdicts=(by_contexts or verdict("c", "neutral"), by_reference),
    )
    return result.rows()


SILENT = "not clearly stated in the reference"


@pytest.mark.parametrize(
    ("by_reference", "said", "own"),
    [
        (verdict("reference", "entailment"), "the reference supports it", ""),
        (verdict("reference", "neutral"), "", SILENT),
        (verdict("reference", "contradiction", quote="x\n y"), 'the reference contradicts it: "x y"', ""),
    ],
)
def test_reference_note_is_consistent_in_both_rows(by_reference, said, own):
    against_contexts, against_reference = rows(by_reference)
    note = "; ".join(filter(None, (said, "no context decides it")))
    assert (against_contexts.against, against_contexts.note) == ("contexts", note)
    assert (against_reference.against, against_reference.note) == ("reference", own)


def test_reference_agreeing_with_contexts_is_not_named():
    claim, _ = rows(verdict("reference", "entailment"), verdict("c", "entailment"))
    assert (claim.label, claim.note, claim.context) == ("supported", "", "c")
    contradicted, _ = rows(verdict("reference", "contradiction"), verdict("c", "contradiction"))
    assert (contradicted.label, contradicted.note) == ("contradicted", "")


def test_a_claim_without_a_verdict_is_not_judged():
    result = RagResult(
        record_id="q", status="partial", claims=(Atom(id="a", text="A."),), contexts=(), reference="R."
    )
    against_contexts, against_reference = result.rows()
    assert (against_reference.label, against_reference.judged) == (None, "no")
    assert against_contexts.note == "no context"


def test_claims_have_a_row_per_text_checked():
    table = {("old", "1932"): ("entailment", 0.9), ("reference", "1932"): ("contradiction", 0.9)}
    table |= {("answer", "1931"): "lost", ("old", "1931"): ("contradiction", 0.8)}
    found = rag(
        "It opened in 1932.",
        contexts=PASSAGES,
        reference="It opened in 1931.",
        atoms=[{"id": "x", "text": "It opened in 1932."}],
        reference_atoms=[{"id": "y", "text": "It opened in 1931."}],
        judge=TableJudge(table),
    )
    said = {(row.claim, row.of, row.against): row for row in found.rows()}
    assert {key: row.label for key, row in said.items()} == {
        ("x", "answer", "contexts"): "supported",
        ("x", "answer", "reference"): "contradicted",
        ("y", "reference", "answer"): None,
        ("y", "reference", "contexts"): "contradicted",
    }
    assert said["x", "answer", "contexts"].title == "History"
    assert said["y", "reference", "answer"].judged == "no"


@pytest.mark.parametrize(
    ("said", "label", "note"),
    [(("entailment", 0.9), "supported", ""), (("neutral", 0.9), None, "no judged context decides it")],
)
def test_partly_judged_claim_is_marked(said, label, note):
    table = {("old", "1932"): said, ("new", "1932"): "lost"}
    claims = [{"id": "x", "text": "It opened in 1932."}]
    found = rag("It opened in 1932.", contexts=PASSAGES, atoms=claims, judge=TableJudge(table))
    (row,) = found.rows()
    assert (row.label, row.judged, row.note) == (label, "partly", note)
