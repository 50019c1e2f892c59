"""Which language a text is in, and the stems of its words."""

from __future__ import annotations

import re
import threading
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

import snowballstemmer

from factreasoner.text.lexicon import FUNCTION_WORDS, SAME

_WORD = re.compile(r"[^\W\d_]+")
_PROBED = 2000
LEAST_PREFIX = 4
"""Letters that the stems of one word's forms share at least."""
_LIKE_PREFIX = 0.6
_STEMMER_LOCK = threading.Lock()


def language_of(texts: Sequence[str]) -> str:
    """The language whose function words are most frequent in `texts`; English when none stands out."""
    counts = Counter(word for text in texts for word in _WORD.findall(text[:_PROBED].lower()))
    said = {
        language: sum(counts[word] for word in counts.keys() & words if len(word) > 1)
        for language, words in FUNCTION_WORDS.items()
    }
    scores = {language: said[language] / len(words) ** 0.5 for language, words in FUNCTION_WORDS.items()}
    best = max(scores, key=lambda language: scores[language])
    # the list of English is the longest: of a short text another one must have more words, too
    stands_out = scores[best] > 1.2 * scores["english"] and said[best] > said["english"]
    return best if stands_out else "english"


@lru_cache(maxsize=100_000)
def stem(word: str, language: str) -> str:
    """Snowball stem of a lower-case word, folded with the words of its meaning."""
    known = SAME.get(word) if language == "english" else None
    if known is not None:
        return known
    with _STEMMER_LOCK:
        return str(_stemmer(language).stemWord(word))


@lru_cache(maxsize=16)
def _stemmer(language: str) -> snowballstemmer.stemmer:
    return snowballstemmer.stemmer(language)


def alike(left: str, right: str) -> bool:
    """Whether two stems are the same, or one word's in other forms: "treat" and "treatment"."""
    if left == right:
        return True
    pairs = enumerate(zip(left, right, strict=False))
    shared = next((n for n, (one, other) in pairs if one != other), min(len(left), len(right)))
    return shared >= LEAST_PREFIX and shared >= _LIKE_PREFIX * max(len(left), len(right))
