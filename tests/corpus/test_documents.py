import gzip
import importlib.util
import re
import subprocess
import sys

import pytest
from corpus_scene import TEXTS, write
from office_files import docx, packed, paragraph, pptx, text_shape
from pages import ARTICLE, html, pdf

from factreasoner import files
from factreasoner.corpus import documents
from factreasoner.corpus.documents import BadRow, Document, csv_rows, digest_of, documents_of, json_rows
from factreasoner.corpus.files import KINDS
from factreasoner.documents.html import TOO_DEEP
from factreasoner.errors import DocumentError
from factreasoner.files import zstd


def read(tmp_path, name, data):
    (tmp_path / name).write_bytes(data)
    (document,) = documents_of(tmp_path / name)
    assert isinstance(document, Document)
    return document


def test_text_is_decoded_and_titled_by_file(tmp_path):
    found = Document("Café.\nOpen.", "my old notes", guessed="windows-1252")
    assert read(tmp_path, "my_old-notes.txt", b"Caf\xe9.\r\nOpen.") == found


def test_empty_file_of_any_kind_is_skipped(tmp_path):
    files = {f"{n}{ending}": data for ending in KINDS for n, data in enumerate((b"", b"\n\n"))}
    for name, data in (files | {"x.txt": b"\xef\xbb\xbf"}).items():
        (tmp_path / name).write_bytes(data)
        assert list(documents_of(tmp_path / name)) == []


def test_office_documents(tmp_path):
    files = {
        "a.docx": docx(paragraph("Opened in 1931."), "The Bridge"),
        "b_c.pptx": pptx(text_shape("Opened in 1931.")),
    }
    titles = [read(tmp_path, name, data) for name, data in files.items()]
    assert {document.text for document in titles} == {"Opened in 1931."}
    assert [document.title for document in titles] == ["The Bridge", "b c"]


def test_missing_package_is_named_with_each_file(tmp_path, monkeypatch):
    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "pdf_oxide" else found(name)
    )
    with pytest.raises(DocumentError, match=r"a\.pdf: reading PDF files needs .*\.\[web\]"):
        read(tmp_path, "a.pdf", pdf("x"))


PAGE = b"\n<!DOCTYPE HTML><p>x"
OPEN = "application/vnd.oasis.opendocument"
OLD = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)
REFUSED = [
    ("x.txt", b"text\0and more", "binary, not text"),
    ("x.txt", b"\x7fELF\2\1\1\0\0\0", "binary, not text"),
    ("x.txt", bytes(range(1, 32)) * 40, "binary, not text"),
    ("x.txt", "x".encode("utf-16-le"), "binary, not text"),
    ("no.pdf", b"hello", "not a PDF"),
    ("cut.pdf", b"%PDF-1.4 and no more", "damaged PDF"),
    ("picture.pdf", pdf(""), "no text in it (a scan?)"),
    ("empty.html", b"<html><body></body></html>", "no text in it"),
    ("deep.html", b"<div>" * 3_000 + b"Deep.", f"no text in it ({TOO_DEEP})"),
    ("blank.pptx", pptx(""), "no text in it (slide 1 has no text)"),
    ("binary.html", b"\0\1\2\3", "binary"),
    ("a.txt", pdf("x"), "named .txt, but it is a PDF; name it .pdf"),
    ("a.md", PAGE, "named .md, but it is an HTML page; name it .html"),
    ("a.html", docx(paragraph("x")), "named .html, but it is a Word document; name it .docx"),
    ("a.pdf", PAGE, "named .pdf, but it is an HTML page"),
    ("a.docx", packed({"mimetype": f"{OPEN}.text"}), "named .docx, but it is an OpenDocument text; save it"),
    ("a.pptx", packed({"mimetype": f"{OPEN}.presentation"}), "named .pptx, but it is a presentation; save"),
    ("a.docx", packed({"mimetype": "application/epub+zip"}), "named .docx, but it is an EPUB book; save it"),
    ("a.odt", b"x", ".odt is not read; save it as docx"),
    ("a.odp", b"x", ".odp is not read; save it as pptx or pdf"),
    ("a.epub", b"x", ".epub is not read; save it as html"),
    ("a.docx", OLD, "named .docx, but it is an Office document of the old format, or an encrypted one"),
    ("a.docx", packed({"notes.txt": "x"}), "damaged docx"),
    ("a.pptx", packed({"xl/workbook.xml": "x"}), "named .pptx, but it is an Excel workbook; save"),
    ("a.txt", b"{\\rtf1 x}", "named .txt, but it is a Rich Text document"),
    ("a.csv", packed({"notes.txt": "x"}), "named .csv, but it is a ZIP archive; unpack it"),
    ("a.txt", gzip.compress(b"\0\0", mtime=0), "binary, not text"),
    ("a.md.gz", gzip.compress(b"# A title", mtime=0)[:-3], "can't be read: its gzip data is cut short"),
    (
        "a.jsonl.gz",
        gzip.compress(b'{"text": "x"}', mtime=0)[:-3],
        "can't be read: its gzip data is cut short",
    ),
    ("a.csv.gz", gzip.compress(packed({"notes.txt": "x"})), "named .csv, but it is a ZIP archive; unpack it"),
    ("a.txt", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "binary, not text"),
]


