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
        ("<B>A one. B two.</b> C three.", ["B two.</b>"], "<B>A one.</b> C three."),
        ("<P>A one. B two.</p> C three.", ["B two.</p>"], "<P>A one.</p> C three."),
        ("A is a List<String>. B two.", ["A is a List<String>."], "B two."),
        ("<b>A one. B two.</b> C three.", ["<b>A one.", "B two.</b>"], "C three."),
        ("<p>A one. <b>B two. C three</b> is.</p>", ["C three</b> is.</p>"], "<p>A one. <b>B two.</b></p>"),
        (
            "<p>A <b>one. B</b> and <i>two. C</i> three.</p>",
            ["B</b> and <i>two."],
            "<p>A <b>one.</b> <i>C</i> three.</p>",
        ),
        ('<p class="x">A one.<br>B two.</p>', ["A one.<br>"], '<p class="x">B two.</p>'),
        ("<ul>\n<li>A one.</li>\n<li>B two.</li>\n</ul>\n", ["A one."], "<ul>\n<li>B two.</li>\n</ul>\n"),
        ("<ul><li>A one.</li><li>B two.</li></ul> C.", ["A one."], "<ul><li>B two.</li></ul> C."),
        ("<p>A.</p>\n<ul>\n<li>B.</li>\n<li>C.</li>\n</ul>\n<p>D.</p>", ["B.", "C."], "<p>A.</p>\n<p>D.</p>"),
        ("<p>A one. B two.</p>", ["B two."], "<p>A one.</p>"),
        (
            "<ol><li>A one.<pre>x</pre></li><li>B two.</li></ol>",
            ["A one."],
            "<ol><li><pre>x</pre></li><li>B two.</li></ol>",
        ),
        (
            "<ul><li>A one.<ul><li>B two.</li></ul></li></ul>",
            ["A one."],
            "<ul><li><ul><li>B two.</li></ul></li></ul>",
        ),
        ("A is a List<Address>. B two.", ["A is a List<Address>."], "B two."),
        ("A has p<q and r>s. <b>B two.</b>", ["A has p<q and r>s."], "<b>B two.</b>"),
        ("Use `<b>` here. B two.", ["Use `<b>` here."], "B two."),
        ("<p>A one.</p><p><b>B two.</b></p>", ["B two."], "<p>A one.</p>"),
        ("<p>A one.<br>B two.<br/>C three.</p>", ["A one.", "C three."], "<p>B two.</p>"),
        (
            "<tr><td>A</td><td>1</td></tr>\n<tr><td>B</td><td>2</td></tr>",
            ["<td>A</td><td>1</td>"],
            "<tr><td>B</td><td>2</td></tr>",
        ),
        ("_A one. B two._ C three.", ["_A one."], "_B two._ C three."),
        ("~~A one. B two.~~ C three.", ["B two.~~"], "~~A one.~~ C three."),
        ("* A one.\n* B *is. C* two.\n", ["B *is."], "* A one.\n* *C* two.\n"),
        ("The price* is high. 2 * 3 is six. B two.", ["The price* is high.", "2 * 3 is six."], "B two."),
        ("my_var is a. your_var is b.", ["my_var is a."], "your_var is b."),
        ("A one.\u00a0B two.\u202fC three.", ["B two."], "A one.\u00a0C three."),
        ("It is [1].**Bold two.** C.", ["It is [1].**Bold two.**"], "C."),
        ("**A **is** one.** B 2 ** 3 is. C.", ["**A **is** one.**", "B 2 ** 3 is."], "C."),
        ("- **A\n- B two.** C.", ["B two.**"], "- **A\n- C."),
        ("<ul><li>A one.<ul><li>B two.</li></ul></li></ul>\nC.", ["A one.", "B two."], "C."),
        ("> A one. B two.\n> C three.\n", ["C three."], "> A one. B two.\n"),
    ],
)
def test_a_sentence_goes_with_its_blanks_marker_and_line(text, parts, left):
    assert without(text, *parts) == left


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("**A one [1].**", "**B was [1].**"),
        ("_A one [1]._", "_B was [1]._"),
        ("~~A one.~~", "~~B was [1].~~"),
        ("“A one [1].”", "“B was [1].”"),
        ('"A one."', '"B was [1]."'),
        ("«A one.»", "«B was [1].»"),
        ("„A one.“", "„B was [1].“"),
        ("「A one.」", "「B was [1].」"),
        ("(A one [1].)", "(B was [1].)"),
        ("(A one [1]).", "(B was [1])."),
        ("(A (or B) is one.)", "(B was [1].)"),
        ("**“A one.”**", "**“B was [1].”**"),
        ("**A one** [1].", "**B was [1]**."),
        ("<b>A one.</b>", "<b>B was [1].</b>"),
        ("**A** is **one**.", "B was [1]."),
        ("“A” is “one”.", "B was [1]."),
        ("(A) is (one).", "B was [1]."),
        ("*A* is one.", "B was [1]."),
        ("“A” is one.", "B was [1]."),
    ],
)
def test_marks_around_a_whole_sentence_stay(old, new):
    assert without(f"X. {old} Z.", old, after="B was [1].") == f"X. {new} Z."


def test_marks_that_the_new_sentence_has_are_not_doubled():
    assert without("**A one.** Z.", "**A one.**", after="**B was.**") == "**B was.** Z."
    assert without("(A one.) Z.", "(A one.)", after="B (C) was.") == "(B (C) was.) Z."


@pytest.mark.parametrize("line_end", ["\r\n", "\r"])
def test_lines_may_end_otherwise(line_end):
    def ended(text):
        return text.replace("\n", line_end)

    text = "Two:\n\nZ.\n\n- A one.\n- B two.\n- C three.\n\nD four.\nE five. F six.\n\nG seven.\n"
    gone = ["Z.", "B two.", "D four.", "F six.", "G seven."]
    left = "Two:\n\n- A one.\n- C three.\n\nE five.\n"
    assert without(ended(text), *gone) == ended(left)


def test_a_text_deep_in_tags_is_edited():
    text = "<div>" * 5_000 + "B two." + "</div>" * 5_000 + "\n\nC three."
    assert without(text, "B two.") == "C three."


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
        ("<b>A. B</b> and <i>C. D</i> is.", "B</b> and <i>C.", "<b>A. </b>New.<i> D</i> is."),
    ],
)
def test_emphasis_stays_closed_around_a_new_sentence(text, part, left):
    assert without(text, part, after="New.") == left
