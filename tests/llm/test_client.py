"""The client against a real local server: what it sends, what it makes of answers and of refusals."""

import contextlib
import json
import re
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from fake_server import (
    Completion,
    Misbehaviour,
    broken_body,
    completion_of,
    cut,
    drip,
    empty_choices,
    error,
    filtered,
    hang,
    missing,
    obliging,
    prose,
    rate_limited,
    refused,
    replaced,
    reset,
    response_format_refused,
    sequence,
    server_error,
    unauthorized,
    unknown_model,
)
from llm_scene import PROMPT, SCHEMA, schema_of

from factreasoner.calls.usage import Meter
from factreasoner.errors import CallTimeoutError, ConfigError, ProviderError, UnusableReplyError
from factreasoner.llm import form_search
from factreasoner.llm.ask import planned_call
from factreasoner.llm.client import LiteLLMClient
from factreasoner.models import Usage
from factreasoner.models.messages import FunctionSchema
from factreasoner.pipeline.config import Config

TRUE = {"fact_0": "True", "fact_1": "True"}


def test_a_forced_tool_call_is_answered(scene):
    set_up = scene()
    reply = set_up.client(temperature=0.3, max_tokens=99, form="tool").call(PROMPT, SCHEMA)
    assert reply.arguments == TRUE
    assert (reply.form, reply.truncated, reply.chances) == ("tool", False, None)
    body = set_up.server.requests[0].body
    assert body["model"] == "fake"
    assert body["tool_choice"] == {"type": "function", "function": {"name": "check"}}
    assert body["tools"][0]["function"]["parameters"] == SCHEMA.parameters
    assert body["messages"][0] == {"role": "system", "content": "You check facts.\nCall the function check."}
    assert body["messages"][1]["content"].startswith("Is it so?\n\nThe facts:\n<given_facts_")
    assert (body["temperature"], body["max_tokens"]) == (0.3, 99)


def test_a_sample_is_drawn_warm(scene):
    set_up = scene()
    client = set_up.client()
    client.call(PROMPT, SCHEMA)
    client.call(PROMPT, SCHEMA, sample=1)
    set_up.client(temperature=1.1).call(PROMPT, SCHEMA, sample=1)
    assert [r.body["temperature"] for r in set_up.server.requests] == [0.0, 0.7, 1.1]


# Answers


@pytest.mark.parametrize(
    ("answer", "arguments"),
    [
        (missing("fact_1"), {"fact_0": "True"}),
        (replaced(fact_1=None), {"fact_0": "True", "fact_1": None}),
        (replaced(fact_1="Maybe"), {"fact_0": "True", "fact_1": "Maybe"}),
        (replaced(fact_9="True", note="x"), TRUE),
    ],
    ids=["missing", "null", "wrong", "extra"],
)
def test_arguments_are_handed_on_as_given(scene, answer, arguments):
    assert scene(answer).client().call(PROMPT, SCHEMA).arguments == arguments


def thinking(request):
    if request.body["max_tokens"] < 5000:
        return Completion(content="<think>Let me see", finish_reason="length")
    return obliging(request)


def unfinished(request):
    told = "Could not finish the message because max_tokens or model output limit was reached."
    return error(400, told) if request.body["max_tokens"] < 5000 else obliging(request)


def cut_above_two(request):
    return cut() if len(request.properties) > 2 and request.body["max_tokens"] < 300 else obliging(request)


ROUND = '{"answers": ["' + "The tower is 52 metres high and stands in the old harbour of the town. " * 9
IN_CIRCLES = Completion(content=ROUND, finish_reason="length")
LATE = "none where more takes too long"
CUTS = {
    "the next form, then once a higher limit": (
        (cut(), obliging, cut(), cut()),
        [0, 1],
        [148, 148, 172, 4096],
    ),
    "none where it runs in circles": ((obliging, IN_CIRCLES), [0, 1], [148, 172]),
    "all that thinking needs": ((thinking,), [0, 0], [148, 16384, 16384]),
    "all that hidden thinking needs": ((unfinished,), [0, 0], [148, 16384, 16384]),
    "kept where it helps": ((cut_above_two,), [0, 0, 0], [148, 172, 4096, 4096]),
    LATE: ((obliging, cut(), hang(), cut()), [0, 1, 1], [148, 172, 4096, 196]),
}