@pytest.mark.parametrize(
    ("name", "data", "words"), REFUSED, ids=[f"{name}: {words}" for name, _, words in REFUSED]
)
def test_file_without_text_or_misnamed_is_reported(tmp_path, name, data, words):
    with pytest.raises(DocumentError, match=f"/{name}: {re.escape(words)}"):
        read(tmp_path, name, data)


def test_texts_about_other_kinds_are_texts(tmp_path):
    for text in ("The tag <html> begins a page.", "PK is not Ghana.", "rtf"):
        assert read(tmp_path, "a.txt", text.encode()).text == text


def test_html_and_pdf(tmp_path):
    page = read(tmp_path, "a.html", html(ARTICLE, "Otter Bridge"))
    assert (page.title, page.text.count("Menu entry")) == ("Otter Bridge", 12)
    assert "412 metres" in page.text
    paper = read(tmp_path, "a.pdf", pdf("First page.", "Second page.", title="Paper"))
    assert (paper.title, paper.text) == ("Paper", "First page.\n\nSecond page.")
    assert read(tmp_path, "un_titled.pdf", pdf("First page.")).title == "un titled"


def test_compressed_files_of_every_kind_are_read(tmp_path):
    notes = read(tmp_path, "my_notes.txt.gz", gzip.compress(b"Opened in 1931."))
    assert notes == Document("Opened in 1931.", "my notes")
    assert read(tmp_path, "b.md.zst", zstd.compress(b"# The Bridge\n\nOpened.")).title == "The Bridge"
    paper = read(tmp_path, "c.pdf.gz", gzip.compress(pdf("First page.", title="Paper")))
    assert (paper.title, paper.text) == ("Paper", "First page.")


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_file_too_large_to_be_one_text(tmp_path, monkeypatch, pack):
    monkeypatch.setattr(documents, "MOST_BYTES", 200_000)
    with pytest.raises(DocumentError, match="split it"):
        read(tmp_path, "a.txt", pack(b"x" * 300_000))


def test_a_file_that_goes_or_changes_meanwhile(tmp_path):
    with pytest.raises(DocumentError, match="can't be read: No such file"):
        digest_of(tmp_path / "a.txt")
    with pytest.raises(DocumentError, match="can't be read: No such file"):
        list(documents_of(tmp_path / "a.txt"))
    write(tmp_path, TEXTS)
    found = documents_of(tmp_path / "rows.jsonl")
    next(found)
    with (tmp_path / "rows.jsonl").open("a") as file:
        file.write('{"text": "late"}\n')
    with pytest.raises(DocumentError, match="changed while it was read"):
        list(found)


def test_a_digest_is_of_content_and_kind(tmp_path):
    write(tmp_path, {"a.txt": "x", "b.txt": "x", "a.md": "x", "c.txt": "y"})
    digests = {name: digest_of(tmp_path / name) for name in ("a.txt", "b.txt", "a.md", "c.txt")}
    assert digests["a.txt"] == digests["b.txt"]
    assert len(set(digests.values())) == 3


def test_markdown_is_titled_by_heading_or_file(tmp_path):
    found = read(tmp_path, "a_b.md", b"# A *title*\n`__init__` &amp; more\n")
    assert (found.title, found.text) == ("A title", "A title\n__init__ & more")
    assert read(tmp_path, "a_b.md", b"No heading.").title == "a b"
    assert read(tmp_path, "a.md", "Caf\xe9".encode("cp1252")).guessed == "windows-1252"


def test_documents_are_composed_without_soft_hyphens(tmp_path):
    odd = "Mu\u0308ller, the engi\xadneer."
    rows = f'{{"text": "{odd}", "title": "Mu\u0308ller"}}'
    for name, text in {"a.txt": odd, "a.md": odd, "a.html": f"<p>{odd}", "a.jsonl": rows}.items():
        assert read(tmp_path, name, text.encode()).text == "Müller, the engineer."


def test_partly_read_documents_name_the_lost_part(tmp_path):
    files = {
        "a.pdf": (pdf("One.", "", "Three."), ("page 2 has no text",)),
        "b.pptx": (pptx(text_shape("One"), ""), ("slide 2 has no text",)),
        "a.html": (f"<p>One.</p>{'<i>' * 3_000}Deep.".encode(), (TOO_DEEP,)),
        "c.docx": (docx(paragraph("x") + "<w:p><w:r><w:object/></w:r></w:p>"), ("an embedded object",)),
    }
    for name, (data, partly) in files.items():
        assert read(tmp_path, name, data).partly == partly


