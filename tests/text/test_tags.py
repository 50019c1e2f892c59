"""Tags of HTML as their reader sees them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factreasoner.text.tags import UNSEEN, Tags, without_tags


def read(text):
    """The text as it is read, its blanks folded in each line."""
    seen = without_tags(text).replace(UNSEEN, "")
    return "\n".join(filter(None, (" ".join(line.split()) for line in seen.split("\n"))))


def test_a_tag_closes_one_of_the_same_name_in_any_case():
    assert Tags("<P>A is <b>bold</B>.</p>").pairs == (((8, 11), (15, 19)), ((0, 3), (20, 24)))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("<p>A is <b>bold</b>.</p><p>B is.<br/>C is.</p>", "A is **bold**.\nB is.\nC is."),
        ("<ul><li>A is.</li>\n<li>B <i>is</i>.</li></ul>", "- A is.\n- B is."),
        ("<h2>Top</h2>Text", "# Top\nText"),
        ("un<b>believ</b>able <B>Z</B>", "unbelievable **Z**"),
        (
            "<table>\n<tr>\n<th>A</th>\n<th>B</th>\n</tr>\n<tr><td>1</td><td>2<br>3</td></tr></table>",
            "| A | B\n|-|\n| 1| 2 3",
        ),
        ("| a<br>b | c |", "| a b | c |"),
        ("10<sup>6</sup> m<sup>2</sup>, H<sub>2</sub>O, the 5<sup>th</sup>", "10^6 m^2, H2O, the 5th"),
        ("A &amp; B&nbsp;C &mdash; D &#39;E&#39; &nothing; x&y;", "A & B C — D 'E' &nothing; x&y;"),
        ('<p title="R&amp;D">See <a href="x?a=1&amp;b=2">it</a>.<!-- R&amp;D --></p>', "See it."),
        ("<!-- not\nseen -->It is <span class='x'>here</span>.", "It is here."),
        ("<pre><code>a[1]\n</code></pre> and <code>b</code>", "```\n`a[1]\n`\n```\nand `b`"),
        # What is no tag, or a word of its sentence, stays.
        ("The <p> tag and a List<String> are words; so is `<b>x</b>`.", None),
        ("```\n<p>code</p>\n```", None),
        ("1 < 2 and 3 > 2 & so on", None),
        ("A List<Address>, a Vec<Data> and p<q and r>s, if a<b or i<s and c>d.", None),
        (
            "A Map<Code, List<Label>> <b>is</b>. A Set<B> is not.",
            "A Map<Code, List<Label>> **is**. A Set<B> is not.",
        ),
        ("<b>A</b> and the <b> tag", "**A** and the <b> tag"),
        ("One<br>two<wbr>three<br/>four", "One\ntwothree\nfour"),
        ("<ul><li>One<li>Two</ul>", "- One\n- Two"),
        ("<details open><summary>A</summary>B</details><td nowrap>C", "A\nB\n| C"),
        ("A <b onclick=x>is</b>, <b is>is</b>", "A is, <b is>is"),
        ("2<sup>1</sup>/<sub>2</sub> m and 10<sup>3</sup>/s", "2 1/2 m and 10^3/s"),
        # What a page does not show.
        (
            "<!DOCTYPE html><html><head><title>No</title></head><body><style>p {}</style><p>It is.</p>"
            "<script>if (a < b) c[1];</script></body></html>",
            "It is.",
        ),
        ("A <script> is one, a <head> too.", None),
        # A comment is a blank beside a sentence.
        ("It is. <!-- It\nwas. --> So<!-- x -->on it <!-- y --> is.", "It is. Soon it is."),
        ("<!-- a --><!-- b -->\n# Top<!-- c -->", "# Top"),
    ],
)
def test_tags_are_read_as_lines_items_cells_or_nothing(text, found):
    assert read(text) == (text if found is None else found)


@given(
    st.lists(
        st.sampled_from(
            ["<p>", "</p>", "<b>", "</b>", "a", ". B", "<tr>", "<td>", "&lt;", "`", "\n", "|", "<!--", "-->"]
        )
    )
)
def test_every_character_keeps_its_place(parts):
    text = "".join(parts)
    seen = without_tags(text)
    assert len(seen) == len(text)
    assert all(a == b or b in "|-*#^`<\n " or b == UNSEEN for a, b in zip(text, seen, strict=True))


UNITS = ["<p>", "<a href='", "`<b>", "<pre>x", "<!--", "<!-- -->", "<tr><td>", "<b> a", "a<b>", "&amp;", "<"]


@pytest.mark.parametrize("unit", [*UNITS, "<p " + 99 * " "])
def test_a_long_hostile_text_is_read(unit):
    text = unit * (30_000 // len(unit))
    assert len(without_tags(text)) == len(text)


def test_tags_know_which_of_them_are_closed_and_where_they_stand():
    text = "<ul><li>A<ul><li>B</ul></li><li>C</ul> List<P> is<p>"
    tags = Tags(text)
    assert tags.behind(0)[0] == "<ul>"
    assert "<P>" not in [tag[0] for tag in tags.all]
    assert tags.before(8) is not None
    assert tags.before(9) is None
    assert tags.wholly(5, 10) == (4, 13)


def test_a_tag_that_opens_between_two_sentences_is_part_of_the_second():
    assert Tags("It is tall.<i>The light works.</i>").border(14, 14) == (11, 11)
