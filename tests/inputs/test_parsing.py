"""One input object: the names of its fields, their forms, and what becomes of the rest."""

from __future__ import annotations

from typing import Any

import pytest

from factreasoner.errors import ConfigError, InputError
from factreasoner.inputs.columns import parse_column_map
from factreasoner.inputs.parsing import Reader
from factreasoner.models import Record


def parse(data: dict[str, Any], **columns: str) -> Record:
    return Reader(columns).record(data, where="f.jsonl:1", default_id="r1")


def test_native_record() -> None:
    record = parse(
        {
            "id": "bio-1",
            "input": "Who was she?",
            "output": "She was born in 1867.",
            "topic": "Marie Curie",
            "atoms": [
                {"id": "a0", "text": "Curie was born in 1867.", "original": "She was born", "label": "S"},
                {"id": "a1", "text": "Curie was Polish.", "label": None, "contexts": ["c1", "c0", "c1"]},
            ],
            "contexts": [
                {"id": "c0", "title": "Curie", "text": "Born 1867.", "snippet": "1867", "link": "http://x"},
                {"id": "c1", "text": "Polish.", "prior": 0.7, "summary": None},
            ],
        }
    )
    assert (record.id, record.prompt, record.topic) == ("bio-1", "Who was she?", "Marie Curie")
    assert record.atoms is not None
    assert record.contexts is not None
    assert [(a.id, a.gold, a.original) for a in record.atoms] == [
        ("a0", "S", "She was born"),
        ("a1", None, None),
    ]
    assert [(c.id, c.atom_ids, c.prior) for c in record.contexts] == [
        ("c0", ("a1",), None),
        ("c1", ("a1",), 0.7),
    ]
    assert (record.contexts[0].title, record.contexts[0].link) == ("Curie", "http://x")
    assert record.metadata == {}


@pytest.mark.parametrize(
    ("field", "keys"),
    [
        ("response", ["output", "response", "answer", "actual_output", "generation"]),
        ("prompt", ["input", "prompt", "question", "query", "user_input"]),
        ("reference", ["reference", "ground_truth", "expected_output", "gold"]),
    ],
)
def test_names_of_a_field(field: str, keys: list[str]) -> None:
    needed = {} if field == "response" else {"output": "x"}
    for key in keys:
        assert getattr(parse(needed | {key: "It rains."}), field) == "It rains."


@pytest.mark.parametrize("key", ["contexts", "retrieved_contexts", "retrieval_context"])
def test_contexts_may_be_plain_texts(key: str) -> None:
    record = parse({"output": "x", key: ["One.", {"text": "Two."}]})
    assert record.contexts is not None
    assert [(c.id, c.text, c.atom_ids) for c in record.contexts] == [("c0", "One.", ()), ("c1", "Two.", ())]


def test_atoms_may_be_plain_texts() -> None:
    record = parse({"output": "x", "atoms": ["One.", {"id": 7, "text": "Two."}]})
    assert record.atoms is not None
    assert [(a.id, a.text) for a in record.atoms] == [("a0", "One."), ("7", "Two.")]


def test_absent_is_told_from_empty() -> None:
    absent = parse({"output": "x", "atoms": None, "contexts": None})
    empty = parse({"output": "x", "atoms": [], "contexts": []})
    assert (absent.atoms, absent.contexts) == (None, None)
    assert (empty.atoms, empty.contexts) == ((), ())


def test_integer_ids_become_texts() -> None:
    atoms, contexts = [{"id": 1, "text": "t", "contexts": [2]}], [{"id": 2, "text": "u"}]
    record = parse({"id": 12, "output": "x", "atoms": atoms, "contexts": contexts})
    assert record.id == "12"
    assert record.contexts is not None
    assert record.contexts[0].atom_ids == ("1",)


def test_links_may_stand_in_the_contexts() -> None:
    contexts = [{"text": "u", "atom_ids": ["a1", "a0"]}]
    record = parse({"output": "x", "atoms": ["s", "t"], "contexts": contexts})
    assert record.contexts is not None
    assert record.contexts[0].atom_ids == ("a0", "a1")


