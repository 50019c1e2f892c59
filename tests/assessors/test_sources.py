"""Contexts by their source."""

from __future__ import annotations

import pytest

from factreasoner.assessors.sources import sources
from factreasoner.models import Context
from factreasoner.text.links import page_of


def grouped(*contexts: Context) -> list[list[str]]:
    return [[context.id for context in group] for group in sources(contexts)]


def context(name: str, text: str, link: str = "") -> Context:
    return Context(id=name, text=text, link=link)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("https://x.example/a#one", "https://x.example/a#two", True),
        ("https://x.example/a", "http://X.Example/a/", True),
        ("https://x.example:443/a", "http://x.example:80/a", True),
        ("https://x.example:80/a", "https://x.example/a", False),
        ("https://x.example/a?p=1", "https://x.example/a?p=2", False),
        ("https://x.example/a", "https://x.example/A", False),
        ("https://x.example/a", "https://y.example/a", False),
        ("notes/otters.md#3", "notes/otters.md#4", True),
        ("http://[bad", "http://[bad", True),
        ("http://[bad", "http://[worse", False),
        ("", "", False),
        ("#top", "#end", False),
    ],
)
def test_passages_of_one_page(one: str, other: str, same: bool) -> None:
    assert (page_of(one) == page_of(other) != "") is same
    groups = grouped(context("c0", "The bridge is red.", one), context("c1", "Nine men built it.", other))
    assert groups == ([["c0", "c1"]] if same else [["c0"], ["c1"]])


def test_what_shares_a_source_with_a_third_shares_it() -> None:
    text = " ".join(f"otter{number}" for number in range(120))
    found = grouped(
        context("page, first part", "Red paint covers it.", "https://x.example/a"),
        context("alone", "Nothing of the kind."),
        context("page, second part", text.replace("otter7", "lamp"), "https://x.example/a#more"),
        context("copy of that", text.replace("otter8", "river"), "https://mirror.example/"),
        context("equal", "NOTHING  of the kind."),
    )
    assert found == [["page, first part", "page, second part", "copy of that"], ["alone", "equal"]]


def test_the_link_of_an_equal_text_counts_too() -> None:
    found = grouped(
        context("c0", "The bridge is red.", "https://x.example/a"),
        context("c1", "The bridge is red.", "https://y.example/b"),
        context("c2", "Nine men built it.", "https://y.example/b"),
    )
    assert found == [["c0", "c1", "c2"]]


def test_scripts_without_blanks_and_odd_texts() -> None:
    text = "東京は日本の首都であり、世界最大の都市圏を形成している。人口は約一千四百万人である。"
    other = "大阪は西日本の中心都市であり、商業の町として古くから栄えてきた歴史を持っている。"
    assert grouped(context("a", text), context("b", f"{text}（出典）"), context("c", other)) == [
        ["a", "b"],
        ["c"],
    ]
    assert grouped(context("a", ""), context("b", "\ud800 half a character"), context("c", "x")) == [
        ["a"],
        ["b"],
        ["c"],
    ]
    assert sources(()) == []
