"""What names a source and states nothing, told from sentences that cite or hold a link."""

import pytest

from factreasoner.atoms.references import is_reference
from factreasoner.atoms.statements import statements
from factreasoner.text.parsing import find_parser

CLAIMS = [
    "Sleep improves memory (Smith et al., 2020).",
    "According to Smith et al. (2020), sleep improves memory; however, Jones [3] found no effect.",
    "Smith et al. (2020) found that sleep improves memory.",
    "Smith and Lee (2020) reject this view of memory.",
    "Smith, J. et al. (2020) found no effect.",
    "Roosevelt, F. D. won the election in 1932.",
    "J. R. R. Tolkien, Oxford professor, wrote The Hobbit in 1937.",
    "Oxford University Press, founded in 1586, prints the dictionary.",
    "The book came from Cambridge University Press.",
    "Retrieved from the wreck, the gold went to a museum.",
    "Each value has exactly one owner (Klabnik 2019).",
    "Coffee lowers risk (Wu et al. 2021a; Smith & Lee, 2020).",
    "Wu et al., 2021 report a drop of 5 %.",
    "As Wu et al. 2021 show, coffee lowers risk.",
    "Pages pp. 3-9 contain the preface.",
    "An ISBN identifies a book.",
    "The journal printed the paper in vol. 3, pp. 1–9.",
    "arXiv: a server that hosts preprints.",
    "The tower stands 52 metres high (Smith 2020, p. 4).",
    "Sleep improves memory ([WHO](https://who.int/sleep)).",
    "Sleep improves memory (https://who.int/sleep).",
    "Memory depends on sleep, as Jones et al., 2019, argue.",
    "Jones et al. (2019) disagree.",
    "The Transformer dispenses with recurrence (Vaswani et al., 2017, arXiv:1706.03762).",
    "Darwin, C. published his theory in 1859.",
    "J. Smith, a baker, opened a shop in 1980.",
    "Lee (2019) reviews 30 trials; most show an effect (pp. 3–9).",
    "Curie, born in Warsaw in 1867, won two Nobel Prizes.",
    "The effect vanished in later trials (Jones et al., 2021; Lee, 2022).",
    '"To sleep, perchance to dream," Hamlet says in 1602.',
]
ENTRIES = [
    "Smith, J., & Lee, K. (2020). Title. Journal, 3(2), 1–9.",
    "Smith, J., & Lee, K. (2020). Sleep improves memory in mice. Journal of Sleep Research, 3(2), 1–9.",
    "Smith, J. and Lee, K. (2020) 'Sleep improves memory', Journal, 3(2), pp. 1-9.",
    'Smith, John, and Karen Lee. 2020. "Sleep and Memory." Journal 3 (2): 1–9.',
    'Smith, John. "Sleep Improves Memory." Journal of Sleep, vol. 3, no. 2, 2020, pp. 1–9.',
    "Smith J, Lee K. Sleep improves memory. J Sleep Res. 2020;3(2):1–9.",
    '[1] J. Smith and K. Lee, "Sleep improves memory," J. Sleep Res., vol. 3, no. 2, pp. 1–9, 2020.',
    "1. Smith, J. & Lee, K. Sleep improves memory. J. Sleep Res. 3, 1–9 (2020).",
    "Smith et al. (2020). Sleep improves memory. Nature.",
    "Vaswani, A., et al. (2017). Attention Is All You Need. NeurIPS.",
    "Vaswani, A., Shazeer, N., Parmar, N. Attention is all you need. arXiv:1706.03762, 2017.",
    "World Health Organization. (2020). Guidelines on sleep. https://who.int/sleep",
    "John Smith, The Sleep of Reason (New York: Norton, 2020), 23.",
    "van der Berg, H. (2019, May 3). How people sleep. The Guardian.",
    "- García Márquez, G. (1967). Cien años de soledad. Editorial Sudamericana.",
    "- Klabnik, S., & Nichols, C. (2019). The Rust Programming Language. No Starch Press.",
    "Müller, A. (Hrsg.). (2018). Schlaf verbessert das Gedächtnis. Springer.",
    "Knuth, D. E. (1997). The art of computer programming. Addison-Wesley.",
    "Darwin, C. 1859. On the origin of species. John Murray.",
    "* Rust ownership guide https://doc.rust-lang.org/book",
    "O'Neil, C. (2016). Weapons of math destruction. Crown.",
    "Nature, 3(2), 1–9.",
    "Cambridge University Press, ISBN 978-3-16-148410-0.",
]


