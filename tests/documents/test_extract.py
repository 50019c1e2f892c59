"""Superscripts of a page as text."""

import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pages import ARTICLE, SENTENCES, html, pdf

from factreasoner.documents.extract import extract
from factreasoner.documents.html import raised
from factreasoner.documents.page import Extracted, decode


def test_html_gives_the_article_without_menu_and_footer():
    found = extract(html(), "text/html", "utf-8")
    assert found.title == "Otter Bridge"
    assert found.dropped == ""
    assert all(sentence in found.text for sentence in SENTENCES)
    assert "Menu entry" not in found.text
    assert "All rights" not in found.text


@pytest.mark.parametrize("media_type", ["", "application/octet-stream", "text/html", "application/pdf"])
def test_kinds_are_recognised_by_their_bytes(media_type):
    assert "Menu entry" not in extract(html(), media_type).text
    found = extract(pdf(ARTICLE, title="The Bridge"), media_type)
    assert (found.text, found.title, found.dropped) == (ARTICLE, "The Bridge", "")


SUPERSCRIPTS = (
    "It opened in 1938<sup>1</sup>, and is <b>72 metres</b> high<sup class='x'><a href='#c'>[2]</a></sup>. "
    "It fell by 2<sup>1</sup>/<sub>2</sub> m and holds 10<sup>6</sup> m<sup>3</sup> of H<sub>2</sub>O, "
    "<i>10</i><sup>7</sup> at most."
)
READ = (
    "It opened in 1938[1], and is 72 metres high[2]. "
    "It fell by 2 1/2 m and holds 10^6 m^3 of H2O, 10^7 at most."
)


@pytest.mark.parametrize("around", [ARTICLE + "\n", ""])
def test_superscripts_are_powers_and_citations(around):
    assert extract(html(around + SUPERSCRIPTS)).text.splitlines()[-1] == READ


def test_tags_do_not_cut_short_sentences():
    page = b"<html><body><ul><li>See <a href='/p'>the page</a> for <span>more</span>.</li>"
    assert extract(
        page + b"<li><a>It</a></li></ul><p>Open <b>daily</b>.</p></body></html>", sift=False
    ).text.splitlines() == ["See the page for more.", "It", "Open daily."]
    page = html(ARTICLE + "<p>The mill by the river was built in <del>1871</del> <s>1888</s> 1902.</p>")
    assert "The mill by the river was built in 1902." in " ".join(extract(page).text.split())


def test_plain_text_stays_as_it_is():
    text = "First line of the text, <p>with a tag</p>.\n\n  Second line of the text, indented."
    assert extract(text.encode(), "text/plain").text == text


@pytest.mark.parametrize(
    ("data", "media_type", "reason"),
    [
        (b"", "text/html", "no text"),
        (b"<html></html>", "text/html", "no text"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "text/html", "binary"),
        (b"PK\x03\x04\0\0\0\0", "", "binary"),
        (bytes(range(1, 32)) * 50, "text/plain", "binary"),
        (bytes(range(128, 256)), "text/plain", "not UTF-8, nor an encoding that can be recognised"),
        (b"%PDF-1.4 and nothing more", "application/pdf", "damaged PDF"),
        (pdf(""), "application/pdf", "no text"),
        (html("Enable JavaScript and cookies to continue."), "text/html", "notice: enable javascript"),
        (html("", title="")[:60], "text/html", "no text"),
    ],
)
def test_pages_without_evidence_are_dropped_with_the_reason(data, media_type, reason):
    found = extract(data, media_type)
    assert (found.text, found.dropped) == ("", reason)


@pytest.mark.parametrize(
    "charset", ["base64", "zip", "idna", "unicode_escape", "undefined", "x" * 5000, "cp99999"]
)
def test_unknown_charset_is_ignored(charset):
    assert decode("Größe".encode(), charset).text == "Größe"
    assert SENTENCES[0] in extract(html(), "text/html", charset).text


@pytest.mark.parametrize(
    ("data", "charset", "text"),
    [
        ("Größe".encode(), "", "Größe"),
        ("Größe".encode("latin-1"), "iso-8859-1", "Größe"),
        ("Größe".encode("cp1252"), "", "Größe"),
        ("Größe".encode("utf-16"), "", "Größe"),
        ("Größe".encode("utf-8-sig"), "latin-1", "Größe"),
        ("Мост".encode("koi8-r"), "koi8-r", "Мост"),
        ("橋".encode("shift_jis"), "shift_jis", "橋"),
        ("“朱镕基”".encode("gb18030"), "gb2312", "“朱镕基”"),
        ("“Größe”".encode("cp1252"), "iso-8859-1", "“Größe”"),
    ],
)
def test_text_is_decoded_by_mark_charset_or_likelihood(data, charset, text):
    assert decode(data, charset).text == text


