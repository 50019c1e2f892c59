"""What callers hand over in Python: every shape they use, and what is said of every wrong one."""

import math
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest

from factreasoner.errors import InputError
from factreasoner.inputs.parsing import given_record, given_records
from factreasoner.models import Atom, Context, Record

TEXT = "Paris is the capital of France."


def made(**given: Any) -> Record:
    return given_record("assess()", **({"response": "x"} | given))


@pytest.mark.parametrize(
    "passage",
    [
        TEXT,
        {"text": TEXT},
        Context(id="c0", text=TEXT),
        SimpleNamespace(page_content=TEXT, metadata={}),
        SimpleNamespace(text=TEXT, metadata=None),
    ],
)
@pytest.mark.parametrize("several", [list, tuple, iter])
def test_a_passage_in_any_shape(passage: object, several: Any) -> None:
    assert made(contexts=several([passage])).contexts == (Context(id="c0", text=TEXT),)


def test_documents_bring_title_and_link() -> None:
    document = SimpleNamespace(page_content=TEXT, metadata={"source": "https://x.example/p", "title": "P"})
    (context,) = made(contexts=[document]).contexts or ()
    assert (context.title, context.link) == ("P", "https://x.example/p")


def test_atoms_in_any_shape() -> None:
    atoms = made(atoms=[TEXT, {"text": "b", "label": "S"}, Atom(id="z", text="c")]).atoms or ()
    assert [(atom.id, atom.text, atom.gold) for atom in atoms] == [
        ("a0", TEXT, None),
        ("a1", "b", "S"),
        ("z", "c", None),
    ]


def test_what_is_not_given_is_none_and_an_empty_list_is_empty() -> None:
    record = made(contexts=[])
    assert (record.contexts, record.atoms) == ((), None)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"contexts": TEXT}, "contexts: is a text; it must be a list: contexts=[...]"),
        ({"contexts": {"text": TEXT}}, "contexts: is an object; it must be a list"),
        ({"contexts": 5}, "contexts: is the number 5"),
        ({"contexts": ["a", None]}, "contexts[1]: is null"),
        ({"contexts": [math.nan]}, "contexts[0]: is the number nan"),
        ({"contexts": [{"txt": "a"}]}, "contexts[0].text: missing or blank"),
        ({"contexts": [" "]}, "contexts[0].text: missing or blank"),
        ({"atoms": "abc"}, "atoms: is a text"),
        ({"atoms": [{"text": "a", "label": "maybe"}]}, "atoms[0].label: is 'maybe'"),
        (
            {"atoms": [{"id": "c0", "text": "a"}], "contexts": [{"id": "c0", "text": "b"}]},
            "contexts[0].id: 'c0' is the id of atoms[0] too",
        ),
        ({"response": None}, "response: is None"),
        ({"response": math.nan}, "response: is the number nan"),
        ({"topic": 3}, "topic: is the number 3"),
        ({"response": "a \ud800 b"}, "response: has half a character (U+D800, a lone surrogate) at 2"),
        ({"contexts": ["\udfff"]}, "contexts[0].text: has half a character"),
    ],
)
def test_what_is_wrong_is_said(given: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError) as raised:
        made(**given)
    assert words in str(raised.value)
    assert all(problem.where == "assess()" for problem in raised.value.problems)


def test_every_problem_is_named_at_once() -> None:
    with pytest.raises(InputError) as raised:
        made(contexts=[None, 3], atoms=["", TEXT])
    assert [problem.field for problem in raised.value.problems] == [
        "atoms[0].text",
        "contexts[0]",
        "contexts[1]",
    ]


def test_problems_are_told_in_the_words_of_the_caller() -> None:
    with pytest.raises(InputError, match=r"verify\(\).*sources: is a text; it must be a list: sources="):
        given_record("verify()", {"contexts": "sources"}, response="x", contexts=TEXT)
    found = given_record("verify()", {"contexts": "sources"}, response="x", contexts=[TEXT])
    assert found.contexts is not None
    assert [context.id for context in found.contexts] == ["c0"]


def test_columns_without_names_are_told_by_their_numbers() -> None:
    with pytest.raises(InputError, match="output: missing"):
        given_records("assess_many()", pd.DataFrame([["answer", "passage"]]), lambda record: (), {})


def fitting(records: object, column_map: dict[str, str] | None = None) -> tuple[Record, ...]:
    return given_records("assess_many()", records, lambda record: (), column_map or {})


def test_a_column_map_that_names_no_key_is_told_once() -> None:
    with pytest.raises(InputError) as caught:
        fitting([{"reply": "x"}] * 20, {"repyl": "output"})
    assert (
        str(caught.value) == "assess_many(): column_map: no record has the key 'repyl'; did you mean 'reply'?"
    )


def test_the_same_problem_of_many_records_is_told_once() -> None:
    with pytest.raises(InputError) as caught:
        fitting([{"reply": "x"}] * 20)
    (problem,) = caught.value.problems
    assert problem.where == "assess_many(), record 1 and 19 more"


def test_keys_that_look_misspelt_are_said(caplog: pytest.LogCaptureFixture) -> None:
    fitting([{"output": "x", "topci": "y", "contexts": [{"text": "z", "tittle": "t"}]}] * 2)
    made(contexts=[{"text": "z", "tittle": "t"}], atoms=[{"text": "z", "lable": "S"}])
    assert [record.getMessage() for record in caplog.records] == [
        "assess_many(): 'topci' is kept as metadata; did you mean 'topic'? (column_map={'topci': 'topic'})",
        "assess_many(): contexts: 'tittle' is kept as metadata; did you mean 'title'?",
        "assess(): atoms: 'lable' is ignored; did you mean 'label'?",
        "assess(): contexts: 'tittle' is ignored; did you mean 'title'?",
    ]
    with pytest.raises(InputError, match="there is a key 'txt': did you mean 'text'"):
        made(contexts=[{"txt": "z"}])


@pytest.mark.parametrize("note", ["\ud800", ["a", {"b": "\udfff"}], {"\ud800": 1}, float("inf")])
def test_what_no_file_can_hold_is_refused_before_anything_is_spent(note: object) -> None:
    with pytest.raises(InputError, match=r"record 1: note: h(as half|olds a number that is too large)"):
        fitting([{"output": "x", "note": note}])
    with pytest.raises(InputError, match="record 1: metadata: h"):
        fitting([Record(id="a", response="x", metadata={"note": note})])


def test_splits_of_a_data_set_are_told() -> None:
    class Split(list[dict[str, str]]):
        column_names = ("output",)

    with pytest.raises(InputError, match=r"holds the splits train, test; hand over one: \['train'\]"):
        fitting({"train": Split(), "test": Split()})
