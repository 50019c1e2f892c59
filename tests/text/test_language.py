"""Which language a text is in, whether two texts can be compared, and the stems of words."""

import pytest

from factreasoner.text.language import (
    is_english,
    is_foreign,
    is_quote,
    language_mismatches,
    language_of,
    stem,
)

TOWER = "The tower is 52 metres high."
BORN = "Marie Curie was born in Warsaw in 1867."
LIFE = f"{BORN} She won two Nobel Prizes. She married Pierre Curie in 1895."


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
        ("Hellbach nahm an der Wahl teil.", "german"),
        ("A man is walking down a street passing a common room door.", "english"),
        ("Lorsana", "english"),
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


@pytest.mark.parametrize(
    ("claim", "passage", "languages"),
    [
        ("Der Turm ist 52 Meter hoch.", TOWER, ("German", "English")),
        ("La torre è alta 52 metri.", TOWER, ("Italian", "English")),
        ("Marie Curie wurde 1867 in Warschau geboren.", BORN, ("German", "English")),
        ("Marie Curie est née à Varsovie en 1867.", BORN, ("French", "English")),
        ("Er starb 1906 bei einem Unfall.", LIFE, ("German", "English")),
        (TOWER, "Der Turm ist 52 Meter hoch.", ("English", "German")),
        ("塔的高度是五十二米，位于巴黎市中心。", TOWER, ("Chinese or Japanese", "Latin")),
        ("The tower is 52 m high.", TOWER, None),
        ("Marie Curie married Pierre Curie in 1895.", LIFE, None),
        ("Marie Curie died.", LIFE, None),
        ("Goethe led Sturm und Drang.", "Sturm und Drang was a movement.", None),
        ("Cien años de soledad sold a million copies.", "He wrote Cien años de soledad.", None),
        ("El Niño occurs every few years.", "El Niño warms the sea.", None),
        ("Der Turm wurde 1890 gebaut.", "Der Turm ist 52 Meter hoch.", None),
        ("Lima es capital.", "Lima es la capital del Perú.", None),
    ],
)
def test_short_text_is_compared_only_within_language(claim, passage, languages):
    note = f"atom in {languages[0]}, passage in {languages[1]}" if languages else ""
    assert language_mismatches([claim], passage) == (note,)


@pytest.mark.parametrize(
    ("quote", "passage", "is_one"),
    [
        ("a  PART", "It is a\npart.", True),
        ("art", "It is a part, apart and artful.", False),
        ("s1", "The class1 has s10.", False),
        ("“part", "It is a “part”.", True),
        ("cafe\u0301", "The caf\u00e9.", True),
        ("\u5317\u4eac", "\u4e2d\u56fd\u7684\u9996\u90fd\u662f\u5317\u4eac\u5e02\u3002", True),
        ("1867", "In 1867.", True),
        ("...", "It is ... so.", False),
        ("", "It is.", False),
    ],
)
def test_a_quote_is_whole_words_of_the_passage(quote, passage, is_one):
    assert is_quote(quote, passage) == is_one


@pytest.mark.parametrize(
    ("text", "english"),
    [
        ("The bridge was opened in 1932.", True),
        ("It is 52 metres high, and two roads lead to it.", True),
        ("Rihanna.", None),
        ("42", None),
        ("大桥于1932年开通。", False),
        ("東京は日本の首都です。", False),
        ("Мост был открыт в 1932 году.", False),
        ("यह पुल 1932 में खुला।", False),
        ("افتتح الجسر عام 1932.", False),
        ("הגשר נפתח בשנת 1932.", False),
        ("สะพานเปิดในปี 1932", False),
        ("Die Brücke wurde von der Stadt eröffnet.", False),
        ("Most został otwarty w 1932 roku i łączy dwa brzegi.", False),
        ("Köprü 1932 yılında açıldı ve iki yakayı birleştirir.", False),
        ("Cây cầu được khánh thành vào năm 1932.", False),
    ],
)
def test_english_needs_evidence(text, english):
    assert (is_english(text), is_foreign(text)) == (english is True, english is False)