@pytest.mark.parametrize("case", CUTS)
def test_cut_reply_raises_the_limit(scene, case):
    answers, truncated, limits = CUTS[case]
    set_up = scene(sequence(*answers))
    client = set_up.client(timeout=2.0 if case == LATE else 60.0)
    with planned_call() if case == LATE else contextlib.nullcontext():
        replies = [client.call(PROMPT, schema_of(number + 2)) for number in range(len(truncated))]
    assert [reply.truncated for reply in replies] == truncated
    assert [reply.arguments == {} for reply in replies] == truncated
    assert [request.body["max_tokens"] for request in set_up.server.requests] == limits
    assert ("tool" in set_up.forms) == (limits[1] == 148)
    assert client.kept.known.thinks == (answers[0] in (thinking, unfinished))
    assert answers[0] is not unfinished or replies[0].usage.completion_tokens > 148  # what was cut is counted


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (prose(), "malformed"),
        (empty_choices(), "empty"),
        (Completion(tool_calls=[("check", [1])]), "empty"),
        (completion_of(content=""), "empty"),
        (Completion(arguments={}, body={"usage": "lots"}), "empty"),
    ],
)
def test_useless_reply_in_every_form_fails(scene, answer, reason):
    set_up, meter = scene(lambda request: answer), Meter()
    with meter.stage("evaluator"), pytest.raises(UnusableReplyError) as caught:
        set_up.client().call(PROMPT, SCHEMA)
    assert caught.value.reason == reason
    assert caught.value.attempts == set_up.server.calls == 4
    assert set_up.forms == ["json_schema", "tool", "json_object", "lines"]
    assert ("most of it is right" in str(caught.value)) == (reason == "malformed")  # the reply is quoted
    assert meter.usage["evaluator"].calls == 4  # all four were paid for


def test_failed_tool_use_leads_to_the_next_form(scene):
    set_up = scene(sequence(error(400, "Failed to call a function. Please adjust your prompt."), obliging))
    assert set_up.client().call(PROMPT, SCHEMA).arguments == TRUE
    assert set_up.forms == ["json_schema", "tool"]


LISTING = {"type": "object", "properties": {"facts": {"type": "array", "items": {"type": "string"}}}}


def scored_in_json(request):
    found = obliging(request)
    said = [(json.dumps(found), -0.1, ())] if request.form == "json_schema" else None
    return Completion(arguments=found, tokens=said)


def test_choices_renew_the_search_after_texts(scene, monkeypatch):
    monkeypatch.setattr(form_search, "order_of", lambda *_: ("tool", "json_schema"))
    set_up = scene(scored_in_json)
    client = set_up.client(confidence="auto")
    client.call(PROMPT, FunctionSchema(name="list", description="", parameters=LISTING))
    assert all(client.call(PROMPT, schema_of(n), logprobs=True).chances for n in (2, 3))
    assert set_up.forms == ["tool", "tool", "json_schema", "json_schema"]


def test_failed_second_form_keeps_the_first_reply(scene, monkeypatch):
    monkeypatch.setattr(form_search, "order_of", lambda *_: ("tool", "json_schema"))
    set_up = scene(sequence(obliging, error(400, "Provider returned error"), scored_in_json))
    client = set_up.client(confidence="auto")
    found = [client.call(PROMPT, SCHEMA, logprobs=True) for _ in range(3)]
    assert [reply.arguments for reply in found] == [TRUE] * 3
    assert [reply.chances is None for reply in found] == [True, False, False]
    assert set_up.forms == ["tool", "json_schema", "tool", "json_schema", "json_schema"]


def test_exhausted_call_names_the_bad_reply(scene):
    set_up = scene(lambda request: completion_of(content=None))
    with planned_call() as budget:
        budget.left = 2
        with pytest.raises(UnusableReplyError, match="the reply is empty"):
            set_up.client().call(PROMPT, SCHEMA)
    assert set_up.server.calls == 2


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (filtered(), "content filter"),
        (refused("I can't help with that."), "refusal"),
    ],
    ids=["filter", "refusal"],
)
def test_reply_no_form_can_fix_is_paid_once(scene, answer, reason):
    set_up = scene(lambda request: answer)
    with pytest.raises(UnusableReplyError) as caught:
        set_up.client().call(PROMPT, SCHEMA)
    assert caught.value.reason == reason
    assert set_up.forms == ["json_schema"]


# Errors that asking again may cure


