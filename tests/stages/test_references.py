"""What names a source and states nothing, told from sentences that hold a link."""

import pytest

from factreasoner.stages.references import is_reference


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
