"""Random answers with markers in many forms: kept sentences stand verbatim, removed ones are gone whole."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factreasoner.models import Context
from factreasoner.tasks.verify.citations import CitedText
from factreasoner.tasks.verify.editing import Edit, edited
from factreasoner.tasks.verify.task import verify

SOURCES = [Context(id=f"c{n}", text="It is so.", link=f"https://example.org/{n}") for n in range(3)]
MARKERS = [
    "",
    " [1]",
    "[1]",
    " [1][2]",
    " [1] [2]",
    " [1] and [2]",
    " [1], [2], and [3]",
    " [1] & [2]",
    " [1] or [3]",
    " [1]; [2]",
    " [1, 2]",
    " [1-3]",
    "¹",
    "¹,²",
    " ¹ and ²",
    " (1)",
    "[^1]",
    "[^1][^2]",
    " (Source 1)",
    " (Source 1) and (Source 2)",
    " (see [1] and [2])",
    " ([1], [2])",
    ", see [1]",
    " (source: [1])",
    "【1†source】",
    "【1†source】【2†source】",
    "<sup>1</sup>",
    " <sup>[1]</sup>,<sup>[2]</sup>",
    " **[1]** and **[2]**",
    " ([Reuters](https://example.org/0))",
    " ([Reuters](https://example.org/0) and [BBC](https://example.org/1))",
    " [1](https://example.org/0)",
    " [c0] and [c1]",
]
OPENINGS = ["", "- ", "* ", "1. ", "## ", "> ", "- [ ] ", "   • "]
LEFTOVER = re.compile(
    r"\b(?:and|or|see)\s*[.,;)]|\(\s*\)|\[\s*\]|\*\*\*\*|[ \t][.,;)]"
    r"|^[ \t]*(?:[-*•]|\d+\.)[ \t]*$|[(]\s*(?:and|or)",
    re.MULTILINE,
)
"""A conjunction, bracket, blank or list marker without the words it belongs to."""


@st.composite
def answers(draw):
    """A text, and its sentences: their words without the stop, and their words with markers and stop."""
    pieces, sentences = [], []
    table = draw(st.booleans())
    for block in range(draw(st.integers(1, 3))):
        pieces.append("\n\n" if block else "")
        opening = draw(st.sampled_from(OPENINGS))
        for item in range(draw(st.integers(1, 3)) if opening.strip(" 1.>#") else 1):
            pieces += ["\n" if item else "", opening]
            for place in range(draw(st.integers(1, 3)) if not opening.startswith("#") else 1):
                words = f"Harbour number {len(sentences)} has a café with {len(sentences) + 40} seats"
                marker, behind = draw(st.sampled_from(MARKERS)), draw(st.booleans())
                said = (
                    f"{words}.{marker}"
                    if behind and marker not in (" (1)", ", see [1]")
                    else f"{words}{marker}."
                )
                pieces += [" " if place else "", said]
                sentences.append((words, said))
    if table:
        pieces.append("\n\n| Name | Seats |\n|---|---|\n")
        for _ in range(draw(st.integers(1, 3))):
            words = f"Quay {len(sentences)} | {len(sentences) + 70} seats{draw(st.sampled_from(MARKERS[:6]))}"
            pieces.append(f"| {words} |\n")
            sentences.append((words, f"| {words} |"))
    return "".join(pieces), sentences


@given(answers(), st.data())
def test_kept_sentences_stay_and_others_go_whole(answer, data):
    text, said = answer
    cited = CitedText(text, SOURCES)
    places = {
        words: cited.sentence_at((text.index(words), text.index(words) + len(words))) for words, _ in said
    }
    assert all(places.values())
    chosen = data.draw(st.sets(st.sampled_from([words for words, _ in said])))
    done = edited(text, [Edit(*places[words].place, "") for words in chosen])
    left = done.text
    for words, whole in said:
        if words in chosen:
            assert words not in left
        else:
            assert whole in left, (text, left)
            start, end = done.moved(places[words].place)
            assert left[start:end] == text[slice(*places[words].place)]
    assert not LEFTOVER.search(left) or LEFTOVER.search(text), (text, left)
    markers = r"\[\^?[c\d]|[¹²]|【|Source|source:|<sup|example"
    wanted = sum(len(re.findall(markers, whole)) for words, whole in said if words not in chosen)
    assert len(re.findall(markers, left)) == wanted, (text, left)


@given(answers())
def test_words_of_sentences_have_no_leftovers(answer):
    text, said = answer
    cited = CitedText(text, SOURCES)
    for sentence in cited.sentences:
        words = cited.words_of(sentence)
        assert not LEFTOVER.search(words.replace("\u200b", "")), (text, words)
    for words, _ in said:
        assert words.rstrip("0123456789[], and&") in cited.plain or "|" in words
        at = cited.plain.find(words)
        if at >= 0:
            assert text[slice(*cited.original((at, at + len(words))))] == words


@pytest.mark.parametrize("marker", [marker for marker in MARKERS if marker != " (1)"])
@pytest.mark.parametrize("behind", [", and entry is free.", ". Entry is free.", " on Sundays."])
def test_markers_leave_words_as_they_were(marker, behind):
    marker = "" if marker in (", see [1]", " [1]; [2]") and behind[:3] == " on" else marker
    assert CitedText(f"It is open all day{marker}{behind}", SOURCES).plain == f"It is open all day{behind}"


@pytest.mark.parametrize(
    "said",
    [
        "It is red, as reported in [1] and [2].",
        "According to [1] and [2], it is red.",
        "[1] and [2] report that it is red.",
        "It is tall, according to both [1] and [2].",
        "According to source [1], it is red.",
    ],
)
def test_markers_that_are_words_stay(said):
    assert CitedText(said, SOURCES).plain == said


@pytest.mark.parametrize(
    "said", ["Entry is free", "The entry fee is low", "Parking is easy", "The height is 38 m"]
)
def test_aspect_of_thing_replaces_no_pronoun(said):
    result = verify(f"{said} [1]. It has a café with a terrace [1].", contexts=["The museum is red."])
    assert result.claims[-1].text == "It has a café with a terrace."
    assert result.corrected == result.response
