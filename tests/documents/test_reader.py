import os
import threading
from pathlib import Path

import pytest
from pages import ARTICLE, html, pdf

from factreasoner.documents import extract
from factreasoner.documents.page import Page
from factreasoner.documents.reader import IDLE, PageReader, end_idle
from factreasoner.errors import ConfigError

STUCK = b"<html><body><div " + b" ".join(b"a%d=1" % i for i in range(80_000)) + b">Hello there.</div>"
"""A page whose attributes the HTML parser compares with one another for half a minute."""


@pytest.fixture(scope="module", autouse=True)
def _none_of_other_tests():
    end_idle()


def page(data, media_type="text/html"):
    return Page("http://site.example/", media_type, "utf-8", data)


def test_one_process_reads_pages_in_turn():
    reader = PageReader(pages=1)
    assert reader.read(page(html())).text.startswith("Otter Bridge\n")
    assert reader.read(page(pdf(ARTICLE, "Page two."), "application/pdf")).text == ARTICLE
    assert reader.read(page(b"\0\0")).dropped == "binary"
    assert len(IDLE) == 1


def test_failing_import_is_not_blamed_on_page(tmp_path, monkeypatch):
    (tmp_path / "trafilatura.py").write_text("raise ImportError('lxml_html_clean is missing')")
    monkeypatch.syspath_prepend(tmp_path)
    end_idle()
    with pytest.raises(ConfigError, match="does not start: ImportError: lxml_html_clean is missing"):
        PageReader().read(page(html()))


def test_slow_page_is_dropped_and_next_read():
    reader = PageReader(seconds=3.0)
    reader.read(page(html()))
    assert reader.read(page(STUCK)).dropped == "too slow"
    assert IDLE == []
    assert reader.read(page(b"Some words of plain text here.", "text/plain")).text


def test_a_process_that_dies_costs_one_page():
    reader = PageReader()
    reader.read(page(html()))
    killer = threading.Timer(0.1, os.kill, (IDLE[0].pid, 9))
    killer.start()
    assert reader.read(page(STUCK)).dropped == "unreadable"
    assert reader.read(page(html())).text


def test_idle_process_death_loses_nothing():
    reader = PageReader()
    reader.read(page(html()))
    os.kill(IDLE[0].pid, 9)
    IDLE[0].wait()
    assert reader.read(page(html())).text


@pytest.mark.skipif(not Path("/proc/self/limits").exists(), reason="no /proc here")
def test_reader_process_has_no_keys_and_limited_memory(monkeypatch):
    end_idle()
    monkeypatch.setenv("SERPER_API_KEY", "hush-hush")
    PageReader().read(page(html()))
    process = Path(f"/proc/{IDLE[0].pid}")
    assert b"hush-hush" not in (process / "environ").read_bytes()
    assert f"Max address space         {extract.MEMORY} " in (process / "limits").read_text()


def test_all_readers_share_processes_that_can_be_ended():
    for sift in (True, False):
        PageReader(sift=sift).read(page(html()))
    (process,) = IDLE
    end_idle()
    assert process.poll() is not None
