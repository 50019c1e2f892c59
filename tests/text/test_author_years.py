"""Citations by author and year, and what only looks like one."""

import pytest

from factreasoner.text.author_years import work_of_key, works_of
from factreasoner.text.citation_marks import find_marks


@pytest.mark.parametrize(
    ("inside", "read"),
    [
        ("Klabnik 2019", [(("Klabnik",), ("2019",))]),
        ("Smith, 2020", [(("Smith",), ("2020",))]),
        ("Smith & Lee, 2020; Wu et al. 2021a", [(("Smith", "Lee"), ("2020",)), (("Wu",), ("2021",))]),
        ("Smith, Lee, & Wu, 2020", [(("Smith", "Lee", "Wu"), ("2020",))]),
        ("Smith and Lee 2020, p. 4", [(("Smith", "Lee"), ("2020",))]),
        ("cf. van der Berg 2019: 23", [(("van der Berg",), ("2019",))]),
        ("e.g., Smith 2020; Lee 2019", [(("Smith",), ("2020",)), (("Lee",), ("2019",))]),
        ("Smith 2020, Lee 2021", [(("Smith",), ("2020",)), (("Lee",), ("2021",))]),
        ("Smith 2019, 2020", [(("Smith",), ("2019", "2020"))]),
        ("Smith 2019; 2020", [(("Smith",), ("2019", "2020"))]),
        ("for a review, see Smith et al., 2020", [(("Smith",), ("2020",))]),
        ("siehe auch Smith 2020", [(("Smith",), ("2020",))]),
        ("source: Smith 2020", [(("Smith",), ("2020",))]),
        ("Smith, J., 2020", [(("Smith",), ("2020",))]),
        ("O'Neil, in press", [(("O'Neil",), ())]),
        ("vgl. Müller u. a. 2019, S. 3", [(("Müller",), ("2019",))]),
        ("World Health Organization, 2020", [(("World Health Organization",), ("2020",))]),
    ],
)
def test_works_in_parentheses(inside, read):
    assert [(work.authors, work.years) for work in works_of(inside)] == read
    assert [m.labels for m in find_marks(f"It rained ({inside}).")] == [
        tuple(w.label for w in works_of(inside))
    ]


@pytest.mark.parametrize(
    "inside",
    [
        "born 1867",
        "2020",
        "Berlin 1936",
        "NeurIPS 2017",
        "Berlin, 1936",
        "Germany, 2006",
        "London, Paris, and Rome 2020",
        "March 2020",
        "World Cup 2014",
        "Squaw Valley 1960",
        "Windows 2000",
        "RFC 1918",
        "AD 1066",
        "Treaty of Versailles, 1919",
        "The Matrix, 1999",
        "released 2010; Klabnik 2019",
        "Walter Hill, 1984",
        "3 May 1999",
        "see 2020",
    ],
)
def test_what_a_sentence_says_in_parentheses_is_no_citation(inside):
    assert find_marks(f"It rained ({inside}).") == []


@pytest.mark.parametrize(
    ("text", "cited"),
    [
        ("According to Smith et al. (2020), it rained.", ["Smith et al. (2020)"]),
        ("Klabnik (2019) shows that it rained.", ["Klabnik (2019)"]),
        ("Smith and Lee (2020, p. 3) reject this.", ["Smith and Lee (2020, p. 3)"]),
        ("Inception (2010) was a film.", []),
        ("Rome and Milan (2006) hosted it.", []),
    ],
)
def test_authors_may_be_words_of_the_sentence(text, cited):
    assert [text[m.start : m.end] for m in find_marks(text) if m.narrative] == cited


def test_keys_of_bibliographies():
    assert work_of_key("Smith20").years == ("20",)
    assert work_of_key("SL2020a").authors == ("SL",)
    assert [work_of_key(key) for key in ("COVID19", "B12", "x20", "Smith", "1987")] == [None] * 5


def test_reading_takes_linear_time():
    for text in (
        "(" + "Aaaa, " * 20_000,
        "(Aaaa " * 20_000,
        "Van De " * 20_000,
        "(Aa " + "and Bb " * 20_000,
        "Ab-" * 60_000,
    ):
        assert find_marks(text) == []


def test_initials_on_either_side_of_a_surname():
    assert [work.authors for work in works_of("J. K. Smith, A.-B. Lee & Wu, C. D., 2020")] == [
        ("Smith", "Lee", "Wu")
    ]
