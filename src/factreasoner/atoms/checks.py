"""Check what a statement adds to the texts it was made from, and what it omits."""

from __future__ import annotations

import re
import unicodedata

from factreasoner.text.language import ComparedWords, compared_words, count_shared, gender_of_name, word_set
from factreasoner.text.parsing import Word

_WORD = re.compile(r"[^\W\d_]\w*")
_NUMBER = re.compile(r"(?:(?<![\w.,–-])[-−])?\d+(?:[.,]\d+)*")
_QUANTIFIERS = word_set(
    "all any both each either every few many more most neither nobody none nothing only several some"
)
_SPELLED_OUT = "two three four five six seven eight nine ten eleven twelve"
_SPELLED = {word: str(number) for number, word in enumerate(_SPELLED_OUT.split(), start=2)}
_NEGATION = re.compile(r"\b(?:not|never|no|none|cannot|neither|nor|without)\b|n['’]t\b", re.IGNORECASE)

_REFERRING = (
    r"both(?! [\w-]+ and\b)|either(?! [\w-]+ or\b)|neither(?! [\w-]+ nor\b)"
    r"|the (?:same|two|latter|former|others?(?! hand\b))|(?:at|by) (?:the|that) time|that year"
)
_PRONOUN = re.compile(
    r"\b(?:he|she|it|they|him|her|them|his|hers|its|their|theirs|(?:him|her|it|them)sel(?:f|ves)|this|these|those"
    rf"|{_REFERRING})\b",
    re.IGNORECASE,
)
_POINTING = re.compile(
    r"\b[Tt]he [a-z-]+(?=[.,;]|['’]|\s(?:is|was|were|are|has|had|have|will|can|could|may)\b)"
    r"|\AThe [a-z-]+ (?!of\b|that\b|which\b|who\b|[A-Z])"
)
_MONTH = re.compile(
    r"\b(?:January|February|March|April|May|June|July|August|September|October|November|December)\b"
)
_NAME = re.compile(
    r"(?<=\w\W)[^\W\d_a-z]|\A(?!(?:In|On|At|As|After|When|By|For|From|With|Most|The)\b)[A-Z]\w+ [a-z]+s?\b"
)
_YEAR = re.compile(r"\b\d{4}\b")
_LEAST_SHARE = 0.5
"""Minimum share of a new text's content words that its source texts must have."""
_DETERMINERS = (["the"], ["this"], ["that"], ["these"], ["those"])


def negates(text: str) -> bool:
    """Whether an English text has a negation."""
    return _NEGATION.search(text) is not None


def quantifiers(text: str) -> frozenset[str]:
    """The quantifiers of an English text."""
    return _QUANTIFIERS & set(_WORD.findall(text.casefold()))


def numbers(text: str) -> set[str]:
    """The numbers of a text with their sign, without thousands separators."""
    found = _NUMBER.findall(unicodedata.normalize("NFKC", text))
    return {number.replace("−", "-").replace(",", "") for number in found}


class Material:
    """The texts that statements are made from."""

    def __init__(self, *texts: str) -> None:
        whole = "\n".join(texts)
        self._wording = ComparedWords(whole)
        self._known = self._wording.of(whole)
        spelled = (_SPELLED.get(word) for word in _WORD.findall(whole.casefold()))
        self._numbers = {n.lstrip("-") for n in numbers(whole)} | {number for number in spelled if number}

    def strangers(self, statement: str) -> list[str]:
        """Numbers and capitalised words of a statement that the texts lack in any form, in order."""
        added = sorted(n for n in numbers(statement) if n.lstrip("-") not in self._numbers)
        for word in _WORD.findall(statement):
            stems = self._wording.of(word) if word != word.lower() else frozenset()
            if stems and not count_shared(stems, self._known):
                added.append(word)
        return added

    def is_unrelated(self, before: str, after: str) -> bool:
        """Whether `after` shares no word with `before`, or has mostly words that the texts lack."""
        own = ComparedWords(before, after)
        alike = count_shared(own.of(before), own.of(after)) or compared_words(before) & compared_words(after)
        emptied = self._wording.of(before) and not self._wording.of(after)
        return bool(not alike or emptied or self.share(after) < _LEAST_SHARE)

    def share(self, text: str) -> float:
        """The share of a text's content words found in the texts; 1 if it has none."""
        wording = self._wording.of(text)
        return count_shared(wording, self._known) / len(wording) if wording else 1.0


def is_vague(statement: str) -> bool:
    """Whether a statement has a leading pronoun, an anaphoric noun, or a month without a year."""
    return leads_with_pronoun(statement) or _POINTING.search(statement) is not None or lacks_year(statement)


def lacks_year(statement: str) -> bool:
    """Whether a statement has a month without a year."""
    return _MONTH.search(statement) is not None and _YEAR.search(statement) is None


def leads_with_pronoun(statement: str) -> bool:
    """Whether a statement has a pronoun and no name before it."""
    found = _PRONOUN.search(statement)
    return found is not None and _NAME.search(statement, 0, found.start()) is None


def mistakes_gender(before: str, after: str) -> bool:
    """Whether `after` replaces "he" of `before` by a woman's name, or "she" by a man's; English."""
    earlier = set(_WORD.findall(before.casefold()))
    he, she = bool(earlier & {"he", "him", "his"}), bool(earlier & {"she", "her", "hers"})
    names = (word for word in _WORD.findall(after) if word.istitle() and word.casefold() not in earlier)
    genders = {gender_of_name(name) for name in names} - {None}
    return he != she and genders == {"female" if he else "male"}


def is_bare(subject: Word | None) -> bool:
    """Whether a subject is a noun with only "the" or "this"."""
    beside = subject.children if subject is not None and subject.pos == "NOUN" else ()
    return [child.lower for child in beside] in _DETERMINERS
