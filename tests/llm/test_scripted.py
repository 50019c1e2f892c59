"""The scripted double behaves like a client."""

import pytest
from llm_scene import PROMPT, SCHEMA

from factreasoner.calls.threads import parallel_map
from factreasoner.calls.usage import Meter
from factreasoner.errors import ConfigError, UnusableReplyError
from factreasoner.llm.scripted import Call, ScriptedLLM
from factreasoner.models import Usage
from factreasoner.models.messages import Reply

TRUE = {"fact_0": "True", "fact_1": "True"}


def test_scripted_list_is_used_in_order():
    cut = Reply(arguments={}, truncated=True)
    llm = ScriptedLLM([TRUE, cut, UnusableReplyError("only prose")])
    assert llm.call(PROMPT, SCHEMA).arguments == TRUE
    assert llm.call(PROMPT, SCHEMA, sample=2, logprobs=True) is cut
    with pytest.raises(UnusableReplyError, match="only prose"):
        llm.call(PROMPT, SCHEMA)
    assert llm.calls == [Call(PROMPT, SCHEMA), Call(PROMPT, SCHEMA, 2, True), Call(PROMPT, SCHEMA)]
    with pytest.raises(ConfigError, match=r"has only 3 replies.*prompt 'check', function 'check'"):
        llm.call(PROMPT, SCHEMA)


def test_usage_is_metered_like_the_clients():
    llm, meter = ScriptedLLM([TRUE, Reply(arguments=TRUE, usage=Usage(calls=2, cost=1.0))]), Meter()
    with meter.stage("evaluator"):
        usage = llm.call(PROMPT, SCHEMA).usage
        llm.call(PROMPT, SCHEMA)
    assert (usage.calls, usage.cost) == (1, 0.0)
    assert usage.prompt_tokens > 0
    assert usage.completion_tokens > 0
    assert meter.total == usage + Usage(calls=2, cost=1.0)


def test_threads_share_a_script():
    llm = ScriptedLLM([{"fact_0": str(n)} for n in range(100)])
    replies = parallel_map(lambda _: llm.call(PROMPT, SCHEMA).arguments["fact_0"], range(100), 8)
    assert sorted(replies, key=int) == [str(n) for n in range(100)]
    assert len(llm.calls) == 100
