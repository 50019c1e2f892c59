"""What states nothing: refusals, lists of sources, links."""

import pytest

from factreasoner.atoms.nonclaims import is_abstention, is_filler, is_link
from factreasoner.atoms.statements import statements
from factreasoner.text.parsing import find_parser

ABSTENTIONS = [
    "",
    "   \n\t",
    "...",
    "I don't know.",
    "I do not know who won the 1954 final.",
    "I don’t know",
    "Unknown.",
    "N/A",
    "No idea!",
    "I'm not sure.",
    "I'm sorry, but I can't help with that.",
    "I'm sorry, but I cannot provide a biography of that person.",
    "I apologize, but I could not find any information about Maria Beispiel.",
    "Sorry, I have no information about this person.",
    "Sorry.",
    "As an AI, I do not have information about private individuals.",
    "As an AI language model, I do not have access to current information beyond my knowledge cutoff.",
    "As an AI language model, I don't have information on Joe Bloggs. Could you provide more context?",
    "There is no information available about Joe Bloggs.",
    "There is not enough information available to answer this question.",
    "Unfortunately, there is no publicly available information about this topic.",
    "No information is available about this person.",
    "Information about this person is not available.",
    "I couldn't find any details on that. Please check the spelling, or provide more information.",
    "I am unable to answer this question. If you have any other questions, feel free to ask!",
    "I'm afraid I don't have that information.",
    "Hello! I am not familiar with this person. Is there anything else I can help you with?",
    "The passage does not mention when the company was founded.",
    "Based on the provided context, I cannot determine the answer.",
    "The context does not provide the answer, but I can help with other questions.",
    "The passage does not explicitly mention when the company was founded.",
    "The text doesn't directly address this.",
    "It is not possible to answer the question from the given text.",
    "I cannot answer that. I would recommend checking a reliable source.",
    "**I don't know.**",
    "我不知道。",
    "抱歉，我不知道。",
    "わかりません。",
    "Je ne sais pas.",
    "Ich weiß es nicht.",
    "No lo sé.",
    "Не знаю.",
]

ANSWERS = [
    "Paris.",
    "None.",
    "Yes.",
    "42",
    "I don't know much about her early life, but Ada Lovelace was born in London in 1815.",
    "I'm not sure. Ada Lovelace was born in London in 1815.",
    "As an AI language model, I do not have access to news. However, Jane Roe is an anthropologist.",
    "I'm sorry to hear that. Aspirin lowers fever and thins the blood.",
    "Sorry, the tower opened in 1815.",
    "I'm sorry, but the tower was demolished in 1815.",
    "I'm afraid the tower has been closed since 1990.",
    "I don't know... the tower opened in 1815.",
    "The text does not help. It only discusses the tower, which is 38 m high.",
    "I apologize for the confusion. The capital of Australia is Canberra.",
    "There is no evidence that vaccines cause autism.",
    "There is no information centre in the park.",
    "I don't think the war ended in 1944.",
    "It is unclear who wrote the letter, which was found in 1890 in Madrid.",
    "The cause of the fire is unknown. It destroyed 300 houses.",
    "I can confirm that the bridge opened in 1932.",
    "He said: I don't know.",
    "Unknown Pleasures is the first album of Joy Division.",
    "Sorry is a song by Madonna, and it was a number one hit.",
    "No information was lost when the server failed; all data were restored in 2 hours.",
    "He does not know who his father is.",
    "我不知道他的生日，但是他出生于北京。他是一位演员。",
]


@pytest.mark.parametrize(
    ("response", "declines"), [*((r, True) for r in ABSTENTIONS), *((r, False) for r in ANSWERS)]
)
def test_abstentions_are_separated_from_answers(response, declines):
    assert is_abstention(response) is declines


@pytest.mark.parametrize(
    "text", ["as of my " * 130, "sorry, " * 170, "i am sorry " * 100, "there is no a " * 80]
)
def test_adversarial_text_takes_no_time(text):
    assert is_abstention(text) in (True, False)


REFERENCES = [
    "- Wikipedia: https://example.org",
    "- [tower](https://example.org) - a page about it.",
    "- [Tower](https://example.org), a page on it.",
    "[The tower](https://example.org).",
    "[1] https://example.org.",
    "The Guardian. https://example.org.",
    "The Guardian, 3 May 2001. https://example.org/x",
    "Smith, J. (2010). Title of a paper. https://example.org.",
    "See [the museum](https://example.org).",
    "Official site of the museum: https://example.org.",
    "Source: The Guardian (https://example.org).",
]
SENTENCES = [
    "The [tower](https://example.org) works.",
    "[The tower](https://example.org) opened in 1932.",
    "It opened in 1932 ([museum](https://example.org)).",
    "Sleep improves memory ([WHO](https://who.int/sleep)).",
    "Sleep improves memory (https://who.int/sleep).",
    "**It rose 3.5 metres (https://example.org/x).**",
    "It is tall, says https://example.org/x",
]


@pytest.mark.parametrize("sentence", [*REFERENCES, *SENTENCES])
def test_short_address_line_is_a_reference(sentence):
    assert is_link(sentence) is (sentence in REFERENCES)