def test_the_snippet_of_an_unread_page_is_its_text() -> None:
    (context,) = (
        parse({"output": "x", "contexts": [{"text": "", "snippet": "Seen in the search."}]}).contexts or ()
    )
    assert (context.text, context.snippet) == ("Seen in the search.", "Seen in the search.")


def test_atom_gold_has_two_names() -> None:
    atoms = [{"text": "t", "gold": "NS"}, {"text": "t", "label": "S", "gold": "S"}]
    assert [atom.gold for atom in parse({"output": "x", "atoms": atoms}).atoms or ()] == ["NS", "S"]


@pytest.mark.parametrize("key", ["page_content", "content"])
def test_a_passage_may_have_its_text_and_source_as_documents_do(key: str) -> None:
    data = {key: "It is tall.", "metadata": {"source": "https://x.example/a", "title": "Tower"}}
    record = parse({"output": "x", "contexts": [data, {"text": "One.", key: "Another."}]})
    assert record.contexts is not None
    first, second = record.contexts
    assert (first.text, first.link, first.title) == ("It is tall.", "https://x.example/a", "Tower")
    assert second.text == "One."
    assert record.metadata["context_fields"] == {
        "c0": {"metadata": data["metadata"]},
        "c1": {key: "Another."},
    }


def test_ids_that_are_made_avoid_those_that_are_given() -> None:
    record = parse(
        {
            "output": "x",
            "atoms": ["One.", {"id": "c0", "text": "Two.", "contexts": ["a0"]}],
            "contexts": ["Three.", {"id": "a0", "text": "Four."}],
        }
    )
    assert [atom.id for atom in record.atoms or ()] == ["a1", "c0"]
    assert [(c.id, c.atom_ids) for c in record.contexts or ()] == [("c1", ()), ("a0", ("c0",))]


def test_unknown_keys_are_kept() -> None:
    record = parse(
        {
            "output": "x",
            "split": "test",
            "metadata": {"n": 1},
            "atoms": [{"text": "t", "votes": [1, 0]}, "u"],
            "contexts": [{"text": "v", "rank": 3}],
        }
    )
    assert record.metadata == {
        "split": "test",
        "metadata": {"n": 1},
        "atom_fields": {"a0": {"votes": [1, 0]}},
        "context_fields": {"c0": {"rank": 3}},
    }


def test_same_value_under_two_names_is_no_clash() -> None:
    assert parse({"output": "x", "response": "x", "prompt": None, "query": "q"}).prompt == "q"


def test_column_map() -> None:
    record = parse({"text": "It rains.", "docs": ["Rain."], "k": 1}, text="output", docs="contexts")
    assert record.response == "It rains."
    assert record.contexts is not None
    assert record.contexts[0].text == "Rain."
    assert record.metadata == {"k": 1}


def test_mapped_key_overrules_the_usual_ones_which_become_metadata() -> None:
    record = parse({"final": "new", "output": "old", "response": "older"}, final="response")
    assert record.response == "new"
    assert record.metadata == {"output": "old", "response": "older"}


def test_mapped_key_that_is_a_usual_name_of_another_field() -> None:
    record = parse({"answer": "the question", "output": "the answer"}, answer="prompt")
    assert (record.prompt, record.response, record.metadata) == ("the question", "the answer", {})


def test_column_map_chooses_between_clashing_names() -> None:
    record = parse({"output": "x", "prompt": "long", "question": "short"}, question="prompt")
    assert (record.prompt, record.metadata) == ("short", {"prompt": "long"})


def test_parse_column_map() -> None:
    assert parse_column_map(["text=output", "a = question"]) == {"text": "output", "a": "question"}


