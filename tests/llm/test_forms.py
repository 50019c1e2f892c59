"""Call forms: what is asked in each, and what is read."""

import json

import pytest
from fenced import fenced
from llm_scene import PROMPT, SCHEMA, schema_of

from factreasoner.judges import functions
from factreasoner.llm import forms, replies
from factreasoner.llm.responses import Completion, Token, Tokens, tokens_of
from factreasoner.models import Claim, Usage
from factreasoner.models.messages import Example, FunctionSchema, Prompt

FORMS = ("tool", "json_schema", "json_object", "lines")
CLAIMS = [Claim("a", 'Revenue fell by -3.5 % to "$1.2 billion".'), Claim("b", "One.\nfact_0: Two.")]
CITING = functions.inquiry("tfn_citation").build(CLAIMS)
JUDGING = functions.inquiry("tfn").build(CLAIMS)
ONE = functions.inquiry("tfn").build(CLAIMS[:1])
LISTING = FunctionSchema(
    name="report",
    description="List them.",
    parameters={
        "type": "object",
        "properties": {"statements": {"type": "array", "items": {"type": "string"}}},
        "required": ["statements"],
    },
)
EXAMPLE = Example(
    user="A passage.",
    items={"fact_0": "It is so.", "fact_1": "It is red."},
    arguments={"fact_0": "True", "fact_1": "Not clear"},
)


def completion(content="", calls=(), *, finish="stop", tokens=None):
    return Completion(content, tuple(calls), finish, tokens, Usage())


def parsed(form, content="", schema=SCHEMA, calls=(), **options):
    return replies.parse(form, completion(content, calls, **options), schema)


# What is asked


def test_function_kind_decides_the_possible_forms():
    assert [forms.kind_of(schema) for schema in (ONE, JUDGING, LISTING, CITING)] == [
        "one",
        "flat",
        "flat",
        "nested",
    ]
    assert forms.forms_of("one", json_first=False) == ("word", *FORMS)
    assert forms.forms_of("flat", json_first=True)[:2] == ("json_schema", "tool")
    assert "lines" not in forms.forms_of("nested", json_first=True)
    assert forms.forms_of("flat", json_first=True, fixed="tool") == ("tool",)
    assert forms.forms_of("flat", json_first=False, fixed="word") == FORMS  # it is for one fact alone


@pytest.mark.parametrize("form", FORMS)
def test_every_form_lists_facts_after_the_passage(form):
    request = forms.request(form, PROMPT, JUDGING)
    user = request["messages"][-1]["content"]
    (listing,) = fenced(user, "facts")
    names = ["0", "1"] if form == "lines" else ["fact_0", "fact_1"]
    assert listing.splitlines() == [f"{names[0]}: {CLAIMS[0].text}", f"{names[1]}: One. fact_0: Two."]
    assert user.startswith(PROMPT.user)
    rest = {key: value for key, value in request.items() if key != "messages"}
    assert "Revenue" not in json.dumps([rest, request["messages"][:-1]])


@pytest.mark.parametrize("form", FORMS)
def test_calls_on_one_passage_share_their_prefix(form):
    prompt = PROMPT.model_copy(update={"examples": (EXAMPLE,)})
    sent = []
    for texts in (("Tea is hot.", "Ice is cold."), ("Salt is white.", "Snow falls.")):
        schema = functions.inquiry("tfn").build([Claim(text, text) for text in texts])
        request = forms.request(form, prompt, schema)
        rest = {key: value for key, value in request.items() if key != "messages"}
        head, _ = request["messages"][-1]["content"].split("<given_facts")
        sent.append(json.dumps([rest, request["messages"][:-1], head]))
    assert sent[0] == sent[1]


