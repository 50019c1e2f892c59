"""Every kind of bad line is named with its number, the field and the remedy."""

import json
from typing import Any

import pytest

from factreasoner.errors import InputError
from factreasoner.inputs.input import CheckedInput

GOOD = {"id": "good", "output": "The sky is blue."}
LAST = {"id": "last", "output": "The sea is salty."}

Line = dict[str, Any] | str | bytes


def given(**fields):
    return {"output": "x", **fields}


def atom(**fields):
    return given(atoms=["first", {"text": "t", **fields}])


def context(**fields):
    return given(contexts=["first", {"text": "t", **fields}])


SHARED_ID = given(atoms=[{"id": 0, "text": "t"}], contexts=[{"id": 0, "text": "t"}])

BAD = [
    # what is wrong, the line, the field that the problem names, words of its message
    ("deep", '{"output": "x", "notes": ' + "[" * 195 + "]" * 195 + "}", "", "nested too deeply", "190"),
    ("endless", '{"output": "x", "notes": ' + "[" * 100_000, "", "nested too deeply", "190"),
    ("no response", {"id": "x"}, "output", "missing", "output", "`column_map={"),
    ("misspelt response", {"ouput": "x"}, "output", "'ouput'", "did you mean 'output'?"),
    ("null response", {"output": None}, "output", "missing", '""'),
    ("response is a list", {"output": ["a"]}, "output", "a list", "a string"),
    ("prompt is an object", given(input={"role": "user"}), "input", "an object", "a string"),
    ("topic is a number", given(topic=3), "topic", "the number 3"),
    ("reference is a boolean", given(gold=True), "reference", "true"),
    ("blank id", given(id=" "), "id", "blank", "integer"),
    ("boolean id", given(id=True), "id", "is true", "integer"),
    ("fractional id", given(id=1.5), "id", "1.5", "integer"),
    ("clashing names", given(answer="y"), "output", "'output' and 'answer'", "`column_map={"),
    ("three clashing names", given(query="a", input="b", prompt="c"), "input", "'prompt'", "'query'"),
    (
        "contexts are a list in a text",
        given(contexts='["a"]'),
        "contexts",
        "list written as a string",
        "[...]",
    ),
    ("records in an object", {"data": [{"output": "x"}]}, "output", "'data'", "jq -c '.[\"data\"][]'"),
    ("contexts are an object", given(contexts={"c0": "one"}), "contexts", "an object", "list"),
    ("null context", given(contexts=["a", None]), "contexts[1]", "null", "a string"),
    ("blank context", given(contexts=["a", " \n"]), "contexts[1].text", "blank", "leave"),
    ("context without text", context(text=None), "contexts[1].text", "missing", "leave"),
    ("context text is a number", context(text=5), "contexts[1].text", "number 5"),
    ("context title is a list", context(title=[]), "contexts[1].title", "a list"),
    ("prior above one", context(prior=1.2), "contexts[1].prior", "1.2", "between 0 and 1"),
    ("prior below zero", context(prior=-1), "contexts[1].prior", "between 0 and 1"),
    ("prior is a string", context(prior="0.9"), "contexts[1].prior", "a string", "number"),
    ("prior is a boolean", context(prior=True), "contexts[1].prior", "true", "number"),
    (
        "context id twice",
        given(contexts=[{"id": "c0", "text": "t"}] * 2),
        "contexts[1].id",
        "'c0'",
        "contexts[0]",
        "unique",
    ),
    ("atoms are a number", given(atoms=4), "atoms", "the number 4", "list of strings or objects"),
    ("atom is a list", given(atoms=[["t"]]), "atoms[0]", "a list", "object"),
    ("blank atom", atom(text="\t"), "atoms[1].text", "blank", "leave"),
    ("atom without text", given(atoms=[{"id": "a0"}]), "atoms[0].text", "missing", "leave"),
    ("original is a number", atom(original=1), "atoms[1].original", "number 1"),
    ("unknown label", atom(label="true"), "atoms[1].label", "'true'", '"S"', '"NS"', "null"),
    ("label is a boolean", atom(label=False), "atoms[1].label", "False", '"NS"'),
    ("label is a list", atom(label=["S"]), "atoms[1].label", "['S']", '"NS"'),
    ("label and gold differ", atom(label="S", gold="NS"), "atoms[1].label", "differ", "keep one"),
    (
        "atom id twice",
        given(atoms=[{"id": "a0", "text": "t"}] * 2),
        "atoms[1].id",
        "'a0'",
        "atoms[0]",
        "numbered",
    ),
    ("atom and context of one id", SHARED_ID, "contexts[0].id", "'0'", "atoms[0]", "unique"),
    ("unknown context", atom(contexts=["c9"]) | {"contexts": ["u"]}, "atoms[1].contexts", "'c9'", "add it"),
    ("context of a record without", atom(contexts=["c0"]), "atoms[1].contexts", "'c0'", "drop"),
    ("unknown atom", context(atom_ids=["a5"]), "contexts[1].atom_ids", "'a5'", "add it"),
    ("links are a text", atom(contexts="c0"), "atoms[1].contexts", "a string", "list of ids"),
    ("relevant contexts are a text", given(gold_contexts="c0"), "gold_contexts", "a string", "list of ids"),
    ("null link", atom(contexts=[None]), "atoms[1].contexts[0]", "missing", "integer"),
    ("reserved name", atom(votes=1) | {"atom_fields": 1}, "atom_fields", "rename"),
    ("not UTF-8", b'{"id": "x", "output": "caf\xe9"}', "", "byte 0xe9; correct it", "iconv"),
    ("not JSON", "{output: 1}", "", "not JSON", "column 2", "one JSON object"),
    ("a bare word", "not json", "", "not JSON: expected true, false or null at column 2", "one JSON object"),
    ("Python, not JSON", "{'output': 'x'}", "", "Python", "json.dumps"),
    (
        "torn",
        '{"id": "x", "output": "abc',
        "",
        "not JSON: it breaks off at column 26",
        "must be a whole object",
    ),
    ("two objects", '{"output": "x"} {"output": "y"}', "", "trailing", "column 17", "one object"),
    ("a list", "[1]", "", "a list", "object"),
    ("a text", '"output"', "", "a string", "object"),
    ("null", "null", "", "null", "object"),
    ("NaN", '{"output": "x", "score": NaN}', "", "NaN", "null"),
    ("infinity", '{"output": "x", "score": -Infinity}', "", "Infinity", "null"),
    ("number without bounds", '{"output": "x", "score": 1e999}', "score", "too large", "string"),
    (
        "deeper number without bounds",
        '{"output": "x", "atoms": [{"text": "t", "s": [-1e999]}]}',
        "atom_fields",
        "too large",
    ),
    ("endless integer", '{"output": "x", "n": ' + "9" * 5000 + "}", "", "out of range", "string"),
    ("repeated key", '{"output": "x", "output": "y"}', "", '"output"', "duplicate", "keep one"),
    ("repeated key inside", '{"output": "x", "m": {"k": 1, "k": 2}}', "", '"k"', "duplicate"),
    ("half a character", '{"output": "x \\ud83d"}', "", "column 21", "surrogate"),
    ("half a character in a key", '{"output": "x", "\\uDE00": 1}', "", "column 23", "surrogate"),
    (
        "relevance told twice",
        given(contexts=[{"text": "a", "relevant": True}], gold_contexts=["c0"]),
        "gold_contexts",
        "keep one of both",
    ),
    ("relevance in words", context(relevant="yes"), "contexts[1].relevant", "a string", "true or false"),
    (
        "atom and fact of one id",
        given(atoms=[{"id": "a", "text": "t"}], facts=[{"id": "a", "text": "t"}]),
        "facts[0].id",
        "'a' is the id of atoms[0]",
    ),
    ("turn is a number", given(input=[5]), "input[0]", "the number 5", "an object {role, content}"),
    (
        "turn without content",
        given(input=[{"role": "user"}]),
        "input[0].content",
        "missing; a turn is an object {role, content}",
    ),
    *(
        (
            f"label of a fact is {label!r}",
            given(facts=[{"text": "t", "label": label}]),
            "facts[0].label",
            "write true",
        )
        for label in ("yes", 1, 0, 1.0, ["True"], {})
    ),
    ("id given before", given(id="good"), "id", "'good'", "line 1", "its own"),
]


