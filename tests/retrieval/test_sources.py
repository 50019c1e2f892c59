"""Sources a person names: files of every kind, pages, standard input."""

import gzip
import importlib.util
import io
import sys

import pytest
from office_files import docx, paragraph
from pages import ARTICLE, html, pdf
from raw_server import RawServer, redirect, reply

from factreasoner.errors import InputError
from factreasoner.pipeline.config import Config
from factreasoner.retrieval.sources import read_sources, read_text

CONFIG = Config(allow_private_hosts=True, cache=False, patience=0.0)
NO_ROBOTS = reply(b"", content_type="text/plain")


def site_resolver(host, port):
    return ["127.0.0.1"]


def read(*names, config=CONFIG):
    return read_sources([str(name) for name in names], config, resolver=site_resolver)


def test_files_of_every_kind_keep_their_order(tmp_path):
    contents = {
        "a.txt": b"Plain words.",
        "b.md": b"# Heading\n\nMarked **words**.",
        "c.html": html(),
        "d.pdf": pdf("Printed words."),
        "e.docx": docx(paragraph("Typed words.")),
        "f.csv": b"title,text,link\nOne,First row.,https://example.org/1\nTwo,Second row.,\n",
        "g.jsonl": b'{"text": "A line."}\n',
    }
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    found = read(*(tmp_path / name for name in contents))
    assert [context.id for context in found] == [str(n) for n in range(1, 9)]
    assert found[0].text == "Plain words."
    assert "Marked words." in found[1].text
    assert "Otter Bridge was opened" in found[2].text
    others = ["Printed words.", "Typed words.", "First row.", "Second row.", "A line."]
    assert [context.text.strip() for context in found[3:]] == others
    assert (found[5].title, found[5].link) == ("One", "https://example.org/1")


def test_a_page_by_its_url():
    with RawServer({"/robots.txt": NO_ROBOTS, "/page": reply(html())}) as site:
        (page,) = read(url := f"http://site.example:{site.port}/page")
        assert (page.id, page.title, page.link) == ("1", "Otter Bridge", url)
    assert " ".join(page.text.split()).endswith(ARTICLE)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (reply(b"gone", status="404 Not Found"), "(status 404); check the address"),
        (reply(html("")), "save the page"),
        (redirect("http://169.254.169.254/latest"), "169.254.169.254"),
        (reply(b"PK", content_type="application/msword"), "may name a page, text, PDF or office document"),
    ],
)
def test_unavailable_page_is_a_named_error(answer, message):
    def resolver(host, port):
        return ["127.0.0.1"] if host == "site.example" else [host]

    with RawServer({"/robots.txt": NO_ROBOTS, "/page": answer}) as site:
        url = f"http://site.example:{site.port}/page"
        with pytest.raises(InputError) as caught:
            read_sources([url], CONFIG, resolver=resolver)
    assert "--source" in str(caught.value)
    assert message in str(caught.value)


def test_refused_connection_is_reported_without_retry():
    asked = []

    def resolver(host, port):
        asked.append(host)
        return ["127.0.0.1"]

    told = r"http://site.example:9/x: site.example:9 refuses the connection .*; check the address, or save"
    with pytest.raises(InputError, match=told):
        read_sources(
            ["http://site.example:9/x"], CONFIG.model_copy(update={"patience": 0.2}), resolver=resolver
        )
    assert asked == ["site.example"]


WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


def test_office_document_by_url_is_read(monkeypatch):
    sent = reply(docx(paragraph(ARTICLE)), content_type=WORD)
    broken = reply(b"PK", content_type=WORD)
    paper = reply(pdf(ARTICLE), content_type="application/pdf")
    with RawServer({"/robots.txt": NO_ROBOTS, "/a": sent, "/b": broken, "/c": paper}) as site:
        url = f"http://site.example:{site.port}"
        assert [source.text for source in read(f"{url}/a")] == [ARTICLE]
        with pytest.raises(InputError, match=r"/b was not read \(damaged docx\); .*save the page"):
            read(f"{url}/b")
        found = importlib.util.find_spec
        monkeypatch.setattr(
            importlib.util, "find_spec", lambda name: None if name == "pdf_oxide" else found(name)
        )
        with pytest.raises(InputError, match=r"/c was not read \(reading PDF .*'\.\[web\]'"):
            read(f"{url}/c")


def test_partly_read_page_is_reported(caplog, tmp_path):
    long = reply(pdf(ARTICLE, "", *["More words."] * 20), content_type="application/pdf")
    config = CONFIG.model_copy(update={"cache": True, "cache_dir": tmp_path})
    with RawServer({"/robots.txt": NO_ROBOTS, "/long": long}) as site:
        for _ in range(2):  # the second time from the cache
            caplog.clear()
            read(url := f"http://site.example:{site.port}/long", config=config)
            told = "read in part: page 2 has no text; pages 21 to 22 were not read"
            assert caplog.messages == [f"{url}: {told}"]


def test_private_addresses_are_refused():
    told = r"--source: .* \(loopback address\); `allow_private_hosts=True` allows it"
    with pytest.raises(InputError, match=told):
        read_sources(["http://127.0.0.1/a"], Config(cache=False, patience=0.0))


