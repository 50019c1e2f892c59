"""What a statement has, and the texts it was made from do not: numbers, names, words."""

from __future__ import annotations

import re
import unicodedata

from factreasoner.text.language import Wording, shared
from factreasoner.text.lexicon import words

_WORD = re.compile(r"[^\W\d_]\w*")
_NUMBER = re.compile(r"(?:(?<![\w.,–-])[-−])?\d+(?:[.,]\d+)*")
_QUANTIFIERS = words(
    "all any both each either every few many more most neither nobody none nothing only several some"
)
_SPELLED = {
    word: str(number)
    for number, word in enumerate(
        ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"], start=2
    )
}
_NEGATION = re.compile(r"\b(?:not|never|no|none|cannot|neither|nor|without)\b|n['’]t\b", re.IGNORECASE)


def negates(text: str) -> bool:
    """Whether a text has a negation, in English."""
    return _NEGATION.search(text) is not None


def quantifiers(text: str) -> frozenset[str]:
    """The words of a text, in English, that say of how many it holds."""
    return _QUANTIFIERS & set(_WORD.findall(text.casefold()))


def numbers(text: str) -> set[str]:
    """The numbers of a text, with their sign, without separators of thousands."""
    found = _NUMBER.findall(unicodedata.normalize("NFKC", text))
    return {number.replace("−", "-").replace(",", "") for number in found}


class Material:
    """The texts that statements are made from."""

    def __init__(self, *texts: str) -> None:
        whole = "\n".join(texts)
        self._wording = Wording(whole)
        self._known = self._wording.of(whole)
        spelled = (_SPELLED.get(word) for word in _WORD.findall(whole.casefold()))
        self._numbers = {n.lstrip("-") for n in numbers(whole)} | {number for number in spelled if number}

    def strangers(self, statement: str) -> list[str]:
        """Its numbers and words with a capital letter that the texts have in no form, in its order."""
        added = sorted(n for n in numbers(statement) if n.lstrip("-") not in self._numbers)
        for word in _WORD.findall(statement):
            stems = self._wording.of(word) if word != word.lower() else frozenset()
            if stems and not shared(stems, self._known):
                added.append(word)
        return added

    def share(self, text: str) -> float:
        """How much of a text's words they have; 1 where it has none that counts."""
        said = self._wording.of(text)
        return shared(said, self._known) / len(said) if said else 1.0
