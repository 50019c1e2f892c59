from __future__ import annotations

import json
import random

import pytest
from oracle import DATA

from factreasoner.graph.sources import NEAR, RESEMBLANCE, SHINGLE, copies, near_duplicates, sources
from factreasoner.models import Context
from factreasoner.text.links import page_of

WORDS = [
    f"{stem}{ending}" for stem in ("bridge", "river", "stone", "lamp", "otter") for ending in "abcdefghij"
]


def prose(seed: int, words: int = 120) -> list[str]:
    return random.Random(seed).choices(WORDS, k=words)


def changed(text: list[str], share: float, seed: int = 0) -> str:
    rng = random.Random(seed)
    return " ".join(rng.choice("xyz") * 7 if rng.random() < share else word for word in text)


def grouped(*contexts: Context) -> list[list[str]]:
    return [[context.id for context in group] for group in sources(contexts)]


def context(name: str, text: str, link: str = "") -> Context:
    return Context(id=name, text=text, link=link)


def resemblance(one: str, other: str) -> float:
    """The share by its definition."""
    sets = [{text[i : i + SHINGLE] for i in range(max(1, len(text) - SHINGLE + 1))} for text in (one, other)]
    return len(sets[0] & sets[1]) / len(sets[0] | sets[1])


def test_copies_are_those_that_resemble_each_other_enough() -> None:
    texts = [changed(prose(0), share / 100, share) for share in range(0, 40, 2)]
    texts += [" ".join(prose(seed)) for seed in range(1, 5)] + ["short", "other"]
    expected = {
        (i, j) for j in range(len(texts)) for i in range(j) if resemblance(texts[i], texts[j]) >= RESEMBLANCE
    }
    assert set(copies(texts)) == expected
    assert 0 < len(expected) < 190


def test_near_duplicates_share_nearly_everything_and_every_number() -> None:
    text = " ".join(prose(0))
    others = [changed(prose(0), share / 200, share) for share in range(0, 20, 1)]
    alike = [near_duplicates(text, other) for other in others]
    assert alike == [resemblance(text, other) >= NEAR for other in others]
    assert 0 < sum(alike) < len(alike)
    assert near_duplicates(f"{text} In 1931 it was opened.", f"{text} In 1931, it was opened.")
    assert not near_duplicates(f"{text} In 1931 it was opened.", f"{text} In 1932 it was opened.")


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
    text = prose(0)
    found = grouped(
        context("page, first part", "Red paint covers it.", "https://x.example/a"),
        context("alone", "Nothing of the kind."),
        context("page, second part", changed(text, 0.03, 1), "https://x.example/a#more"),
        context("copy of that", changed(text, 0.03, 2), "https://mirror.example/"),
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


@pytest.mark.skipif(not (DATA / "factcheck_bench").is_dir(), reason="no public data")
def test_copies_on_the_web() -> None:
    """A press release and its copy on another site are one source, two of a site's templates are not."""
    lines = (DATA / "factcheck_bench" / "records.jsonl").read_text(encoding="utf-8").splitlines()
    passages = [item for line in lines for item in json.loads(line)["contexts"]]
    release = [item for item in passages if "33-year-old Isabelle Augenstein from" in item["text"]]
    pairs = [(release[i], release[j]) for i, j in copies([item["text"] for item in release])]
    assert any(page_of(one["link"]) != page_of(other["link"]) for one, other in pairs)
    albums = [item for item in passages if item["link"].startswith("https://www.last.fm/music/Depeche")]
    pairs = [(albums[i], albums[j]) for i, j in copies([item["text"] for item in albums])]
    assert len({item["link"] for item in albums}) > 1
    assert all(one["link"] == other["link"] for one, other in pairs)
