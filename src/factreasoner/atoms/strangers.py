"""Numbers and names in a statement that the texts it was made from do not have."""

from __future__ import annotations

import re
import unicodedata

from factreasoner.text.rewording import Wording, shared

_WORD = re.compile(r"[^\W\d_]+")
_NUMBER = re.compile(r"(?:(?<![\w.,–-])[-−])?\d+(?:[.,]\d+)*")
_SPELLED = {
    word: str(number)
    for number, word in enumerate(
        ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"], start=2
    )
}


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

    def covers(self, statement: str) -> bool:
        """Whether half of its words stand in the texts; names, which take the place of others, aside."""
        plain = " ".join(word for word in _WORD.findall(statement) if word == word.lower())
        said = self._wording.of(plain)
        return 2 * shared(said, self._known) >= len(said)
