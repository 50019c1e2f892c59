"""Closed word classes, from `lexicon.json`: small, hand-written, readable.

Function words are listed for ten languages written in Latin script; words for persons, what is no author of
a work, and words of one meaning for English only. Everything is lower case and unstemmed.
"""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

_DATA: dict[str, Any] = json.loads(
    resources.files("factreasoner.text").joinpath("lexicon.json").read_text(encoding="utf-8")
)

FUNCTION_WORDS: dict[str, frozenset[str]] = {
    language: frozenset(words.split()) for language, words in _DATA["function_words"].items()
}
SENTENCES: dict[str, frozenset[str]] = {
    kind: frozenset(words.split()) for kind, words in _DATA["sentences"].items()
}
"""Abbreviations, lower-case and without their last full stop, and words at the borders of sentences."""
PERSONS: dict[str, frozenset[str]] = {
    kind: frozenset(words.split()) for kind, words in _DATA["persons"].items()
}
"""First names and common nouns of persons, of men and of women apart."""
NO_AUTHORS: frozenset[str] = frozenset(_DATA["no_authors"].split())
"""What stands before a year and is no author: places, events, months, colours, nationalities."""
SAME: dict[str, str] = {word: group.split()[0] for group in _DATA["same"] for word in group.split()}
"""Word -> the word that stands for all of its meaning."""
