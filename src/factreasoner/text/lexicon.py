"""Closed word classes, from `lexicon.json`: small, hand-written, readable.

Function words are listed for ten languages written in Latin script; classes of mutually exclusive words and
words of one meaning for English only. Everything is lower case and unstemmed.
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
EXCLUSIVE: tuple[frozenset[str], ...] = tuple(frozenset(words.split()) for words in _DATA["exclusive"])
"""Classes of which one thing has one member at most: months, colours, nationalities."""
SAME: dict[str, str] = {word: group.split()[0] for group in _DATA["same"] for word in group.split()}
"""Word -> the word that stands for all of its meaning."""
