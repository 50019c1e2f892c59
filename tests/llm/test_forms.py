"""Call forms, alone and against servers that refuse or ignore some of them."""

import json
import threading

import pytest
from fake_server import Completion, answering, completion_body, error, obliging, prose, refusing, sequence
from fenced import fenced
from llm_scene import PROMPT, SCHEMA

from factreasoner.atoms.atomizer import INLINE_SCHEMA
from factreasoner.errors import ProviderError
from factreasoner.judges import faaf
from factreasoner.llm.forms import FORMS, closed, request_of, without_descriptions
from factreasoner.llm.messages import Prompt
from factreasoner.models import Claim

TRUE = {"fact_0": "True", "fact_1": "True"}


@pytest.mark.parametrize("count", [0, 1, 2, 3])
def test_the_first_form_that_is_not_refused_answers(scene, count):
    set_up = scene(refusing(set(FORMS[:count])))
    client = set_up.client()
    reply = client.call(PROMPT, SCHEMA)
    assert (reply.form, reply.arguments) == (FORMS[count], TRUE)
    assert set_up.forms == list(FORMS[: count + 1])
    client.call(PROMPT, SCHEMA)
    assert set_up.server.calls == count + 2  # refused forms are not tried again


@pytest.mark.parametrize(
    "refusal",
    [
        error(400, "registry/model:2b does not support tools"),
        error(404, "No endpoints found that support tool use"),
        error(500, "tools param requires --jinja flag"),
        error(422, "Unknown field: tool_choice"),
        error(501, "function calling is not implemented"),
    ],
    ids=["400", "404", "500", "422", "501"],
)
def test_the_ways_servers_refuse_tools(scene, refusal):
    set_up = scene(lambda request: refusal if request.form == "tool" else obliging(request))
    assert set_up.client().call(PROMPT, SCHEMA).form == "json_schema"
    assert set_up.server.calls == 2


def test_a_server_error_that_mentions_tools_is_retried_first(scene):
    set_up = scene(sequence(error(500, "tool worker crashed"), obliging))
    assert set_up.client().call(PROMPT, SCHEMA).form == "tool"


def test_refusals_teach_nothing_when_no_form_works(scene):
    bad = error(400, "Invalid schema for function 'check'")
    set_up = scene(sequence(bad, bad, bad, bad, obliging))
    client = set_up.client()
    with pytest.raises(ProviderError, match="Invalid schema"):
        client.call(PROMPT, SCHEMA)
    assert client.call(PROMPT, SCHEMA).form == "tool"


def test_prose_in_place_of_a_call_is_read_for_json(scene):
    text = 'Sure! Here it is:\n```json\n{"fact_0": "True", "fact_1": "False"}\n```\nAnything else?'
    set_up = scene(lambda request: prose(text))
    reply = set_up.client().call(PROMPT, SCHEMA)
    assert reply.arguments == {"fact_0": "True", "fact_1": "False"}
    assert (reply.form, set_up.server.calls) == ("tool", 1)


def test_prose_goes_down_one_rung_and_is_paid_for(scene):
    set_up = scene(lambda request: prose() if request.form == "tool" else obliging(request))
    reply = set_up.client().call(PROMPT, SCHEMA)
    assert (reply.form, reply.arguments) == ("json_schema", TRUE)
    assert reply.usage.calls == 2