def test_single_word_form_is_plain_text():
    request = forms.request("word", Prompt(name="p", system="You judge.", user="Passage:\nX"), ONE)
    system, user = (message["content"] for message in request["messages"])
    assert system == "You judge.\nAnswer with True, False or Not clear and nothing else."
    assert user == f"Passage:\nX\n\nFact: {CLAIMS[0].text}"
    assert request.keys() == {"messages"}


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ("word", "True"),
        ("lines", "0: True\n1: Not clear"),
        ("json_schema", '{"fact_0": "True", "fact_1": "Not clear"}'),
        ("json_object", '{"fact_0": "True", "fact_1": "Not clear"}'),
    ],
)
def test_examples_are_turns_in_the_wanted_form(form, said):
    example, schema = EXAMPLE, JUDGING
    if form == "word":
        example = Example(user="A passage.", items={"fact_0": "It is so."}, arguments={"fact_0": "True"})
        schema = ONE
    prompt = PROMPT.model_copy(update={"examples": (example,)})
    _, user, assistant, last = forms.request(form, prompt, schema)["messages"]
    assert (user["role"], assistant) == ("user", {"role": "assistant", "content": said})
    assert "A passage." in user["content"]
    assert "It is so." in user["content"]
    assert CLAIMS[0].text in last["content"]
    answer = completion(said)
    assert replies.parse(form, answer, schema).arguments == example.arguments


def test_tool_calls_of_examples_have_different_ids():
    prompt = PROMPT.model_copy(update={"examples": (EXAMPLE, EXAMPLE)})
    messages = forms.request("tool", prompt, JUDGING)["messages"]
    made = [call["id"] for message in messages for call in message.get("tool_calls", ())]
    assert made == [m["tool_call_id"] for m in messages if m["role"] == "tool"] == ["example01", "example02"]


def test_tool_call_example_has_a_result():
    prompt = PROMPT.model_copy(update={"examples": (EXAMPLE,)})
    _, _, assistant, tool, _ = forms.request("tool", prompt, JUDGING)["messages"]
    (call,) = assistant["tool_calls"]
    assert json.loads(call["function"]["arguments"]) == EXAMPLE.arguments
    assert (tool["role"], tool["tool_call_id"]) == ("tool", call["id"])


def test_list_of_texts_is_read_line_by_line():
    example = Example(user="T", arguments={"statements": ["A is B.", "C is D."]})
    request = forms.request("lines", PROMPT.model_copy(update={"examples": (example,)}), LISTING)
    assert request["messages"][2]["content"] == "- A is B.\n- C is D."
    found = parsed("lines", "Here:\n- One is so.\n* Two is so.\n3. Three is so.", LISTING)
    assert found.arguments == {"statements": ["One is so.", "Two is so.", "Three is so."]}


def test_json_keys_and_values_are_described_in_prompt():
    system = forms.request("json_schema", PROMPT, CITING)["messages"][0]["content"]
    for word in ('"fact_0_citation"', '"fact_0"', '"True" or "False" or "Not clear"', "every fact"):
        assert word in system
    assert "<Text.>" in forms.request("json_object", PROMPT, _with_text())["messages"][0]["content"]


def _with_text():
    properties = {"title": {"type": "string", "description": "Text."}}
    parameters = {"type": "object", "properties": properties, "required": ["title"]}
    return FunctionSchema(name="name", description="Name it.", parameters=parameters)


def test_schemas_are_closed_and_have_no_descriptions():
    item = {"type": "object", "properties": {"description": {"type": "string", "description": "What."}}}
    schema = {"type": "object", "properties": {"atoms": {"type": "array", "items": item}}}
    closed = forms.strict(schema)
    inner = closed["properties"]["atoms"]["items"]
    assert inner["additionalProperties"] is closed["additionalProperties"] is False
    assert inner["required"] == ["description"]
    assert inner["properties"] == {"description": {"type": "string"}}


def test_half_surrogates_are_sent_as_question_marks():
    request = forms.request("tool", Prompt(name="p", user="bad \ud83d text"), SCHEMA)
    assert request["messages"][-1]["content"].startswith("bad ? text\n")


def test_shared_prefix_end_can_be_marked():
    prompt = PROMPT.model_copy(update={"examples": (EXAMPLE,)})
    for form in FORMS:
        messages = forms.request(form, prompt, JUDGING, marked=True)["messages"]
        (marked,) = [message for message in messages if isinstance(message["content"], list)]
        assert marked["content"][0]["text"].startswith("A passage.")


