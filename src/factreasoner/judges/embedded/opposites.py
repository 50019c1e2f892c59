"""Which words of a claim have their opposites in a sentence, said of the same thing."""

from __future__ import annotations

from factreasoner.judges.embedded.text import Text
from factreasoner.judges.embedded.windows import Window
from factreasoner.text.lexicon import BE, DETERMINERS, EVENTS, FREQUENCIES, OPPOSITES
from factreasoner.text.persons import gender_of_noun

_PEOPLE = frozenset({"men", "women"})
_WITHIN = frozenset({"in", "at", "on", "for", "among", "amongst", "with", "during", "within"})
_LYING = BE | {"lie", "lies", "lay", "located", "situated", "placed"}
_AMOUNTS = frozenset({"few", "fewer", "least", "less", "many", "more", "most"})
_ARTICLES = frozenset({"a", "an"})
_THAN = "than"


def opposites(claim: Text, passage: Text, at: Window) -> list[int]:
    """The places of words of the claim that the sentence lacks, and has the opposites of.

    Not of events that undo each other, nor where one tells another thing, group or time, or the other side of
    a comparison.
    """
    there = frozenset(passage.words[at.low : at.high]) - frozenset(claim.words)
    stems = frozenset(passage.stems[at.low : at.high])
    found = [
        i
        for i, word in enumerate(claim.words)
        if claim.content[i] and claim.stems[i] not in stems and OPPOSITES.get(word, frozenset()) & there
    ]
    if any(_names_another(claim, i) or _is_converse(claim, passage, at, i) for i in found):
        return []
    return [i for i in found if claim.words[i] not in EVENTS]


def _names_another(claim: Text, place: int) -> bool:
    """Whether a word tells which thing is meant: "The north tower is", "effective in men"; not "is a man"."""
    word, before = claim.words[place], place - 1
    while before >= 0 and (claim.content[before] or claim.words[before] in DETERMINERS - _ARTICLES):
        before -= 1
    opening = claim.words[before] if before >= 0 else ""
    person = word in _PEOPLE or gender_of_noun(word.removesuffix("s")) is not None
    if person and opening not in _ARTICLES:
        return True
    subject = subject_places(claim)
    if place in subject:
        following = claim.words[subject[-1] + 1 : subject[-1] + 2]
        return place != subject[-1] or not BE.isdisjoint(following)
    described = word not in _AMOUNTS and not word.endswith("ed")
    lying = before > 0 and claim.words[before - 1] in _LYING
    return described and opening in _WITHIN and not lying


def _is_converse(claim: Text, passage: Text, at: Window, turned: int) -> bool:
    """Whether it compares from the other side: "Anna is older than Ben", "Ben is younger than Anna"."""
    than = next((j for j in range(at.low, at.high) if passage.words[j] == _THAN), None)
    if than is None:
        return False
    before, after = frozenset(passage.stems[at.low : than]), frozenset(passage.stems[than + 1 : at.high])
    subject = {claim.stems[i] for i in range(turned) if claim.content[i]}
    if not subject & after - before:
        return False
    own = claim.words.index(_THAN) if _THAN in claim.words else len(claim.words)
    return not subject & before - after or not before.isdisjoint(set(claim.stems[own + 1 :]) - after)


def subject_places(claim: Text) -> list[int]:
    """The content words that a claim begins with, up to its first function word or adverb of frequency."""
    found: list[int] = []
    for i, word in enumerate(claim.words):
        if (not claim.content[i] and word not in DETERMINERS) or word in FREQUENCIES:
            break
        if claim.content[i]:
            found.append(i)
    return found
