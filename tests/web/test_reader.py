import io
import json
import os
import threading
from pathlib import Path

import pytest
from pages import ARTICLE, html, pdf

from factreasoner.settings import Config
from factreasoner.web import extract_worker
from factreasoner.web.page import Page
from factreasoner.web.reader import IDLE, PageReader, end_idle

STUCK = b"<html><body><div " + b" ".join(b"a%d=1" % i for i in range(80_000)) + b">Hello there.</div>"
"""A page whose attributes the HTML parser compares with one another for half a minute."""


@pytest.fixture(scope="module", autouse=True)
def _none_of_other_tests() -> None:
    end_idle()


def page(data: bytes, media_type: str = "text/html") -> Page:
    return Page("http://site.example/", media_type, "utf-8", data)


def test_pages_are_read_one_after_the_other_by_one_process() -> None:
    reader = PageReader(Config(fetch_pages=1))
    assert reader.read(page(html())).text.startswith("Otter Bridge\n")
    assert reader.read(page(pdf(ARTICLE, "Page two."), "application/pdf")).text == ARTICLE
    assert reader.read(page(b"\0\0")).dropped == "binary"
    assert len(IDLE) == 1


def test_a_page_that_takes_too_long_is_dropped_and_the_next_is_read() -> None:
    reader = PageReader(Config(fetch_timeout=8.0))
    reader.read(page(html()))
    assert reader.read(page(STUCK)).dropped == "too slow"
    assert IDLE == []
    assert reader.read(page(b"Some words of plain text here.", "text/plain")).text


def test_a_process_that_dies_costs_one_page() -> None:
    reader = PageReader()
    reader.read(page(html()))
    killer = threading.Timer(0.1, os.kill, (IDLE[0].pid, 9))
    killer.start()
    assert reader.read(page(STUCK)).dropped == "unreadable"
    assert reader.read(page(html())).text


def test_a_process_that_died_while_idle_costs_none() -> None:
    reader = PageReader()
    reader.read(page(html()))
    os.kill(IDLE[0].pid, 9)
    IDLE[0].wait()
    assert reader.read(page(html())).text


def test_the_process_sees_no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    end_idle()
    monkeypatch.setenv("SERPER_API_KEY", "hush-hush")
    reader = PageReader()
    reader.read(page(html()))
    environ = Path(f"/proc/{IDLE[0].pid}/environ")
    if not environ.exists():
        pytest.skip("no /proc here")
    assert b"hush-hush" not in environ.read_bytes()


def test_the_process_may_not_take_all_memory() -> None:
    reader = PageReader()
    reader.read(page(html()))
    limits = Path(f"/proc/{IDLE[0].pid}/limits")
    if not limits.exists():
        pytest.skip("no /proc here")
    assert f"Max address space         {extract_worker.MEMORY} " in limits.read_text()


def test_all_readers_share_processes_that_can_be_ended() -> None:
    for sift in (True, False):
        PageReader(sift=sift).read(page(html()))
    (process,) = IDLE
    end_idle()
    assert process.poll() is not None


def test_the_worker_answers_every_question_until_its_input_ends() -> None:
    questions = b""
    for data in (html(), b"\0"):
        head = {"media_type": "text/html", "charset": "", "pages": 3, "sift": True, "length": len(data)}
        questions += json.dumps(head).encode() + b"\n" + data
    answers = io.BytesIO()
    extract_worker.serve(io.BytesIO(questions), answers)
    first, second = map(json.loads, answers.getvalue().splitlines())
    assert first[1:] == ["Otter Bridge", "", ""]
    assert second == ["", "", "binary", ""]
