"""Whether two texts are in one language, as far as their letters and function words tell."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from factreasoner.text.abbreviations import words
from factreasoner.text.lexicon import FUNCTION_WORDS

_WORD = re.compile(r"[^\W\d_]+")
_NOT_COMPARED = ": not compared"
_PROBED = 4000
_LEAST_LETTERS = 4
_LEAST_TOLD = 0.1
_AHEAD = 2
_IN_ENGLISH_TOO = words(
    "all als chi come com como dan das del della dem den der des di die din dig door dos dove elle era",
    "fan han hat ham hit hun hon las les los mod mas men met man non not nun nor nos nur par para per plus",
    "pour sans sin ser sera sur son sous tot tout tra tai uns van von vid war waren wie wit con che dei dit",
    "dir ein ils alle essa esse este gli mit pero una und ved wat zum",
)
"""Function words of other languages that are words, or stand in names, in English, too."""
_TELLING = {
    language: frozenset(
        word
        for word in known - FUNCTION_WORDS["english"] - _IN_ENGLISH_TOO
        if len(word) > 2 or not word.isascii()
    )
    for language, known in FUNCTION_WORDS.items()
    if language != "english"
}
_TELLING["english"] = frozenset(
    word
    for word in FUNCTION_WORDS["english"]
    if word == "was" or (len(word) > 1 and sum(word in known for known in FUNCTION_WORDS.values()) == 1)
)
_SHARED = {"CJK": "Chinese or Japanese", "HIRAGANA": "Chinese or Japanese", "KATAKANA": "Chinese or Japanese"}


def differences(claims: Sequence[str], passage: str) -> tuple[str, ...]:
    """Why each claim can't be compared with a passage: their scripts or languages differ; "" where it can."""
    return tuple(_difference(claim, passage) for claim in claims)


def tells_incomparable(note: str) -> bool:
    """Whether the note of a verdict says that claim and passage were not compared."""
    return note.endswith(_NOT_COMPARED)


def is_english(text: str) -> bool:
    """False where the words of a text, however short, are those of another language."""
    return _languages(text) in ((), ("English",))


def _difference(claim: str, passage: str) -> str:
    for told in (_scripts, _languages):
        own, known = told(claim), told(passage)
        if own and known and set(own).isdisjoint(known):
            return f"atom in {own[0]}, passage in {known[0]}{_NOT_COMPARED}"
    return ""


@lru_cache(maxsize=4096)
def _scripts(text: str) -> tuple[str, ...]:
    """The script of most letters; none where there are too few."""
    counts: Counter[str] = Counter()
    for letter, count in Counter(filter(str.isalpha, text[:_PROBED])).items():
        name = unicodedata.name(letter, "").split(" ")[0]
        counts[_SHARED.get(name, name.capitalize())] += count
    script, count = next(iter(counts.most_common(1)), ("", 0))
    return (script,) if count >= _LEAST_LETTERS and 2 * count > counts.total() else ()


@lru_cache(maxsize=4096)
def _languages(text: str) -> tuple[str, ...]:
    """The languages that the words of a text tell, the likeliest first; none where none does."""
    found = _WORD.findall(text[:_PROBED])
    # a capital within a sentence is a name's, a table of names and figures is in no language
    told = Counter(word.casefold() for i, word in enumerate(found) if i == 0 or word[0].islower())
    hits = {language: sum(told[word] for word in told.keys() & known) for language, known in _TELLING.items()}
    ranked = sorted(hits, key=lambda language: (-hits[language], language != "english"))
    most = hits[ranked[0]]
    if not most or (ranked[0] != "english" and most < _LEAST_TOLD * len(found)):
        return ()
    return tuple(language.capitalize() for language in ranked if _AHEAD * hits[language] > most)
