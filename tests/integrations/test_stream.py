"""Answers that are checked while they are written."""

import asyncio

import pytest
from loops import run_apart

from factreasoner import assess
from factreasoner.errors import ConfigError, InputError
from factreasoner.integrations.stream import guard_stream

ANSWER = "The tower was built in 1871 by Dr. Ortega.  It is 52 metres high.\nNobody lives there"
CONTEXTS = ["The tower was built in 1871 by Dr. Ortega.", "The tower is 47 metres high."]


async def deltas(text, length=7):
    for start in range(0, len(text), length):
        yield text[start : start + length]
        await asyncio.sleep(0)


def pieces(hold):
    async def collected():
        stream = guard_stream(deltas(ANSWER), CONTEXTS, hold=hold, spacy_model="none")
        return [piece async for piece in stream]

    return run_apart(collected())


def test_a_sentence_is_held_until_its_atoms_are_known():
    found = pieces("sentence")
    assert [piece.text for piece in found] == [
        "The tower was built in 1871 by Dr. Ortega.",
        "  It is 52 metres high.",
        "\nNobody lives there",
    ]
    assert [len(piece.atoms) for piece in found] == [1, 1, 1]
    assert found[0].atoms[0].label == "supported"
    assert [piece.final for piece in found] == [False, False, True]


@pytest.mark.parametrize("hold", ["sentence", "none"])
def test_the_last_assessment_is_that_of_the_whole_answer_and_no_text_is_lost(hold):
    found = pieces(hold)
    assert "".join(piece.text for piece in found) == ANSWER
    whole = assess(ANSWER, contexts=CONTEXTS, spacy_model="none")
    assert found[-1].assessment.p_true == whole.p_true
    told = [atom.text for piece in found for atom in piece.atoms]
    assert sorted(told) == sorted(atom.text for atom in whole.atoms)
    assert hold == "sentence" or [piece.text for piece in found[:2]] == ["The tow", "er was "]


def test_the_next_assessment_begins_at_the_delta_that_finds_the_last_one_done():
    async def slow():
        for sentence in ("Ann is tall. ", "Bob is old. ", "Cleo is rich. ", "Dan is thin."):
            yield sentence
            if under_way := asyncio.all_tasks() - {asyncio.current_task()}:
                await asyncio.wait(under_way)

    async def collected():
        return [piece async for piece in guard_stream(slow(), CONTEXTS, hold="none", spacy_model="none")]

    found = run_apart(collected())
    assert [len(piece.atoms) for piece in found if piece.assessment] == [1, 1, 1, 1]


def test_an_empty_answer_makes_no_claim():
    async def last():
        return [piece async for piece in guard_stream(deltas(""), CONTEXTS)][-1]

    assert run_apart(last()).assessment.status == "no_atoms"


@pytest.mark.parametrize("wrong", [{"model": "openai/x"}, {"hold": "word"}, {"modell": "x"}])
def test_what_does_not_go_with_a_stream_is_refused_before_it_begins(wrong):
    with pytest.raises(ConfigError, match=next(iter(wrong))):
        guard_stream(deltas(ANSWER), CONTEXTS, **wrong)


async def parts():
    yield None


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (["a", "b"], "is of type list; it must be an async iterator of texts"),
        ("text", "is of type str"),
        (parts(), "one is None; they must be texts, as"),
    ],
)
def test_what_is_no_stream_of_texts_is_told_with_the_remedy(wrong, said):
    async def last():
        return [piece async for piece in guard_stream(wrong, CONTEXTS, spacy_model="none")]

    with pytest.raises(InputError, match=said):
        run_apart(last())
