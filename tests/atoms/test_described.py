"""What "the house" becomes: what was described so before, and nothing that would narrow or mix it up."""

import pytest

from factreasoner.atoms.reviser import EmbeddedReviser
from factreasoner.models import Atom, Record


def revised(before: str, last: str) -> tuple[str, tuple[str, ...]]:
    response = f"{before} {last}"
    atom = Atom(id="a", text=last, span=(len(before) + 1, len(response)))
    (found,) = EmbeddedReviser().revise([atom], Record(id="r", response=response)).atoms
    return found.text, found.unresolved


@pytest.mark.parametrize(
    ("before", "last"),
    [
        (
            "For a well-insulated house, a heat pump is cheap.",
            "It moves heat from the air into the house.",
        ),
        ("You need a bowl of at least 1.5 litres and fresh water.", "Place the bowl under the spout."),
    ],
)
def test_a_case_or_a_list_narrows_nothing(before: str, last: str) -> None:
    text, _ = revised(before, last)
    assert text.split()[-2:] == last.split()[-2:]
    assert "well-insulated" not in text
    assert "fresh" not in text


def test_another_of_the_same_kind_keeps_it_open() -> None:
    before = "The West Branch is a salmon river. The East Branch is known for bass."
    last = "The main stem of the river was opened in 2008."
    assert revised(before, last) == (last, ("the river",))
    assert revised("The West Branch is a salmon river.", last)[0] == (
        "The main stem of the West Branch was opened in 2008."
    )


def test_what_has_no_article_gets_one() -> None:
    assert revised("Dust from the dry seabed carries salt.", "Some of the dust reaches Norway.")[0] == (
        "Some of the dust from the dry seabed reaches Norway."
    )


@pytest.mark.parametrize(
    ("before", "last"),
    [
        # what a general statement supposes of some holds of no others
        (
            "A starter that is too young makes poor bread. Let it rest.",
            "Removing too much can kill the starter.",
        ),
        ("The key decrypts an encrypted image.", "A key is used to encrypt the image."),
        ("Older starters give more reliable baking results.", "The results can vary over time."),
        # what is said with other words, or with more of them
        ("Official MLB rules are printed.", "These unwritten rules are not."),
        (
            "Inflation leads to a general increase in prices over time.",
            "This increase in income drives rents.",
        ),
        # what was not spoken of last
        ("Ada Roe presented the SKILL method. Tests were made. Jo Fox had an idea.", "This method is slow."),
        ("One approach is to cut the text. It is slow.", "This approach is cheap."),
        (
            "In English, verbs that end in a vowel followed by an 'l' typically double the 'l' when "
            "adding endings.",
            "In America, the 'l' is not doubled.",
        ),
        ("The Court of Appeal's opinion awards costs. It is final.", "The court issues an order."),
        ("The corpus exposes the model to constructs and patterns.", "This equips the model with skills."),
        ('The couplet "Blest leaf! whose gales dispense modesty." is by Pope.', "It appears only once."),
    ],
)
def test_a_description_is_not_put_where_it_may_say_something_else(before: str, last: str) -> None:
    assert revised(before, last)[0] == last


@pytest.mark.parametrize(
    ("before", "last"),
    [
        ("The Grove Gallery opened. It lent a painting to the Moor Gallery in 1910.", "The gallery burned."),
        ("The Amber River is long. It joins the Teal River before the sea.", "The river is popular."),
        ("The West Branch is a long river. Tom swam in it near the Teal River.", "The river is cold."),
    ],
)
def test_a_pronoun_beside_another_of_a_kind_is_one_of_that_kind_too(before: str, last: str) -> None:
    assert revised(before, last) == (last, (last[: last.index(" ", 4)],))
