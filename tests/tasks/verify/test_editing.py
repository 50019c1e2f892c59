"""Sentences taken out and put in; everything else stays."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factreasoner.tasks.verify.citations import CitedText
from factreasoner.tasks.verify.editing import Edit, edited


def without(text, *parts, after=""):
    """The text once some of its sentences are taken out, or replaced."""
    places = [text.index(part) for part in parts]
    edits = [Edit(at, at + len(part), after) for at, part in zip(places, parts, strict=True)]
    return edited(text, edits).text


@pytest.mark.parametrize(
    ("text", "parts", "left"),
    [
        ("A one. B two. C three.", ["A one.", "C three."], "B two."),
        ("A one. B two. C three.", ["A one.", "B two.", "C three."], ""),
        ("A one.\n\nB two.\n\nC three.\n", ["C three."], "A one.\n\nB two.\n"),
        ("A one. B two.\n\nC three. D four.", ["B two.", "C three."], "A one.\n\nD four."),
        ("Two:\n\n- A one.\n- B two.\n\nEnd.", ["A one.", "B two."], "Two:\n\nEnd."),
        ("1. A one. B two.\n2. C three.\n", ["C three."], "1. A one. B two.\n"),
        ("_A one. B two._ C three.", ["_A one."], "_B two._ C three."),
        ("~~A one. B two.~~ C three.", ["B two.~~"], "~~A one.~~ C three."),
        ("* A one.\n* B *is. C* two.\n", ["B *is."], "* A one.\n* *C* two.\n"),
        ("The price* is high. 2 * 3 is six. B two.", ["The price* is high.", "2 * 3 is six."], "B two."),
        ("my_var is a. your_var is b.", ["my_var is a."], "your_var is b."),
        ("A one.\u00a0B two.\u202fC three.", ["B two."], "A one.\u00a0C three."),
        ("It is [1].**Bold two.** C.", ["It is [1].**Bold two.**"], "C."),
        ("**A **is** one.** B 2 ** 3 is. C.", ["**A **is** one.**", "B 2 ** 3 is."], "C."),
        ("- **A\n- B two.** C.", ["B two.**"], "- **A\n- C."),
        ("> A one. B two.\n> C three.\n", ["C three."], "> A one. B two.\n"),
    ],
)
def test_sentence_is_removed_with_spaces_and_marker(text, parts, left):
    assert without(text, *parts) == left


@pytest.mark.parametrize("line_end", ["\r\n", "\r"])
def test_lines_may_end_otherwise(line_end):
    def ended(text):
        return text.replace("\n", line_end)

    text = "Two:\n\nZ.\n\n- A one.\n- B two.\n- C three.\n\nD four.\nE five. F six.\n\nG seven.\n"
    gone = ["Z.", "B two.", "D four.", "F six.", "G seven."]
    left = "Two:\n\n- A one.\n- C three.\n\nE five.\n"
    assert without(ended(text), *gone) == ended(left)


def test_spans_move_with_the_text():
    text = "A one. B two. C three."
    done = edited(text, [Edit(0, 6, ""), Edit(7, 13, "B was two.")])
    assert done.text == "B was two. C three."
    moved = done.moved((14, 22))
    assert done.text[slice(*moved)] == "C three."
    assert done.moved((7, 13)) is None
    assert [done.text[slice(*place)] for _, place in done.placed()] == ["B was two."]


SENTENCE = st.sampled_from(
    ["It rained a lot.", "Snow fell in May [1].", "Is it so?", "Mr. Smith left at 5 p.m. [2]", "猫がいる。"]
) | st.sampled_from(
    ["Yes!", "It was **very** cold.", "Prices: $1,000.50, or more…", "He said “No. Never.” twice [3]."]
)
BETWEEN = st.sampled_from([*" \n\t", "  ", "\n\n", "\n\n\n", "\n- ", "\n* ", "\n1. ", "\n\n## ", "\n> "])


@st.composite
def texts(draw):
    pieces = [draw(st.sampled_from(["", "\n", "  ", "- ", "# "]))]
    for _ in range(draw(st.integers(1, 9))):
        pieces += [draw(SENTENCE), draw(BETWEEN)]
    return "".join(pieces[: draw(st.sampled_from([-1, None]))])


@given(texts(), st.data())
def test_every_other_sentence_stays_character_for_character(text, data):
    sentences = CitedText(text, []).sentences
    chosen = data.draw(st.sets(st.integers(0, len(sentences) - 1)) if sentences else st.just(set()))
    afters = {n: data.draw(st.sampled_from(["", "It was put in [1]."])) for n in sorted(chosen)}
    edits = [Edit(sentences[n].start, sentences[n].end, after) for n, after in afters.items()]
    done = edited(text, edits)
    at = 0
    for n, sentence in enumerate(sentences):
        words = afters.get(n, text[sentence.start : sentence.end])
        found = done.text.find(words, at)
        assert found >= 0, (words, done.text)
        at = found + len(words)
        if n not in afters:
            moved = done.moved((sentence.start, sentence.end))
            assert done.text[slice(*moved)] == words
    assert re.sub(r"[\s>#*\-\d.]", "", done.text) == "".join(
        re.sub(r"[\s>#*\-\d.]", "", afters.get(n, text[s.start : s.end])) for n, s in enumerate(sentences)
    )
    if not edits:
        assert done.text == text
    if edits and "\n\n\n" not in text:
        assert "\n\n\n" not in done.text


@pytest.mark.parametrize(
    ("text", "part", "left"),
    [
        ("**A one. B two.** C three.", "B two.**", "**A one. New.** C three."),
        ("**A one. B two.** C three.", "**A one.", "**New. B two.** C three."),
    ],
)
def test_emphasis_stays_closed_around_a_new_sentence(text, part, left):
    assert without(text, part, after="New.") == left