@pytest.mark.parametrize(
    ("pairs", "words"),
    [
        (["text"], "THEIRS=OURS"),
        (["=output"], "THEIRS=OURS"),
        (["text="], "THEIRS=OURS"),
        (["output=text"], "did you mean text=output"),
        (["text=ouput"], "did you mean 'output'"),
        (["a=output", "b=response"], "both 'a' and 'b'"),
        (["a=output", "a=input"], "mapped to 'output' already"),
    ],
)
def test_wrong_column_map(pairs: list[str], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        parse_column_map(pairs)


# Python values JSON can not hold


def test_nan_is_no_probability() -> None:
    with pytest.raises(InputError, match=r"f.jsonl:1: contexts\[0\].prior: is nan; .* between 0 and 1"):
        parse({"output": "x", "contexts": [{"text": "a", "prior": float("nan")}]})


def test_missing_id_without_a_default() -> None:
    with pytest.raises(InputError, match="here: id: missing"):
        Reader().record({"output": "x"}, where="here")


def test_facts_are_texts_or_objects_with_a_label() -> None:
    facts = [
        "She was born.",
        {"text": "She died.", "label": False, "source": "page 2"},
        {"id": "x", "text": "She wrote.", "label": "True"},
        {"text": "She sang.", "label": None},
    ]
    record = parse({"output": "x", "facts": facts, "variant": "short"})
    assert record.facts is not None
    assert [(f.id, f.text, f.gold) for f in record.facts] == [
        ("f0", "She was born.", None),
        ("f1", "She died.", "NS"),
        ("x", "She wrote.", "S"),
        ("f3", "She sang.", None),
    ]
    assert record.metadata == {"variant": "short", "fact_fields": {"f1": {"source": "page 2"}}}
    assert parse({"output": "x"}).facts is None
    assert parse({"output": "x", "facts": []}).facts == ()


@pytest.mark.parametrize("label", ["yes", 1, 0, 1.0, ["True"], {}])
def test_a_label_of_a_fact_that_is_none(label: Any) -> None:
    with pytest.raises(InputError, match=r"facts\[0\].label.*write true"):
        parse({"output": "x", "facts": [{"text": "She died.", "label": label}]})


def test_statements_of_the_reference_may_be_given() -> None:
    record = parse(
        {"output": "x", "reference": "y", "reference_atoms": ["One.", {"id": "b", "text": "Two."}]}
    )
    assert record.reference_atoms is not None
    assert [(a.id, a.text) for a in record.reference_atoms] == [("r0", "One."), ("b", "Two.")]


def test_relevant_contexts_are_listed_or_marked() -> None:
    marked = [{"text": "a", "relevant": True}, {"text": "b", "relevant": False}, "c"]
    assert parse({"output": "x", "contexts": marked}).gold_contexts == ("c0",)
    assert parse({"output": "x", "contexts": [{"text": "b", "relevant": False}]}).gold_contexts == ()
    assert parse({"output": "x", "contexts": ["a"]}).gold_contexts is None
    listed = parse({"output": "x", "contexts": ["a"], "gold_contexts": ["c0", "elsewhere"]})
    assert listed.gold_contexts == ("c0", "elsewhere")
    with pytest.raises(InputError, match="keep one of both"):
        parse({"output": "x", "contexts": marked, "gold_contexts": ["c0"]})
    with pytest.raises(InputError, match=r"contexts\[0\].relevant: write true or false"):
        parse({"output": "x", "contexts": [{"text": "a", "relevant": "yes"}]})


def test_ids_are_unique_over_every_kind_of_item() -> None:
    with pytest.raises(InputError, match=r"'a' is the id of atoms\[0\] too"):
        parse({"output": "x", "atoms": [{"id": "a", "text": "t"}], "facts": [{"id": "a", "text": "t"}]})


def test_a_question_may_be_a_conversation() -> None:
    turns = [
        {"role": "user", "content": "Who was Curie?"},
        {"role": "assistant", "content": "A physicist."},
        {"role": "user", "content": "Where was she born?"},
    ]
    prompt = parse({"output": "x", "input": turns}).prompt
    assert [prompt.index(turn["content"]) for turn in turns] == sorted(
        prompt.index(turn["content"]) for turn in turns
    )
    with pytest.raises(InputError, match="input"):
        parse({"output": "x", "input": [5]})
    with pytest.raises(InputError, match="missing; a turn is an object"):
        parse({"output": "x", "input": [{"role": "user"}]})
    parse({"output": "x", "input": [{"role": "assistant", "content": None}]})