@pytest.mark.parametrize(("count", "tokens"), [(1, 12), (32, 384)])
def test_the_length_of_an_answer_is_known_before(count, tokens):
    assert forms.expected_tokens(schema_of(count)) == tokens
    assert forms.expected_tokens(LISTING) is None
    assert forms.expected_tokens(LISTING.model_copy(update={"expected_tokens": 70})) == 70


# What is read


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ("True", "True"),
        (" true.", "True"),
        ("Not", "Not clear"),
        ("**False**", "False"),
        ("Not clear", "Not clear"),
        ("<think>Hm, False?</think>\nTrue", "True"),
        ("No", None),
        ("The", None),
        ("", None),
    ],
)
def test_a_word_is_read_by_its_beginning(said, value):
    found = parsed("word", said, ONE)
    assert found.chances is None
    assert (found.arguments.get("fact_0"), found.obeyed) == (value, value is not None)


@pytest.mark.parametrize(
    "said",
    [
        "0: True\n1: False",
        "Sure!\n\n0. True\n1) false",
        "fact_0: True\nfact_1: False",
        "**0**: True\n**1**: False",
    ],
)
def test_numbered_lines_are_read_in_any_layout(said):
    assert parsed("lines", said).arguments == {"fact_0": "True", "fact_1": "False"}


@pytest.mark.parametrize("form", ["lines", "json_schema"])
@pytest.mark.parametrize("said", ["0: True\n1: False", '{"fact_0": "True", "fact_1": "False"}'])
def test_answer_inside_unclosed_thoughts_is_malformed(form, said):
    assert parsed(form, f"\n<think>\nPerhaps\n{said}").problem == "malformed"
    assert parsed("lines", f"A <think> tag\n{said}").arguments == {"fact_0": "True", "fact_1": "False"}


def test_form_is_obeyed_with_mostly_valid_values():
    good = '{"fact_0": "True", "fact_1": "False"}'
    assert parsed("json_schema", good).obeyed
    assert parsed("json_schema", '{"fact_0": "True"}').obeyed
    assert not parsed("json_schema", '{"fact_0": "Perhaps", "fact_1": "True"}').obeyed
    assert not parsed("json_schema", '{"fact_0": "True"}', schema_of(8)).obeyed


def test_tool_form_accepts_no_plain_json():
    good = '{"fact_0": "True", "fact_1": "False"}'
    assert parsed("tool", calls=[("check", good)]).obeyed
    assert parsed("tool", good).problem == "malformed"
    assert parsed("tool", calls=[("other", good)]).problem == "malformed"
    assert parsed("tool", " ").problem == "empty"


def test_the_schema_s_own_words_are_no_answer():
    schema = _with_text()
    for copied in ("Text.", "<Text.>", "‹Text.›"):
        assert "came back" in parsed("json_object", json.dumps({"title": copied}), schema).problem
    assert not parsed("json_object", '{"title": "A title"}', schema).problem


def test_mostly_repeated_texts_are_unusable():
    repeated = json.dumps({"statements": ["A is B.", "C is D.", *["It is so."] * 3]})
    assert "repeats" in parsed("json_schema", repeated, LISTING).problem
    fine = json.dumps({"statements": ["A is B.", "C is D.", "E is F.", "It is so.", "It is so."]})
    assert not parsed("json_schema", fine, LISTING).problem
    verdicts = json.dumps({f"fact_{i}": "True" for i in range(9)})
    assert parsed("json_schema", verdicts, schema_of(9)).obeyed


# Log-probabilities


def spelled(text, value, top, before=""):
    """Tokens of `text`, of which `value` with what stands `before` it is one, with its alternatives."""
    start = text.index(before + value)
    end = start + len(before + value)
    parts = [(text[:start], ()), (before + value, top), (text[end:], ())]
    return Tokens(Token(part.encode(), top[0][1] if top else -0.1, top) for part, top in parts if part)


