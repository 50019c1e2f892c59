"""Whether what a claim calls its subject is there what somebody else is called.

"Anna Berg, a daughter of a poet", "Anna Berg met Tom Reed, a poet" and "Anna Berg met the poet Tom Reed" do
not say that Anna Berg was a poet.
"""

from __future__ import annotations

from itertools import takewhile

from factreasoner.judges.embedded.owners import is_person_or_relative
from factreasoner.judges.embedded.pairing import Pairing
from factreasoner.judges.embedded.text import Text
from factreasoner.text.lexicon import BE
from factreasoner.text.stems import alike

_OF, _ARTICLES = "of", frozenset({"a", "an", "the"})
_PAIR = 2
_NO_PERSON = frozenset({"in", "at", "from", "near", "to", "on", "born", "née", "as", "called", "named", _OF})
"""Words before a name that make a place of it, or another name of the same person."""


def said_of_another(pair: Pairing) -> bool:
    """Whether what the claim calls its subject, by a noun or a nationality, is said of another everywhere."""
    claim, text, part = pair.claim, pair.passage, pair.part
    be = next((i for i, word in enumerate(claim.words) if word in BE), len(claim.words))
    first = be + 1 + (not _ARTICLES.isdisjoint(claim.words[be + 1 : be + 2]))
    called = list(takewhile(lambda i: claim.content[i], range(first, len(claim.words))))
    if not called or (first == be + 1 and not claim.names[called[-1]]):
        return False
    subject, known = frozenset(claim.stems[:be]), frozenset(claim.stems)
    places = [j for j, stem in enumerate(text.stems) if alike(stem, claim.stems[called[-1]])]
    if bool(places) and all(_is_behind_of(text, j, subject) for j in places):
        return True
    here = [] if pair.is_list() else pair.found[claim.stems[called[-1]]]
    named = pair.places([i for i in pair.content if i < be])
    return bool(here) and all(
        (not named or min(named) < j)
        and (_is_before_name(text, j, part.high, known) or _is_behind_name(text, j, part.low, known))
        for j in here
    )


def _is_behind_of(text: Text, place: int, subject: frozenset[str]) -> bool:
    """Whether a noun stands behind "of a", and a person before that, or another's name right behind it."""
    first = place
    while first > 0 and first not in text.commas and text.content[first - 1]:
        first -= 1
    named = list(takewhile(lambda k: text.names[k], range(place + 1, len(text.words))))
    return (
        first > _PAIR
        and text.commas.isdisjoint((first, first - 1))
        and text.words[first - 1] in _ARTICLES
        and text.words[first - 2] == _OF
        and subject.isdisjoint(text.stems[k] for k in named)
        and (bool(named) or is_person_or_relative(text.words[first - 3]))
    )


def _is_before_name(text: Text, place: int, high: int, known: frozenset[str]) -> bool:
    """Whether another's name follows, at most other nouns between: "the Dutch painter Piet Vos"."""
    clause = text.clauses[place]
    whole = takewhile(
        lambda k: text.content[k] and k not in text.commas and text.clauses[k] == clause,
        range(place + 1, high),
    )
    name = [text.stems[k] for k in whole if text.names[k]]
    return bool(name) and known.isdisjoint(name)


def _is_behind_name(text: Text, place: int, low: int, known: frozenset[str]) -> bool:
    """Whether it stands behind a comma and an article, and another's name before: "Tom Reed, a violinist"."""
    first = place
    while first > low and first not in text.commas and text.content[first - 1] and not text.aside[first - 1]:
        first -= 1
    article = first if text.words[first] in _ARTICLES else first - 1
    if article <= low or text.words[article] not in _ARTICLES:
        return False
    if article not in text.commas and not text.aside[article - 1]:
        return False
    last = next((k for k in range(article - 1, low - 1, -1) if not text.aside[k]), low)
    name = list(takewhile(lambda k: text.names[k], range(last, low - 1, -1)))
    if not name or not known.isdisjoint(text.stems[k] for k in name):
        return False
    return name[-1] == low or text.words[name[-1] - 1] not in _NO_PERSON
