"""How the client finds out what a model can do: from the first questions, one at a time, for good."""

import json
import random
import threading

import pytest
from fake_server import Completion, cut, error, obliging, prose, refusing
from fenced import fenced
from llm_scene import PROMPT, SCHEMA, schema_of

from factreasoner.errors import ConfigError, ProviderError, UnseenError, UnusableReplyError
from factreasoner.judges import faaf
from factreasoner.llm.abilities import Abilities
from factreasoner.llm.learning import MOST_QUESTIONS
from factreasoner.llm.messages import Prompt
from factreasoner.models import Claim

LONG = Prompt(
    name="judge", system="You verify facts against a passage. " * 40, user="The passage: tea. " * 40
)


def facts(count=8, inquiry="tfn"):
    return faaf.inquiry(inquiry).build(
        [Claim(str(n), f"The fact of number {n} holds.") for n in range(count)]
    )


def tokens_in(*forms):
    """A server that gives log-probabilities in these forms alone."""

    def answer(request):
        return Completion(arguments=obliging(request), tokens=None if request.form in forms else [])

    return answer


def reporting(tokens, answer=obliging):
    """A server that reports so many prompt tokens (None: no usage at all) whatever it was sent."""

    def reply(request):
        usage = {} if tokens is None else {"prompt_tokens": tokens, "completion_tokens": 9, "total_tokens": 9}
        return Completion(
            arguments=answer(request), usage=usage, body={} if tokens is not None else {"usage": None}
        )

    return reply


def dropping(answer=obliging):
    """A server whose chat template has no place for tools: it counts, and sees, the messages alone."""

    def reply(request):
        count = len(request.text) // 4
        return Completion(
            arguments=answer(request),
            usage={"prompt_tokens": count, "completion_tokens": 9, "total_tokens": count + 9},
        )

    return reply


@pytest.mark.parametrize(
    ("mute", "tried", "form"),
    [
        ((), ["tool"], "tool"),
        (("tool",), ["tool", "json_schema"], "json_schema"),
        (("tool", "json_schema", "json_object", "fenced"), ["tool", "json_schema"], "tool"),
    ],
    ids=["all", "JSON alone", "none"],
)
def test_the_preferred_form_is_learnt_from_one_question(scene, mute, tried, form):
    given = [name for name in ("tool", "json_schema", "json_object", "fenced") if name not in mute]
    set_up = scene(tokens_in(*given), logprobs=True)
    client = set_up.client(confidence="auto")
    replies = [client.call(LONG, facts(n), logprobs=True) for n in (8, 9, 10)]
    assert set_up.forms == [*tried, form, form]
    assert {reply.form for reply in replies} == {form}
    assert {reply.tokens is None for reply in replies} == {form in mute}
    assert (client.abilities.form, client.abilities.logprobs) == (form, form not in mute)


def test_what_a_call_without_log_probabilities_teaches_holds_for_those_with(scene):
    set_up = scene(tokens_in("json_schema"), logprobs=True)
    client = set_up.client(confidence="auto")
    assert client.call(LONG, facts()).tokens is None
    assert client.call(LONG, facts(9), logprobs=True).tokens
    assert set_up.forms == ["tool", "json_schema", "json_schema"]


@pytest.mark.parametrize(
    ("model", "forms"),
    [("openai/gpt-4o-mini", ["json_schema"] * 2), ("openai/ours", ["tool"] + ["json_schema"] * 2)],
)
def test_openai_s_models_behind_a_gateway_are_asked_in_a_json_form_at_once(scene, model, forms):
    set_up = scene(tokens_in("json_schema"), logprobs=True)
    client = set_up.client(confidence="auto", model=model)
    assert all(client.call(LONG, facts(n), logprobs=True).tokens for n in (8, 9))
    assert set_up.forms == forms


def test_where_nobody_wants_log_probabilities_a_tool_call_will_do(scene):
    set_up = scene(tokens_in("json_schema"), logprobs=True)
    client = set_up.client(confidence="constant")
    client.call(LONG, facts())
    assert (set_up.forms, client.abilities.form) == (["tool"], "tool")


def test_a_provider_that_refuses_log_probabilities_is_asked_without(scene):
    def answer(request):
        return error(400, "logprobs is not supported") if "logprobs" in request.body else obliging(request)

    set_up = scene(answer)
    client = set_up.client(confidence="auto")
    replies = [client.call(LONG, facts(n), logprobs=True) for n in (8, 9, 10)]
    assert [(reply.form, reply.tokens) for reply in replies] == [("tool", None)] * 3
    # tool with and without, JSON with, and nothing but what was asked for from then on
    assert set_up.forms == ["tool", "tool", "json_schema", "tool", "tool"]
    assert client.abilities.logprobs is False