@pytest.mark.parametrize(
    ("wrong", "beginning"),
    [
        (broken_body(), '{"choices": [{"mess'),
        (Misbehaviour(body=b"<!doctype html>\n" + b"<p>Log in</p>" * 9), "<!doctype html> <p>Log in</p><p>"),
        (Misbehaviour(body=b'{"error": "upstream overloaded"}'), '{"error": "upstream overloaded"}'),
        (Misbehaviour(body=b""), "nothing at all"),
        (Misbehaviour(status=204, body=b""), "nothing at all"),
        (Misbehaviour(body=b'{"detail": "no such path"}'), '{"detail": "no such path"}'),
    ],
    ids=["broken off", "login page", "error", "empty", "no content", "other JSON"],
)
@pytest.mark.parametrize("model", ["fake", "mistral/fake"])
def test_reply_without_completion_is_quoted_and_retried(scene, monkeypatch, model, wrong, beginning):
    monkeypatch.setenv("SOME_KEY", "none")
    set_up, meter = scene(lambda request: wrong), Meter()
    with meter.stage("evaluator"), pytest.raises(ProviderError) as caught:
        set_up.client(model=model, api_key_env="SOME_KEY").call(PROMPT, SCHEMA)
    told = str(caught.value)
    assert told.startswith(f"not a chat completion: {beginning}")
    assert told.endswith("; check `api_base`")
    assert len(told) < 130
    assert set_up.forms == ["json_schema", "json_schema"]
    assert meter.total == Usage()  # nobody says what it took


@pytest.mark.parametrize("code", [502, 429])
def test_error_in_status_200_is_classified(scene, code):
    busy = Misbehaviour(body=b'{"choices": null, "error": {"message": "Busy", "code": %d}}' % code)
    set_up = scene(sequence(busy, busy, busy, obliging))
    assert set_up.client(patience=30.0).call(PROMPT, SCHEMA).arguments == TRUE


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (server_error(), "status 500: The server had an error"),
        (reset(), r"^Connection error; is http://127\.0\.0\.1:\d+/v1 up\? \("),
    ],
    ids=["500", "reset"],
)
def test_a_lasting_error_fails_when_patience_ends(scene, wrong, message):
    set_up = scene(lambda request: wrong)
    with pytest.raises(ProviderError, match=message) as caught:
        set_up.client(patience=0.3, max_attempts=1).call(PROMPT, SCHEMA)
    assert "`patience=0.3`" in str(caught.value)
    assert caught.value.attempts == set_up.server.calls > 1


@pytest.mark.parametrize("proxy", ["http://me:hidden@127.0.0.1:9", "me:hid/den@127.0.0.1:9"])
@pytest.mark.parametrize("url", ["http://localhost:9/v1", "http://127.0.0.1:9/v1"])
def test_environment_proxy_is_named_without_password(scene, monkeypatch, url, proxy):
    monkeypatch.setenv("http_proxy", proxy)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with pytest.raises(ProviderError, match=f"is {url} up") as caught:
        scene().client(api_base=url, patience=0.0).call(PROMPT, SCHEMA)
    assert "hid" not in str(caught.value)
    told = "and the proxy 127.0.0.1:9 before it; NO_PROXY=localhost goes past it?" in str(caught.value)
    assert told == ("localhost" in url)


def test_refused_request_is_sent_once(scene):
    flagged = "this prompt was flagged by our content policy"
    set_up = scene(sequence(error(400, flagged), error(403, flagged), obliging))
    client = set_up.client()
    for _ in range(2):
        with pytest.raises(ProviderError, match="flagged") as caught:
            client.call(PROMPT, SCHEMA)
        assert caught.value.attempts == 1
    assert client.call(PROMPT, SCHEMA).arguments == TRUE


@pytest.mark.parametrize("wrong", [hang(), drip()], ids=["hang", "drip"])
def test_deadline_stops_hanging_and_dripping_servers(scene, wrong):
    set_up = scene(lambda request: wrong)
    with pytest.raises(CallTimeoutError, match=r"no answer within 0.5 s") as caught:
        set_up.client(timeout=0.5, max_attempts=2).call(PROMPT, SCHEMA)
    assert caught.value.attempts == 2 >= set_up.server.calls > 0


# Errors only the user can mend


@pytest.mark.parametrize(
    ("wrong", "remedy"),
    [
        (unauthorized(), "`api_key_env`"),
        (unauthorized(403), "`api_key_env`"),
        (unknown_model(), "`model`"),
        (error(402, "Insufficient credits"), "credit"),
        (error(429, "You exceeded your current quota, check your plan and billing details"), "credit"),
    ],
    ids=["401", "403", "404", "402", "quota"],
)
def test_user_fixable_error_ends_the_run(scene, wrong, remedy):
    set_up = scene(lambda request: wrong)
    client = set_up.client()
    for _ in range(2):
        with pytest.raises(ConfigError, match=remedy):
            client.call(PROMPT, SCHEMA)
    assert set_up.server.calls == 1  # the second call isn't even sent