@pytest.mark.parametrize(
    "sentence",
    [
        "- Wikipedia: https://example.org",
        "- [tower](https://example.org) - a page about it.",
        "- [Tower](https://example.org), a page on it.",
        "[The tower](https://example.org).",
        "[1] https://example.org.",
        "The Guardian. https://example.org.",
        "The Guardian, 3 May 2001. https://example.org/x",
        "Smith, J. (2010). Title of a paper. https://example.org.",
        "See [the museum](https://example.org).",
        "Official site of the museum: https://example.org.",
        "Source: The Guardian (https://example.org).",
    ],
)
def test_an_address_with_a_few_words_is_a_reference(sentence):
    assert is_reference(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "The [tower](https://example.org) works.",
        "[The tower](https://example.org) opened in 1932.",
        "It opened in 1932 ([museum](https://example.org)).",
        "**It rose 3.5 metres (https://example.org/x).**",
        "It is tall, says https://example.org/x",
    ],
)
def test_a_sentence_with_a_link_is_none(sentence):
    assert not is_reference(sentence)


@pytest.mark.parametrize("parsed", [False, True])
@pytest.mark.parametrize("text", CLAIMS)
def test_a_sentence_that_cites_is_stated(text: str, parsed: bool) -> None:
    assert statements(text, find_parser() if parsed else None)


@pytest.mark.parametrize("parsed", [False, True])
@pytest.mark.parametrize("text", ENTRIES)
def test_an_entry_states_nothing(text: str, parsed: bool) -> None:
    assert statements(text, find_parser() if parsed else None) == []


def test_entries_line_by_line_below_their_heading_state_nothing() -> None:
    text = (
        "Sleep helps.\n\nReferences\n\nSmith, J. (2020). A title here. Nature.\n"
        "Lee, K. (2019). Other title goes here. Science.\n\nJones J. Third title. Cell. 2020;3(2):1.\n"
    )
    assert [statement.text for statement in statements(text)] == ["Sleep helps."]


@pytest.mark.parametrize("parsed", [False, True])
@pytest.mark.parametrize(
    ("block", "stated"),
    [
        (
            "The Beatles broke up after a dispute over money. (1970). Each member went solo.",
            ["The Beatles broke up after a dispute over money.", "Each member went solo."],
        ),
        (
            'J. Smith (1990) "Walls" was his first hit. It sold well.',
            ['J. Smith (1990) "Walls" was his first hit.', "It sold well."],
        ),
        ("A. Lincoln, 1861. He became president.", ["He became president."]),
        ("W. Mozart, A. Salieri and J. Haydn (1790). They lived in Vienna.", ["They lived in Vienna."]),
        (
            "Smith, J. (2020). Sleep in mice. Nature. It shows that sleep helps.",
            ["It shows that sleep helps."],
        ),
    ],
)
def test_sentences_behind_an_entry_or_a_year_are_stated(block: str, stated: list[str], parsed: bool) -> None:
    assert [s.text for s in statements(block, find_parser() if parsed else None)] == stated


@pytest.mark.parametrize(
    ("author", "between"), [("Smith, J.", " and "), ("Smith JK", ", "), ("A. B. Smith", ", ")]
)
def test_a_long_list_of_names_is_read_in_one_way_only(author: str, between: str) -> None:
    assert not is_reference(between.join([author] * 60) + " wrote it.")
