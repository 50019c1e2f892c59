"""Whether a sentence names another doer than a claim: "raised by" another, or both ends exchanged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile

from factreasoner.judges.embedded.pairing import Pairing
from factreasoner.language.lexicon import BE, MUTUAL, PRONOUNS

_NEARLY_ALL = 0.9
_MOST = 0.7
_LONGEST = 6
_APART_FROM = (("rather", "than"), ("instead", "of"), ("other", "than"))


def done_otherwise(pair: Pairing) -> bool:
    """Whether the sentence says what the claim says with doer and object exchanged, or of another doer."""
    return (pair.share() >= _NEARLY_ALL and _turned_round(pair)) or _by_another(pair)


def _turned_round(pair: Pairing) -> bool:
    """Whether the same words stand between the same two things, which have changed places."""
    own = [pair.claim.stems[i] for i in pair.own]
    there = [pair.passage.stems[j] for j in pair.there]
    for low, high, at in _shared_runs(own, there):
        after = at + high - low
        before = any(own[low - size : low] == there[after : after + size] for size in _sizes(low))
        behind = any(own[high : high + size] == there[at - size : at] for size in _sizes(at))
        if before and behind and own[low - 1] != own[high] and _is_directed(pair, low, high):
            return True
    return False


def _shared_runs(own: Sequence[str], there: Sequence[str]) -> Iterator[tuple[int, int, int]]:
    """The longest runs that both have: [low, high) of the first, and where each begins in the second."""
    for low in range(1, len(own) - 1):
        for at in range(1, len(there) - 1):
            if own[low] != there[at] or own[low - 1] == there[at - 1]:
                continue
            pairs = zip(own[low:], there[at:], strict=False)
            size = next((n for n, (one, other) in enumerate(pairs) if one != other), 0)
            if size:
                yield low, low + size, at


def _sizes(most: int) -> range:
    return range(1, min(most, _LONGEST) + 1)


def _is_directed(pair: Pairing, low: int, high: int) -> bool:
    """Whether the words between two things say of the first what they don't say of the second."""
    claim, middle = pair.claim, pair.own[low:high]
    said = [i for i in middle if claim.content[i] and not claim.names[i]]
    ends = [pair.own[low - 1], pair.own[high]]
    if not said or not all(claim.content[i] for i in ends) or any(claim.stems[i] in MUTUAL for i in said):
        return False
    first, last = claim.words[middle[0]], claim.words[middle[-1]]
    return last not in ("with", "and", "or") and not (first in BE and last in ("to", "from"))


def _by_another(pair: Pairing) -> bool:
    """Whether the claim's verb is there done "by" somebody else than the claim's subject."""
    claim, passage = pair.claim, pair.passage
    subject = list(takewhile(lambda i: claim.content[i] and pair.is_name(i), pair.own))
    verb = next(iter(pair.own[len(subject) :]), None)
    if not subject or verb is None or not claim.content[verb] or "by" in claim.words:
        return False
    places = pair.found[claim.stems[verb]]
    if len(places) != 1 or pair.share(subject) < _MOST:
        return False
    clause = passage.clauses[places[0]]
    after = [j for j in range(places[0] + 1, pair.part.high) if passage.clauses[j] == clause]
    by = next((j for j in after if passage.words[j] == "by"), None)
    if by is None or (by != after[0] and BE.isdisjoint(passage.words[max(places[0] - 2, 0) : places[0]])):
        return False
    doers = list(_names_from(pair, by + 1))
    return bool(doers) and {claim.stems[i] for i in subject}.isdisjoint(passage.stems[j] for j in doers)


def _names_from(pair: Pairing, first: int) -> Iterator[int]:
    """The names from a place on, joined by function words but no pronoun or verb."""
    for j in range(first, pair.part.high):
        if pair.passage.names[j]:
            yield j
        elif pair.passage.content[j] or pair.passage.words[j] in PRONOUNS:
            return


def set_apart(pair: Pairing, run: Sequence[int]) -> bool:
    """Whether the sentence names words of the claim as what it does not speak of: "unlike lions"."""
    words = pair.passage.words
    return any(
        words[j - 1] == "unlike" or words[max(j - 2, 0) : j] in _APART_FROM for j in pair.places(run[:1])
    )
