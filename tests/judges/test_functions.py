"""Facts as a function: the function that is built, its examples, and what quotes and numbers mean."""

import json

import pytest

from factreasoner.judges import functions
from factreasoner.models import Claim

CLAIMS = [Claim("a7", 'Revenue was "$1.2 billion", down -3.5 %.'), Claim("a2", "It rained.")]
TF, TFN = ["True", "False"], ["True", "False", "Not clear"]


@pytest.mark.parametrize(
    ("mode", "verbal", "values", "names"),
    [
        ("tf", False, TF, ["fact_0", "fact_1"]),
        ("tfn", False, TFN, ["fact_0", "fact_1"]),
        ("tf_citation", False, TF, ["fact_0_citation", "fact_0", "fact_1_citation", "fact_1"]),
        ("tfn_reasoning", False, TFN, ["fact_0_reasoning", "fact_0", "fact_1_reasoning", "fact_1"]),
        ("tfn", True, TFN, ["fact_0", "fact_0_certainty", "fact_1", "fact_1_certainty"]),
    ],
)
def test_schema_has_one_enum_argument_per_claim(mode, verbal, values, names):
    inquiry = functions.inquiry(mode, verbal=verbal)
    schema, other = inquiry.build(CLAIMS), inquiry.build([Claim("x", "Tea."), Claim("y", "Ice.")])
    assert list(schema.arguments) == schema.parameters["required"] == names
    assert schema.properties["fact_1"]["enum"] == values
    assert schema.items == {"fact_0": CLAIMS[0].text, "fact_1": CLAIMS[1].text}
    assert json.dumps(schema.parameters) == json.dumps(other.parameters)


@pytest.mark.parametrize("mode", ["tf", "tfn", "tf_citation", "tfn_reasoning"])
def test_examples_answer_as_the_mode_wants(mode):
    inquiry = functions.inquiry(mode, verbal=True)
    many = inquiry.examples(user=lambda passages, facts: passages[0])
    assert [len(example.items) for example in many] == [2, 6]
    for example in (*many, *inquiry.examples(one=True, user=lambda passages, facts: passages[0])):
        schema = inquiry.build([Claim(name, text) for name, text in example.items.items()])
        assert tuple(example.arguments) == schema.arguments
        assert not any(schema.problem(name, example.arguments) for name in schema.arguments)
        quotes = [text for name, text in example.arguments.items() if name.endswith("_citation")]
        assert all(quote in example.user for quote in quotes)


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
def test_source_numbers_are_parsed_in_any_form(text, found):
    assert functions.numbered(text, 7) == found