def test_wrong_key_ends_waiting_calls(scene):
    refused = threading.Event()

    def answer(request):
        if request.text.endswith("slow"):
            refused.wait(5)
            return rate_limited("60")
        return unauthorized()

    set_up = scene(answer)
    client = set_up.client(patience=120)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(client.call, PROMPT.model_copy(update={"user": "slow"}), SCHEMA)
        with pytest.raises(ConfigError):
            client.call(PROMPT, SCHEMA)
        refused.set()
        with pytest.raises(ConfigError):
            waiting.result(20)


@pytest.mark.parametrize(
    ("model", "remedy"),
    [
        ("nobody-knows-me", "`api_base=URL`"),
        ("openai/gpt-4o-mini", r"\$OPENAI_API_KEY"),
        (None, "`model=NAME`"),
    ],
)
def test_missing_model_or_key_is_named(model, remedy):
    with pytest.raises(ConfigError, match=remedy):
        LiteLLMClient(Config(model=model, cache=False)).call(PROMPT, SCHEMA)


# Parameters a provider refuses


NO_MAX_TOKENS = (
    "Unsupported parameter: 'max_tokens' is not supported with this model. "
    "Use 'max_completion_tokens' instead."
)
NO_MAX_COMPLETION_TOKENS = "Unrecognized request argument supplied: max_completion_tokens"


def too_large(body):
    limit = body["max_tokens"]
    told = f"max_tokens is too large: {limit}. This model supports at most 50 completion tokens"
    return told if limit > 50 else ""


def beyond_the_context(body):
    limit = body["max_tokens"]
    told = (
        f"'max_tokens' or 'max_completion_tokens' is too large: {limit}. This model's maximum context length "
        f"is 2048 tokens and your request has 1988 input tokens ({limit} > 2048 - 1988)."
    )
    return told if limit > 60 else ""


def roles(body):
    return [message["role"] for message in body["messages"]]


REFUSALS = {
    "temperature": (
        lambda body: "'temperature' does not support 0.0 with this model" if "temperature" in body else "",
        lambda body: body.get("temperature"),
        [0.0, None, None],
    ),
    "the name of the limit": (
        lambda body: NO_MAX_TOKENS if "max_tokens" in body else "",
        lambda body: body.get("max_completion_tokens"),
        [None, 148, 172],
    ),
    "too large a limit": (too_large, lambda body: body["max_tokens"], [148, 50, 50]),
    "a limit beyond the context": (
        beyond_the_context,
        lambda body: body["max_tokens"],
        [148, 60, 172, 60],  # it is lowered for this request alone
    ),
    "a system role": (
        lambda body: "System role not supported" if "system" in roles(body) else "",
        roles,
        [["system", "user"], ["user"], ["user"]],
    ),
}


@pytest.mark.parametrize(("complaint", "looked_at", "seen"), REFUSALS.values(), ids=REFUSALS)
def test_refused_parameters_are_dropped_from_then_on(scene, complaint, looked_at, seen):
    def answer(request):
        told = complaint(request.body)
        return error(400, told) if told else obliging(request)

    set_up = scene(answer)
    client = set_up.client()
    assert [client.call(PROMPT, schema_of(n)).form for n in (2, 3)] == ["json_schema"] * 2
    assert [looked_at(request.body) for request in set_up.server.requests] == seen
    assert all("You check facts.\n" in request.text for request in set_up.server.requests)


def refusing_limits(request):
    if "max_tokens" in request.body:
        return error(400, NO_MAX_TOKENS)
    return (
        error(400, NO_MAX_COMPLETION_TOKENS) if "max_completion_tokens" in request.body else obliging(request)
    )


def test_unlimited_tokens_allow_no_cost_limit(scene):
    set_up = scene(refusing_limits)
    assert set_up.client().call(PROMPT, SCHEMA).arguments == TRUE
    assert set_up.server.calls == 3
    with pytest.raises(ConfigError, match="without `max_cost`"):
        scene(refusing_limits).client(model="openai/gpt-4o-mini", max_cost=1.0).call(PROMPT, SCHEMA)


def test_too_long_prompt_is_final_and_changes_nothing(scene):
    too_long = error(400, "maximum context length is 10 tokens (5 in the functions, 9 in the completion)")
    set_up = scene(sequence(too_long, obliging))
    client = set_up.client()
    with pytest.raises(ProviderError, match=r"maximum context length.*`atoms_per_call`"):
        client.call(PROMPT, SCHEMA)
    assert client.call(PROMPT, SCHEMA).form == "json_schema"
    assert "max_tokens" in set_up.server.requests[-1].body