def test_many_threads_at_once_learn_from_one(scene):
    set_up = scene(refusing({"tool"}))
    client = set_up.client()
    threads = [threading.Thread(target=client.call, args=(PROMPT, SCHEMA)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    before = set_up.server.calls
    client.call(PROMPT, SCHEMA)
    assert set_up.forms[before:] == ["json_schema"]


def test_what_each_form_sends():
    tool, strict, loose, fenced = (request_of(form, PROMPT, SCHEMA) for form in FORMS)
    assert tool["tools"][0]["function"]["name"] == "check"
    assert strict["response_format"]["json_schema"]["schema"] == closed(
        without_descriptions(SCHEMA.parameters)
    )
    assert loose["response_format"] == {"type": "json_object"}
    assert set(fenced) == {"messages"}
    assert tool["messages"][-1]["content"] == "Is it so?\n\nCall the function check."
    for request in (strict, loose, fenced):
        user = request["messages"][-1]["content"]
        assert "\n\nIs it so?\n\nAnswer with the JSON object" in user
    for request in (loose, fenced):
        user = request["messages"][-1]["content"]
        assert json.JSONDecoder().raw_decode(user, user.index("{"))[0] == SCHEMA.parameters
    assert "```json" in fenced["messages"][-1]["content"]


CLAIMS = [Claim("a", 'Revenue fell by -3.5 % to "$1.2 billion".'), Claim("b", "One.\nfact_0: Two.")]
JUDGING = faaf.inquiry("tfn_citation").build(CLAIMS)


def user_of(request):
    return request["messages"][-1]["content"]


def test_a_tool_call_carries_the_facts_and_its_message_does_not():
    request = request_of("tool", PROMPT, JUDGING)
    properties = request["tools"][0]["function"]["parameters"]["properties"]
    assert properties["fact_0"]["description"].count(CLAIMS[0].text) == 1
    assert "Revenue" not in str(request["messages"])


@pytest.mark.parametrize(("form", "listed"), [("tool", True), *((form, False) for form in FORMS[1:])])
def test_everywhere_else_the_message_lists_them_and_the_schema_does_not(form, listed):
    request = request_of(form, PROMPT, JUDGING, listed=listed)
    (listing,) = fenced(user_of(request), "facts")
    assert listing.splitlines() == [f"fact_0: {CLAIMS[0].text}", "fact_1: One. fact_0: Two."]
    assert user_of(request).index(listing) < user_of(request).index(PROMPT.user)
    others = [Claim("x", "Tea is hot."), Claim("y", "Ice is cold.")]
    twin = request_of(form, PROMPT, faaf.inquiry("tfn_citation").build(others), listed=listed)
    for part in ("tools", "response_format"):
        assert json.dumps(request.get(part)) == json.dumps(twin.get(part))
        assert "Revenue" not in str(request.get(part))


def test_a_schema_without_items_is_told_in_the_message_and_not_twice():
    request = request_of("json_schema", PROMPT, INLINE_SCHEMA)
    schema = request["response_format"]["json_schema"]["schema"]
    assert list(schema["properties"]["statements"]["items"]["properties"]) == ["begins", "atom"]
    assert "description" not in json.dumps(schema)
    outline = (
        '{"statements": [{"begins": <The first words, at most five, of the part of the text that states it, '
    )
    assert (
        f'Its form: {outline}copied verbatim.>, "atom": <The statement, one complete sentence.>}}, ...]}}'
        in (user_of(request))
    )


def test_a_property_called_description_stays_in_a_schema():
    schema = {"type": "object", "properties": {"description": {"type": "string", "description": "What."}}}
    kept = {"type": "object", "properties": {"description": {"type": "string"}}}
    assert without_descriptions(schema) == kept


def test_a_grammar_alone_would_not_say_which_keys_and_values_are_meant():
    user = user_of(request_of("json_schema", PROMPT, JUDGING))
    for word in ('"fact_0_citation"', '"fact_0"', '"True" or "False" or "Not clear"', "every fact"):
        assert word in user


@pytest.mark.parametrize("form", FORMS[1:])
def test_calls_about_the_same_facts_begin_alike(form):
    users = [user_of(request_of(form, Prompt(name="p", user=text), JUDGING)) for text in ("First.", "Other.")]
    heads = [user[: user.index(text)] for user, text in zip(users, ("First.", "Other."), strict=True)]
    assert heads[0] == heads[1]
    assert all(claim.text.split("\n")[0] in heads[0] for claim in CLAIMS)


def test_words_of_a_call_are_only_in_a_call():
    for form in FORMS[1:]:
        assert "function" not in user_of(request_of(form, PROMPT, JUDGING)).casefold()


def test_no_system_message_without_a_system_prompt():
    request = request_of("tool", Prompt(name="p", user="Hi"), SCHEMA)
    assert [message["role"] for message in request["messages"]] == ["user"]


def test_halves_of_surrogate_pairs_are_sent_as_question_marks(scene):
    set_up = scene()
    set_up.client().call(Prompt(name="p", user="bad \ud83d text"), SCHEMA)
    assert set_up.server.requests[0].text.startswith("bad ? text\n")


def test_a_closed_schema_is_closed_at_every_depth():
    item = {"type": "object", "properties": {"text": {"type": "string"}}, "required": []}
    schema = {"type": "object", "properties": {"atoms": {"type": "array", "items": item}}}
    inner = closed(schema)["properties"]["atoms"]["items"]
    assert inner["additionalProperties"] is closed(schema)["additionalProperties"] is False
    assert inner["required"] == ["text"]
    assert item["required"] == []


# Log-probabilities


def test_tokens_spell_the_json_the_arguments_were_read_from(scene):
    set_up = scene(answering(lambda name, prop, request: "False"), logprobs=True)
    reply = set_up.client().call(PROMPT, SCHEMA, logprobs=True)
    assert "".join(token.token for token in reply.tokens) == reply.text
    assert json.loads(reply.text) == reply.arguments
    body = set_up.server.requests[0].body
    assert (body["logprobs"], body["top_logprobs"]) == (True, 5)


def test_tool_calls_beside_a_function_call_are_one_and_keep_theirs(scene):
    raw = json.dumps({"fact_0": "True", "fact_1": "False"})
    function = {"name": "check", "arguments": raw}
    calls = [{"id": "call_0", "type": "function", "function": function}]
    message = {"role": "assistant", "content": None, "function_call": function, "tool_calls": calls}
    entry = {"token": raw, "logprob": -0.5, "bytes": None, "top_logprobs": []}
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls", "logprobs": {"content": [entry]}}
    set_up = scene(lambda request: Completion(arguments={}, body={"choices": [choice]}))
    reply = set_up.client().call(PROMPT, SCHEMA, logprobs=True)
    assert (reply.form, reply.text, set_up.server.calls) == ("tool", raw, 1)
    assert [(token.token, token.logprob) for token in reply.tokens] == [(raw, -0.5)]


def test_no_log_probabilities_are_asked_for_unasked(scene):
    set_up = scene(logprobs=True)
    assert set_up.client().call(PROMPT, SCHEMA).tokens is None
    assert "logprobs" not in set_up.server.requests[0].body


def test_tokens_of_another_text_are_not_taken(scene):
    other = Completion(arguments=TRUE, tokens=[("something", -0.1, []), (" else", -0.2, [])])
    assert scene(lambda request: other).client().call(PROMPT, SCHEMA, logprobs=True).tokens is None


def test_fenced_json_has_the_tokens_inside_the_fence(scene):
    set_up = scene(refusing({"tool", "json_schema", "json_object"}), logprobs=True)
    reply = set_up.client().call(PROMPT, SCHEMA, logprobs=True)
    assert reply.form == "fenced"
    assert "".join(token.token for token in reply.tokens) == reply.text == json.dumps(TRUE)


def test_the_fake_server_finds_the_schema_in_every_form(scene):
    for form in FORMS:
        set_up = scene(refusing(set(FORMS) - {form}))
        assert set_up.client().call(PROMPT, SCHEMA).form == form
        request = set_up.server.requests[-1]
        assert set(request.properties) == set(SCHEMA.arguments)
        assert completion_body(request, Completion(arguments=TRUE), logprobs=False)["choices"]