ENCODINGS = Path(__file__).with_name("encodings.txt").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("windows-1252", f"{ARTICLE} © 2024, £5 – it’s Mara Lindqvist’s"),
        ("windows-1252", "Die Brücke wurde 1932 eröffnet, die Umlaute ä, ö, ü fehlen. " * 50),
        *(case.split("\t") for case in ENCODINGS),
    ],
)
def test_undeclared_encoding_is_recognised_and_named(encoding, text):
    assert decode(text.encode(encoding)) == Extracted(text, guessed=encoding)


@pytest.mark.parametrize("head", ["<meta charset=utf-8>", "\ufeff", ""])
def test_a_bad_byte_costs_one_character(head):
    damaged = (head + "Die Brücke der Größe").encode() + b" in Caf\xe9"
    text = head.removeprefix("\ufeff") + "Die Brücke der Größe in Caf\ufffd"
    assert decode(damaged) == Extracted(text, guessed="UTF-8 with unreadable bytes")


@pytest.mark.parametrize("text", ["Sjön är", "长江", "Open 😀 today é", "Trường đại học", "पुल खोला गया"])
def test_short_mostly_utf8_text_is_damaged_utf8(text):
    data = text.encode()
    found = decode(data[: max(i for i, byte in enumerate(data) if byte > 0x7F)])
    assert found.guessed == "UTF-8 with unreadable bytes"
    assert found.text[:-1] == text[: len(found.text) - 1]


def test_encoding_is_guessed_from_non_ascii_bytes():
    script = "var total = first(second) + third;\n" * 3000
    page = f"<script>{script}</script><p>Мост через реку открыли в июне.</p><script>{script}</script>"
    assert decode(page.encode("cp1251")) == Extracted(page, guessed="windows-1251")
    assert decode(b"\xef\xbb\xbfA caf\xe9.") == Extracted("A café.", guessed="windows-1252")


@pytest.mark.parametrize("data", [bytes(range(128, 256)), random.Random(1).randbytes(500)])
def test_undecodable_bytes_are_refused(data):
    assert decode(data) == Extracted("", dropped="not UTF-8, nor an encoding that can be recognised")


def test_declared_charset_is_used_unless_utf8():
    for head in (
        '<?xml version="1.0" encoding="koi8-r"?><html>',
        "<meta http-equiv=x content='a; charset=KOI8-R'>",
    ):
        assert decode(f"{head}Мост".encode("koi8-r")) == Extracted(f"{head}Мост")
        assert decode(f"{head}Мост".encode()).text == f"{head}Мост"
    assert decode(b"<meta charset='utf-8'>Caf\xe9").guessed == "windows-1252"


@pytest.mark.parametrize(
    "odd", ["\0", "\x1b", "\ufffe", "&#0;", "&#27", "&#X001B;", "&#65535;", "&#xD800;", "&#x110000;"]
)
def test_odd_characters_do_not_lose_the_page(odd):
    page = html().replace(b"Otter", f"Otter{odd} ".encode(), 20)
    assert all(sentence in extract(page, "text/html").text for sentence in SENTENCES[1:])


def test_references_to_characters_stay():
    page = html(
        "The &#1052;&#1086;&#x441;&#x442;&#110;&#10;Otter is 20&#176; warm &#x1F600; and opened in 1931."
    )
    assert "The Мостn Otter is 20° warm 😀 and opened" in extract(page, "text/html").text.replace("\n", " ")


def test_html_charset_is_read_from_header_or_page():
    body = "Die Größe der Brücke beträgt über vierhundert Meter, schätzte der Ingenieur."
    page = html(body).decode()
    assert body in extract(page.encode("latin-1"), "text/html", "iso-8859-1").text
    declared = page.replace("<title>", "<meta charset='iso-8859-1'><title>")
    assert body in extract(declared.encode("latin-1"), "text/html").text
    found = extract(page.encode("latin-1"), "text/html")
    assert (body in found.text, found.guessed) == (True, "windows-1252")


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=300), st.sampled_from([b"", b"%PDF-1.4\n", b"<html><body><p>", b"<!doctype html>"]))
def test_no_bytes_make_it_raise(data, start):
    found = extract(start + data, "text/html")
    assert bool(found.text) != bool(found.dropped)