def test_log_probabilities_refused_with_tools_alone_come_with_json(scene):
    def answer(request):
        if "logprobs" in request.body and request.form == "tool":
            return error(400, "logprobs are not supported with tools")
        return obliging(request)

    set_up = scene(answer, logprobs=True)
    client = set_up.client(confidence="auto")
    assert client.call(LONG, facts(), logprobs=True).tokens
    assert client.abilities == Abilities(form="json_schema", logprobs=True)


def test_a_reply_that_can_not_be_read_teaches_to_ask_in_the_next_form(scene):
    set_up = scene(lambda request: prose() if request.form == "tool" else obliging(request))
    client = set_up.client()
    for _ in range(3):
        client.call(LONG, facts())
    assert set_up.forms == ["tool", "json_schema", "json_schema", "json_schema"]


def test_a_form_that_was_learnt_is_kept_when_one_reply_is_useless(scene):
    set_up = scene(lambda request: prose() if request.number == 1 else obliging(request))
    client = set_up.client()
    client.call(LONG, facts())
    with pytest.raises(UnusableReplyError):
        client.call(LONG, facts(9))
    client.call(LONG, facts(10))
    assert set_up.forms == ["tool"] * 3


def test_a_cut_reply_teaches_nothing(scene):
    set_up = scene(lambda request: cut() if request.number < 2 else obliging(request))
    client = set_up.client()
    assert client.call(LONG, facts()).truncated
    assert not client.settled
    client.call(LONG, facts())
    assert client.settled


def test_learning_ends_where_nothing_is_to_be_learnt(scene):
    set_up = scene(lambda request: prose())
    client = set_up.client()
    for _ in range(MOST_QUESTIONS + 2):
        with pytest.raises(UnusableReplyError):
            client.call(LONG, facts())
    assert set_up.server.calls == 4 * MOST_QUESTIONS + 2
    assert client.settled


def test_a_form_of_the_users_choice_is_the_only_one(scene):
    set_up = scene(refusing({"tool"}))
    assert set_up.client(form="json_object").call(LONG, facts()).form == "json_object"
    with pytest.raises(ConfigError, match=r"`tools` is not supported.*another form than --form tool"):
        set_up.client(form="tool").call(LONG, facts())
    assert set_up.forms == ["json_object", "tool"]


# What a model sees


@pytest.mark.parametrize("count", [1, 8, 24])
def test_facts_that_a_server_drops_with_its_tools_are_listed_in_the_message(scene, count):
    seen = []

    def answer(request):
        seen.append("number 0" in request.text)
        return obliging(request)

    set_up = scene(dropping(answer))
    client = set_up.client()
    for number in (count, count + 1, count + 2):
        client.call(LONG, facts(number))
    assert seen == [False, True, True, True]
    assert set_up.forms == ["tool"] * 4
    assert client.abilities.listed
    for request in set_up.server.requests[1:]:
        assert len(fenced(request.text, "facts")) == 1


@pytest.mark.parametrize("count", [4, 8, 24, 32])
def test_a_server_that_shows_its_tools_is_not_asked_twice(scene, count):
    set_up = scene()
    client = set_up.client()
    client.call(LONG, facts(count))
    assert set_up.server.calls == 1
    assert client.abilities == Abilities(form="tool")
    assert "fact of number" not in set_up.server.requests[0].text


@pytest.mark.parametrize("form", ["auto", "json_schema", "fenced"])
def test_a_model_that_can_not_have_seen_the_facts_ends_the_run(scene, form):
    set_up = scene(reporting(20))
    client = set_up.client(form=form)
    for _ in range(2):
        with pytest.raises(ConfigError, match=r"20 prompt tokens, less than half.*num_ctx"):
            client.call(LONG, facts())
    assert set_up.server.calls == (2 if form == "auto" else 1)


def test_a_later_reply_that_saw_too_little_is_no_answer(scene):
    set_up = scene(lambda request: reporting(50)(request) if "special" in request.text else obliging(request))
    client = set_up.client(form="json_schema")
    client.call(LONG, facts())
    special = Prompt(name="judge", user=LONG.user * 3 + "special")
    with pytest.raises(UnseenError, match="50 prompt tokens"):
        client.call(special, facts())
    client.call(LONG, facts(9))


def test_where_no_prompt_tokens_are_reported_it_is_said(scene):
    set_up = scene(reporting(None))
    client = set_up.client()
    client.call(LONG, facts())
    assert not client.abilities.counted
    assert "not reported" in str(client.abilities)


