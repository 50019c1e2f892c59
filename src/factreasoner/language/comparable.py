"""Whether two texts are in one language, as far as their letters and function words tell."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache

from factreasoner.language.lexicon import FUNCTION_WORDS

_WORD = re.compile(r"[^\W\d_]+")
_PROBED = 4000
_LEAST_LETTERS = 4
_LEAST_WORDS = 3
_AHEAD = 2.0
_SHARED = {"CJK": "Chinese or Japanese", "HIRAGANA": "Chinese or Japanese", "KATAKANA": "Chinese or Japanese"}


def difference(claims: Sequence[str], passage: str) -> str:
    """Why claims can't be compared with a passage, in words: their scripts or languages differ; else ""."""
    return _difference(tuple(claims), passage)


@lru_cache(maxsize=1024)
def _difference(claims: tuple[str, ...], passage: str) -> str:
    scripts = _script(" ".join(claims)), _script(passage)
    languages = (_language(claims), _language((passage,))) if scripts[0] == scripts[1] else scripts
    if None in languages or languages[0] == languages[1]:
        return ""
    return f"atom in {languages[0]}, passage in {languages[1]}: not compared"


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
