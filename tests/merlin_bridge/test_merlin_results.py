import re

import pytest

from merlin_bridge.results import BadAnswer, parse_answer


def entry(i, *probabilities, states=2):
    listed = ", ".join(probabilities)
    return f'{{ "variable" : {i},  "states" : {states},  "probabilities" : [{listed}] }}'


def document(*entries, value="-1.139434", status='"true"', algorithm="cte"):
    return (
        f'{{ "algorithm" : "{algorithm}",  "task" : "MAR",  "value" : {value},  "status" : {status},  '
        f'"message" : "Consistent evidence",  "marginals" : [ {", ".join(entries)}] }}'
    )


def parse(text, *, sizes=(2,), evidence=None):
    return parse_answer(text, algorithm="cte", cardinalities=sizes, evidence=evidence or {})


def test_answer_is_parsed_by_variable_number():
    turned = document(entry(1, "1.000000", "0.000000"), entry(0, "0.250000", "0.750000"))
    assert parse(turned, sizes=(2, 2)) == ((0.25, 0.75), (1.0, 0.0))
    text = document(entry(0, "0.500000", "0.500000"), entry(1, "0.2", "0.3", "0.5", states=3))
    assert parse(text, sizes=(2, 3)) == ((0.5, 0.5), (0.2, 0.3, 0.5))


def test_rounding_to_six_decimals_is_no_error():
    thirds = document(entry(0, *["0.333333"] * 3, states=3))
    assert parse(thirds, sizes=(3,)) == ((0.333333,) * 3,)
    assert parse(document(entry(0, "-0.000000", "1.000000"))) == ((0.0, 1.0),)


@pytest.mark.parametrize("value", ["inf", "-inf", "nan", "-nan", '"none"'])
def test_non_finite_value_is_ignored(value):
    assert parse(document(entry(0, "0.5", "0.5"), value=value)) == ((0.5, 0.5),)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the answer is empty"),
        ("MAR\n1 2 0.5 0.5", "not JSON"),
        (document(entry(0, "0.5", "0.5"))[:-9], "not JSON"),
        ("[1]", "not a JSON object"),
        (document(status='"false"', value="-inf"), "merlin gave up.*Consistent evidence.*-inf"),
        (document(entry(0, "0.5", "0.5"), status="null"), "merlin gave up"),
        (document(entry(0, "0.5", "0.5")).replace("MAR", "PR"), "task 'PR', but 'MAR'"),
        (document(entry(0, "0.5", "0.5"), algorithm="wmb"), "algorithm 'wmb', but 'cte'"),
        ('{"status": "true"}', "no list of marginals"),
        (document(), "0 marginals for 1 variables"),
        (document(entry(0, "0.5", "0.5"), entry(1, "0.5", "0.5")), "2 marginals for 1 variables"),
        (document("7"), "not an object"),
        (document(entry(1, "0.5", "0.5")), "names variable 1"),
        (document(entry(-1, "0.5", "0.5")), "names variable -1"),
        (document('{"variable": true, "probabilities": [1, 0]}'), "names variable True"),
        (document(entry(0, "1.0", states=1)), "variable 0 has 2 states"),
        (document(entry(0, "0.5", "0.5", states=3)), "variable 0 has 2 states"),
        (document('{"variable": 0, "states": 2}'), "variable 0 has 2 states"),
        (document(entry(0, "nan", "-nan")), "variable 0 is not a distribution"),
        (document(entry(0, "inf", "0.0")), "variable 0 is not a distribution"),
        (document(entry(0, "-0.1", "1.1")), "variable 0 is not a distribution"),
        (document(entry(0, "0.5", '"0.5"')), "variable 0 is not a distribution"),
        (document(entry(0, "0.0", "0.0")), "variable 0 sums to 0.0"),
        (document(entry(0, "0.5", "0.6")), "variable 0 sums to 1.1"),
        (document(entry(0, "0.5", "0.499990")), "variable 0 sums to 0.9999"),
    ],
)
def test_invalid_answers_are_refused(text, message):
    with pytest.raises(BadAnswer) as error:
        parse(text)
    assert re.search(message, str(error.value), re.DOTALL)


def test_two_marginals_for_one_variable_are_refused():
    with pytest.raises(BadAnswer, match="two marginals for variable 0"):
        parse(document(entry(0, "0.5", "0.5"), entry(0, "0.5", "0.5")), sizes=(2, 2))


def test_evidence_that_was_not_used_is_noticed():
    text = document(entry(0, "0.500000", "0.500000"))
    with pytest.raises(BadAnswer, match="variable 0 was observed in state 1"):
        parse(text, evidence={0: 1})
    assert parse(document(entry(0, "0.0", "1.0")), evidence={0: 1}) == ((0.0, 1.0),)