def test_all_source_problems_are_reported(tmp_path):
    (tmp_path / "empty.txt").write_text(" \n")
    (tmp_path / "odd.xlsx").write_bytes(b"PK\x03\x04")
    (tmp_path / "picture.txt").write_bytes(b"\x89PNG\r\n" + b"\0" * 50)
    (tmp_path / "rows.jsonl").write_text('{"text": "fine"}\n{"no": 1}\n')
    (tmp_path / "plain").write_bytes(b"\x89PNG\r\n" + b"\0" * 50)
    names = ["empty.txt", "odd.xlsx", "picture.txt", "rows.jsonl", "absent.md", "plain"]
    with pytest.raises(InputError) as caught:
        read(*(tmp_path / name for name in names), tmp_path)
    told = [str(problem) for problem in caught.value.problems]
    assert len(told) == 7
    assert all(str(tmp_path / name) in line for name, line in zip(names, told, strict=False))
    assert "no text" in told[0]
    assert "csv" in told[1]
    assert "line 2" in told[3]
    assert "can't be read" in told[4]
    assert "binary" in told[5]
    assert "a folder" in told[6]


@pytest.mark.parametrize("name", ["absent.txt", "absent"])
def test_missing_source_is_reported(tmp_path, name):
    with pytest.raises(InputError, match=f"{name}: can't be read: there is no such file$"):
        read_sources([str(tmp_path / name)], CONFIG)


def test_file_url_error_asks_for_a_path():
    with pytest.raises(InputError, match=r"file:///a\.txt: give the path of the file, without file://"):
        read("file:///a.txt")
    with pytest.raises(InputError, match=r"--source: ftp://x/y: only http:// and https:// are fetched"):
        read("ftp://x/y")


def test_standard_input_and_other_endings_are_text(monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("Café.".encode())))
    (source,) = read("-")
    assert (source.text, source.title) == ("Café.", "")
    (tmp_path / "notes.log").write_text("~~fine~~")
    (source,) = read(tmp_path / "notes.log")
    assert (source.text, source.title) == ("~~fine~~", "notes")


def test_a_text_is_read_as_it_is(tmp_path):
    path = tmp_path / "answer.md"
    path.write_bytes(b"\xef\xbb\xbf# **Head** \x1b[1m[1]\x1b[0m\0\r\n")
    assert read_text(str(path)) == "# **Head** \x1b[1m[1]\x1b[0m\0\r\n"
    (tmp_path / "answer.txt.gz").write_bytes(gzip.compress(b"It rained."))
    assert read_text(str(tmp_path / "answer.txt.gz")) == "It rained."
    (tmp_path / "answer.docx").write_bytes(docx(paragraph("It rained [1].")))
    assert read_text(str(tmp_path / "answer.docx")).strip() == "It rained [1]."


@pytest.mark.parametrize("encoding", ["latin-1", "utf-8-sig", "utf-16"])
def test_a_text_is_decoded_as_index_decodes_files(tmp_path, encoding, caplog):
    (tmp_path / "answer.txt").write_bytes("Café [1].".encode(encoding))
    (tmp_path / "source.txt").write_bytes("Café.".encode(encoding))
    (tmp_path / "page.html").write_bytes(html("The Café was opened in 1932.").decode().encode(encoding))
    assert read_text(str(tmp_path / "answer.txt")) == "Café [1]."
    assert read(tmp_path / "source.txt")[0].text == "Café."
    assert "Café" in read(tmp_path / "page.html")[0].text
    assert caplog.messages == [
        f"{tmp_path}/{name}: not valid UTF-8; read as windows-1252"
        for name in ("answer.txt", "source.txt", "page.html")
        if encoding == "latin-1"
    ]


def test_a_text_in_no_known_encoding_is_refused(tmp_path, monkeypatch):
    data = bytes(range(128, 256))
    (tmp_path / "a.txt").write_bytes(data)
    with pytest.raises(InputError, match=r"^\S+a.txt: not UTF-8, nor .* recognised; save it as UTF-8"):
        read_text(str(tmp_path / "a.txt"))
    with pytest.raises(InputError, match=r"a.txt: not UTF-8"):
        read(tmp_path / "a.txt")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    with pytest.raises(InputError, match=r"^standard input: not UTF-8"):
        read_text("-")


def test_source_without_text_is_named(tmp_path):
    (tmp_path / "logo.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
    for name, message in (
        ("logo.png", "binary, not text"),
        ("absent.md", "can't be read"),
        ("absent.pdf", "can't be"),
    ):
        with pytest.raises(InputError) as caught:
            read_text(str(tmp_path / name))
        assert name in str(caught.value)
        assert message in str(caught.value)


def test_html_answer_keeps_its_tags(tmp_path, monkeypatch):
    answer = "<html><body><p>Finished in 1938<sup>[1]</sup>, <b>high</b>.</p></body></html>"
    (tmp_path / "a.html").write_text(answer)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(answer.encode())))
    assert read_text(str(tmp_path / "a.html")) == read_text("-") == answer