def test_user_parameters_are_sent_and_key_the_cache(scene):
    set_up = scene()
    settings = {"model_param": ["reasoning_effort=low", "num_ctx=8192", "mirostat=true"], "cache": True}
    set_up.client(**settings).call(PROMPT, SCHEMA)
    body = set_up.server.requests[0].body
    assert (body["reasoning_effort"], body["num_ctx"], body["mirostat"]) == ("low", 8192, True)
    set_up.client(**settings).call(PROMPT, SCHEMA)
    assert set_up.server.calls == 1
    set_up.client(**settings | {"model_param": ["num_ctx=4096"]}).call(PROMPT, SCHEMA)
    assert set_up.server.calls == 2


def test_refused_user_parameter_is_an_error(scene):
    set_up = scene(lambda request: error(400, "Unsupported parameter: 'num_ctx'"))
    with pytest.raises(ProviderError, match="num_ctx"):
        set_up.client(model_param={"num_ctx": 1}).call(PROMPT, SCHEMA)


# Concurrency


def test_client_never_exceeds_its_concurrency(scene):
    set_up = scene(delay=0.02)
    client = set_up.client(concurrency=3)
    with ThreadPoolExecutor(12) as pool:
        for number in range(12):
            pool.submit(client.call, PROMPT.model_copy(update={"user": f"Is {number} so?"}), SCHEMA)
    assert set_up.server.calls == 12
    assert set_up.server.peak <= 3


def test_probabilities_are_returned_from_first_request_on(scene):
    client = scene(logprobs=True).client(confidence="auto")
    found = [
        client.call(PROMPT, schema_of(n), logprobs=asked).chances for n, asked in ((2, False), (3, True))
    ]
    assert found[0] is None
    assert found[1].keys() == {"fact_0", "fact_1", "fact_2"}


def test_form_refused_mid_run_is_searched_again(scene):
    met = []

    def answer(request):
        met.append(request.form)
        if len(met) == 1:
            return Completion(arguments=obliging(request), tokens=[])
        return response_format_refused() if request.form == "json_schema" else obliging(request)

    set_up = scene(answer, logprobs=True)
    client = set_up.client(confidence="auto")
    replies = [client.call(PROMPT, schema_of(n), logprobs=True) for n in (2, 3, 4)]
    assert [bool(reply.chances) for reply in replies] == [False, True, True]
    assert met == ["json_schema", "json_schema", "json_schema", "tool", "tool"]


@pytest.mark.parametrize(
    "text", ["The bridge was opened in 1932 by the mayor of the town. " * 40, "1234567890 " * 80]
)
def test_truncated_prompt_stops_run_but_grouped_digits_pass(scene, text):
    """The model takes a word for a token, and three digits."""
    seen = [1.0]

    def answer(request):
        tokens = len(re.findall(r"[0-9]{1,3}|[A-Za-z]+|[^\w\s]| (?=[0-9])", request.text))
        return Completion(arguments=TRUE, usage={"prompt_tokens": int(tokens * seen[0])})

    set_up = scene(answer)
    prompt = PROMPT.model_copy(update={"user": text})
    assert set_up.client().call(prompt, SCHEMA).arguments == TRUE
    seen[0] = 0.4
    with pytest.raises(ConfigError, match="has not seen everything it was asked"):
        set_up.client().call(prompt, SCHEMA)


WHOLE = '{"fact_0": "True", "fact_1": "False"}'


@pytest.mark.parametrize("form", ["json_schema", "json_object", "tool", "lines"])
@pytest.mark.parametrize(
    ("text", "whole"),
    [
        (WHOLE, True),
        (WHOLE + "\n" * 60, True),
        (f"```json\n{WHOLE}\n```", True),
        (f"<think>{WHOLE}</think>{WHOLE}", True),
        ('{"fact_0": "True"}', False),
        (WHOLE[:-1], False),
        (f"{WHOLE}\nWait: {WHOLE[:20]}", False),
        (f"<think>{WHOLE}", False),
        ("", False),
    ],
)
def test_cut_reply_counts_if_json_is_complete(scene, form, text, whole):
    set_up = scene(lambda request: cut(text))
    reply = set_up.client(form=form).call(PROMPT, SCHEMA)
    assert reply.truncated != whole
    assert reply.arguments == ({"fact_0": "True", "fact_1": "False"} if whole else {})
    assert set_up.server.calls == 1 or not whole


def test_answer_in_reasoning_content_is_reported(scene):
    set_up = scene(lambda request: completion_of(content="", reasoning_content=WHOLE))
    with pytest.raises(UnusableReplyError, match="put its answer into reasoning_content") as caught:
        set_up.client().call(PROMPT, SCHEMA)
    assert caught.value.reason == "empty"
