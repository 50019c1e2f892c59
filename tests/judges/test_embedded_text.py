"""How the embedded judge reads texts: language, tokens, numbers, names, windows."""

import tracemalloc
from dataclasses import fields

import numpy as np
import pytest

from factreasoner.judges.embedded import windows
from factreasoner.judges.embedded.text import analyse
from factreasoner.judges.embedded.windows import PassageCoverage, Passages, topic_discount


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("It cost $1.2 billion.", [(1.2e9, "dollar")]),
        ("It cost 1,200,000 dollars.", [(1.2e6, "dollar")]),
        ("three hundred people", [(300.0, "people")]),
        ("born on April 27, 1949", [(27.0, "calendar day"), (1949.0, "calendar year")]),
        ("born on 27 April 1949", [(27.0, "calendar day"), (1949.0, "calendar year")]),
        ("up 3.5% in 2019", [(3.5, "percent"), (2019.0, "calendar year")]),
        ("in the 1960s", [(1960.0, "decade")]),
        ("in the 19th century", [(19.0, "century")]),
        ("no number", []),
    ],
)
def test_numbers_and_what_they_count(text, numbers):
    found = analyse(text, "english").numbers
    assert [(number.value, number.kind) for number in found] == numbers


def test_a_month_beside_a_number_is_no_auxiliary():
    assert analyse("May 27", "english").content == (True, True)
    assert analyse("It may rain", "english").content == (False, False, True)


def test_names_are_capitalised_words_that_do_not_merely_begin_a_sentence():
    text = analyse("Actors met Ben Gibson. Ben Gibson left. They went to Paris (Texas).", "english")
    names = [word for word, name in zip(text.words, text.names, strict=True) if name]
    assert names == ["ben", "gibson", "ben", "gibson", "paris"]


def test_negations_include_contractions():
    text = analyse("It isn't old and never was, but cannot last.", "english")
    assert [text.words[i] for i in text.negations] == ["n't", "never", "cannot"]


def test_sentences_hold_their_tokens_and_characters():
    raw = "  Dr. Smith came at 3.15 p.m. on Monday. He left.  "
    text = analyse(raw, "english")
    assert [raw[part.start : part.end] for part in text.sentences] == [
        "Dr. Smith came at 3.15 p.m. on Monday.",
        "He left.",
    ]
    assert sum(part.high - part.low for part in text.sentences) == len(text.words)


def test_a_text_without_full_stops_is_cut():
    text = analyse("word " * 500, "english")
    assert max(part.high - part.low for part in text.sentences) == 80
    assert text.sentences[-1].high == 500


def test_windows_stay_within_their_passage():
    texts = ["Alpha is red.", "Beta is blue. Gamma is green."]
    passages = Passages(texts, {})
    coverage = passages.cover([analyse("Alpha is red. Beta is blue. Gamma is green.", "english")])
    for row, text in enumerate(texts):
        window = passages.window(row, int(coverage.focus[0, row]), int(coverage.size[0, row]))
        assert text[window.start : window.end] == text


def test_claims_of_two_sentences_need_a_window_of_two():
    passages = Passages(["Zeus slept. The harbour froze. The ferry sank. Hera sang."], {})
    coverage = passages.cover([analyse("The ferry sank after the harbour froze.", "english")])
    assert (coverage.focus[0, 0], coverage.size[0, 0]) == (1, 2)
    assert coverage.two[0, 0] > coverage.one[0, 0]


def test_frequent_words_weigh_less():
    passages = Passages(["Wolves hunt deer.", "Wolves howl."], {"hunt": 0.2})
    assert passages.weight("deer", True) > passages.weight("wolv", True) > passages.weight("hunt", True)
    assert passages.weight("the", False) < passages.weight("hunt", True)


def test_words_all_claims_share_weigh_less():
    claims = [
        analyse(f"The tongue turns {colour}.", "english") for colour in ("white", "black", "blue", "red")
    ]
    discount = topic_discount(claims)
    assert discount["tongu"] < discount["black"] == 1.0


def test_memory_grows_no_faster_than_claims():
    """Every claim brings words of its own, as in a long answer."""
    passages = Passages(["Wolves hunt deer. Wolves howl."] * 3, {})

    def peak(count):
        claims = [analyse(f"Wolf x{i}ka hunts deer y{i}lo at z{i}mi.", "english") for i in range(count)]
        tracemalloc.start()
        passages.cover(claims)
        used = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return used

    few, many = peak(500), peak(2000)
    assert many < 5 * few  # of four times as many


def test_claims_in_blocks_are_covered_alike(monkeypatch):
    passages = Passages(["Alpha is red. Beta is blue.", "Gamma is green, as Beta is."], {})
    words = ["alpha", "beta", "gamma", "red", "blue", "green"]
    claims = [
        analyse(f"{a.title()} and {b} are {c}.", "english") for a in words for b in words for c in words
    ]
    whole = passages.cover(claims)
    monkeypatch.setattr(windows, "_BLOCK", 7)
    parts = passages.cover(claims)
    for field in fields(PassageCoverage):
        together, apart = getattr(whole, field.name), getattr(parts, field.name)
        assert together.dtype == apart.dtype
        assert np.allclose(together, apart, rtol=0, atol=1e-12), field.name
