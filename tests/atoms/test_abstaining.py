"""Which sentences say that there is no answer, in many languages."""

import tomllib
from pathlib import Path

import pytest

from factreasoner.atoms.nonclaims import is_abstaining, is_abstention

CASES = tomllib.loads(Path(__file__).with_name("abstentions.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("language", CASES)
def test_abstentions_of_language_are_found(language):
    said = CASES[language]["abstentions"].splitlines()
    assert [sentence for sentence in said if not is_abstention(sentence)] == []


@pytest.mark.parametrize("language", CASES)
def test_claims_of_language_are_no_abstentions(language):
    said = CASES[language]["claims"].splitlines()
    assert [sentence for sentence in said if is_abstention(sentence)] == []


ABSTENTIONS = [
    "The passages do not mention the price. They only discuss the opening of the bridge.",
    "I'm sorry, but the documents do not mention the price.\n\nPlease provide more context.",
    "- Price: not mentioned in the documents.\n- Opening hours: not found in the sources.",
    "# Answer\n\nThe source contains no answer to the question.",
    "> The source contains no answer to the question [1].",
    "**Answer:** NOT FOUND in the provided context",
    "“Not found in provided context.”",
    "I can't answer because the context does not mention the price.",
    "Die Quellen sagen nichts dazu. Bitte geben Sie mehr Kontext an.",
    "Je suis désolé. Les documents ne mentionnent pas le prix. N'hésitez pas à poser une autre question.",
    "Lo siento. No encuentro la respuesta. Por favor, proporcione más contexto.",
    "抱歉，文中未提及价格。请提供更多信息。",
    "提供された文書には記載がありません。他にご質問があればお知らせください。",
]


@pytest.mark.parametrize("answer", ABSTENTIONS)
def test_abstention_may_have_remarks_and_marks(answer):
    assert is_abstention(answer)


@pytest.mark.parametrize(
    ("abstaining", "claim"),
    [
        ("The sources do not mention the price.", "The bridge opened in 1932."),
        ("Die Quellen nennen den Preis nicht.", "Die Brücke wurde 1932 eröffnet."),
        ("Les sources ne mentionnent pas le prix.", "Le pont a ouvert en 1932."),
        ("Las fuentes no mencionan el precio.", "El puente se abrió en 1932."),
        ("Le fonti non menzionano il prezzo.", "Il ponte è stato aperto nel 1932."),
        ("Источники не упоминают цену.", "Мост открылся в 1932 году."),
        ("文中未提及价格。", "大桥于1932年开通。"),
        ("価格は文書に記載されていません。", "橋は1932年に開通しました。"),
        ("문서에는 가격이 나와 있지 않습니다.", "다리는 1932년에 개통되었습니다."),
    ],
)
def test_abstaining_sentence_leaves_claim_beside_it(abstaining, claim):
    assert is_abstaining(abstaining)
    assert not is_abstaining(claim)
    assert not is_abstention(f"{abstaining} {claim}")
    assert not is_abstention(f"{claim} {abstaining}")
