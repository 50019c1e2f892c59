"""How the overlap judge reads texts: tokens, names, numbers, windows."""

import tracemalloc

import pytest

from factreasoner.judges.overlap.measures import Measured, Passages
from factreasoner.judges.overlap.words import analyse


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("It cost $1.2 billion.", [(1.2e9, "dollar")]),
        ("three hundred people", [(300.0, "people")]),
        ("seventy-five thousand", [(75_000.0, "")]),
        ("born on April 27, 1949", [(4.0, "month of year"), (27.0, "day of month"), (1949.0, "year")]),
        ("It may rain in May.", [(5.0, "month of year")]),
        ("up 3.5% and 75 per cent in 2019", [(3.5, "percent"), (75.0, "percent"), (2019.0, "year")]),
        ("2,000 metres, 2000 metres", [(2000.0, "length"), (2000.0, "length")]),
        ("in the 19th century", [(1800.0, "year")]),
        ("the third of Egr2 and COVID19", [(3.0, "rank")]),
        ("1.500,50 euros and 6 650 km", [(1500.5, "euro"), (6650.0, "length")]),
        ("20 km², 20 sq km, 5 acres", [(20.0, "area"), (20.0, "area"), (5.0, "area")]),
        ("38 million cubic metres, 5 litres", [(3.8e7, "volume"), (5.0, "volume")]),
        ("$2.5m for twenty-five days", [(2.5e6, "dollar"), (25.0, "time")]),
        ("four to six hours", [(4.0, ""), (4.0, "time")]),
        ("5 ft 11 in, 17:00, half a million", [(5.0, ""), (11.0, ""), (17.0, ""), (0.0, ""), (1e6, "")]),
        ("1.500 people in the 12th century BC", [(1500.0, ""), (1100.0, "")]),
        ("no number", []),
    ],
)
def test_numbers_and_what_they_count(text, numbers):
    assert [(number.value, number.kind) for number in analyse(text, "english").numbers] == numbers


def test_names_are_capitalised_words_that_do_not_merely_begin_a_sentence():
    text = analyse("Actors met Ben Gibson. Ben Gibson left. They went to Paris (Texas).", "english")
    names = [word for word, name in zip(text.words, text.names, strict=True) if name]
    assert names == ["ben", "gibson", "ben", "gibson", "paris"]


def test_sentences_hold_their_tokens_and_characters():
    raw = "  Dr. Smith came at 3.15 p.m. on Monday. He left.  "
    text = analyse(raw, "english")
    said = [raw[part.start : part.end] for part in text.sentences]
    assert said == ["Dr. Smith came at 3.15 p.m. on Monday.", "He left."]
    assert sum(part.high - part.low for part in text.sentences) == len(text.words)


def test_a_window_has_as_many_sentences_as_the_claim_needs_and_stays_in_its_passage():
    texts = ["Zeus slept. The harbour froze. The ferry sank. Hera sang.", "The ferry sank."]
    measured = Measured(Passages(texts, {}), ["The ferry sank after the harbour froze."])
    quoted = [measured.window(0, row) for row in (0, 1)]
    assert [text[span.start : span.end] for text, span in zip(texts, quoted, strict=True)] == [
        "The harbour froze. The ferry sank.",
        "The ferry sank.",
    ]


def test_frequent_words_and_those_that_all_claims_share_weigh_less():
    passages = Passages(["Wolves hunt deer.", "Wolves howl."], {"hunt": 0.2})
    claims = [f"The wolves hunt {prey}." for prey in ("deer", "birds", "mice", "fish")]
    the, wolves, hunt, deer = Measured(passages, claims).weights[0]
    assert deer > wolves > hunt > the


def test_memory_grows_no_faster_than_claims():
    """Every claim brings words of its own, as in a long answer."""
    passages = Passages(["Wolves hunt deer. Wolves howl."] * 3, {})

    def peak(count):
        claims = [f"Wolf x{i}ka hunts deer y{i}lo at z{i}mi." for i in range(count)]
        tracemalloc.start()
        Measured(passages, claims)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    peak(10)
    assert peak(1200) < 6 * peak(300)
