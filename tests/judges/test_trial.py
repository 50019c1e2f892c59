"""The judge test: what it asks, and what it makes of the answers."""

import pytest

from factreasoner.judges.trial import (
    BATCHES,
    LABEL_OF,
    TRUTHS,
    FormScores,
    advice,
    calls_of,
    judged,
    trial,
)
from factreasoner.models import Failure, Verdict
from factreasoner.protocols import Judged

KNOWN = {fact.claim.id: fact for fact in trial().facts}


class Answering:
    """A judge that gives each fact of the passage the label that a function says; others are neutral."""

    def __init__(self, label, probability=0.9):
        self.label, self.probability, self.asked = label, probability, []

    def judge(self, premise, claims):
        self.asked.append((premise.id, [claim.id for claim in claims]))
        labels = {c.id: self.label(KNOWN[c.id]) for c in claims}
        verdicts = [
            Verdict(context_id=premise.id, target_id=i, label=label, probability=self.probability)
            for i, label in labels.items()
            if label
        ]
        failures = [
            Failure(stage="judge", item_id=i, error_type="X", message="no")
            for i, v in labels.items()
            if not v
        ]
        return Judged(tuple(verdicts), tuple(failures))


def right(fact):
    return LABEL_OF[fact.truth]


def test_sixty_facts_of_every_truth_over_a_dozen_passages():
    assert len(trial().premises) == 12
    assert len(KNOWN) == 60
    assert len({fact.claim.text for fact in trial().facts}) == 60
    assert {fact.truth for fact in trial().facts} == set(TRUTHS)
    kinds = {"number", "date", "negation", "rounding", "same name", "partial support", "injected instruction"}
    assert kinds <= {fact.kind for fact in trial().facts}


@pytest.mark.parametrize("batch", BATCHES)
def test_every_fact_is_asked_once_of_its_own_passage_in_batches_of_that_size(batch):
    judge = Answering(right)
    scores = judged(judge, batch)
    own = [i for premise, ids in judge.asked for i in ids if KNOWN[i].premise_id == premise]
    assert sorted(own) == sorted(KNOWN)
    assert {len(ids) for _, ids in judge.asked} == {batch}
    assert all(len(set(ids)) == len(ids) for _, ids in judge.asked)
    assert len(judge.asked) == calls_of(batch)
    assert (scores.right, scores.accuracy, scores.unanswered, scores.blind) == (60, 1.0, 0, False)
    assert [scores.recall(truth) for truth in TRUTHS] == [1.0, 1.0, 1.0]


def test_facts_of_a_large_batch_are_spread():
    judge = Answering(right)
    judged(judge, 32)
    premise, ids = judge.asked[0]
    assert [i for i, name in enumerate(ids) if KNOWN[name].premise_id == premise] == [0, 6, 13, 19, 26]


def test_wrong_answers_are_counted_by_truth_label_and_kind():
    scores = judged(Answering(lambda fact: "contradiction" if fact.truth == "silent" else right(fact)), 8)
    silent = sum(fact.truth == "silent" for fact in trial().facts)
    assert scores.confusion["silent", "contradiction"] == silent
    assert scores.recall("silent") == 0.0
    assert scores.accuracy == (60 - silent) / 60
    assert sum(scores.wrong_kinds.values()) == silent
    assert scores.brier == pytest.approx(((60 - silent) * 0.01 + silent * 0.81) / 60)
    assert scores.constant


def test_what_has_no_verdict_is_not_right_and_is_listed():
    scores = judged(Answering(lambda fact: None if fact.kind == "date" else right(fact)), 1)
    dates = sum(fact.kind == "date" for fact in trial().facts)
    assert (scores.unanswered, len(scores.failures)) == (dates, dates)
    assert scores.accuracy == (60 - dates) / 60


def test_one_answer_to_everything_is_blindness():
    assert judged(Answering(lambda fact: "entailment"), 8).blind
    assert advice([FormScores("tool", judged(Answering(lambda fact: "entailment"), 8))]) is None
    assert not judged(Answering(lambda fact: None), 8).blind
    assert advice([FormScores("tool", judged(Answering(lambda fact: None), 8))]) is None


def test_the_largest_batch_within_chance_of_the_best_is_advised():
    def but_for(count):
        missed = {f"f{i}" for i in range(0, 60, 60 // count)} if count else set()
        return Answering(lambda fact: "neutral" if fact.claim.id in missed else right(fact))

    tried = [
        FormScores("tool", judged(but_for(0), 1)),
        FormScores("tool", judged(but_for(12), 8)),
        FormScores("json_schema", judged(but_for(3), 1)),
        FormScores("json_schema", judged(but_for(3), 8)),
        FormScores("json_schema", judged(but_for(20), 32)),
    ]
    assert advice(tried[:2])[:2] == ("tool", 1)
    assert advice([tried[3], *tried[1:3]])[:2] == ("json_schema", 8)
    assert advice([]) is None
