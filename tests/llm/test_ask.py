"""However badly a model replies, a planned call is paid for few times, and every item gets its end."""

import pytest
from fake_server import (
    Completion,
    answering,
    broken_body,
    completion_of,
    cut,
    error,
    filtered,
    hang,
    obliging,
    prose,
    refused,
)
from hypothesis import given
from hypothesis import strategies as st
from llm_scene import PROMPT, schema_of

from factreasoner.errors import BudgetError, ConfigError, PendingError, ProviderError, UnusableReplyError
from factreasoner.llm.ask import MOST_WITHOUT_RESULT, ItemAsker, ItemQuestion, NoResult, most_paid
from factreasoner.llm.scripted import ScriptedLLM
from factreasoner.models import Failure
from factreasoner.models.messages import Reply
from factreasoner.pipeline.config import Config


def read(reply, schema, items):
    problems = [schema.problem(name, reply.arguments) for name in schema.arguments]
    return [NoResult(problem) if problem else "yes" for problem in problems]


ASKED = ItemQuestion(
    stage="judge",
    result="verdict",
    name=lambda item: f"item {item}",
    request=lambda items: (PROMPT.model_copy(update={"user": str(items)}), schema_of(len(items))),
    read=read,
)


def asked(llm, count, **settings):
    results = ItemAsker(llm, Config(**settings)).ask(ASKED, range(count))
    assert len(results) == count
    for item, result in enumerate(results):
        assert result == "yes" or (isinstance(result, Failure) and result.item_id == f"item {item}")
    return results


def answered(results):
    return sum(result == "yes" for result in results)


BAD = {
    "filtered": filtered(),
    "refused": refused(),
    "empty": completion_of(content=""),
    "no message": Completion(arguments={}, body={"choices": [None]}),
    "broken JSON": broken_body(),
    "prose": prose(),
    "another function": Completion(tool_calls=[("search", '{"fact_0": "True"}')]),
    "cut": cut(),
    "cut prose": Completion(content="Let me think about it", finish_reason="length"),
    "nulls": answering(lambda name, prop, request: None),
    "other values": answering(lambda name, prop, request: "Perhaps"),
    "nothing": {},
    "tool_use_failed": error(400, "Failed to call a function. Please adjust your prompt."),
}


@pytest.mark.parametrize("count", [1, 32])
@pytest.mark.parametrize("bad", BAD.values(), ids=BAD)
def test_planned_call_is_paid_at_most_eight_times(scene, bad, count):
    set_up = scene(bad if callable(bad) else lambda request: bad)
    assert answered(asked(set_up.client(), count, max_attempts=9)) == 0
    assert 0 < set_up.server.calls <= MOST_WITHOUT_RESULT


@pytest.mark.parametrize(("times", "right"), [(1, 8), (2, 8), (3, 4), (99, 0)])
def test_two_malformed_replies_recover_and_three_fail(times, right):
    made = iter(range(99))

    def answer(prompt, schema):
        if next(made) < times:
            raise UnusableReplyError("prose", reason="malformed")
        return dict.fromkeys(schema.arguments, "True")

    assert answered(asked(ScriptedLLM(answer), 8)) == right  # the third time they are asked in halves


@pytest.mark.parametrize("bad", [filtered(), refused()])
def test_same_useless_reason_twice_ends_the_call(scene, bad):
    set_up = scene(lambda request: bad)
    asked(set_up.client(), 32)
    assert set_up.server.calls == 2


def test_timed_out_requests_count_as_paid(scene):
    set_up = scene(lambda request: hang())
    asked(set_up.client(timeout=0.1, max_attempts=20), 8)
    assert 1 < set_up.server.calls <= MOST_WITHOUT_RESULT


@pytest.mark.parametrize("fitting", [7, 31])
def test_replies_cut_above_some_size_answer_all(scene, fitting):
    def answer(request):
        return cut() if len(request.properties) > fitting else obliging(request)

    set_up = scene(answer)
    assert answered(asked(set_up.client(), 32)) == 32
    assert set_up.server.calls <= most_paid(1, 32)


