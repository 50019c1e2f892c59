"""Which language a text is in, and the stems of its words."""

import pytest

from factreasoner.text.stems import language_of, stem


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The bridge was opened by the mayor of the town.", "english"),
        ("Die Brücke wurde von dem Bürgermeister der Stadt eröffnet.", "german"),
        ("Le pont a été inauguré par le maire de la ville.", "french"),
        ("El puente fue inaugurado por el alcalde de la ciudad.", "spanish"),
        ("東京は日本の首都です。", "english"),
        ("", "english"),
        ("The two ministers never met in person.", "english"),
        ("Women live longer than men.", "english"),
        ("Paris est la capitale de la France.", "french"),
        ("De koning woont in het paleis.", "dutch"),
    ],
)
def test_language(text, language):
    assert language_of([text]) == language


@pytest.mark.parametrize(
    ("word", "language", "expected"),
    [("bridges", "english", "bridg"), ("maisons", "french", "maison"), ("Ziele".lower(), "german", "ziel")],
)
def test_stem(word, language, expected):
    assert stem(word, language) == expected


def test_words_of_one_meaning_have_one_stem():
    assert stem("film", "english") == stem("movie", "english")
