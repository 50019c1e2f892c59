import json
import random

import pytest
from oracle import DATA

from factreasoner.graph.copies import RESEMBLANCE, SHINGLE, copies, holds
from factreasoner.text.links import page_of

WORDS = [f"{stem}{ending}" for stem in ("bridge", "river", "stone", "lamp", "cat") for ending in "abcdefghij"]


def prose(seed, words=120):
    return random.Random(seed).choices(WORDS, k=words)


def changed(text, share, seed=0):
    rng = random.Random(seed)
    return " ".join(rng.choice("xyz") * 7 if rng.random() < share else word for word in text)


def resemblance(one, other):
    """The share by its definition."""
    sets = [{text[i : i + SHINGLE] for i in range(max(1, len(text) - SHINGLE + 1))} for text in (one, other)]
    return len(sets[0] & sets[1]) / len(sets[0] | sets[1])


def test_copies_are_those_that_resemble_each_other_enough():
    texts = [changed(prose(0), share / 100, share) for share in range(0, 40, 2)]
    texts += [" ".join(prose(seed)) for seed in range(1, 5)] + ["short", "other"]
    expected = {
        (i, j) for j in range(len(texts)) for i in range(j) if resemblance(texts[i], texts[j]) >= RESEMBLANCE
    }
    assert set(copies(texts)) == expected
    assert 0 < len(expected) < 190


@pytest.mark.parametrize(
    ("other", "held"),
    [
        ("the policy of MAY 1931 says (again): Staff may work from home", True),
        ("The policy of May 1931 says again: staff may not work from home.", False),
        ("The policy of May 1932 says again: staff may work from home.", False),
        ("Staff may work from home. This was withdrawn.", False),
        ("ay work from home", False),
        ("staff may work – from “home”", True),
    ],
)
def test_a_text_holds_another_word_for_word(other, held):
    assert holds("The policy of May 1931 says again: staff may work from home, or in Rome.", other) == held
    assert holds("桥于1932年开放。首页", "桥于1932年开放。")


@pytest.mark.skipif(not (DATA / "factcheck_bench").is_dir(), reason="no public data")
def test_copies_on_the_web():
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
