"""HTML of one's own is read whole."""

from pathlib import Path

import pytest
from pages import SENTENCES, html

from factreasoner.documents.extract import extract
from factreasoner.documents.html import TOO_DEEP, whole_text

PAGE = "<!doctype html><html><head><title>T</title><style>p {color: red}</style></head><body>{}</body></html>"


def cases(name):
    """The lines of a file, whose columns are parted by tabs."""
    lines = Path(__file__).with_name(name).read_text(encoding="utf-8").splitlines()
    return [line.replace("\\n", "\n").split("\t") for line in lines]


def text(body):
    return whole_text(PAGE.replace("{}", body)).text


@pytest.mark.parametrize(("body", "expected"), cases("elements.txt"))
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


@pytest.mark.parametrize(("state", "css", "body"), cases("styles.txt"))
def test_styles_of_the_page_count(state, css, body):
    page = f"<style>{css}</style><p>Opened in {body} 1931.</p>"
    seen = {"hidden": "", "shown": "1930 "}.get(state, f"{state} ")
    assert whole_text(page).text == f"Opened in {seen}1931."


def test_style_sheets_for_print_are_left_out():
    rule = ".a{display:none}</style><p class=a>Text.</p><p>Seen."
    for start in ("<style media=print>", "<style media='screen and (max-width: 9em)'>", "<noscript><style>"):
        assert whole_text(f"{start}{rule}").text == "Text.\nSeen."
    assert whole_text(f"<style media='Screen, projection'>{rule}").text == "Seen."


def test_page_that_scripts_show_is_read():
    for style, other in (("display:none", ""), ("visibility:hidden", "Menu")):
        assert whole_text(f"<div style={style}><p>{400 * 'Text. '}</div>{other}").text.startswith("Text.")
    assert whole_text(f"<p style=display:none>{400 * 'no '}</p>Opened in 1931.").text == "Opened in 1931."


@pytest.mark.parametrize(
    "source",
    [
        "<span style='display: none'>{}</span><img aria-hidden=true>",
        "<span>{}</span><span aria-hidden=true>x<span>2</span></span>",
    ],
)
def test_formulas_are_read_once(source):
    math = "<math><semantics><msup><mi>x</mi><mn>2</mn></msup><annotation>x^2</annotation></semantics></math>"
    assert text(f"<p>So {source.format(math)} is it.") == "So x^2 is it."
    page = html(f"{SENTENCES[0]} So {source.format(math)} is it.")
    assert extract(page).text.endswith("So x^2 is it.")


def test_selectors_take_bounded_time():
    deep = f"<style>{' '.join(40 * ['div'])} b{{display:none}}</style>{1_000 * '<div>'}<b>x</b>{900 * '<i>'}y"
    assert whole_text(deep).text == "y"


@pytest.mark.parametrize(("rows", "expected"), cases("rows.txt"))
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
