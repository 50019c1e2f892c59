"""Whether a sentence says what a claim says, but of fewer things, or only as a plan."""

from __future__ import annotations

from factreasoner.judges.embedded.pairing import Pairing
from factreasoner.language.lexicon import INTENDING, LIMITING, SHARES

_MOST = 0.7
_NEARLY_ALL = 0.9
_NOUNS = ("er", "ers", "or", "ors", "ion", "ions", "ment", "ments")


def narrowed(pair: Pairing) -> bool:
    """Whether the sentence says it of "not every" one, of "one of the twelve", or as "planned to"."""
    return _not_all(pair) or _one_of(pair) or _intended(pair)


def _not_all(pair: Pairing) -> bool:
    limits = LIMITING & frozenset(pair.claim.words[:2])
    words, negations = pair.passage.words, pair.passage.negations
    return not pair.claim.negations and any(
        words[j] in limits and j - 1 in negations for j in range(pair.part.low + 1, pair.part.high)
    )


def _one_of(pair: Pairing) -> bool:
    """Whether the number that begins the claim is there only that of a whole, of which a share is meant."""
    words, low = pair.passage.words, pair.part.low
    for number in pair.claim.numbers:
        there = [
            other.place
            for other in pair.passage.numbers
            if low <= other.place < pair.part.high and other.value == number.value
        ]
        shares = [
            not SHARES.isdisjoint(words[max(low, j - 3) : j]) and "of" in words[max(low, j - 2) : j]
            for j in there
        ]
        if number.place <= 1 and there and all(shares) and pair.share() >= _NEARLY_ALL:
            return True
    return False


def _intended(pair: Pairing) -> bool:
    """Whether the sentence has what the claim says planned, refused or tried: "planned to build"."""
    claim, words, low = pair.claim, pair.passage.words, pair.part.low
    if not INTENDING.isdisjoint(claim.words) or pair.share() < _MOST:
        return False
    return any(
        words[max(low, j - 1)] == "to" and words[max(low, j - 2)] in INTENDING
        for i in pair.content
        if "to" not in claim.words[max(0, i - 1) : i] and not claim.words[i].endswith(_NOUNS)
        for j in pair.found[claim.stems[i]]
    )
