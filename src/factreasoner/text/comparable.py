"""Whether two texts are in one language, as far as their letters and function words tell."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache

from factreasoner.text.abbreviations import words
from factreasoner.text.lexicon import FUNCTION_WORDS

_WORD = re.compile(r"[^\W\d_]+")
_NOT_COMPARED = ": not compared"
_PROBED = 4000
_LEAST_LETTERS = 4
_LEAST_WORDS = 3
_LEAST_FOREIGN = 2
_AHEAD = 2.0
_LEAST_TOLD = 0.1
_PARTICLES = words("da de del della den der des di do dos du e el en la las le les los van von y")
_ENGLISH_TOO = words(
    "all als chi come com como dan das del dem den des die din dig door dove elle era fan han hat",
    "ham hit hun hon les los mod mas men met man non not nun nor nos nur par para per plus pour sans",
    "sin ser sera sur son sous tot tout tra tai uns van von vid war waren wie wit con che dei dit",
    "dir ein ils alle essa esse este gli mit pero una und ved wat zum",
)
"""Function words of other languages that are words, or stand in names, in English, too."""
_UNMISTAKABLE = {
    language: frozenset(
        word
        for word in words - FUNCTION_WORDS["english"] - _ENGLISH_TOO - _PARTICLES
        if len(word) > 2 or not word.isascii()
    )
    for language, words in FUNCTION_WORDS.items()
    if language != "english"
}
_ENGLISH_ALONE = {"was"}.union(
    word
    for word in FUNCTION_WORDS["english"]
    if len(word) > 1 and sum(word in words for words in FUNCTION_WORDS.values()) == 1
)
_SHARED = {"CJK": "Chinese or Japanese", "HIRAGANA": "Chinese or Japanese", "KATAKANA": "Chinese or Japanese"}


def differences(claims: Sequence[str], passage: str) -> tuple[str, ...]:
    """Why each claim can't be compared with a passage: their scripts or languages differ; "" where it can."""
    return _differences(tuple(claims), passage)


def tells_incomparable(note: str) -> bool:
    """Whether the note of a verdict says that claim and passage were not compared."""
    return note.endswith(_NOT_COMPARED)


@lru_cache(maxsize=1024)
def _differences(claims: tuple[str, ...], passage: str) -> tuple[str, ...]:
    written = _script(passage)
    notes = {claim: _other_script(claim, written) for claim in claims}
    alike = tuple(claim for claim in claims if not notes[claim])
    notes |= _by_language(alike, passage) if alike else {}
    return tuple(notes[claim] for claim in claims)


def _other_script(claim: str, written: str | None) -> str:
    own = _script(claim)
    return _note(f"in {own}", written) if own and written and own != written else ""


def _by_language(claims: tuple[str, ...], passage: str) -> dict[str, str]:
    """Why each claim in the passage's script can't be compared with it; together they tell their language."""
    claimed, known = _language(claims), _language((passage,))
    if known is None:
        return {claim: _not_both_english(claim, passage) for claim in claims}
    if claimed is not None and claimed != known:
        note = _note(f"in {claimed}", known)
        return {claim: "" if _language((claim,)) == known else note for claim in claims}
    return {
        claim: _note(other, known)
        if (other := _other_than(known.lower(), claim))
        else _not_both_english(claim, passage)
        for claim in claims
    }


def _not_both_english(claim: str, passage: str) -> str:
    """Why a claim can't be compared with a passage if words of one alone are English; "" where it can."""
    own, known = _told(claim), _told(passage)
    return _note(f"in {own}", known) if own and known and own != known and "English" in (own, known) else ""


def _told(text: str) -> str | None:
    """The language that a text is in by its function words, were they one or two; None where that is open.

    Another than English has no word of English alone, and one at least that no English word is written like.
    """
    words = _WORD.findall(text[:_PROBED])
    told = {word.casefold() for i, word in enumerate(words) if i == 0 or word[0].islower()}
    hits = {
        language: len(told & known)
        for language, known in _UNMISTAKABLE.items()
        if told & known and told.isdisjoint(FUNCTION_WORDS["english"] - FUNCTION_WORDS[language])
    }
    if hits:
        best = max(hits, key=lambda language: hits[language])
        # a table of names and figures is in no language
        return best.capitalize() if hits[best] >= _LEAST_TOLD * len(words) else None
    english = not _ENGLISH_ALONE.isdisjoint(map(str.casefold, words))
    return "English" if english and not any(told & known for known in _UNMISTAKABLE.values()) else None


def is_english(text: str) -> bool:
    """False where the words of a text, however short, are those of another language."""
    return _language((text,)) in (None, "English") and not _other_than("english", text)


def _note(claim: str, passage: str) -> str:
    return f"atom {claim}, passage in {passage}{_NOT_COMPARED}"


def _script(text: str) -> str | None:
    """The script of most letters; None where there are too few."""
    counts: Counter[str] = Counter()
    for letter, count in Counter(filter(str.isalpha, text[:_PROBED])).items():
        name = unicodedata.name(letter, "").split(" ")[0]
        counts[_SHARED.get(name, name.capitalize())] += count
    script, count = next(iter(counts.most_common(1)), ("", 0))
    return script if count >= _LEAST_LETTERS and 2 * count > counts.total() else None


def _language(texts: Iterable[str]) -> str | None:
    """The language whose function words stand out; None where none does."""
    words = Counter(word for text in texts for word in _WORD.findall(text[:_PROBED].casefold()))
    hits = {
        language: sum(words[word] for word in words.keys() & function_words if len(word) > 1)
        for language, function_words in FUNCTION_WORDS.items()
    }
    (best, most), (_, second) = Counter(hits).most_common(2)
    return best.capitalize() if most >= _LEAST_WORDS and most >= _AHEAD * second else None


def _other_than(language: str, text: str) -> str:
    """In which language a short text is if not in `language`, in words; "" where it may be in it.

    It has none of the function words that only `language` has, and two at least that only the other has.
    Words between capitals are a name's ("Vicente de la Cruz"); instead of English an accent counts as one.
    """
    words = _WORD.findall(text[:_PROBED])
    own = FUNCTION_WORDS[language]
    told = Counter(
        word.casefold()
        for i, word in enumerate(words)
        if len(word) > 1 and (i == 0 or word[0].islower()) and not _within_a_name(words, i)
    )
    accented = sum(not word.isascii() and word.islower() for word in words) if language == "english" else 0
    hits = {
        other: min(accented, 1) + sum(told[word] for word in function_words - own)
        for other, function_words in FUNCTION_WORDS.items()
        if other != language and not any(told[word] for word in own - function_words)
    }
    ranked = Counter(hits).most_common(2)
    if not ranked or ranked[0][1] < _LEAST_FOREIGN:
        return ""
    alone = len(ranked) == 1 or ranked[0][1] > ranked[1][1]
    return f"in {ranked[0][0].capitalize()}" if alone else f"not in {language.capitalize()}"


def _within_a_name(words: Sequence[str], place: int) -> bool:
    """Whether lower-case words stand between two capitals: "de la"."""
    before = next((word for word in words[:place][::-1] if word.casefold() not in _PARTICLES), "")
    after = next((word for word in words[place + 1 :] if word.casefold() not in _PARTICLES), "")
    return words[place] in _PARTICLES and before[:1].isupper() and after[:1].isupper()
