"""Clauses: splits that are safe, sentences that must stay whole, and properties for any text."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factreasoner.language.abbreviations import words
from factreasoner.language.sentences import Span, sentences
from factreasoner.stages.clauses import clauses


def texts(sentence: str) -> list[str]:
    return [clause.text for clause in clauses(sentence, Span(0, len(sentence)))]


SPLIT = {
    "X was born in 1950 in Paris and won the prize in 1990.": [
        "X was born in 1950 in Paris.",
        "X won the prize in 1990.",
    ],
    "He was born on October 16, 1898, and served on the court from 1939 until 1975.": [
        "He was born on October 16, 1898.",
        "He served on the court from 1939 until 1975.",
    ],
    "Sheehan has been married twice and has two children.": [
        "Sheehan has been married twice.",
        "Sheehan has two children.",
    ],
    "The film was directed by Ada Roe and produced by Jo Doe.": [
        "The film was directed by Ada Roe.",
        "The film was produced by Jo Doe.",
    ],
    "Ealy has appeared in five contests and made one start.": [
        "Ealy has appeared in five contests.",
        "Ealy has made one start.",
    ],
    "He polled her voters, told her she could win, and gave her some advice.": [
        "He polled her voters.",
        "He told her she could win.",
        "He gave her some advice.",
    ],
    "She is married to Chris Hemsworth, and they have three children.": [
        "She is married to Chris Hemsworth.",
        "They have three children.",
    ],
    "Fiberglass is then applied to the foam, and resin is used to harden it.": [
        "Fiberglass is then applied to the foam.",
        "Resin is used to harden it.",
    ],
    "Liu is a professor at Tsinghua and his interests include physics.": [
        "Liu is a professor at Tsinghua.",
        "His interests include physics.",
    ],
    "The drug is safe; it blocks the enzyme; doses were 4 g a day.": [
        "The drug is safe.",
        "It blocks the enzyme.",
        "Doses were 4 g a day.",
    ],
    "Jane Roe, who was born in 1950, won the prize.": [
        "Jane Roe was born in 1950.",
        "Jane Roe won the prize.",
    ],
    "The fins, which help control the board, are made of plastic.": [
        "The fins help control the board.",
        "The fins are made of plastic.",
    ],
    "He appeared in films throughout his career, which began in the late 1970s.": [
        "He appeared in films throughout his career.",
        "His career began in the late 1970s.",
    ],
    "The plot follows the life of Manuel, who is trying to find a friend.": [
        "The plot follows the life of Manuel.",
        "Manuel is trying to find a friend.",
    ],
    "Doug Roe is an American actor who was born on April 27, 1949, in Santa Monica.": [
        "Doug Roe is an American actor.",
        "Doug Roe was born on April 27, 1949, in Santa Monica.",
    ],
    "Song Kang is an actor born on April 23, 1994.": [
        "Song Kang is an actor.",
        "Song Kang was born on April 23, 1994.",
    ],
    "In 1969, Murray worked with Else Doe and served as vice president.": [
        "In 1969, Murray worked with Else Doe.",
        "Murray served as vice president.",
    ],
    "Without oxygen, the cells are weak and have no energy left.": [
        "Without oxygen, the cells are weak.",
        "Without oxygen, the cells have no energy left.",
    ],
    "Sinking sand, also known as quicksand, is wet and can trap people in it.": [
        "Sinking sand, also known as quicksand, is wet.",
        "Sinking sand can trap people in it.",
    ],
    'He was in films such as "Clambake," "The Abyss," and "The Game."': [
        'He was in films such as "Clambake".',
        'He was in films such as "The Abyss".',
        'He was in films such as "The Game."',
    ],
    "Depeche Mode's albums are: Violator, Songs of Faith and Devotion, and Spirit.": [
        "Depeche Mode's albums are: Violator.",
        "Depeche Mode's albums are: Songs of Faith and Devotion.",
        "Depeche Mode's albums are: Spirit.",
    ],
}

WHOLE = [
    # The object or the place is shared.
    "He was born and raised in Chicago.",
    "She wrote and directed the film in 1990.",
    # What is coordinated are nouns, adjectives or participles.
    "He won the gold medal in 1990 and the silver medal in 1994.",
    "She works on methods and related fields in biology.",
    "The result is lower risk, faster growth and increased ROI.",
    "This can include the cost of materials, labor, and other expenses associated with a product.",
    "He starred in a film written by Ada Roe and directed by Jo Doe.",
    "He wrote novels, plays and features for newspapers.",
    # It can't be told what the coordination belongs to.
    "He said that she was ill and had left the country.",
    "He married Jane, who was an actress and won an award.",
    "If it rains, the match is stopped and will be replayed.",
    "She was hired after Stewart hit and killed a driver.",
    "Variants include: Mint (MH), the stamp is unused but has been hinged.",
    # A relative clause whose antecedent is open, or that isn't the end.
    "Some boards have a layer of foam on the deck, which provides grip.",
    "He shared the prize with Wilhelm Roe, which made him famous.",
    "I expected the Shadows, who are evil, to fight back.",
    "She wrote a poem about Michael Jackson, a singer, which was read at his funeral.",
    "He is one of the actors who have won the prize.",
    "It was a woman who won the prize in 1990.",
    "He is not a man who gives up the fight.",
    # Lists with more than names in them, and lists in which nothing is listed.
    "He is known for roles including his portrayal of Joe and Ben Gibson.",
    "He has films such as “Sweet Home” and “Navillera”, all of which were praised.",
    "They met in 1950, 1960 and 1970.",
    # Questions, open quotations, other languages.
    "Was he born in 1950 and did he win the prize in 1990?",
    'He said: "I was born in 1950 and won the prize in 1990.',
    "Er wurde 1950 geboren und gewann 1990 den Preis.",
    "Il est né en 1950 et a gagné le prix en 1990.",
    "他出生于1950年，并于1990年获奖。",
]


@pytest.mark.parametrize("sentence", SPLIT)
def test_splits(sentence: str) -> None:
    assert texts(sentence) == SPLIT[sentence]


@pytest.mark.parametrize("sentence", WHOLE)
def test_stays_whole(sentence: str) -> None:
    assert texts(sentence) == [sentence]


def test_the_span_is_that_of_the_verbatim_clause() -> None:
    text = "Well. X was born in 1950 in Paris and won the prize in 1990."
    sentence = sentences(text)[1]
    spans = [text[clause.span.start : clause.span.end] for clause in clauses(text, sentence)]
    assert spans == ["X was born in 1950 in Paris", "won the prize in 1990"]


WORDS = st.sampled_from(
    sorted(
        words(
            "He She It X Paris the a film city was born won has had is are directed and , but who which that",
            "; in 1990 by of to such as including : ( ) \" ' they in, and, also later mostly . ?",
        )
    )
)


@settings(max_examples=500, deadline=None)
@given(st.one_of(st.lists(WORDS, max_size=30).map(" ".join), st.text(max_size=80)))
def test_clauses_are_in_order_inside_the_sentence_and_keep_their_words(text: str) -> None:
    for sentence in sentences(text):
        last = sentence.start
        for clause in clauses(text, sentence):
            assert last <= clause.span.start < clause.span.end <= sentence.end
            assert clause.text.strip()
            last = clause.span.end


@pytest.mark.parametrize(
    "unit", ["and ", "He was, ", ", who was ", "X is a ", "such as A, ", "; ", '"a" ', "the "]
)
def test_a_long_sentence_is_handled(unit: str) -> None:
    text = unit * 40_000
    assert clauses(text, Span(0, len(text)))