def write(path, *lines):
    texts = (json.dumps(line) if isinstance(line, dict) else line for line in lines)
    path.write_bytes(b"".join((x.encode() if isinstance(x, str) else x) + b"\n" for x in texts))
    return path


@pytest.mark.parametrize("case", BAD, ids=[case[0] for case in BAD])
def test_bad_line(tmp_path, case):
    _, line, field, *words = case
    path = write(tmp_path / "f.jsonl", GOOD, line, LAST)
    with pytest.raises(InputError) as caught:
        CheckedInput(path)
    (problem,) = caught.value.problems
    assert (problem.where, problem.field) == (f"{path}:2", field)
    for word in words:
        assert word in problem.message
    assert len(problem.message) < 300
    skipped = CheckedInput(path, skip_invalid=True)
    assert list(skipped.ids) == ["good", "last"]
    assert skipped.problems == [problem]


def test_every_problem_of_every_line(tmp_path):
    bad_atoms = [{"text": ""}, {"text": "t", "label": "?"}, {"text": "u", "contexts": ["c0"]}]
    path = write(tmp_path / "f.jsonl", {"topic": 1, "atoms": bad_atoms}, "", "oops", GOOD)
    with pytest.raises(InputError) as caught:
        CheckedInput(path)
    assert [(p.where.rpartition(":")[2], p.field) for p in caught.value.problems] == [
        ("1", "output"),
        ("1", "atoms[0].text"),
        ("1", "atoms[1].label"),
        ("1", "topic"),
        ("3", ""),
    ]
    assert str(caught.value).count("\n") == 4