def test_reference_entries_below_heading_are_no_claims():
    text = (
        "Sleep helps.\n\nReferences\n\nSmith, J. (2020). A title here. Nature.\n"
        "Lee, K. (2019). Other title goes here. Science.\n\nJones J. Third title. Cell. 2020;3(2):1.\n"
    )
    assert [statement.text for statement in statements(text)] == ["Sleep helps."]


ADVICE = [
    "You should also call your provider.",
    "Consider whether you feel comfortable with the lawyer.",
    "Please sign the form before the hearing.",
    "It is important to keep receipts.",
]
COURTESIES = [
    "See [1-9].",
    "See also [2] for details.",
    "You're welcome! Stay safe!",
    "Please let me know if you need more.",
    "I hope this helps.",
]


@pytest.mark.parametrize(("text", "kept"), [*((t, [t]) for t in ADVICE), *((t, []) for t in COURTESIES)])
def test_advice_is_claim_and_courtesy_is_not(text, kept):
    assert [one.text for one in statements(text, find_parser())] == kept


OFFERS = [
    "Lassen Sie mich wissen, wenn Sie Fragen haben.",
    "Lass mich wissen, ob das hilft.",
    "Sag mir Bescheid!",
    "Falls du weitere Fragen hast, frag einfach.",
    "Wenn Sie noch Fragen haben, lassen Sie es mich wissen.",
    "Gerne helfe ich weiter.",
    "Ich hoffe, das hilft!",
    "N'hésitez pas à me poser des questions.",
    "Faites-moi savoir si vous voulez plus de détails.",
    "Dites-moi si c'est clair.",
    "J'espère que cela vous aide.",
    "Avísame si quieres más.",
    "Por favor, avíseme.",
    "No dudes en preguntarme.",
    "Espero que esto te ayude.",
    "Dime si necesitas más.",
    "Fammi sapere se vuoi altro.",
    "Spero che questo ti aiuti.",
    "Me avise se precisar de mais.",
    "Espero ter ajudado!",
    "Laat het me weten als je meer wilt.",
    "Hoppas det hjälper!",
    "Daj mi znać, jeśli masz pytania.",
    "Mam nadzieję, że to pomoże.",
    "Дайте знать, если нужно больше.",
    "Надеюсь, это поможет!",
    "如果您还有其他问题，请告诉我。",
    "希望这些信息对您有帮助！",
    "请随时告诉我。",
    "お役に立てれば幸いです。",
    "他に質問があればどうぞ。",
    "お気軽にお尋ねください。",
    "도움이 되었기를 바랍니다.",
    "궁금한 점이 있으면 말씀해 주세요.",
    "أتمنى أن تكون المعلومات مفيدة.",
    "मुझे बताएं अगर और कुछ चाहिए।",
]
NO_OFFERS = [
    "Wenn Sie Hilfe brauchen, rufen Sie 112.",
    "Falls Sie Fieber haben, nehmen Sie zwei Tabletten.",
    "N'hésitez pas à consulter un médecin.",
    "Si tienes más fiebre, toma dos pastillas.",
    "No dudes en llamar al médico.",
    "如果您有心脏问题，请立即就医。",
    "如果您需要帮助，请拨打120。",
    "إذا كان لديك حساسية فلا تتناوله.",
    "यदि आपके पास बुखार है तो दो गोली लें।",
    "Если у вас температура, примите две таблетки.",
    "Die Hoffnung war groß.",
    "Espero wurde 1815 gebaut.",
    "希望小学建于1990年。",
    "Hoppas föddes 1815.",
    "Lass das Wasser kochen.",
    "質問は1815年に出た。",
    "Sag mir war ein Lied.",
    "Дайте больному две таблетки.",
    "Dimensions: 5 m",
    "Gib mir die Hand ist ein Lied von 1815.",
]


@pytest.mark.parametrize("text", OFFERS)
def test_offer_in_any_language_is_a_remark(text):
    assert is_filler(text)


@pytest.mark.parametrize("text", NO_OFFERS)
def test_advice_in_any_language_is_no_remark(text):
    assert not is_filler(text)


REPLIES = [
    "You can.", "You should not.", "It does not.", "It does.", "It did not.", "They will.", "They won't.",
    "We do.", "It could.", "You must not.", "They cannot.",
]  # fmt: skip
INTRODUCED = [
    "Let me know within 14 days if the parcel is damaged: returns are free.",
    "Let me know if it breaks; returns are free.",
    "Thanks for asking — the museum is open.",
    "Please let me know within a week if you want any other size: the shoes were made in 1950.",
]
STILL_REMARKS = [
    "Yes, I can.",
    "I do.",
    "Let me know if you have questions — happy to help!",
    "Let me know what you need: I can add what is missing.",
    "Thanks: that was a good question.",
]


@pytest.mark.parametrize("text", [*REPLIES, *INTRODUCED])
def test_short_answer_or_introduced_fact_is_no_remark(text):
    assert not is_filler(text)
    assert [statement.text for statement in statements(text)] == [text]


@pytest.mark.parametrize("text", STILL_REMARKS)
def test_courtesy_with_more_of_it_is_a_remark(text):
    assert is_filler(text)
