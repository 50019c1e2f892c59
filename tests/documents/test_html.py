"""HTML of one's own is read whole."""

from pathlib import Path

import pytest

from factreasoner.documents.html import TOO_DEEP, whole_text

STYLES = Path(__file__).with_name("styles.txt").read_text(encoding="utf-8").splitlines()
PAGE = "<!doctype html><html><head><title>T</title><style>p {color: red}</style></head><body>{}</body></html>"


def text(body):
    return whole_text(PAGE.replace("{}", body)).text


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            "<ul><li>The mill burned down.</li><li>It was <b>rebuilt</b>.</li></ul>",
            "The mill burned down.\nIt was rebuilt.",
        ),
        (
            "<ol><li>One<ol><li>One a</li></ol></li><li><p>Two</p><p>Two b</p></li></ol>",
            "One\nOne a\nTwo\nTwo b",
        ),
        (
            "<dl><dt>Length</dt><dd>412 m</dd><dt>Opened</dt><dd><p>1931</p></dd></dl>",
            "Length\n412 m\nOpened\n1931",
        ),
        (
            "<div>Bare words.<div>Inner words.</div>Last words.</div>",
            "Bare words.\nInner words.\nLast words.",
        ),
        ("Words of the body<br>in two lines<hr>and more", "Words of the body\nin two lines\nand more"),
        ("<nav><a href='/'>Home</a></nav><p>Text.</p><footer>© 2024</footer>", "Home\nText.\n© 2024"),
        (
            "<aside>Aside.</aside><figure><img alt='x'><figcaption>A mill.</figcaption></figure>",
            "Aside.\nA mill.",
        ),
        ("<details><summary>More</summary>Inside.</details>", "More\nInside."),
        ("<p>See <a href='/p'>the page</a> for <span>more</span>.</p>", "See the page for more."),
        ("<pre>one\n  two\n\nthree</pre>", "one\ntwo\nthree"),
        ("<blockquote>Said <cite>Mara</cite></blockquote><center>Old</center>", "Said Mara\nOld"),
        ("<p>Caf&eacute; &amp; R&#68; &lt;b&gt;</p>", "Café & RD <b>"),
        ("<p>The engi&shy;neer Mu&#x308;ller</p>", "The engineer Müller"),
        ("<p>It cost 3 m<sup>3</sup> in 1938<sup>1</sup></p>", "It cost 3 m^3 in 1938[1]"),
        ("<p>10<span style='vertical-align: super'>9</span> m</p>", "10^9 m"),
        ("<p>The tower<i style='font-size:8px;vertical-align:super'>1</i> fell.</p>", "The tower[1] fell."),
        ("<p>(a+b)<sup>2</sup>, (a · b)<sup>n</sup>", "(a+b)^2, (a · b)^n"),
        ("<p>[x - 1]<sup>10</sup>, (1 + 0.05)<sup>-3</sup>", "[x - 1]^10, (1 + 0.05)^-3"),
        ("<p>(2x)<sup>3</sup>, (−1)<sup>n</sup>, (km/h)<sup>2</sup>", "(2x)^3, (−1)^n, (km/h)^2"),
        ("<p>(opened 1931)<sup>2</sup>, (1931-1958)<sup>3</sup>", "(opened 1931)[2], (1931-1958)[3]"),
        ("<p>Mills (and/or)<sup>1</sup>, the (x+y)<sup>th</sup>", "Mills (and/or)[1], the (x+y)th"),
        ("<ruby>東<rp>(</rp><rt>とう</rt><rp>)</rp></ruby>駅", "東(とう)駅"),
        ("<math><mi>x</mi><mo>=</mo><mn>2</mn><annotation>x=2</annotation></math>", "x=2"),
        ("<math><mfrac><mn>1</mn><mrow><mi>n</mi><mo>+</mo><mn>2</mn></mrow></mfrac></math>", "1/(n+2)"),
        ("<math><msup><mfrac><mi>a</mi><mi>b</mi></mfrac><mn>2</mn></msup></math>", "(a/b)^2"),
        ("<svg><title>Towers</title><text>Mill</text><text>Quarry</text></svg>", "Towers\nMill\nQuarry"),
        ("<script>no()</script><template>no</template><!-- no --><p>Yes.</p>", "Yes."),
        ("<p>One <?php echo 1 ?>and <!-- no -->two</p>", "One and two"),
        ("<div>" * 500 + "Deep." + "</div>" * 500, "Deep."),
    ],
)
def test_every_element_is_read(body, expected):
    assert text(body) == expected


