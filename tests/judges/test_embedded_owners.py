"""Whose relative, whose decree: what is said of one of two in a sentence is not said of the other."""

import pytest
from judged_pair import verdict


@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        ("The synod annulled the bishop's edict.", "The bishop annulled the edict of the synod."),
        ("The bishop's edict was annulled by the synod.", "The bishop annulled the edict of the synod."),
        (
            "Olga's motion was rejected by the board of elders.",
            "Olga rejected the motion of the board of elders.",
        ),
        ("The sultan pardoned the vizier's cook.", "The vizier pardoned the sultan's cook."),
    ],
)
def test_owner_and_doer_in_each_others_place_are_another_statement(judge, passage, claim):
    found = verdict(judge, passage, claim)
    assert found.label == "neutral"
    assert found.belief < 0.5


@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        ("The synod annulled the bishop's edict.", "The synod annulled the edict of the bishop."),
        ("The bishop's edict was annulled by the synod.", "The synod annulled the bishop's edict."),
        ("The sultan's cook was pardoned by the vizier.", "The vizier pardoned the sultan's cook."),
        (
            "Olga Brandt is professor of law and of history in Lom.",
            "Olga Brandt is professor of history in Lom.",
        ),
    ],
)
def test_an_owner_may_be_named_before_or_behind(judge, passage, claim):
    assert verdict(judge, passage, claim).label == "entailment"
