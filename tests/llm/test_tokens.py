"""The estimate of token counts against a real tokenizer that needs no download."""

import json

import pytest

from factreasoner.llm.tokens import estimate_tokens
from factreasoner.llm.transport import load

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


def test_nothing_is_no_token_and_more_text_is_more():
    assert estimate_tokens("") == 0
    assert estimate_tokens("one") == 1
    assert estimate_tokens("word " * 1000) == 1000
    assert estimate_tokens("\ud83d") >= 1
