"""Records and what they hold: frozen, strict, with ids that agree."""

import pytest
from pydantic import ValidationError

from factreasoner.errors import InputError
from factreasoner.models import Atom, Context, Record


@pytest.mark.parametrize(
    ("atoms", "contexts", "word"),
    [
        ([Atom(id="a", text="x"), Atom(id="a", text="y")], [], "an atom and an atom have the id 'a'"),
        ([], [Context(id="c", text="x"), Context(id="c", text="y")], "context have the id 'c'"),
        ([Atom(id="a", text="x")], [Context(id="c", text="x", atom_ids=("b",))], "unknown atom 'b'"),
        ([Atom(id="1", text="x")], [Context(id="1", text="y")], "an atom and a context have the id '1'"),
    ],
)
def test_ids_of_a_record_must_agree(atoms, contexts, word):
    with pytest.raises(InputError, match=rf"^Record\(\): .*{word}.*; "):
        Record(id="r", response="x", atoms=tuple(atoms), contexts=tuple(contexts))


def test_links_to_later_atoms_are_accepted():
    Record(id="r", response="x", contexts=(Context(id="c", text="x", atom_ids=("a0",)),))


def test_models_are_frozen_and_refuse_unknown_fields():
    atom = Atom(id="a", text="x")
    with pytest.raises(ValidationError):
        atom.text = "y"
    with pytest.raises(InputError, match=r"^Atom\(\): wrong: no such field; remove it$"):
        Atom(id="a", text="x", wrong=1)


@pytest.mark.parametrize(
    ("build", "told"),
    [
        (lambda: Context(id="c", text=None), "Context(): text: is None; it must be a string"),
        (lambda: Context(text="x"), "Context(): id: missing; give it"),
        (
            lambda: Record(id="r", response="x", contexts="y"),
            "Record(): contexts: is a string; it must be a list: [...]",
        ),
        (
            lambda: Record(id="r", response="x", contexts=[{"id": 5, "text": "y"}]),
            "Record(): contexts[0].id: is the number 5; it must be a string",
        ),
        (
            lambda: Record(id="r", response="x", contexts=["y"]),
            "Record(): contexts[0]: is a string; it must be Context(...), or a dict with its fields",
        ),
    ],
)
def test_invalid_model_gives_one_sentence(build, told):
    with pytest.raises(InputError) as caught:
        build()
    assert str(caught.value) == told
    assert caught.value.__suppress_context__


def test_invalid_data_raises_validation_error():
    with pytest.raises(ValidationError):
        Record.model_validate({"id": "r", "response": "x", "contexts": [{"id": 5}]})


def test_facts_and_reference_atoms_need_unique_ids():
    one, other = Atom(id="x", text="a"), Atom(id="x", text="b")
    with pytest.raises(InputError, match="a fact and a fact have the id 'x'"):
        Record(id="r", response="", facts=(one, other))
    with pytest.raises(InputError, match="a fact and a reference atom have the id 'x'"):
        Record(id="r", response="", facts=(one,), reference_atoms=(other,))
    with pytest.raises(InputError, match="an atom and a fact have the id 'x'"):
        Record(id="r", response="", atoms=(one,), facts=(other,))
