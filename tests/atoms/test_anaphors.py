"""Words that point to something named elsewhere: what stays open is flagged, and nothing else is."""

import pytest

from factreasoner.atoms.reviser import EmbeddedReviser
from factreasoner.models import Atom, Record


def revised(before: str, last: str) -> tuple[str, tuple[str, ...]]:
    response = f"{before} {last}"
    atom = Atom(id="a", text=last, span=(len(before) + 1, len(response)))
    (found,) = EmbeddedReviser().revise([atom], Record(id="r", response=response)).atoms
    return found.text, found.unresolved


@pytest.mark.parametrize(
    ("before", "last", "flagged"),
    [
        ("The Aral Sea began to shrink.", "The northern part was saved by a dam.", "The part"),
        ("Heat pumps move heat.", "In very cold weather the ratio drops to two.", "the ratio"),
        ("A loan has a fixed or a variable rate.", "The difference is small.", "The difference"),
        ("A heat pump hums; a boiler is quiet.", "Neither needs a cellar.", "Neither"),
        ("Basalt forms from lava, granite from magma.", "Both contain feldspar.", "Both"),
        ("Aspirin and ibuprofen relieve pain.", "The former thins the blood.", "former"),
        ("Iron rusts and copper turns green.", "The latter process protects it.", "latter process"),
        ("The first 24 bits are ones.", "The remaining bits are zeros.", "remaining bits"),
        ("You open a case with the court.", "You can do this by filing a petition.", "this"),
        ("Prices rose in May.", "Despite this, sales grew.", "this"),
        ("Aspirin reduces fever.", "The drug is taken with meals.", "The drug"),
        ("Robaxin relaxes muscles.", "Common side effects include dizziness.", "effects"),
        ("It is raining.", "The document lists all centres.", "The document"),
        ("The firm grew. It bought mills.", "In 1990 he left the company.", "he"),
    ],
)
def test_what_needs_the_sentences_before_is_flagged(before: str, last: str, flagged: str) -> None:
    text, unresolved = revised(before, last)
    assert text == last
    assert unresolved[:1] == (flagged,)


@pytest.mark.parametrize(
    "last",
    [
        "The liver stores glycogen.",
        "The rate of interest rose.",
        "The northern part of Oslo was saved.",
        "The loan's rate is low.",
        "The price that was paid was high.",
        "Cats and dogs hunt, but neither eats grass.",
        "Both of the cars are red.",
        "Both cars are red.",
        "Each car has a key.",
        "The former president of Chile spoke.",
        "A loan is cheap, and the rate is fixed.",
        "Oslo has a port, and the city has a castle.",
        "Few people read the terms, and this costs them money.",
        "The largest part is sold.",
        "Symptoms of influenza include fever.",
        "Mammals include whales.",
        "If you have influenza, symptoms include fever.",
    ],
)
def test_what_its_own_words_explain_is_not_flagged(last: str) -> None:
    assert revised("Winter is cold.", last) == (last, ())
