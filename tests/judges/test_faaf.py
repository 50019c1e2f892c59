"""Facts as a function: building the function and reading its answer."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factreasoner.judges import faaf
from factreasoner.llm.ask import NoResult
from factreasoner.models import Claim
from factreasoner.models.messages import Reply

CLAIMS = [Claim("a7", 'Revenue was "$1.2 billion", down -3.5 %.'), Claim("a2", "It rained.")]


def answered(schema_mode="tfn", *, verbal=False, **arguments):
    schema = faaf.inquiry(schema_mode, verbal=verbal).build(CLAIMS)
    return faaf.read(Reply(arguments=arguments, text=json.dumps(arguments)), schema, len(CLAIMS))


@pytest.mark.parametrize(
    ("mode", "values", "names"),
    [
        ("tf", ["True", "False"], ["fact_0", "fact_1"]),
        ("tfn", ["True", "False", faaf.NOT_CLEAR], ["fact_0", "fact_1"]),
        ("tf_citation", ["True", "False"], ["fact_0_citation", "fact_0", "fact_1_citation", "fact_1"]),
        (
            "tfn_citation",
            ["True", "False", faaf.NOT_CLEAR],
            ["fact_0_citation", "fact_0", "fact_1_citation", "fact_1"],
        ),
        (
            "tfn_reasoning",
            ["True", "False", faaf.NOT_CLEAR],
            ["fact_0_reasoning", "fact_0", "fact_1_reasoning", "fact_1"],
        ),
    ],
)
def test_function_has_one_required_enum_argument_a_claim(mode, values, names):
    schema = faaf.inquiry(mode).build(CLAIMS)
    assert list(schema.arguments) == names
    assert schema.parameters["required"] == names
    assert schema.parameters["properties"]["fact_1"]["enum"] == values


def test_claim_text_is_passed_unaltered_and_the_function_is_the_same_for_as_many():
    for mode in ("tf", "tfn", "tfn_citation", "tfn_reasoning"):
        inquiry = faaf.inquiry(mode, verbal=True)
        schema, other = inquiry.build(CLAIMS), inquiry.build([Claim("x", "Tea."), Claim("y", "Ice.")])
        assert schema.items == {"fact_0": CLAIMS[0].text, "fact_1": CLAIMS[1].text}
        assert json.dumps(schema.parameters) == json.dumps(other.parameters)


def test_certainty_stands_behind_its_fact():
    assert faaf.inquiry("tfn", verbal=True).build(CLAIMS).arguments[:2] == ("fact_0", "fact_0_certainty")


def test_answers_are_keyed_by_position():
    assert [a.label for a in answered(fact_1=faaf.NOT_CLEAR, fact_0="False")] == ["contradiction", "neutral"]


@pytest.mark.parametrize("value", ["Not clear from the given passage", "not clear from the given passage "])
def test_the_papers_words_for_the_third_value_are_understood(value):
    assert answered(fact_0=value, fact_1="True")[0].label == "neutral"


@pytest.mark.parametrize("value", [True, "true", " TRUE "])
def test_another_spelling_of_an_allowed_value_is_that_value(value):
    assert answered(fact_0=value, fact_1="False")[0].label == "entailment"


@pytest.mark.parametrize("value", [None, "Maybe", "", 1, ["True"], "True, mostly"])
def test_unusable_argument_leaves_only_that_claim_open(value):
    unusable, usable = answered(fact_0=value, fact_1="True")
    assert isinstance(unusable, NoResult)
    assert usable.label == "entailment"


def test_missing_argument_and_not_clear_in_a_two_valued_mode_are_problems():
    unknown, missing = answered("tf", fact_0=faaf.NOT_CLEAR)
    assert isinstance(unknown, NoResult)
    assert missing == NoResult("missing")


@pytest.mark.parametrize("certainty", [101, -1, "90", 0.5, None])
def test_unusable_certainty_is_a_problem(certainty):
    given = {"fact_0": "True", "fact_0_certainty": certainty, "fact_1": "True", "fact_1_certainty": 70}
    unusable, usable = answered(verbal=True, **given)
    assert isinstance(unusable, NoResult)
    assert usable.p_verbal == 0.7


@pytest.mark.parametrize(
    ("quote", "where"),
    [
        ("the  LIBRARY\nopens", "found"),
        ("opens at ten", "elsewhere"),
        ("opens at noon", "absent"),
        ("", "absent"),
        ("   ", "absent"),
    ],
)
def test_citation_is_looked_for_with_space_and_case_folded(quote, where):
    assert faaf.check_citation(quote, "The library opens at nine.", ["It opens at ten."]) == where


@given(st.lists(st.text(), min_size=1, max_size=40), st.sampled_from(["tf", "tfn", "tfn_citation"]))
def test_any_texts_make_a_function_whose_answer_reads_back(texts, mode):
    claims = [Claim(str(i), text) for i, text in enumerate(texts)]
    schema = faaf.inquiry(mode).build(claims)
    labels = ["True" if i % 2 else "False" for i in range(len(claims))]
    reply = Reply(arguments={f"fact_{i}": value for i, value in enumerate(labels)})
    found = faaf.read(reply, schema, len(claims))
    assert [answer.label == "entailment" for answer in found] == [v == "True" for v in labels]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("1, 3", [1, 3]),
        ("2-4", [2, 3, 4]),
        ("sources 5–7 and 12", [5, 6, 7]),
        ("0; 8; none", []),
        ("1-" + "9" * 5000, [1]),
        ("9" * 5000 + ", 2", [2]),
    ],
)
def test_numbers_of_sources_are_read_whatever_a_model_writes(text, found):
    assert faaf.numbered(text, 7) == found
