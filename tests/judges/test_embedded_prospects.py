"""What a passage has only as considered, asked for, allowed or charged is not done; what is managed is."""

import pytest
from judged_pair import verdict


@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        ("The brewery considered leasing the barn.", "The brewery leased the barn."),
        ("The brewers are trying to lease the barn.", "The brewers have leased the barn."),
        ("The brewers sought to lease the barn.", "The brewers leased the barn."),
        ("The chapter talked about selling the organ.", "The chapter sold the organ."),
        ("The guild was accused of bribing the judge.", "The guild bribed the judge."),
        ("Olga Brandt obtained permission to print the map.", "Olga Brandt printed the map."),
        ("She was offered the chance to lead the choir.", "She led the choir."),
        ("Emil Brandt applied for a licence to open an inn in Lom.", "Emil Brandt opened an inn in Lom."),
        ("The envoy urged the duke to free the monks.", "The duke freed the monks."),
        ("Talks on selling the ferry to Brandt Lines began in May.", "The ferry was sold to Brandt Lines."),
        ("The chapter voted against closing the school in Lom.", "The chapter closed the school in Lom."),
        ("The guild debates whether to fine Emil Brandt.", "The guild fined Emil Brandt."),
        ("The duke hoped that his son would marry Olga Brandt.", "His son married Olga Brandt."),
        ("The mayor proposed that the gate be moved to Lom.", "The gate was moved to Lom."),
    ],
)
def test_what_is_only_considered_asked_allowed_or_charged_is_left_open(judge, passage, claim):
    found = verdict(judge, passage, claim)
    assert found.label == "neutral"
    assert found.belief <= 0.5


@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        ("The brewery succeeded in leasing the barn.", "The brewery leased the barn."),
        ("The guild admitted bribing the judge.", "The guild bribed the judge."),
        ("Emil Brandt, who applied for a licence in 1900, opened an inn.", "Emil Brandt opened an inn."),
        ("The choir continued singing psalms in Lom.", "The choir sang psalms in Lom."),
        ("She took the chance to lead the choir.", "She led the choir."),
        ("The mayor asked for help and moved the gate to Lom.", "The mayor moved the gate to Lom."),
        ("The mayor proposed building a gate in Lom.", "The mayor proposed a gate in Lom."),
        ("Olga Brandt won against Emil Lund to take the title.", "Olga Brandt took the title."),
        ("The law permits the state to seize land.", "The state may seize land."),
    ],
)
def test_what_is_done_beside_or_behind_such_words_is_entailed(judge, passage, claim):
    assert verdict(judge, passage, claim).label == "entailment"


@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        ("Do trains emit less carbon than planes?", "Trains emit less carbon than planes."),
        ("Was the Lark a German submarine? Nobody has found out.", "The Lark was a German submarine."),
    ],
)
def test_what_is_asked_and_not_answered_is_left_open(judge, passage, claim):
    found = verdict(judge, passage, claim)
    assert found.label == "neutral"
    assert found.belief <= 0.5


@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        ("Do trains emit less carbon than planes? Yes, by far.", "Trains emit less carbon than planes."),
        ("Who built the old mill at Hamar? It was Karl Lund.", "Karl Lund built the old mill at Hamar."),
    ],
)
def test_what_is_asked_and_answered_is_entailed(judge, passage, claim):
    assert verdict(judge, passage, claim).label == "entailment"


def test_the_question_mark_of_an_address_asks_nothing(judge):
    passage = (
        "You can run hosts as [virtual machines](https://docs.example/hosts?topic=vm&page=2) or as metal."
    )
    assert verdict(judge, passage, "You can run the hosts as virtual machines.").label == "entailment"


def test_what_a_question_takes_for_granted_is_not_left_open(judge):
    passage = "How can I lower the humidity of a cellar? Depending on the house, air may move slowly."
    assert verdict(judge, passage, "You can lower the humidity of a cellar.").belief > 0.5


@pytest.mark.parametrize("doing", ["are trying to", "were struggling to", "seek to", "vowed to"])
def test_what_is_attempted_in_any_form_is_not_done(judge, doing):
    passage = f"The owners {doing} reach a deal on the mill."
    assert verdict(judge, passage, "The owners have reached a deal on the mill.").label == "neutral"
