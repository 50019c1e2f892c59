"""Judges that vote: majority, ties, means, and judges that fail."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factreasoner.errors import BudgetError, ConfigError
from factreasoner.judges.ensemble import EnsembleJudge
from factreasoner.models import Claim, Failure, Premise, Verdict
from factreasoner.protocols import Judged

PREMISE = Premise("c0", "The library opens at nine.")
LABELS = {"E": "entailment", "C": "contradiction", "N": "neutral"}


class Saying:
    """A letter a claim; "-" is a failure."""

    def __init__(self, letters, p=0.9, **fields):
        self.letters, self.p, self.fields = letters, p, fields

    def judge(self, premise, claims):
        pairs = list(zip(claims, self.letters, strict=True))
        said = {"context_id": premise.id, "probability": self.p} | self.fields
        return Judged(
            tuple(
                Verdict(target_id=claim.id, label=LABELS[letter], **said)
                for claim, letter in pairs
                if letter != "-"
            ),
            tuple(
                Failure(stage="judge", item_id=f"c0->{claim.id}", error_type="X", message="no answer")
                for claim, letter in pairs
                if letter == "-"
            ),
        )


def judged(*judges, two_sided=False):
    members = {chr(65 + i): j if hasattr(j, "judge") else Saying(j) for i, j in enumerate(judges)}
    n = len(next(iter(members.values())).letters)
    ensemble = EnsembleJudge(members, two_sided=two_sided)
    return ensemble.judge(PREMISE, [Claim(f"a{i}", f"Claim {i}.") for i in range(n)])


def test_the_majority_counts_and_every_vote_is_kept():
    found = judged("EEN", "ECN", "CCN")
    assert [v.label for v in found.verdicts] == ["entailment", "contradiction", "neutral"]
    assert [[vote.judge for vote in v.votes] for v in found.verdicts] == [["A", "B", "C"]] * 3
    assert [vote.label for vote in found.verdicts[0].votes] == ["entailment", "entailment", "contradiction"]
    assert found.verdicts[0].confidence == "judges"
    assert found.failures == ()


def test_probabilities_are_those_of_all_judges():
    p = [{"True": one, "False": 1.0 - one} for one in (0.5, 0.9, 1.0)]
    members = [Saying("E", label_probabilities=one, label_mass=0.9) for one in p]
    (found,) = judged(*members).verdicts
    assert found.label_probabilities == pytest.approx({"True": 0.8, "False": 0.2})
    assert found.label_mass is None
    assert judged(*members, "E").verdicts[0].label_probabilities == {}


def test_tie_is_a_failure_with_its_votes():
    found = judged("EE", "CE")
    assert [v.target_id for v in found.verdicts] == ["a1"]
    (tie,) = found.failures
    assert (tie.item_id, tie.error_type) == ("c0->a0", "Tie")
    assert "A entailment, B contradiction" in tie.message
    assert [vote.label for vote in tie.votes] == ["entailment", "contradiction"]
    assert Failure.model_validate_json(tie.model_dump_json()) == tie


@pytest.mark.parametrize(
    ("votes", "label", "two_sided"),
    [
        ("ECN", None, False),
        ("EECC", None, False),
        ("NC", "neutral", True),
        ("ENC", "neutral", True),
        ("ECC", "contradiction", True),
        ("EEC", "entailment", True),
        ("EENC", None, True),
    ],
)
def test_of_two_sides_silence_and_contradiction_are_one(votes, label, two_sided):
    found = judged(*votes, two_sided=two_sided)
    assert [verdict.label for verdict in found.verdicts] == ([label] if label else [])
    assert [failure.error_type for failure in found.failures] == ([] if label else ["Tie"])


@pytest.mark.parametrize("third", ["N", "C"])
def test_ensemble_averages_probabilities_over_all_judges(third):
    votes = Saying(third, 0.9), Saying("C", 0.7), Saying("E", 0.8)
    (found,) = judged(*votes, two_sided=True).verdicts
    assert found.probability == pytest.approx((0.9 + 0.7 + 0.1) / 3)
    assert bool(judged(*votes).verdicts) == (third == "C")


def test_failing_judge_is_noted_and_outvoted():
    found = judged("E-", "E-", "--")
    assert [(v.target_id, v.label, len(v.votes)) for v in found.verdicts] == [("a0", "entailment", 2)]
    assert [f.message for f in found.failures if f.item_id == "c0->a0"] == ["C: no answer"]
    assert len([f for f in found.failures if f.item_id == "c0->a1"]) == 3


def test_the_quote_is_of_judges_that_agree():
    found = judged(Saying("C", quote="wrong"), Saying("E"), Saying("E", quote="right")).verdicts[0]
    assert found.quote == "right"


def test_verdict_rests_on_contexts_of_agreeing_judges():
    votes = Saying("E", rests_on=("c1",)), Saying("C", rests_on=("c9",)), Saying("E", rests_on=("c2", "c1"))
    assert judged(*votes).verdicts[0].rests_on == ("c1", "c2")


class Raising:
    """A judge that can't be asked."""

    letters = "EC"

    def __init__(self, error):
        self.error = error

    def judge(self, premise, claims):
        raise self.error


def test_failing_ensemble_member_leaves_the_others():
    refused = Raising(ConfigError("set the right key"))
    found = judged("EC", refused, "EC")
    assert [verdict.label for verdict in found.verdicts] == ["entailment", "contradiction"]
    assert [(failure.item_id, failure.message) for failure in found.failures] == [
        ("c0->a0", "B: set the right key"),
        ("c0->a1", "B: set the right key"),
    ]
    with pytest.raises(ConfigError, match="the right key"):
        judged(refused, refused)
    with pytest.raises(BudgetError):
        judged("EC", Raising(BudgetError("enough")))


@given(
    st.lists(st.lists(st.sampled_from("ECN-"), min_size=3, max_size=3), min_size=2, max_size=5),
    st.randoms(use_true_random=False),
)
def test_ensemble_result_is_independent_of_judge_order(votes, random):
    found = judged(*votes)
    known = {v.target_id: (v.label, round(v.probability, 9)) for v in found.verdicts}
    lost = {f.item_id.removeprefix("c0->") for f in found.failures}
    assert known.keys() | lost == {"a0", "a1", "a2"}
    for verdict in found.verdicts:
        labels = [vote.label for vote in verdict.votes]
        assert all(labels.count(verdict.label) > labels.count(x) for x in {*labels} - {verdict.label})
        assert 0 <= verdict.probability <= 1
    random.shuffle(votes)
    again = judged(*votes)
    assert {v.target_id: (v.label, round(v.probability, 9)) for v in again.verdicts} == known
