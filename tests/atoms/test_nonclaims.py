"""Which responses decline to answer, and which items of a list tell the reader what to do."""

import pytest

from factreasoner.atoms.nonclaims import is_abstention, is_aim
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
    "I don't know. " + "The bridge has a span of 500 m. " * 60,
    "我不知道他的生日，但是他出生于北京。他是一位演员。",
]


@pytest.mark.parametrize("response", ABSTENTIONS)
def test_declines(response: str) -> None:
    assert is_abstention(response)


@pytest.mark.parametrize("response", ANSWERS)
def test_answers(response: str) -> None:
    assert not is_abstention(response)


@pytest.mark.parametrize(
    "text", ["as of my " * 130, "sorry, " * 170, "i am sorry " * 100, "there is no a " * 80]
)
def test_adversarial_text_takes_no_time(text: str) -> None:
    assert is_abstention(text) in (True, False)


STEPS = "1. Mix flour with water.\n2. Bake at 230 °C until the crust is brown.\n3. The dough rises overnight."


@pytest.mark.parametrize("lead", ["To make sourdough bread:\n\n", "## How to make bread\n\n"])
def test_steps_below_an_aim_are_left_out(lead: str) -> None:
    found = statements(lead + STEPS, find_parser())
    assert [statement.text for statement in found] == ["The dough rises overnight."]


def test_they_stay_where_instructions_are_wanted() -> None:
    found = statements("To make sourdough bread:\n\n" + STEPS, find_parser(), instructions=True)
    assert len(found) == 3
    assert found[1].text.endswith("Bake at 230 °C until the crust is brown.")


@pytest.mark.parametrize(
    ("lead", "aim"),
    [
        ("To reduce the risk of stroke:", True),
        ("How to win:", True),
        ("To win, a team must have:", False),
        ("To summarize:", False),
        ("The plan is to:", False),
        ("Ways to reduce costs:", False),
    ],
)
def test_an_aim_is_what_something_is_done_for(lead: str, aim: bool) -> None:
    parser = find_parser()
    assert parser is not None
    (read,) = parser.parse([lead])
    assert read is not None
    assert is_aim(read) is aim
