"""Whether two texts are in one language, short ones, too."""

import pytest

from factreasoner.text.comparable import differences

TOWER = "The tower is 52 metres high."
BORN = "Marie Curie was born in Warsaw in 1867."
LIFE = f"{BORN} She won two Nobel Prizes. She married Pierre Curie in 1895."


@pytest.mark.parametrize(
    ("claim", "passage", "languages"),
    [
        ("Der Turm ist 52 Meter hoch.", TOWER, ("German", "English")),
        ("La torre è alta 52 metri.", TOWER, ("Italian", "English")),
        ("Marie Curie wurde 1867 in Warschau geboren.", BORN, ("German", "English")),
        ("Marie Curie est née à Varsovie en 1867.", BORN, ("French", "English")),
        ("Er starb 1906 bei einem Unfall.", LIFE, ("German", "English")),
        (TOWER, "Der Turm ist 52 Meter hoch.", ("English", "German")),
    ],
)
def test_a_short_text_in_another_language_is_not_compared_and_says_so(claim, passage, languages):
    own, known = languages
    assert differences([claim], passage) == (f"atom in {own}, passage in {known}: not compared",)


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        ("The tower is 52 m high.", TOWER),
        ("Marie Curie married Pierre Curie in 1895.", LIFE),
        ("Marie Curie died.", LIFE),
        ("Goethe led Sturm und Drang.", "Sturm und Drang was a movement."),
        ("Cien años de soledad sold a million copies.", "He wrote Cien años de soledad."),
        ("El Niño occurs every few years.", "El Niño warms the sea."),
        ("Der Turm wurde 1890 gebaut.", "Der Turm ist 52 Meter hoch."),
        ("Lima es capital.", "Lima es la capital del Perú."),
    ],
)
def test_texts_of_one_language_are_compared_whatever_names_they_have(claim, passage):
    assert differences([claim], passage) == ("",)
