"""Usage and time by stage; the estimate of tokens against a real tokenizer that needs no download."""

import json
import threading

import pytest

from factreasoner.calls.threads import parallel_map
from factreasoner.calls.usage import (
    Meter,
    estimate_request,
    estimate_tokens,
    record_usage,
    stage,
    tokens_too_many,
)
from factreasoner.llm.transport import load
from factreasoner.models import Usage

load()
from litellm.litellm_core_utils.default_encoding import encoding  # noqa: E402

FACT = {"type": "string", "enum": ["True", "False"], "description": "Marie Curie was born in Warsaw in 1867."}
TEXTS = {
    "English": "Marie Curie was a physicist and chemist who conducted pioneering research on radioactivity. "
    "She was the first woman to win a Nobel Prize, in 1903, and the first person to win it twice.",
    "JSON": json.dumps({"type": "object", "properties": {f"fact_{n}": FACT for n in range(8)}}),
    "German": "Marie Curie war eine Physikerin und Chemikerin, die in Frankreich lebte und wirkte. "
    "Sie untersuchte die Strahlung von Uranverbindungen und prägte für diese das Wort radioaktiv.",
    "French": "Marie Curie est une physicienne et chimiste, née à Varsovie le 7 novembre 1867.",
    "Chinese": "玛丽·居里是波兰裔法国籍物理学家和化学家,她是放射性研究的先驱者,也是首位获得诺贝尔奖的女性。",
    "Japanese": "マリ・キュリーは、ポーランド出身の物理学者・化学者である。放射線の研究で知られている。",
    "Korean": "마리 퀴리는 폴란드 출신의 프랑스 과학자이다. 방사능 분야의 선구자이며 노벨상 수상자이다.",
    "Russian": "Мария Кюри — учёная польского происхождения, первая женщина — лауреат Нобелевской премии.",
}


@pytest.mark.parametrize("language", TEXTS)
def test_the_estimate_is_near_and_rarely_low(language):
    text = TEXTS[language]
    ratio = estimate_tokens(text) / len(encoding.encode(text))
    assert 0.8 < ratio < 1.35


def test_rows_of_dots_may_be_few_tokens():
    text = "\n".join(f"{n}.1 Scope and terms {'.' * 60} {n}" for n in range(60))
    most, real = estimate_tokens(text), len(encoding.encode(text))
    assert most > 2 * real > 2 * (most - tokens_too_many(text))


ASKED = (
    "Passage:\n<given_passage_b1d5e5b8>\nThe Harbour Museum in Lindby opened on 4 May 1932. It shows ships "
    "and maps, and 1,987,000 people came in 2019.\n</given_passage_b1d5e5b8>\n\n"
    "Fact: The Harbour Museum opened in 1935."
)
TOKENS_OF_QWEN = 85 + 5 + 3
"""What llama.cpp's server counts with Qwen2.5: the text, the marks around it, the answer's beginning."""


def test_token_estimate_is_near_real_count():
    request = {"messages": [{"role": "user", "content": ASKED}]}
    assert estimate_request(request) == pytest.approx(TOKENS_OF_QWEN, rel=0.05)


def test_token_estimate_grows_with_text():
    assert estimate_tokens("") == 0
    assert estimate_tokens("one") == 1
    assert estimate_tokens("word " * 1000) == 1000
    assert estimate_tokens("\ud83d") >= 1


ONE = Usage(calls=1, prompt_tokens=10, completion_tokens=2, cost=0.5)


def test_usage_goes_to_the_open_stage():
    meter = Meter()
    with meter.stage("atomizer"):
        record_usage(ONE)
    with meter.stage("evaluator"):
        record_usage(ONE)
        record_usage(Usage(cached_calls=1))
    assert meter.usage == {"atomizer": ONE, "evaluator": ONE + Usage(cached_calls=1)}
    assert meter.total == ONE + ONE + Usage(cached_calls=1)
    assert list(meter.seconds) == ["atomizer", "evaluator"]
    assert all(seconds >= 0 for seconds in meter.seconds.values())


def test_outside_any_stage_nothing_is_counted():
    meter = Meter()
    record_usage(ONE)
    with stage("judge"):
        record_usage(ONE)
    assert (meter.usage, meter.total) == ({}, Usage())


def test_an_inner_stage_takes_the_usage():
    meter = Meter()
    with meter.stage("evaluator"):
        with stage("judge"):
            record_usage(ONE)
        record_usage(ONE)
    assert meter.usage == {"judge": ONE, "evaluator": ONE}
    assert meter.seconds["evaluator"] >= meter.seconds["judge"]


def test_a_stage_that_fails_is_counted():
    meter = Meter()

    def fail():
        with meter.stage("reviser"):
            record_usage(ONE)
            raise ValueError

    with pytest.raises(ValueError):  # noqa: PT011
        fail()
    assert meter.usage == {"reviser": ONE}
    record_usage(ONE)
    assert meter.usage == {"reviser": ONE}


def test_threaded_stage_lasts_from_first_to_last():
    meter = Meter()
    inside = threading.Barrier(2)

    def work(_):
        with meter.stage("reviser"):
            inside.wait()

    parallel_map(work, range(2), 2)
    with meter.stage("atomizer"):
        pass
    assert sum(meter.seconds.values()) <= meter.elapsed
    assert meter.usage == {"reviser": Usage(), "atomizer": Usage()}
