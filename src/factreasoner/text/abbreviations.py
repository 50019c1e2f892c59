"""Whether a full stop ends a sentence or an abbreviation."""

from __future__ import annotations

import re

from factreasoner.text.lexicon import SENTENCES

ALWAYS_CONTINUES = SENTENCES["always_continue"]
"""Never the end of a sentence, whatever comes next: titles, "vs", "e.g"."""
BEFORE_NUMBER = SENTENCES["before_number"]
"""Part of the sentence when a number follows: "no", "fig", months."""
MAY_END = SENTENCES["may_end"]
"""The end of a sentence only where a word follows that commonly begins one."""
NUMBERED_NOUNS = SENTENCES["numbered_nouns"]
"""German nouns an ordinal ("am 3. Oktober") stands before."""
STARTERS = SENTENCES["starters"]
"""Capitalised words that commonly begin a sentence."""
_ACRONYM = re.compile(r"(?:[^\W\d_]{1,3}\.)+[^\W\d_]{1,3}")


def words(*lines: str) -> frozenset[str]:
    """The set of the words in `lines`."""
    return frozenset(" ".join(lines).split())


def full_stop_ends(last_word: str, next_word: str) -> bool:
    """Whether a single "." between two words ends a sentence; the second does not begin in lower case."""
    key = last_word.lower()
    starts_sentence = next_word in STARTERS
    if key in ALWAYS_CONTINUES:
        return False
    if key in BEFORE_NUMBER and not (len(last_word) == 1 and last_word.isupper()):
        return not (next_word[:1].isdigit() or re.fullmatch("[IVXLC]+", next_word))
    if key in MAY_END or _ACRONYM.fullmatch(last_word):
        return starts_sentence or (key == "etc" and next_word[:1].isupper())
    if last_word.isdigit() and len(last_word) <= 2:
        return next_word not in NUMBERED_NOUNS
    if len(last_word) == 1 and last_word.isalpha():
        return starts_sentence and next_word != "I"
    return True
