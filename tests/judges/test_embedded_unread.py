"""A negation in another language or script is no entailment of what it negates, nor believed."""

import pytest
from judged_pair import verdict


@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        ("Больница не имеет лицензии на операции.", "Больница имеет лицензию на операции."),
        ("该大桥没有在1998年建成。", "该大桥在1998年建成。"),
        ("他是北京大学的教授。", "他不是北京大学的教授。"),
        ("المدينة ليست عاصمة البلاد.", "المدينة عاصمة البلاد."),
        ("この薬は子供には効かない。", "この薬は子供には効く。"),
        ("Η πόλη δεν έχει λιμάνι.", "Η πόλη έχει λιμάνι."),
        ("ქალაქს აქვს დიდი პორტი აღმოსავლეთით.", "ქალაქს აქვს დიდი პორტი."),
        (
            "Lima es la capital del Perú. Está en la costa. Tiene una línea de metro.",
            "Lima es la capital de Perú y no tiene metro.",
        ),
    ],
)
def test_a_negation_in_one_of_both_or_in_no_known_script_bears_nothing_out(judge, passage, claim):
    found = verdict(judge, passage, claim)
    assert found.label == "neutral"
    assert found.belief <= 0.5


@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        ("Город был взят в 1812 году после осады.", "Город был взят в 1812 году."),
        ("Школа не закрывалась во время войны.", "Школа не закрывалась во время войны."),
        ("El puente fue destruido en 1941 por las tropas.", "El puente fue destruido en 1941."),
    ],
)
def test_what_is_negated_in_both_or_in_neither_is_entailed(judge, passage, claim):
    assert verdict(judge, passage, claim).label == "entailment"
