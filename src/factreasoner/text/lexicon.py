"""Closed word classes, from `lexicon.json`: small, hand-written, readable.

Function words and negations are listed for ten languages written in Latin script; antonyms, classes of
mutually exclusive words, words of one meaning, units and number words for English only. Everything is lower
case and unstemmed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from importlib import resources
from typing import Any

_DATA: dict[str, Any] = json.loads(
    resources.files("factreasoner.text").joinpath("lexicon.json").read_text(encoding="utf-8")
)


def _sets(lists: Iterable[str]) -> tuple[frozenset[str], ...]:
    return tuple(frozenset(words.split()) for words in lists)


FUNCTION_WORDS: dict[str, frozenset[str]] = {
    language: frozenset(words.split()) for language, words in _DATA["function_words"].items()
}
NEGATIONS: dict[str, frozenset[str]] = {
    language: frozenset(words.split()) for language, words in _DATA["negations"].items()
}
NEGATING_TO: frozenset[str] = frozenset(_DATA["negating_to"].split())
"""Verbs that negate the one that "to" joins to them: what one "declined to" do is not done."""
NEGATING_WORDS: dict[str, frozenset[str]] = {
    script: frozenset(words.split()) for script, words in _DATA["negating_words"].items()
}
"""Characters of a script, as a pattern -> the words that negate in languages written in it."""
NEGATING_SIGNS: dict[str, str] = _DATA["negating_signs"]
"""The same for scripts without blanks, or with endings that negate -> a pattern of what negates."""
DETERMINERS: frozenset[str] = frozenset(_DATA["determiners"].split())
PRONOUNS: frozenset[str] = frozenset(_DATA["pronouns"].split())
CLAUSE_WORDS: frozenset[str] = frozenset(_DATA["clause_words"].split())
"""Conjunctions and relative pronouns, with which a clause begins."""
PREPOSITIONS: frozenset[str] = frozenset(_DATA["prepositions"].split())
MODIFIERS: frozenset[str] = frozenset(_DATA["modifiers"].split())
"""Words that make of what follows another thing: the "second" highest, the "former" king."""
BE: frozenset[str] = frozenset(_DATA["be"].split())
MUTUAL: frozenset[str] = frozenset(_DATA["mutual"].split())
"""Stems of words that hold of two things in both directions: "married", "between"."""
SHARES: frozenset[str] = frozenset(_DATA["shares"].split())
"""Words that name a part of a number: "one" of the twelve."""
LIMITING: frozenset[str] = frozenset(_DATA["limiting"].split())
"""Words that say of how many a thing is true: what is true of the "only" river is true of no other."""
LABELLED: frozenset[str] = frozenset(_DATA["labelled"].split())
"""Nouns of things that a letter or number after them tells apart: "type" 2, "vitamin" D."""
INTENDING: frozenset[str] = frozenset(_DATA["intending"].split())
"""Verbs after which, with "to", a thing is not yet done."""
PROSPECTIVE: frozenset[str] = frozenset(_DATA["prospective"].split())
"""Verbs and nouns that do not imply what stands after them: "considered" selling, "permission" to sell."""
REALISING: frozenset[str] = frozenset(_DATA["realising"].split())
"""Words that imply it: "managed" to sell, "took" the chance to sell."""
POSSIBLE: frozenset[str] = frozenset(_DATA["possible"].split())
"""Words that say of a thing that it may be so."""
DOUBTING: frozenset[str] = frozenset(_DATA["doubting"].split())
"""Words after which a thing is somebody's belief, claim or denial."""
UNTRUE: frozenset[str] = frozenset(_DATA["untrue"].split())
UNIVERSAL: frozenset[str] = frozenset(_DATA["universal"].split())
"""Words that say a thing of all."""
RANKS: dict[str, int] = {
    word: rank for rank, word in enumerate(("first", *_DATA["ordinals"].split()), start=1)
}
ORDINALS: frozenset[str] = frozenset(_DATA["ordinals"].split())
"""Words that make of the largest one that others are larger than."""
EVENTS: frozenset[str] = frozenset(_DATA["events"].split())
"""Words for events of which one undoes the other and denies nothing: "opened", and later "closed"."""
COMPARING: frozenset[str] = frozenset(_DATA["comparing"].split())
"""Words that make of a number a bound or a guess."""
ROUGHLY: frozenset[str] = frozenset(_DATA["roughly"].split())
"""Words after which a number is an estimate."""
AT_LEAST: frozenset[str] = frozenset(_DATA["at_least"])
"""One or two words after which a number is the least that is meant."""
AT_MOST: frozenset[str] = frozenset(_DATA["at_most"])
DENYING_NOTHING: frozenset[str] = frozenset(_DATA["denying_nothing"].split())
"""Words after which a negation adds instead of denying: not "only"."""
CARRYING: frozenset[str] = frozenset(_DATA["carrying"].split())
"""Verbs by which one does what their object names: "completed" the construction."""
COLLECTIVE: frozenset[str] = frozenset(_DATA["collective"].split())
"""Nouns before an "of" by which what follows is meant: a "team" of researchers."""
FREQUENCIES: frozenset[str] = frozenset(_DATA["frequencies"].split())
"""How often: "usually"."""
ONCE: frozenset[str] = frozenset(_DATA["once"].split())
"""Words for what happens to a thing once: it is "born", "founded", comes into "force"."""
ADDING: frozenset[str] = frozenset(_DATA["adding"].split())
"""Words after which, close behind it, a negation is of all others: no "other", nobody "else"."""
NEARLY: frozenset[str] = frozenset(_DATA["nearly"].split())
"""Words that make of all not quite all."""
NO_SUPERLATIVES: frozenset[str] = frozenset(_DATA["no_superlatives"].split())
"""Words that end as superlatives do."""
AVERTING: frozenset[str] = frozenset(_DATA["averting"].split())
"""Words after which a thing is not done or does not happen, as after a negation: "avoid" paying."""
EXCLUSIVE: tuple[frozenset[str], ...] = _sets(_DATA["exclusive"])
"""Classes of which one thing has one member at most: months, colours, nationalities."""
UNITS: tuple[frozenset[str], ...] = _sets(_DATA["units"])
UNIT_SIZES: dict[str, float] = {
    word: float(size) for words, size in _DATA["unit_sizes"].items() for word in words.split()
}
"""Unit -> its size in the same unit for all of its measure, where a factor converts them."""
SAME: dict[str, str] = {word: group.split()[0] for group in _DATA["same"] for word in group.split()}
"""Word -> the word that stands for all of its meaning."""
NUMBER_WORDS: dict[str, float] = {word: float(value) for word, value in _DATA["numbers"].items()}
MAGNITUDES: dict[str, float] = {word: float(value) for word, value in _DATA["magnitudes"].items()}
MONTHS: frozenset[str] = next(members for members in EXCLUSIVE if "january" in members)

OPPOSITES: dict[str, frozenset[str]] = {}
"""Word -> its antonyms."""
for _pair in _DATA["antonyms"].split():
    _left, _right = _pair.split("/")
    OPPOSITES[_left] = OPPOSITES.get(_left, frozenset()) | {_right}
    OPPOSITES[_right] = OPPOSITES.get(_right, frozenset()) | {_left}

STEPS: dict[str, frozenset[str]] = {}
"""What comes of something -> what may come before it, and says nothing of it: "won", of "nominated"."""
for _group in _DATA["steps"]:
    _earlier, _later = (frozenset(_part.split()) for _part in _group.split("/"))
    for _word in _later:
        STEPS[_word] = STEPS.get(_word, frozenset()) | _earlier

CLASSES_OF: dict[str, tuple[frozenset[str], ...]] = {}
"""Word -> the exclusive classes it belongs to."""
for _members in EXCLUSIVE:
    for _word in _members:
        CLASSES_OF[_word] = (*CLASSES_OF.get(_word, ()), _members)