@pytest.mark.parametrize(
    "body",
    [
        "<del>1930</del>",
        "<s>1930</s>",
        "<strike>1930</strike>",
        "<del><p>1930</p></del>",
        "<span style='text-decoration: line-through'>1930</span>",
        "<span style='color: red; TEXT-DECORATION-LINE:line-through'>1930</span>",
        "<span hidden>1930</span>",
        "<div hidden=''><ul><li>1930</li></ul></div>",
        "<span style='display:none'>1930</span>",
        "<p style='visibility : hidden'>1930</p>",
        "<s>19<p>30</s>",
        "<DEL class=x>19<ul><li>30<b>x</DEL></ul></b>",
        "<span style='font-size:0'>1930</span>",
        "<span style='FONT-SIZE: 0px !important; color: red'>19<b>30</b></span>",
    ],
)
def test_struck_and_hidden_text_is_left_out(body):
    assert text(f"<p>Opened in {body} 1931.</p>").replace("\n", " ") == "Opened in 1931."


@pytest.mark.parametrize("line", STYLES)
def test_styles_of_the_page_count(line):
    state, css, body = line.split("\t")
    page = f"<style>{css}</style><p>Opened in {body} 1931.</p>"
    seen = {"hidden": "", "shown": "1930 "}.get(state, f"{state} ")
    assert whole_text(page).text == f"Opened in {seen}1931."


def test_style_sheets_for_print_are_left_out():
    rule = ".a{display:none}</style><p class=a>Text.</p>"
    for start in ("<style media=print>", "<style media='screen and (max-width: 9em)'>", "<noscript><style>"):
        assert whole_text(f"{start}{rule}").text == "Text."
    assert whole_text(f"<style media='Screen, projection'>{rule}").text == ""


def test_selectors_take_bounded_time():
    deep = f"<style>{' '.join(40 * ['div'])} b{{display:none}}</style>{1_000 * '<div>'}<b>x</b>{900 * '<i>'}y"
    assert whole_text(deep).text == "y"


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ("<tr><td>Length<td>412 m<tr><td>Opened<td>1931", "Length | 412 m\nOpened | 1931"),
        ("<thead><tr><th>A<th>B</thead><tbody><tr><td>1<td>2</tbody>", "A | B\n1 | 2"),
        ("<tr><td>Parts<td><ul><li>Arch<li>Tower</ul>", "Parts | Arch Tower"),
        ("<tr><td>Parts<td><dl><dt>Arch<dd>steel</dl><p>two</p>", "Parts | Arch steel two"),
        ("<tr><td>a<td><table><tr><td>b<td>c<tr><td>d</table><td>e", "a | b c d | e"),
        ("<caption>Bridges</caption><tr><td>a<td>b", "Bridges\na | b"),
        (
            "<tr><td rowspan=3>1931<td>May<tr><td>June<tr><td>July<tr><td>1932<td>May",
            "1931 | May\n1931 | June\n1931 | July\n1932 | May",
        ),
        ("<tr><td>a<td rowspan=2>b<td>c<tr><td>d<td>e", "a | b | c\nd | b | e"),
        ("<tr><td>a<td rowspan=2>b<tr><td>d", "a | b\nd | b"),
        ("<tr><td rowspan=0>all<td>a<tr><td>b<tr><td>c", "all | a\nall | b\nall | c"),
        (
            "<tr><td colspan=2>North<td>c<tr><td>a<td>b<td rowspan=2>s<tr><td>e<td>f",
            "North | c\na | b | s\ne | f | s",
        ),
        ("<tr><td rowspan=2 colspan=2>N<td>c<tr><td>f<tr><td>1<td>2<td>3", "N | c\nN | f\n1 | 2 | 3"),
        ("<tr><td><td>b<tr><td>c<td>", "| b\nc"),
        ("<tr><th>Year<th>Sum<th>Who<tr><td>1931<td><td>Mara", "Year | Sum | Who\n1931 | | Mara"),
        ("<tr><td>a<br>b<td>c", "a b | c"),
        ("<tr>stray<td>a<td>b", "stray | a | b"),
        ("<tr><td rowspan='many'>a<td colspan='-1'>b", "a | b"),
    ],
)
def test_rows_are_lines_with_spanned_cells_in_each(rows, expected):
    assert text(f"<table>{rows}</table>") == expected


