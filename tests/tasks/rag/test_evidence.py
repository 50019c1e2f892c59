"""What verdicts say of a claim: by context, by all together, and with some missing."""

from factreasoner.models import Context, Verdict
from factreasoner.tasks.rag.events import NEVER, UNDECIDED
from factreasoner.tasks.rag.evidence import Evidence
from factreasoner.tasks.rag.result import RagResult


def verdict(premise, label, **fields):
    return Verdict(context_id=premise, target_id="a", label=label, **{"probability": 0.9, **fields})


def evidence(*verdicts, together=False, **fields):
    contexts = tuple(Context(id=f"c{n}", text="x") for n in range(2))
    asked = {"contexts": ("c0", "c1")} if together else {}
    result = RagResult(
        record_id="q", status="ok", contexts=contexts, together=asked, verdicts=verdicts, **fields
    )
    return Evidence(result)


def holds(events):
    return [event.holds for event in events]


def test_each_context_speaks_for_itself_and_one_is_enough():
    found = evidence(verdict("c0", "neutral"), verdict("c1", "entailment")).borne_out("a")
    assert holds(found.each) == [False, True]
    assert (found.any.holds, found.together, found.needs_several) == (True, NEVER, False)


def test_a_missing_verdict_leaves_open_what_no_other_decides():
    found = evidence(verdict("c0", "neutral")).borne_out("a")
    assert (found.each[1], found.any) == (UNDECIDED, UNDECIDED)
    assert evidence(verdict("c0", "contradiction")).denied("a").any.holds is True


def test_the_second_look_counts_where_no_context_does_it_alone():
    silent = (verdict("c0", "neutral"), verdict("c1", "neutral"))
    both = verdict("contexts", "entailment", rests_on=("c1",))
    found = evidence(*silent, both, together=True).borne_out("a", second_look=True)
    assert (found.any.holds, found.needs_several, found.rests_on) == (True, True, (1,))
    assert found.within((NEVER, found.together)).holds is True
    assert found.within((found.together, NEVER)).holds is False
    assert evidence(*silent, both, together=True).borne_out("a").any.holds is False


def test_jointly_judged_contexts_are_those_that_the_verdict_rests_on():
    named = evidence(verdict("contexts", "entailment", rests_on=("c1",)), together=True, joint=True)
    assert holds(named.borne_out("a").each) == [False, True]
    unnamed = evidence(verdict("contexts", "entailment"), together=True, joint=True).borne_out("a")
    assert (holds(unnamed.each), unnamed.any.holds) == ([None, None], True)
    silent = evidence(verdict("contexts", "neutral"), together=True, joint=True).borne_out("a")
    assert holds(silent.each) == [False, False]


def test_a_belief_counts_for_the_nearest_passage_alone():
    near = verdict("c0", "neutral", belief=0.3, nearness=0.9)
    far = verdict("c1", "neutral", belief=0.8, nearness=0.1)
    found = evidence(near, far).borne_out("a")
    assert found.any.holds is False
    assert found.each[0].p == 0.3
    assert found.each[1].p < 0.1


def test_answer_and_reference_bear_out_or_deny():
    found = evidence(verdict("reference", "contradiction"), verdict("answer", "entailment"))
    assert (found.by_reference("a").holds, found.against_reference("a").holds) == (False, True)
    assert (found.by_answer("a").holds, found.against_answer("a").holds) == (True, False)
    assert found.by_answer("other") == UNDECIDED