SUPERSCRIPT_KINDS = Path(__file__).with_name("superscripts.txt").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("case", SUPERSCRIPT_KINDS)
def test_superscript_kinds_are_distinguished(case):
    before, inside, behind, found = case.split("\t")
    assert raised(before, inside, behind) == found


MARKDOWN = [
    ("`__init__` and `2**3`", "__init__ and 2**3"),
    ("```\n__init__ = 2**3\n# no heading\n```", "__init__ = 2**3\n# no heading"),
    ("~~~py\na_b_c = *x\n~~~", "a_b_c = *x"),
    ("    def __call__(self): **kw", "def __call__(self): **kw"),
    ("``a `b` **c**``", "a `b` **c**"),
    ("snake_case_name and 2*3*4 and 2 ** 3", "snake_case_name and 234 and 2 ** 3"),
    ("A **bold** and __bold__ and *it* and _it_ word", "A bold and bold and it and it word"),
    ("Caf&eacute; &amp; R&#68; &lt;b&gt; &copy;", "Café & RD <b> ©"),
    ("Opened ~~1930~~ 1931, <del>1930</del>", "Opened 1931,"),
    ("<s>One.\n\nTwo.</s> Three.", "Three."),
    ("Zero <del>one.\n\n- two\n- three</del>\n\nfour", "Zero\nfour"),
    ("- <strike>one\n- two</strike>\n- three", "three"),
    ("See [the page](https://x.example/a_(b)) and ![a picture](b.png)", "See the page and"),
    ("See [the page][1].\n\n[1]: https://x.example", "See the page."),
    ("Opened in 1931.[^1]\n\n[^1]: Archive.", "Opened in 1931.[^1]\n[^1]: Archive."),
    ("- one\n- two\n  1. three", "one\ntwo\n1. three"),
    ("1986. A great year.\n\n1987. Another.", "1986. A great year.\n1987. Another."),
    ("> Quoted\n> words\n" + "> " * 120 + "deep", "Quoted words\ndeep"),
    ("| Year | Who |\n|---|---|\n| 1931 | a\\|b |", "Year | Who\n1931 | a|b"),
    ("Head\n====\n\nText\nof two lines.", "Head\nText of two lines."),
    ("# Head #\nText<br>\nmore <!-- no -->", "Head\nText\nmore"),
    ("<div>\n\n**bold**\n\n</div>", "bold"),
    (r"\*no mark\* and \_none\_", "*no mark* and _none_"),
    ("Term\\\nnext", "Term\nnext"),
    ("---\ntitle: T\nby: x\n---\nText", "Text"),
    ("---\nBetween two rules.\n\n---\nText", "Between two rules.\nText"),
    ("---\nNote: between two rules.\n\n---\nText", "Note: between two rules.\nText"),
    ("<details><summary>More</summary>\n\nInside **it**\n\n</details>", "More\nInside it"),
    ("<https://x.example/a_b_c>", "https://x.example/a_b_c"),
]


@pytest.mark.parametrize(("source", "text"), MARKDOWN)
def test_markdown_keeps_code_and_loses_marks(source, text):
    assert extract(source.encode(), "markdown", sift=False).text == text


def test_markdown_titles():
    for source, title in {
        "---\ntitle: 'The & Bridge'\n---\n# Head": "The & Bridge",
        "---\nauthor: x\n---\n# The *Head*": "The Head",
        "---\n# By hand\ntitle: The Bridge\nTags:\n- a\n---\nText": "The Bridge",
        "---\ntitle: The Bridge\n\ntags: []\n\n---\n# Head": "The Bridge",
        "---\r\ntitle: The Bridge\r\n...\r\n# Head": "The Bridge",
        '+++\ntitle = "The Bridge"\n\n[a]\n+++\n# Head': "The Bridge",
        "## Second\nText": "",
    }.items():
        found = extract(source.encode(), "markdown", sift=False)
        assert found.title == title
        assert found.text in ("The Head", "Second\nText", "Head", "Text")


def test_own_html_is_whole_and_pages_sifted():
    menu, own = "Menu entry 3", extract(html(), "text/html", sift=False)
    assert menu in own.text
    assert "All rights reserved." in own.text
    assert menu not in extract(html(), "text/html").text
    assert own.title == "Otter Bridge"