def test_tables_give_header_and_place_of_other_rows():
    body = (
        "<p>Before.</p><table><tr><th>Year<th>Who<tr><td>1931<td>Mara<tr><td>1932<td>Ole</table><p>After.</p>"
    )
    found = whole_text(PAGE.replace("{}", body))
    (table,) = found.tables
    assert table.header == "Year | Who"
    assert found.text[table.start : table.end] == "1931 | Mara\n1932 | Ole"
    assert whole_text("<table><tr><td>only</table>").tables == ()
    assert [t.header for t in whole_text(2 * "<table><tr><td>a<tr><td>b</table>").tables] == ["a", "a"]


@pytest.mark.parametrize(
    ("rows", "header"),
    [
        ("<caption>Bridges</caption><tr><td>a<td>b<tr><td>1<td>2", "Bridges\na | b"),
        ("<caption>C</caption><tr><th>a<th>b<tr><th>x<th>y<tr><th>1<td>2", "C\na | b\nx | y"),
        ("<thead><tr><th colspan=2>N<th>S<tr><th>Y<th>M<th>x</thead><tr><td>1<td>2<td>3", "N | S\nY | M | x"),
        ("<thead><tr><th rowspan=2>Y<th>N<tr><th>a</thead><tbody><tr><td>1<td>2", "Y | N\nY | a"),
        ("<tr><td>a<td>b<tr><th>x<th>y<tr><td>1<td>2", "a | b"),
        ("<tr><th>a<th>b<tr><td>1<td>2<tr><th>x<th>y<tr><td>3<td>4", "a | b"),
    ],
)
def test_all_header_rows_and_caption_are_headers(rows, header):
    found = whole_text(f"<p>Before.</p><table>{rows}</table><p>After.")
    (table,) = found.tables
    assert table.header == header
    assert found.text == f"Before.\n{header}\n{found.text[table.start : table.end]}\nAfter."


def test_spans_multiply_text_only_so_far():
    cell = f"<td rowspan=60000>{'x' * 299}"
    bomb = f"<table><tr>{cell * 100}{'<tr><td>y' * 60_000}</table>"
    assert len(whole_text(bomb).text) < 3_000_000
    long = f"<table><tr><td rowspan=60000>{'x' * 301}<td>a{'<tr><td>y' * 10}</table>"
    assert len(whole_text(long).text) < 400


@pytest.mark.parametrize(
    ("source", "title"),
    [
        ("<title> The\n Bridge </title><h1>Head</h1>", "The Bridge"),
        ("<h1>The <b>Bridge</b></h1>", "The Bridge"),
        ("<title></title><h1>Head</h1>", "Head"),
        ("<p>None</p>", ""),
        ("<body><svg><title>Tower</title></svg><h1>Head</h1>", "Head"),
        ('<?xml version="1.0" encoding="utf-8"?><html><title>Été</title><p>x</html>', "Été"),
    ],
)
def test_title_is_that_of_page_or_heading(source, title):
    assert whole_text(source).title == title


def test_text_without_tags_is_text():
    assert whole_text("") == whole_text(" \n") == whole_text("<!-- x -->")
    assert whole_text("Just words & <3").text.startswith("Just words &")


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("<title>T</title><section>In a section.</section><p>Next.", "In a section.\nNext."),
        ("<title>T</title><details><summary>More</summary>Inside</details>", "More\nInside"),
        ("<!doctype html><meta charset=utf-8><title>T</title><main>Words</main>", "Words"),
        ("<title>T</title>Just words", "Just words"),
        ("<html><body><p>One</p></body></html><p>Two</p>", "One\nTwo"),
        ("<html><body>One</body></html>two <b>three</b>", "One\ntwo three"),
        ("<html><body>One</body></html><html><head><title>2</title></head><body>Two</html>", "One\nTwo"),
        ("<html><body>One</body>tail<p>Two</html>", "One\ntail\nTwo"),
    ],
)
def test_text_outside_the_body_is_read(source, expected):
    assert whole_text(source).text == expected


def test_page_nested_too_deep_is_read_in_part():
    found = whole_text(f"<p>One.</p>{'<span>' * 3_000}Deep.{'</span>' * 3_000}<p>After.")
    assert (found.text, found.partly) == ("One.", (TOO_DEEP,))
    assert whole_text(f"{'<div>' * 2_000}Deep.").partly == ()
