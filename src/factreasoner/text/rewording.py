"""Whether a text that is to stand in for another one still speaks of the same."""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet

from factreasoner.text.lexicon import FUNCTION_WORDS
from factreasoner.text.stems import alike, language_of, stem

_WORD = re.compile(r"[^\W_]+(?:[.,]\d+)*")
_UNSPACED = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]{2,}"
)
"""Letters of scripts that part no words."""
_POINTED = re.compile(
    r"\b(?:the|this|that|these|those|such|its|his|her|their|said)\s+[^\W\d_]+", re.IGNORECASE
)
"""What a name may take the place of: "the film", "this law"."""

FEWEST = 2
"""Words of a statement from which on some of them are to be kept."""


class Wording:
    """The words of texts that are to be compared; their stems are those of the language they share."""

    def __init__(self, *texts: str) -> None:
        self._language = language_of(texts)

    def of(self, text: str) -> frozenset[str]:
        """Stems of the words that are no function words, and numbers.

        Of scripts that part no words, the pairs of letters that follow each other.
        """
        functional = FUNCTION_WORDS[self._language]
        found: set[str] = set()
        for word in _WORD.findall(text.casefold()):
            if _UNSPACED.search(word):
                found |= {word[n : n + 2] for n in range(len(word) - 1)}
            elif word not in functional:
                found.add(stem(word, self._language))
        return frozenset(found)


class Matter:
    """What some texts speak of, and a text that stands in for another one may."""

    def __init__(self, *texts: str) -> None:
        self._wording = Wording(*texts)
        self._known = self._wording.of("\n".join(texts))

    def is_left(self, before: str, after: str) -> bool:
        """Whether `after` shares no word with `before`, or speaks mostly of something else than the texts.

        Or of nothing, where `before` speaks of something.
        """
        said = self._wording.of(after)
        if not said and self._wording.of(before):
            return True
        return not has_common_word(before, after) or 2 * shared(said, self._known) < len(said)


def shared(words: AbstractSet[str], others: AbstractSet[str]) -> int:
    """How many of `words` stand among `others`, in whatever form."""
    return sum(word in others or any(alike(word, other) for other in others) for word in words)


def has_common_word(one: str, other: str) -> bool:
    """Whether two texts share a word of any kind."""
    wording = Wording(one, other)
    if shared(wording.of(one), wording.of(other)):
        return True
    return not set(_WORD.findall(one.casefold())).isdisjoint(_WORD.findall(other.casefold()))


def keeps_words(original: str, text: str) -> bool:
    """Whether `text` has half of the original's words at least that are no function words.

    What stands behind "the" or "this" does not count: a name may have taken its place. A single word may
    be said by another one.
    """
    wording = Wording(original, text)
    wanted = wording.of(_POINTED.sub(" ", original))
    return len(wanted) < FEWEST or 2 * shared(wanted, wording.of(text)) >= len(wanted)
