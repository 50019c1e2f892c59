"""JSON in hostile and careless replies."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from llm_scene import SCHEMA
from test_drafts import VALUES, verdicts

from factreasoner.llm.conclusions import without_drafts
from factreasoner.llm.faults import safe_excerpt
from factreasoner.llm.replies import arguments_in, merged_calls, parse
from factreasoner.llm.responses import Completion
from factreasoner.models import Usage

TRUE = {"fact_0": "True", "fact_1": "False"}
BODY = json.dumps(TRUE)


def arguments_of(content="", *calls):
    if calls:
        meant = (raw for name, raw in calls if name == SCHEMA.name)
        return merged_calls(meant, SCHEMA.arguments, SCHEMA.name)
    return arguments_in(without_drafts(content), SCHEMA.arguments, SCHEMA.name)


@pytest.mark.parametrize(
    "raw",
    [
        BODY,
        TRUE,
        json.dumps(BODY),
        f"[{BODY}]",
        json.dumps({"arguments": TRUE}),
        json.dumps({"name": "check", "parameters": TRUE}),
        json.dumps({"check": BODY}),
        json.dumps(TRUE | {"fact_7": "True", "why": "because"}),
        f"Here you are: {BODY}",
    ],
    ids=["text", "object", "nested text", "list", "wrapped", "call", "by name", "extra", "prose"],
)
def test_tool_arguments_in_many_shapes(raw):
    assert arguments_of("", ("check", raw)) == TRUE


@pytest.mark.parametrize(
    "raw", ["", None, "null", "[]", "[1, 2]", "7", '"yes"', '{"fact_0": "Tr', "{}", '{"a": 1}']
)
def test_reply_without_arguments_is_rejected(raw):
    assert arguments_of("", ("check", raw)) is None


def test_several_tool_calls_are_merged():
    assert merged_calls(["{}"], (), "ping") == {}
    calls = [
        ("check", '{"fact_0": "True"}'),
        ("search", '{"fact_1": "True"}'),
        ("check", '{"fact_1": "False"}'),
    ]
    assert arguments_of("", *calls) == TRUE


def test_conflicting_duplicate_values_are_discarded():
    assert arguments_of("", ("check", '{"fact_0": "True", "fact_0": "False", "fact_1": "True"}')) == {
        "fact_1": "True"
    }
    calls = [("check", BODY), ("check", '{"fact_1": "True"}')]
    assert arguments_of("", *calls) == {"fact_0": "True"}


@pytest.mark.parametrize(
    "content",
    [
        BODY,
        f"```json\n{BODY}\n```",
        f"```\n{BODY}```",
        f"Well {{braces}} and {{\n {BODY} then {{}}",
        f'<think>Maybe {{"fact_0": "False"}}?</think>\n{BODY}',
        f'{{"note": {{"x": 1}}}} {BODY}',
    ],
    ids=["bare", "fenced", "plain fence", "stray braces", "thought", "other object first"],
)
def test_content_is_searched_for_the_arguments(content):
    assert arguments_of(content) == TRUE


def test_surrogates_are_replaced_and_deep_arguments_dropped():
    assert arguments_of('{"fact_0": "\\ud83d!"}') == {"fact_0": "?!"}
    deep = "[" * 900 + "]" * 900
    assert arguments_of(f'{{"fact_0": {deep}, "fact_1": "False"}}') == {"fact_1": "False"}


@pytest.mark.parametrize("text", ['{"a":' * 5000, "{" * 100_000, "[" * 100_000, '{"fact_0": ' + "[" * 5000])
def test_deep_nesting_is_rejected_by_the_reader(text):
    assert arguments_of(text) is None


@given(st.text())
def test_no_text_breaks_the_reader(text):
    found = arguments_of(text, ("check", text))
    assert found is None or set(found) <= set(SCHEMA.arguments)


@given(st.text(), st.text())
def test_json_between_other_words_is_found(before, after):
    assert arguments_of(before.replace("{", "").replace("`", "").replace("<", "") + BODY + after) is not None


# Texts that took minutes, or for ever, with backtracking patterns: a whole megabyte each

MILLION = 1_000_000
HOSTILE = {
    "newlines in a fence": "```" + "\n" * MILLION,
    "unclosed thoughts": "<think>" * (MILLION // 7),
    "nearly closed thoughts": "<think></think" * (MILLION // 14),
    "brackets": "[" * MILLION,
    "nested objects": '{"a":' * (MILLION // 5),
    "braces": "{a" * (MILLION // 2),
    "fences": "```{" * (MILLION // 4),
    "an object that never ends, in sixty others": '{"b":' * 60 + "[" + "1," * (MILLION // 2),
    "digits": '{"fact_0": ' + "1" * MILLION + "}",
    "backslashes": '"message":"' + "\\" * MILLION,
    "addresses": "http://" * (MILLION // 7),
    "keys": "?key=" * (MILLION // 5),
    "prose": "word " * (MILLION // 5),
    "newlines": "0" + "\n" * MILLION,
    "blanks in a line": "0: a" + " " * MILLION + "b",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_text_is_read_and_shown_at_once(text):
    assert arguments_of(text) is None
    assert arguments_of("", ("check", text)) is None
    assert parse("lines", answer(text), verdicts(1)).arguments.get("fact_0") not in VALUES
    assert len(safe_excerpt(text)) <= 300


def test_many_calls_are_not_read_without_end():
    assert arguments_of("", *[("check", '{"a":')] * 100_000) is None


def answer(text):
    return Completion(text, (), "stop", None, Usage())


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ("True, because it is not false", "True"),
        ("**Not**", "Not clear"),
        ("not cl", "Not clear"),
        ("T", "True"),
        ("N.", "Not clear"),
        ("No", None),
        ("Not true", None),
        ("Not false", None),
        ("True or", None),
        ("true/false", None),
        ("True, False or Not clear", None),
        ("Vrai", None),
    ],
)
def test_ambiguous_or_unknown_word_gives_no_verdict(said, value):
    word = parse("word", answer(said), verdicts(1)).arguments
    line = parse("lines", answer(f"0: {said}"), verdicts(1)).arguments
    assert word == ({"fact_0": value} if value else {})
    assert (line["fact_0"] == value) == (value is not None)


def test_numbered_answers_from_one_and_duplicates_are_refused():
    shifted = {f"fact_{n}": "True" for n in (1, 2, 3)}
    for form, text in (("lines", "1: True\n2: True\n3: True"), ("json_schema", json.dumps(shifted))):
        assert parse(form, answer(text), verdicts(3)).arguments == {}
    assert parse("lines", answer(json.dumps(shifted)), verdicts(3)).arguments == {}
    calls = ({name: value} for name, value in shifted.items())
    assert not merged_calls(calls, verdicts(3).arguments, "judge")
    assert parse("lines", answer("0: True\n0: False\n1: True"), verdicts(2)).arguments == {"fact_1": "True"}


@pytest.mark.parametrize(
    "text",
    [
        "0: True\n1: False\n\nReasons:\n0. The passage says so.\n1. It says 1932.",
        "0: True\n1: False\n\nReasons:\n1. The passage says so.\n2. It says 1932.",
        "0：True\n1、F",
        "Step 1: read.\nStep 2: compare.\n0: True\n1: False",
        "0: It is old.\n1: It is new.\n\n0: True\n1: False",
    ],
)
def test_numbered_reasons_are_not_answers(text):
    found = parse("lines", answer(text), verdicts(2))
    assert (found.arguments, found.obeyed) == (TRUE, True)