def test_texts_are_read_without_packages_for_pages(tmp_path, monkeypatch):
    real = importlib.util.find_spec
    lacking = {"trafilatura", "pdf_oxide"}
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name in lacking else real(name))
    for name in ("a.txt", "a.md", "a.html"):
        assert read(tmp_path, name, b"<p>The bridge is red.").text.endswith("The bridge is red.")


def test_reader_imports_no_page_package():
    code = (
        "import sys; sys.modules.update(dict.fromkeys(('lxml', 'pdf_oxide', 'trafilatura')));"
        "import factreasoner.corpus.documents"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def jsonl(tmp_path, data):
    path = tmp_path / "rows.jsonl"
    path.write_bytes(data)
    return list(json_rows(path))


def table(tmp_path, data):
    path = tmp_path / "rows.csv"
    path.write_bytes(data)
    return list(csv_rows(path))


def test_json_lines(tmp_path):
    data = b"\xef\xbb\xbf\n"
    data += b'\xef\xbb\xbf{"text": "a", "title": " b\\n c ", "link": "d "}\n\n{"content": "e", "url": "f"}'
    assert jsonl(tmp_path, data) == [Document("a", "b c", "d"), Document("e", "", "f")]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"{", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b'"text"', "not an object"),
        (b'{"text": null}', "no column 'text', 'content' or 'passage'; rename the one with the text"),
        (b'{"text": 5}', "text is not a string"),
        (b'{"text": "a", "title": ["t"]}', "title is not a string"),
        (b'{"text": "caf\xe9"}', "not UTF-8"),
    ],
)
def test_bad_line_is_named_and_others_read(tmp_path, line, reason):
    found = jsonl(tmp_path, b'{"text": "a"}\n' + line + b'\n{"text": "z"}\n')
    assert found == [Document("a"), BadRow(2, reason), Document("z")]
    assert str(found[1]) == f"line 2: {reason}"


def test_a_line_too_long_for_memory_is_skipped(tmp_path, monkeypatch):
    for module in (files, documents):
        monkeypatch.setattr(module, "LONGEST_LINE", 40)
    long = b'{"text": "' + b"x" * 100 + b'"}'
    found = jsonl(tmp_path, long + b'\n{"text": "a"}\n' + long)
    assert [type(row) for row in found] == [BadRow, Document, BadRow]
    assert "longer than" in str(found[2])
    assert [row.line for row in found if isinstance(row, BadRow)] == [1, 3]


@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_csv_accepts_any_delimiter_and_column_case(tmp_path, mark):
    text = f'\ufeffTITLE{mark} Text {mark}url\r\nb{mark}"two\r\nlines {mark} ""q"""{mark}d\r\n'
    assert table(tmp_path, text.encode()) == [Document(f'two\r\nlines {mark} "q"', "b", "d")]


def test_csv_rows_may_be_short_long_or_missing(tmp_path):
    assert table(tmp_path, b"") == []
    assert table(tmp_path, b"title,text\nt\nt,x,more\n") == [BadRow(2, "no text"), Document("x", "t")]


def test_csv_row_not_utf8_is_named(tmp_path):
    bad = BadRow(3, "not UTF-8")
    assert table(tmp_path, b"text\ngood\ncaf\xe9\nmore\n") == [Document("good"), bad, Document("more")]


@pytest.mark.parametrize(
    ("head", "wrong"),
    [
        (b"text,title,Text ", "two columns are called 'text'; keep one"),
        ("text".encode("utf-16"), "not UTF-8"),
        (b"name,note,price", "no column 'text', 'content' or 'passage'; rename the one with the text"),
    ],
)
def test_table_with_unclear_columns_is_refused(tmp_path, head, wrong):
    assert table(tmp_path, head + b"\nx,y,z\n") == [BadRow(1, wrong)]


def test_csv_is_read_up_to_damage(tmp_path):
    good, bad = table(tmp_path, b'text,title\ngood,t\n"cut off\nhere')
    assert good == Document("good", "t")
    assert re.fullmatch(
        "line 3: not a clean table: unexpected end .* quotes .*; nothing after it is read", str(bad)
    )


def test_oversized_csv_line_ends_the_file(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "LONGEST_LINE", 40)
    good, bad = table(tmp_path, b"text\ngood\n" + b"x" * 100 + b"\nmore\n")
    assert good == Document("good")
    assert "longer than" in str(bad)
    monkeypatch.undo()
    assert table(tmp_path, b"text\n" + b"x" * 100) == [Document("x" * 100)]
