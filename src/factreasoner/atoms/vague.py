"""Whether an English statement leans on its text: "she", "the company", "on 9 November" without a year."""

from __future__ import annotations

import re

_REFERRING = (
    r"both|either|neither|the (?:same|two|latter|former|others?)|(?:at|by) (?:the|that) time|that year"
)
_REFERENCE = re.compile(rf"\b(?:{_REFERRING})\b", re.IGNORECASE)
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


def is_vague(statement: str) -> bool:
    """Whether it has a leading pronoun, a noun that points back, or a month without a year."""
    return leads_with_pronoun(statement) or _POINTING.search(statement) is not None or lacks_year(statement)


def lacks_year(statement: str) -> bool:
    """Whether it has a month without a year."""
    return _MONTH.search(statement) is not None and _YEAR.search(statement) is None


def leads_with_pronoun(statement: str) -> bool:
    """Whether it has a pronoun and no name before it."""
    return _leads(_PRONOUN, statement)


def refers(statement: str) -> bool:
    """Whether it speaks of "both", "the latter" or "that time", and has no name before."""
    return _leads(_REFERENCE, statement)


def _leads(words: re.Pattern[str], statement: str) -> bool:
    found = words.search(statement)
    return found is not None and _NAME.search(statement, 0, found.start()) is None
