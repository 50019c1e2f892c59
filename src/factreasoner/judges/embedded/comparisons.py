"""Comparisons: which of two things has more of something, in a claim and in a sentence.

"Lead is heavier than tin" is told otherwise by "Lead is less heavy than tin" and by "Tin is heavier than
lead", but not by "Tin is less heavy than lead"; "Iron is quite heavy" compares nothing and leaves it open.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile
from typing import NamedTuple

from factreasoner.judges.embedded.opposites import subject_places
from factreasoner.judges.embedded.pairing import Pairing
from factreasoner.judges.embedded.scopes import is_superlative
from factreasoner.judges.embedded.text import Text
from factreasoner.text.lexicon import OPPOSITES
from factreasoner.text.stems import alike

_THAN, _MORE, _FALLING = "than", "more", frozenset({"less", "fewer"})
_NO_COMPARISON = frozenset({"rather", "other"})
_IRREGULAR = frozenset({"better", "worse", "further", "farther"})
_REACH = 5
_LEAST_SHARE = 0.5
_COMPARING = _FALLING | {
    _THAN,
    _MORE,
    "ahead",
    "beats",
    "compared",
    "comparison",
    "exceed",
    "exceeded",
    "exceeds",
    "outnumber",
    "outnumbered",
    "surpassed",
    "surpasses",
    "unlike",
    "versus",
}


class _Comparison(NamedTuple):
    """What is compared, "heavier" or the stems of what there is more of, and the stems on the two sides."""

    word: str
    attribute: frozenset[str]
    falling: bool
    left: frozenset[str]
    right: frozenset[str]


def compared_otherwise(pair: Pairing) -> bool | None:
    """Whether the sentence compares the claim's two things the other way; None if it compares none."""
    for own in _comparisons(pair.claim, 0, len(pair.claim.words)):
        for there in _comparisons(pair.passage, pair.part.low, pair.part.high):
            turned = own.falling != there.falling
            if there.word in OPPOSITES.get(own.word, ()):
                turned = not turned
            elif not _is_alike(own.attribute, there.attribute):
                continue
            moved = _on_one_side(own.left, there.right, there.left)
            kept = _on_one_side(own.right, there.right, there.left)
            crossed = moved or _on_one_side(own.right, there.left, there.right)
            if crossed != kept:
                return crossed != turned
    return None


def said_of_standard(pair: Pairing) -> bool:
    """Whether what the claim says of one thing is said of the other: "Zinc is cheap, but it rusts faster"."""
    claim = pair.claim
    if claim.words.count(_THAN) != 1:
        return False
    than = claim.words.index(_THAN)
    degree = next((i for i in range(than - 1, 0, -1) if claim.content[i]), 0)
    doer = [i for i in subject_places(claim) if i < degree]
    if doer[-1:] == [degree - 1] and len(doer) > 1:
        doer.pop()  # the verb of "corrodes faster"
    subject = {claim.stems[i] for i in doer}
    behind = (i for i in range(than + 1, len(claim.words)) if i in pair.own)
    standard = {claim.stems[i] for i in takewhile(lambda i: claim.content[i], behind)}
    if not subject or not standard or subject & standard or pair.share() < _LEAST_SHARE:
        return False
    return any(_is_turned(pair, j, subject, standard) for j in pair.found[claim.stems[degree]])


def is_uncompared(pair: Pairing) -> bool:
    """Whether the claim compares two things, and the sentence nothing."""
    own = next(_comparisons(pair.claim, 0, len(pair.claim.words)), None)
    if own is None:
        return False
    words = pair.passage.words[pair.part.low : pair.part.high]
    return not any(word in _COMPARING or word == own.word or is_superlative(word) for word in words)


def _comparisons(text: Text, low: int, high: int) -> Iterator[_Comparison]:
    """The comparisons of two things among the tokens [low, high); "more than 300" is of none."""
    for than in range(low + 1, high - 1):
        if text.words[than] != _THAN or text.words[than - 1] in _NO_COMPARISON:
            continue
        if any(text.value_at(j) is not None for j in (than + 1, min(than + 2, high - 1))):
            continue
        near = range(than - 1, max(low, than - _REACH) - 1, -1)
        degree = next((j for j in near if text.words[j] in _FALLING | {_MORE}), None)
        if degree is None:
            degree = next((j for j in near if _is_comparative(text, j)), None)
        if degree is None:
            continue
        between = [j for j in range(degree + 1, than) if text.content[j]]
        plain = text.words[degree] in _FALLING | {_MORE}
        before = [j for j in range(low, degree) if text.content[j]]
        attribute = (between or before[-1:]) if plain else [degree]
        behind = _rest_of_clause(text, than, high)
        yield _Comparison(
            "" if plain else text.words[degree],
            frozenset(text.stems[j] for j in attribute),
            text.words[degree] in _FALLING,
            frozenset(text.stems[j] for j in before),
            frozenset(text.stems[j] for j in behind),
        )


def _rest_of_clause(text: Text, place: int, high: int) -> list[int]:
    clause = text.clauses[place]
    behind = takewhile(lambda j: text.clauses[j] == clause, range(place + 1, high))
    return [j for j in behind if text.content[j]]


def _is_comparative(text: Text, place: int) -> bool:
    word = text.words[place]
    return text.content[place] and not text.names[place] and (word.endswith("er") or word in _IRREGULAR)


def _is_alike(one: frozenset[str], other: frozenset[str]) -> bool:
    return bool(one) and all(any(alike(stem, also) for also in other) for stem in one)


def _on_one_side(sought: frozenset[str], here: frozenset[str], elsewhere: frozenset[str]) -> bool:
    """Whether something of one side of the claim stands on one side of the sentence, and not on the other."""
    return bool((sought & here) - elsewhere)


def _is_turned(pair: Pairing, place: int, subject: set[str], standard: set[str]) -> bool:
    """Whether what is said at a place is said of the `standard`, and not compared with it."""
    text = pair.passage
    clause = [j for j in pair.there if text.clauses[j] == text.clauses[place]]
    than = next((j for j in clause if j > place and text.words[j] == _THAN), None)
    behind = {text.stems[j] for j in clause if than is not None and j > than}
    if standard & behind or (than is not None and not subject & behind):
        return False
    known = subject | standard
    said = {text.stems[j] for j in clause if j < place and text.content[j]}
    # "but it corrodes faster": of what the sentence begins with
    doer = said - (frozenset(pair.claim.stems) - known) or _opening(pair)
    return (than is not None and not said) or standard <= doer - subject


def _opening(pair: Pairing) -> set[str]:
    """Stems of the content words that the sentence begins with."""
    text = pair.passage
    return {text.stems[j] for j in takewhile(lambda j: text.content[j], pair.there)}