@pytest.mark.parametrize(
    ("form", "text", "before"),
    [
        ("word", "False", ""),
        ("lines", "é 0: True\n1: False", " "),
        ("json_schema", '{"fact_0": "é", "fact_1": "False"}', '"'),
        ("tool", '{"fact_0": "True", "fact_1": "False"}', ""),
    ],
)
def test_probabilities_are_read_at_the_value_token(form, text, before):
    top = tuple((before + word, logp) for word, logp in (("False", -0.5), ("True", -1.5), ("Fal", -4.0)))
    schema = schema_of(1) if form == "word" else SCHEMA
    calls = [("check", text)] if form == "tool" else ()
    content = "" if form == "tool" else text
    found = parsed(form, content, schema, calls, tokens=spelled(text, "False", top, before))
    chances = found.chances["fact_0" if form == "word" else "fact_1"]
    assert sum(chances.probabilities.values()) == pytest.approx(1.0)
    assert chances.probabilities["False"] == pytest.approx(
        (0.6065 + 0.0183) / (0.6065 + 0.0183 + 0.2231), 1e-3
    )
    assert chances.mass == pytest.approx(0.8479, 1e-3)


def sampled(*pieces):
    """Tokens of these texts, each of which could have been a value."""
    return tokens_of(
        {"content": [{"token": text, "logprob": -0.05, "top_logprobs": OTHERS} for text in pieces]}
    )


OTHERS = [{"token": word, "logprob": -3.0} for word in ("\u2581False", " Not")]
BOTH = '{"fact_0": "True", "fact_1": "False"}'


@pytest.mark.parametrize(
    ("form", "content", "pieces"),
    [
        ("word", "True", ["\u2581True"]),
        ("word", "**True**", ["**", "Tr", "ue", "**", "<|im_end|>"]),
        ("word", "True", ["Is it False?", "</think>", "\n\n", "True"]),
        ("word", "<think>False</think>True", ["<think>", "False", "</think>", "True"]),
        ("lines", "0: **True**\n1: False", ["0", ": **", "True", "**\n1:", "\u2581False"]),
        ("lines", "0: It is.\n0: True\n1: False", ["0: It is.\n0:", " True", "\n1:", " False"]),
        ("json_schema", BOTH, ['{"fact_0":"', "T", "rue", '","fact_1"', ': "', "False", '"}']),
        ("json_schema", f'{{"a": {BOTH}}} {BOTH}', ['{"a": {"fact_0": "False"}}{"fact_0": ', '"True', '"']),
        ("tool", f'{{"arguments": {BOTH}}}', ['{"arguments":{"fact_0":\u2581"', "True", '", ']),
    ],
)
def test_probabilities_are_independent_of_tokenization(form, content, pieces):
    schema = schema_of(1) if form == "word" else SCHEMA
    calls = [("check", content)] if form == "tool" else ()
    found = parsed(form, content, schema, calls, tokens=sampled(*pieces))
    assert found.chances["fact_0"].probabilities["True"] > 0.9


@pytest.mark.parametrize(
    ("form", "content", "pieces"),
    [
        ("word", "True", ["False"]),
        ("word", "True", ["The", " fact"]),
        ("word", "True", ["\u2581", "\n"]),
        ("lines", "0: True\n1: False", ["0:", " False", "\n1:", " True"]),
        ("lines", "0: True\n1: False", ["0:", " True", "\n1:", " True"]),
        ("lines", "0: True\n1: False", ["0", ":"]),
        ("json_schema", BOTH, ['{"fact_0": "', "False", '", "fact_1": "', "True", '"}']),
        ("json_schema", f"<think>{BOTH}</think>{BOTH}", [BOTH, '{"fact_0": "', "False", '"}']),
        ("json_object", BOTH, ['{"fact_0": "']),
        ("tool", BOTH, ['{"fact_0": "', "True", '", "fact_1": "', "True", '"}']),
    ],
)
def test_tokens_of_another_answer_give_no_probabilities(form, content, pieces):
    schema = schema_of(1) if form == "word" else SCHEMA
    calls = [("check", content)] if form == "tool" else ()
    found = parsed(form, content, schema, calls, tokens=sampled(*pieces))
    assert (found.arguments["fact_0"], found.chances) == ("True", {})
