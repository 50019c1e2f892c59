"""Whether a sentence says what a claim says only as possible, as told, or of the past."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from factreasoner.judges.embedded.pairing import Pairing
from factreasoner.judges.embedded.text import Text
from factreasoner.judges.embedded.windows import Window
from factreasoner.language.lexicon import DOUBTING, POSSIBLE

_CONDITIONS = frozenset({"if", "unless"})
_MOST = 0.7
_NOW, _THEN = frozenset({"is", "are"}), frozenset({"was", "were"})
_MAY, _DURING = "may", frozenset({"by", "during", "in", "of", "since", "until"})
_SUPPOSED = frozenset({"thought", "believed", "alleged", "rumored", "rumoured", "assumed", "likely"})
_EXCEPT, _APART_FROM = (
    frozenset({"except", "excluding"}),
    (("apart", "from"), ("except", "for"), ("other", "than")),
)
_MODAL = frozenset({"may", "might", "could"})


def doubtful(claim: Text, weights: Sequence[float], passage: Text, window: Window) -> bool:
    """Whether the sentences of the window that have most of the claim all have it not as a fact.

    What may be, is claimed, or was can well be so: this is no reason to doubt a claim, only none to call it
    borne out.
    """
    parts = (part for part in passage.sentences if window.low <= part.low < window.high)
    pairs = [pair for part in parts if (pair := Pairing(claim, weights, passage, part)).share() >= _MOST]
    return bool(pairs) and all(
        _possible(pair)
        or _conditional(pair)
        or _told(pair)
        or _of_a_namesake(pair)
        or _of_the_past(pair)
        or _excepted(pair)
        for pair in pairs
    )


def _possible(pair: Pairing) -> bool:
    """Whether "may" or "is thought to" stands before a word of the claim, which has no such word itself."""
    passage, part = pair.passage, pair.part
    claim = pair.claim
    said = [word for before, word in pairwise(("", *claim.words)) if word != _MAY or before not in _DURING]
    if not POSSIBLE.isdisjoint(said):
        return False
    known = {j for i in pair.content for j in pair.found[pair.claim.stems[i]]}
    for j in range(part.low, part.high):
        supposed = passage.words[j] in _SUPPOSED and passage.words[j + 1 : j + 2] == ("to",)
        if supposed or (passage.words[j] in _MODAL and not passage.content[j]):
            following = next((k for k in range(j + 1, part.high) if passage.content[k]), -1)
            if following in known:
                return True
    return False


def _conditional(pair: Pairing) -> bool:
    """Whether the sentence has a condition, and the claim none."""
    words = pair.passage.words[pair.part.low : pair.part.high]
    return not _CONDITIONS.isdisjoint(words) and _CONDITIONS.isdisjoint(pair.claim.words)


def _told(pair: Pairing) -> bool:
    """Whether the claim's own words all stand after one of believing or accusing that the claim lacks."""
    places = [j for i in pair.content if not pair.is_name(i) for j in pair.found[pair.claim.stems[i]]]
    if not places or not DOUBTING.isdisjoint(pair.claim.words):
        return False
    return not DOUBTING.isdisjoint(pair.passage.words[pair.part.low : min(places)])


def _of_a_namesake(pair: Pairing) -> bool:
    """Whether what the claim calls its subject, "a poet", is said of another: "of the poet Karl Lind"."""
    claim, passage, last = pair.claim, pair.passage, pair.content[-1]
    if last == 0 or claim.words[last - 1] not in ("a", "an"):
        return False
    known = frozenset(claim.stems)
    places = pair.found[claim.stems[last]]
    return bool(places) and all(
        j + 1 < pair.part.high
        and passage.names[j + 1]
        and passage.stems[j + 1] not in known
        and "of" in passage.words[max(pair.part.low, j - 3) : j]
        for j in places
    )


def _of_the_past(pair: Pairing) -> bool:
    """Whether the sentence says what the claim says, but of the past, to its end: "until 1989"."""
    claim, words, part = pair.claim, pair.passage.words, pair.part
    said = words[part.low : part.high]
    if _NOW.isdisjoint(claim.words) or not _THEN.isdisjoint(claim.words) or not _NOW.isdisjoint(said):
        return False
    span = any(one == "from" and to == "to" for one, to in zip(said, said[2:], strict=False))
    return not _THEN.isdisjoint(said) and ("until" in said or span)


def _excepted(pair: Pairing) -> bool:
    """Whether a word of the claim is there an exception: "all damage except water damage"."""
    words, low = pair.passage.words, pair.part.low
    if not _EXCEPT.isdisjoint(pair.claim.words):
        return False
    return any(
        not _EXCEPT.isdisjoint(words[max(low, j - 1) : j]) or words[max(low, j - 2) : j] in _APART_FROM
        for i in pair.content
        for j in pair.found[pair.claim.stems[i]]
    )
