"""The negations of a text, and what they deny: "never failed to answer" and "not all" deny little."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from factreasoner.judges.embedded.text import Text
from factreasoner.judges.embedded.windows import Window
from factreasoner.text.lexicon import (
    ADDING,
    AVERTING,
    BE,
    DENYING_NOTHING,
    DETERMINERS,
    NEARLY,
    UNIVERSAL,
)
from factreasoner.text.stems import alike

_SAID = frozenset({"denied", "denies", "deny"})
_PAST = frozenset({"was", "were", "had", "once", "formerly", "used"})
_PAIRED = frozenset({"neither", "nor"})
_BOUNDS = frozenset({"more", "less", "fewer", "later", "earlier"})
_MODALS = (frozenset({"should", "must", "ought", "shall"}), frozenset({"may", "might"}), frozenset({"would"}))
_LIMITS = frozenset({"without", "unless", "except", "until", "besides"})
_POINTING = frozenset({"this", "that", "these", "those", "there"})
_AUXILIARY = BE | {"do", "does", "did", "has", "have", "had", "can", "could", "will", "would"}
_TURNING = frozenset({"doubt", "prevent", "prevented", "stop", "stopped", "forget", "forgot", "hesitate"})
_OPEN = frozenset({"known", "clear", "certain", "sure", "mean"})
_TURNED = ("un", "im", "in", "ir", "il", "dis", "non")
_LEAST_TURNED = 6
_REACH = 2
_NEXT = 3
_UNTIL, _FOR = "until", "for"
_SPANS = frozenset({"second", "minute", "hour", "day", "week", "month", "year", "decade", "century", "while"})
_IRREGULAR = {"centuries": "century"}
_SPAN_REACH = 6


class Negation(NamedTuple):
    """A negation at token `place`: stems of the content words of its clause that it reaches, and of all."""

    place: int
    reached: frozenset[str]
    clause: frozenset[str]


def negations(text: Text, low: int, high: int) -> list[Negation]:
    """The negations among the tokens [low, high) that deny something."""
    places = [i for i in text.negations if low <= i < high and not _adds(text, i, low, high)]
    doubled = {
        i
        for one, other in pairwise(places)
        if other - one <= _REACH and text.clauses[one] == text.clauses[other]
        if text.words[one] not in _PAIRED and text.words[other] not in _PAIRED
        if text.commas.isdisjoint(range(one + 1, other + 1))
        for i in (one, other)
    }
    found = []
    for i in places:
        if i not in doubled:
            clause = [j for j in range(low, high) if text.clauses[j] == text.clauses[i] and text.content[j]]
            stems = frozenset(text.stems[j] for j in clause)
            found.append(Negation(i, frozenset(text.stems[j] for j in _reached(text, i, clause)), stems))
    return found


def _reached(text: Text, place: int, clause: Sequence[int]) -> list[int]:
    """The first content words behind a negation; it reaches past no comma that follows one of them."""
    following = [j for j in clause if j > place][:_REACH]
    return [j for j in following if text.commas.isdisjoint(range(following[0] + 1, j + 1))]


def _adds(text: Text, i: int, low: int, high: int) -> bool:
    """Whether it denies nothing: "not only", "or not", "no other", "no more than 5", a title's "No".

    Nor does "(but not the last)" deny what it stands in.
    """
    following = text.words[i + 1 : min(i + 3, high)]
    return (
        not following
        or text.aside[i]
        or following[0] in DENYING_NOTHING
        or not ADDING.isdisjoint(following)
        or (following[0] in _BOUNDS and following[1:] == ("than",))
        or (text.words[i] == "no" and text.names[i + 1])
        or "or" in text.words[max(i - 2, low) : i]
    )


def denies(text: Text, negation: Negation, other: Text, at: Window) -> bool:
    """Whether a negation denies what `other` affirms `at` a place, and no more or less than that."""
    place = negation.place
    end = next(
        (j for j in range(place, len(text.words)) if text.clauses[j] != text.clauses[place]), len(text.words)
    )
    following, there = text.words[place + 1 : end], other.words[at.low : at.high]
    excepted = text.words[end : end + 1] == ("but",) and end not in text.commas
    return not (
        text.words[place] in _SAID
        or excepted
        or any(word in _LIMITS and word not in there for word in following)
        or _ends_later(text, end, there)
        or (_is_for_a_time(following) and _FOR not in there)
        or _averted(negation, other, at)
        or _of_another_mood(text, place, there)
        or _is_turned(text, place, end, other, at)
        or _only_describes(text, place, end, other, at)
        or not _is_as_wide(following[:1], there)
        or _of_what_is_pointed_at(text, place)
        or _of_a_modifier(text, place, end, frozenset(other.stems[at.low : at.high]))
        or _sets_apart(text, other, at)
        or (following[:1] == ("longer",) and not _PAST.isdisjoint(there))
    )


def _of_a_modifier(text: Text, place: int, end: int, there: frozenset[str]) -> bool:
    """Whether it is of what the other does not say of a thing: "not the only town", "not a large lake"."""
    first = next((j for j in range(place + 1, end) if text.words[j] not in DETERMINERS), end)
    described = place + 1 < first < end - 1 and text.content[first + 1]
    return described and text.stems[first] not in there and text.stems[first + 1] in there


def _ends_later(text: Text, end: int, there: tuple[str, ...]) -> bool:
    """Whether an "until" behind the negated clause may end it, too: "was not rebuilt and enlarged until"."""
    high = next((part.high for part in text.sentences if part.low < end <= part.high), end)
    return _UNTIL in text.words[end:high] and _UNTIL not in there


def _is_for_a_time(following: Sequence[str]) -> bool:
    """Whether what a negation stands before is so for a time alone: "won't merge for a million years"."""
    spans = {
        _IRREGULAR.get(word, word.removesuffix("s"))
        for n, word in enumerate(following)
        if word == _FOR
        for word in following[n + 1 : n + _SPAN_REACH]
    }
    return not _SPANS.isdisjoint(spans)


def _averted(negation: Negation, other: Text, at: Window) -> bool:
    """Whether the other says of the negated words that they are averted: "avoid paying" is "not pay"."""

    def reaches(low: int, high: int) -> bool:
        return any(alike(stem, one) for stem in other.stems[low:high] for one in negation.reached)

    return any(
        other.words[j] in AVERTING and reaches(j + 1, j + 1 + _NEXT) and not reaches(j, j + 1)
        for j in range(at.low, at.high)
    )


def _of_another_mood(text: Text, place: int, there: tuple[str, ...]) -> bool:
    """Whether it is a "should not" or "may not" where the other has none, or an order: "Do not"."""
    before = text.words[max(place - 2, 0) : place]
    if before[-1:] == ("do",) and place - 1 in text.openings:
        return True
    return any(not mood.isdisjoint(before) and mood.isdisjoint(there) for mood in _MODALS)


def _is_turned(text: Text, place: int, end: int, other: Text, at: Window) -> bool:
    """Whether the other lacks the negated word, a denial or a knowing: "not unusual", "not known"."""
    first = next((j for j in range(place + 1, end) if text.content[j]), None)
    if first is None or any(alike(text.stems[first], stem) for stem in other.stems[at.low : at.high]):
        return False
    word = text.words[first]
    return word in _TURNING | _OPEN or (len(word) >= _LEAST_TURNED and word.startswith(_TURNED))


def _only_describes(text: Text, place: int, end: int, other: Text, at: Window) -> bool:
    """Whether the negated verb says there only what a thing is like: "remove a scheduled change"."""
    verb = next((j for j in range(place + 1, end) if text.content[j]), None)
    if verb is None:
        return False
    places = [j for j in range(at.low, at.high) if alike(other.stems[j], text.stems[verb])]
    return bool(places) and all(
        at.low < j < at.high - 1
        and other.words[j] != text.words[verb]
        and other.words[j - 1] in DETERMINERS
        and other.content[j + 1]
        for j in places
    )


def _is_as_wide(following: tuple[str, ...], there: tuple[str, ...]) -> bool:
    """Whether "not all" or "not fully" meets an "all" or "fully" that no "almost" weakens."""
    if not following or (following[0] not in UNIVERSAL and not following[0].endswith("ly")):
        return True
    word = following[0]
    wide = UNIVERSAL if word in UNIVERSAL else {word}
    return any(one in wide and (n == 0 or there[n - 1] not in NEARLY) for n, one in enumerate(there))


def _sets_apart(text: Text, other: Text, at: Window) -> bool:
    """Whether it is of all but what the other begins with: "Unlike cats, dogs do not"."""
    subject = next((other.stems[i] for i in range(at.low, at.high) if other.content[i]), "")
    return any(word == "unlike" and subject in text.stems[i + 1 : i + 3] for i, word in enumerate(text.words))


def _of_what_is_pointed_at(text: Text, place: int) -> bool:
    """Whether it is of a "this" amid a sentence: ", and this is not a reaction"."""
    subject = place - 1
    while subject >= 0 and text.words[subject] in _AUXILIARY:
        subject -= 1
    return subject >= 0 and text.words[subject] in _POINTING and subject not in text.openings
