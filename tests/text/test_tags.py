"""Marks of HTML within a text, as a reader sees them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factreasoner.text.tags import UNSEEN, without_tags


def read(text):
    """The text as it is read, its blanks folded in each line."""
    seen = without_tags(text).replace(UNSEEN, "")
    return "\n".join(filter(None, (" ".join(line.split()) for line in seen.split("\n"))))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("One<br>two<wbr>three<br/>four<BR />five", "One\ntwothree\nfour\nfive"),
        ("| a<br>b | c |\n| d | e<br>f |", "| a b | c |\n| d | e f |"),
        ("un<b>believ</b>able <B>Z</B> and <span class='x'>here</span>", "unbelievable Z and here"),
        ("10<sup>6</sup> m<sup>2</sup>, H<sub>2</sub>O, the 5<sup>th</sup>", "10^6 m^2, H2O, the 5th"),
        ("2<sup>1</sup>/<sub>2</sub> m and 10<sup>3</sup>/s", "2 1/2 m and 10^3/s"),
        ("A &amp; B&nbsp;C &mdash; D &#39;E&#39; &nothing; x&y;", "A & B C — D 'E' &nothing; x&y;"),
        ('<p title="R&amp;D">See <a href="x?a=1&amp;b=2">it</a>.<!-- R&amp;D --></p>', "See it."),
        ("<p>A is.</p><p>B is.</p><ul><li>C is.</li>\n<li>D is.</li></ul>", "A is.\nB is.\n- C is.\n- D is."),
        ("<head><title>No</title></head>It is.<script>if (a < b) c[1];</script>", "It is."),
        ("It is. <!-- It\nwas. --> So it <!-- y --> is.", "It is. So it is."),
        # What is no tag, or a word of its sentence, stays.
        ("The <p> tag and a List<String> are words; so is `<b>x</b>`.", None),
        ("```\n<b>code</b>\n```", None),
        ("1 < 2 and 3 > 2 & so on", None),
        ("A List<Address>, a Vec<Data>, a Set<B> and p<q and r>s, if a<b or i<s and c>d.", None),
        ("A <script> is one, a <head> too.", None),
    ],
)
def test_tags_are_lines_items_or_nothing(text, found):
    assert read(text) == (text if found is None else found)


@given(
    st.lists(
        st.sampled_from(
            ["<p>", "</p>", "<b>", "</b>", "a", ". B", "<br>", "<sup>", "&lt;", "`", "\n", "|", "<!--", "-->"]
        )
    )
)
def test_every_character_keeps_its_place(parts):
    text = "".join(parts)
    seen = without_tags(text)
    assert len(seen) == len(text)
    assert all(a == b or b in "-^<\n " or b == UNSEEN for a, b in zip(text, seen, strict=True))


UNITS = ["<p>", "<a href='", "`<b>", "<pre>x", "<!--", "<!-- -->", "|<br>", "<b> a", "a<b>", "&amp;", "<"]


@pytest.mark.parametrize("unit", [*UNITS, "<p " + 99 * " "])
def test_long_hostile_text_is_read(unit):
    text = unit * (30_000 // len(unit))
    assert len(without_tags(text)) == len(text)