def test_a_server_that_drops_tools_and_counts_nothing_sees_the_facts_all_the_same(scene):
    set_up = scene(reporting(None))
    client = set_up.client()
    for count in (8, 9):
        client.call(LONG, facts(count))
    shown = ["number 0" in request.text for request in set_up.server.requests]
    assert shown == [False, True, True]  # the answer to the first is not used
    assert client.abilities.listed


def test_questions_without_facts_leave_open_whether_tools_are_seen(scene):
    set_up = scene(dropping())
    client = set_up.client()
    client.call(PROMPT, SCHEMA)
    assert not client.settled
    client.call(LONG, facts())
    assert client.settled
    assert client.abilities.listed


def test_after_some_questions_without_facts_they_are_listed_to_be_sure(scene):
    client = scene().client()
    for count in range(1, MOST_QUESTIONS + 1):
        client.call(PROMPT, schema_of(count))
    assert client.settled
    assert client.abilities.listed


# Kept


class Notes:
    def __init__(self, kept=None):
        self.kept = kept

    def abilities(self, model):
        return self.kept

    def keep_abilities(self, model, abilities):
        self.kept = abilities


def test_what_was_learnt_is_kept_in_the_cache(scene):
    set_up = scene(tokens_in("json_schema"), logprobs=True)
    set_up.client(cache=True, confidence="auto").call(LONG, facts(), logprobs=True)
    later = set_up.client(cache=True, confidence="auto")
    assert later.settled
    later.call(LONG, facts(), logprobs=True)
    later.call(LONG, facts(9), logprobs=True)
    assert set_up.forms == ["tool", "json_schema", "json_schema"]
    assert not set_up.client(cache=True, confidence="constant").settled


def test_what_was_learnt_is_told_and_can_be_handed_on(scene):
    notes = Notes()
    set_up = scene(refusing({"tool"}))
    set_up.client(memory=notes).call(LONG, facts())
    assert notes.kept == Abilities(form="json_schema")
    set_up.client(memory=notes).call(LONG, facts())
    assert set_up.forms == ["tool", "json_schema", "json_schema"]


def test_a_server_that_changed_since_is_learnt_anew(scene):
    set_up = scene(refusing({"json_schema"}))
    client = set_up.client(memory=Notes(Abilities(form="json_schema")))
    client.call(LONG, facts())
    assert (set_up.forms, client.abilities.form) == (["json_schema", "tool"], "tool")


def test_a_form_refused_in_mid_run_fails_that_call_alone(scene):
    def answer(request):
        return error(400, "`tools` is not supported") if "special" in request.text else obliging(request)

    set_up = scene(answer)
    client = set_up.client()
    client.call(LONG, facts())
    with pytest.raises(ProviderError, match="call form tool is refused"):
        client.call(LONG.model_copy(update={"user": "special"}), facts())
    assert client.call(LONG, facts(9)).form == "tool"


def test_threads_that_ask_at_once_wait_for_the_one_that_learns(scene):
    rng = random.Random(3)
    delays = [rng.uniform(0, 0.05) for _ in range(40)]

    def answer(request):
        set_up.server.closing.wait(delays[request.number])
        return tokens_in("json_schema")(request)

    set_up = scene(answer, logprobs=True)
    client = set_up.client(confidence="auto")
    replies = {}

    def ask(number):
        replies[number] = client.call(LONG, facts(8 + number), logprobs=True)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {reply.form for reply in replies.values()} == {"json_schema"}
    assert set_up.forms == ["tool", *["json_schema"] * 16]


def test_abilities_are_said_in_words():
    assert str(Abilities(form="tool", logprobs=True)) == "form: tool; probabilities: log-probabilities"
    listed = Abilities(form="tool", logprobs=False, listed=True, refused=("logprobs", "temperature"))
    assert "(facts listed in the message)" in str(listed)
    assert "without logprobs, temperature" in str(listed)
    short = Abilities(form="fenced", system_role=False, most_tokens=1024)
    assert str(short).endswith("without a system role; replies of 1,024 tokens at most")
    assert Abilities.model_validate_json(listed.model_dump_json()) == listed


def test_requests_are_handed_over_as_copies(scene):
    """Some providers' adapters edit the schema they are given; the next call's key would change with it."""
    schema = facts()
    before = json.dumps(schema.parameters)
    for model in (
        "fake",
        "hosted_vllm/fake",
        "openai/fake",
        "deepseek/fake",
        "lm_studio/fake",
        "together_ai/fake",
    ):
        scene().client(model=model).call(LONG, schema)
        assert json.dumps(schema.parameters) == before
