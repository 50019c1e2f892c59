"""From hostile and careless replies to arguments."""

import itertools
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from llm_scene import SCHEMA

from factreasoner.llm.faults import shown
from factreasoner.llm.messages import FunctionSchema, TokenLogprob
from factreasoner.llm.reading import Completion, Piece, aligned, joined, read
from factreasoner.models import Usage

TRUE = {"fact_0": "True", "fact_1": "False"}
BODY = json.dumps(TRUE)


def arguments_of(content="", *calls):
    reading = read(Completion(content, calls, "stop", None, Usage()), SCHEMA)
    return None if reading is None else reading.arguments


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
def test_what_holds_no_arguments(raw):
    assert arguments_of("", ("check", raw)) is None


def test_several_calls_are_merged_and_other_functions_ignored():
    calls = [
        ("check", '{"fact_0": "True"}'),
        ("search", '{"fact_1": "True"}'),
        ("check", '{"fact_1": "False"}'),
    ]
    assert arguments_of("", *calls) == TRUE


def test_what_is_said_twice_differently_counts_as_not_said():
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


def test_content_counts_only_without_a_usable_call():
    assert arguments_of(BODY, ("check", "nonsense")) == TRUE
    assert arguments_of('{"fact_0": "False"}', ("check", BODY)) == TRUE


def test_the_text_is_the_json_itself():
    assert read(Completion(f"So: {BODY} ok", (), "stop", None, Usage()), SCHEMA).text == BODY


def test_a_function_without_arguments_is_answered_by_any_object():
    ping = FunctionSchema(name="ping", description="", parameters={"type": "object", "properties": {}})
    assert read(Completion("", (("ping", "{}"),), "stop", None, Usage()), ping).arguments == {}


def test_halves_of_surrogate_pairs_do_not_come_through():
    assert arguments_of('{"fact_0": "\\ud83d!"}') == {"fact_0": "?!"}


@pytest.mark.parametrize("text", ['{"a":' * 5000, "{" * 100_000, "[" * 100_000, '{"fact_0": ' + "[" * 5000])
def test_deep_nesting_is_no_way_to_stop_the_reader(text):
    assert arguments_of(text) is None


@given(st.text())
def test_no_text_breaks_the_reader(text):
    found = arguments_of(text, ("check", text))
    assert found is None or set(found) <= set(SCHEMA.arguments)


@given(st.text(), st.text())
def test_json_between_other_words_is_found(before, after):
    assert arguments_of(before.replace("{", "").replace("`", "").replace("<", "") + BODY + after) is not None


# Tokens


def pieces(text, *cuts):
    edges = [0, *cuts, len(text)]
    return tuple(TokenLogprob(text[a:b], -0.5, (("x", -1.0),)) for a, b in itertools.pairwise(edges))


@given(st.text(min_size=1), st.lists(st.integers(0, 40)), st.integers(0, 20), st.integers(0, 20))
def test_aligned_tokens_spell_the_text_or_there_are_none(text, cuts, start, length):
    part = text[start : start + length]
    tokens = pieces(text, *sorted(min(cut, len(text)) for cut in cuts))
    found = aligned(tokens, part)
    assert found is None if not part else "".join(token.token for token in found) == part


def test_a_token_cut_at_the_border_loses_its_alternatives():
    inner = aligned(pieces('```json\n{"a": 1}\n```', 9, 14), '{"a": 1}')
    assert [token.token for token in inner] == ["{", '"a": ', "1}"]
    assert [len(token.top) for token in inner] == [0, 1, 0]


def test_the_last_of_equal_texts_is_meant():
    tokens = tuple(
        TokenLogprob(text, logprob) for text, logprob in [("{}", -9.0), (" or ", -1.0), ("{}", -0.1)]
    )
    assert aligned(tokens, "{}") == (tokens[2],)


def test_tokens_that_share_a_character_are_joined():
    raw = "a é".encode()
    parts = [Piece(raw[:3], -0.1, (("b", -1.0),)), Piece(raw[3:], -0.2, (("c", -1.0),))]
    assert joined(parts) == (TokenLogprob("a é", pytest.approx(-0.3), ()),)
    alone = Piece(b"ok", -0.1, (("no", -2.0),))
    assert joined([alone]) == (TokenLogprob("ok", -0.1, (("no", -2.0),)),)


@pytest.mark.parametrize(
    "unsound", [Piece(b"ok", None, (("no", -2.0),)), Piece(b"ok", -0.1, None)], ids=["its own", "another's"]
)
def test_a_token_with_an_unsound_number_has_no_log_probability(unsound):
    sound = Piece(b"!", -0.2, (("?", -1.0),))
    assert joined([unsound, sound]) == (TokenLogprob("ok", None, ()), TokenLogprob("!", -0.2, (("?", -1.0),)))


def test_bytes_that_are_no_text_do_not_swallow_what_follows():
    found = joined([Piece(b"\xff", -0.1, ()), Piece(b"ok", -0.2, ())])
    assert [token.token for token in found] == ["\ufffd", "ok"]


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
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_text_is_read_and_shown_at_once(text):
    assert arguments_of(text) is None
    assert arguments_of("", ("check", text)) is None
    assert len(shown(text)) <= 300


def test_many_calls_are_not_read_without_end():
    assert arguments_of("", *[("check", '{"a":')] * 100_000) is None


def test_an_argument_nested_too_deep_is_left_out():
    deep = "[" * 900 + "]" * 900
    assert arguments_of(f'{{"fact_0": {deep}, "fact_1": "False"}}') == {"fact_1": "False"}


def test_repeating_tokens_are_aligned_at_once():
    tokens = tuple(TokenLogprob("a", -0.1) for _ in range(200_000))
    assert aligned(tokens, "ab" + "a" * 100_000) is None
