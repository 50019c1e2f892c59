"""Whether what a claim's verb takes, its object, place or time, is there taken by another word."""

from __future__ import annotations

from itertools import pairwise

from factreasoner.judges.embedded.pairing import Pairing
from factreasoner.judges.embedded.text import Text
from factreasoner.text.lexicon import DETERMINERS, PREPOSITIONS

_JOINING = frozenset({"and", "but"})
_OF = "of"


def taken_by_another(pair: Pairing) -> bool:
    """Whether an object, place or time of the claim belongs there to another verb or preposition."""
    return _to_another(pair) or _of_another_verb(pair) or _beside_another(pair)


def _to_another(pair: Pairing) -> bool:
    """Whether what the claim's verb is done to is there another verb's: "fined A for cheating B"."""
    claim = pair.claim
    for i, object_ in pairwise(pair.own):
        if not claim.content[i] or not claim.content[object_] or claim.names[i]:
            continue
        verbs, places = pair.found[claim.stems[i]], pair.found[claim.stems[object_]]
        if len(verbs) == 1 and places and all(_is_anothers(pair, verbs[0], j) for j in places):
            return True
    return False


def _is_anothers(pair: Pairing, verb: int, place: int) -> bool:
    """Whether something else stands right behind a verb, and "for" and a word in "-ing" before a place."""
    text, following = pair.passage, [j for j in pair.there if j > verb][:1]
    known = {j for places in pair.found.values() for j in places}
    if not following or not text.content[following[0]] or following[0] in known:
        return False
    return any(
        text.words[j].endswith("ing") and text.words[j - 1] in PREPOSITIONS | {_OF} and j not in known
        for j in range(following[0] + 1, place)
        if text.clauses[j] == text.clauses[place]
    )


def _of_another_verb(pair: Pairing) -> bool:
    """Whether a place or time of the claim is there another verb's: "lived in A and died in B"."""
    claim, text = pair.claim, pair.passage
    for verb, joint, end in zip(pair.own, pair.own[1:], pair.own[2:], strict=False):
        if not claim.content[verb] or claim.names[verb] or claim.words[joint] not in PREPOSITIONS:
            continue
        if not (claim.names[end] or claim.value_at(end) is not None):
            continue
        verbs, places = pair.found[claim.stems[verb]], pair.found[claim.stems[end]]
        if len(verbs) != 1 or text.words[verbs[0] + 1 : verbs[0] + 2] != (claim.words[joint],):
            continue
        if places and all(_is_joined_to_another(pair, verbs[0], j, claim.words[joint]) for j in places):
            return True
    return False


def _beside_another(pair: Pairing) -> bool:
    """Whether a name stands there behind another preposition: "is in A, near B" for "is in B"."""
    claim, text = pair.claim, pair.passage
    for verb, joint, end in zip(pair.own, pair.own[1:], pair.own[2:], strict=False):
        if claim.words[joint] not in PREPOSITIONS or not claim.names[end]:
            continue
        places = pair.found[claim.stems[end]]
        rivals = [
            k
            for j in pair.found[claim.stems[verb]]
            if text.words[j + 1 : j + 2] == (claim.words[joint],)
            for k in _next_content(text, j + 2, pair.part.high)
        ]
        taken = bool(rivals) and all(text.names[k] and text.stems[k] not in claim.stems for k in rivals)
        if taken and places and all(_hangs_on_another(pair, j, claim.words[joint]) for j in places):
            return True
    return False


def _next_content(text: Text, first: int, high: int) -> list[int]:
    return [j for j in range(first, high) if text.content[j]][:1]


def _hangs_on_another(pair: Pairing, place: int, joint: str) -> bool:
    """Whether the preposition nearest before a place is another one; "of" belongs to the noun before it."""
    words = pair.passage.words[pair.part.low : place]
    nearest = next((word for word in reversed(words) if word in PREPOSITIONS), joint)
    return nearest != joint


def _is_joined_to_another(pair: Pairing, verb: int, place: int, joint: str) -> bool:
    """Whether a place stands behind a preposition and a word the claim lacks, an "and" away from a verb."""
    text = pair.passage
    between = range(min(verb, place), max(verb, place))
    joined = [j for j in between if text.words[j] in _JOINING]
    if not joined or text.words[place - 1 - (text.words[place - 1] in DETERMINERS)] != joint:
        return False
    known = {j for places in pair.found.values() for j in places}
    first = joined[-1] + 1 if place > verb else pair.part.low
    return any(text.content[j] and j not in known and not text.names[j] for j in range(first, place - 1))