# With a scripted model, a great many of them

CUT = Reply(arguments={}, truncated=True)
REASONS = ("content filter", "refusal", "empty", "malformed")
KINDS = st.one_of(
    st.sampled_from(REASONS), st.just("cut"), st.lists(st.booleans(), min_size=1, max_size=8)
)  # fmt: skip


@given(st.integers(1, 64), st.lists(KINDS, min_size=1, max_size=12), st.integers(1, 9))
def test_any_mixture_keeps_to_the_allowance(count, kinds, max_attempts):
    replies = iter(range(10**6))

    def script(prompt, schema):
        kind = kinds[next(replies) % len(kinds)]
        if kind == "cut":
            return CUT
        if isinstance(kind, str):
            return UnusableReplyError("of no use", reason=kind)
        return {n: "True" if kind[i % len(kind)] else None for i, n in enumerate(schema.arguments)}

    llm = ScriptedLLM(script)
    got = answered(asked(llm, count, max_attempts=max_attempts))
    assert len(llm.calls) <= most_paid(1, count)
    assert got or len(llm.calls) <= MOST_WITHOUT_RESULT
    assert len({(call.sample, call.prompt.user) for call in llm.calls}) == len(llm.calls)


def sizes(llm):
    return [len(call.schema.arguments) for call in llm.calls]


def test_open_items_are_retried_in_halves_then_alone():
    llm = ScriptedLLM(lambda prompt, schema: {} if len(schema.arguments) > 1 else {"fact_0": "True"})
    assert answered(asked(llm, 4)) == 4
    assert sizes(llm) == [4, 4, 2, 1, 1, 2, 1, 1]


def test_both_retry_halves_join_one_batch():
    def answer(prompt, schema):
        return Reply(arguments={}, truncated=True) if len(schema.arguments) > 2 else PendingError("later")

    llm = ScriptedLLM(answer)
    with pytest.raises(PendingError):
        asked(llm, 8)
    assert sizes(llm) == [8, 4, 2, 2, 4, 2, 2]


def test_an_answer_allows_more_calls_than_eight():
    llm = ScriptedLLM(lambda prompt, schema: {"fact_0": "True"})  # one a reply
    assert answered(asked(llm, 32)) == 32
    assert len(llm.calls) == 32


def test_new_failure_reason_gives_another_attempt():
    bad = [UnusableReplyError("", reason=reason) for reason in ("empty", "refusal", "empty", "empty")]
    llm = ScriptedLLM([*bad, {"fact_0": "True"}, {"fact_0": "True", "fact_1": "True"}])
    results = asked(llm, 4)
    assert sizes(llm) == [4, 4, 2, 1, 1, 2]
    assert [result == "yes" for result in results] == [False, True, True, True]


def test_single_cut_reply_is_resampled_once():
    llm = ScriptedLLM(lambda prompt, schema: CUT)
    (failure,) = asked(llm, 1)
    assert [call.sample for call in llm.calls] == [0, 1]
    assert "`max_tokens`" in failure.message


def test_samples_drawn_side_by_side_do_not_meet():
    llm = ScriptedLLM(lambda prompt, schema: {})
    for sample in (1, 2, 3):
        ItemAsker(llm, Config(max_attempts=2)).ask(ASKED, [0], sample=sample, samples=3)
    assert sorted(call.sample for call in llm.calls) == [1, 2, 3, 4, 5, 6]


def test_failed_call_fails_only_its_items():
    broken = ScriptedLLM(lambda prompt, schema: ProviderError("status 500", attempts=3))
    assert [f.attempts for f in asked(broken, 2)] == [3, 3]
    for wrong in (ConfigError("no key"), BudgetError("enough")):
        with pytest.raises(type(wrong)):
            asked(ScriptedLLM([wrong]), 2)
