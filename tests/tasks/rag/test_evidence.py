"""What verdicts say of a claim: by context, by all together, by the other text, and with some missing."""

from factreasoner import Config
from factreasoner.models import Atom, Context, Verdict
from factreasoner.tasks.rag.events import NEVER, UNDECIDED
from factreasoner.tasks.rag.evidence import lines_of
from factreasoner.tasks.rag.result import RagResult
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


def test_each_context_speaks_for_itself_and_one_is_enough():
    found = line(verdict("c0", "neutral"), verdict("c1", "entailment")).contexts
    assert holds(found.each) == [False, True]
    assert (found.any.holds, found.together, found.needs_several) == (True, NEVER, False)


def test_a_missing_verdict_leaves_open_what_no_other_decides():
    found = line(verdict("c0", "neutral")).contexts
    assert (found.each[1], found.any) == (UNDECIDED, UNDECIDED)
    assert line(verdict("c0", "contradiction")).denied.any.holds is True


def test_the_second_look_counts_where_no_context_does_it_alone():
    silent = (verdict("c0", "neutral"), verdict("c1", "neutral"))
    both = verdict("contexts", "entailment", rests_on=("c1",))
    found = line(*silent, both, together=True).contexts
    assert (found.any.holds, found.needs_several, found.rests_on) == (True, True, (1,))
    assert found.within((NEVER, found.together)).holds is True
    assert found.within((found.together, NEVER)).holds is False
    wanted = line(*silent, both, together=True, claims=(), reference_claims=CLAIM)
    assert wanted.contexts.any.holds is False


def test_jointly_judged_contexts_are_those_that_the_verdict_rests_on():
    named = line(verdict("contexts", "entailment", rests_on=("c1",)), together=True, joint=True)
    assert holds(named.contexts.each) == [False, True]
    unnamed = line(verdict("contexts", "entailment"), together=True, joint=True).contexts
    assert (holds(unnamed.each), unnamed.any.holds) == ([None, None], True)
    silent = line(verdict("contexts", "neutral"), together=True, joint=True).contexts
    assert holds(silent.each) == [False, False]


def test_a_belief_counts_for_the_nearest_passage_alone():
    near = verdict("c0", "neutral", belief=0.3, nearness=0.9)
    far = verdict("c1", "neutral", belief=0.8, nearness=0.1)
    found = line(near, far).contexts
    assert found.any.holds is False
    assert found.each[0].p == 0.3
    assert found.each[1].p < 0.1


def test_what_was_not_there_to_be_held_against_is_left_out():
    alone = result(contexts=None, reference=" ")
    assert lines_of(alone)[0][0][1:] == (None, None, None, None)
    shown = TASK.tally(Config(), ()).add(alone)
    assert (shown["claims"], shown["reference_claims"]) == ([{"id": "a", "text": "A."}], [])


def test_result_lines_name_what_bears_a_claim_out_and_what_denies_it():
    by_reference = verdict("reference", "contradiction")
    found = result(verdict("c0", "entailment"), verdict("c1", "contradiction"), by_reference, reference="R.")
    (said,) = TASK.tally(Config(), ()).add(found)["claims"]
    assert (said["in_contexts"], said["borne_out_by"], said["contradicted_by"]) == (True, ["c0"], ["c1"])
    assert (said["in_reference"], said["contradicted_by_reference"]) == (False, True)
    wanted = {"claims": None, "reference_claims": CLAIM}
    found = result(verdict("answer", "neutral"), verdict("c0", "neutral"), **wanted)
    (said,) = TASK.tally(Config(), ()).add(found)["reference_claims"]
    assert (said["in_answer"], said["contradicted_by_answer"]) == (False, False)
    assert (said["in_contexts"], said["p_in_contexts"]) == (None, None)  # the verdict of c1 is missing
