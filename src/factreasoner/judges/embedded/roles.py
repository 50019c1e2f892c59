"""Whether two things of a claim have changed places in a sentence: from A to B, A passed it and B did not.

A word's roles are what its neighbours make of it: what it does, what is done to it, and the preposition it
stands behind. Two words that have each the other's role in the sentence, and neither its own, are exchanged.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations, pairwise

from factreasoner.judges.embedded.pairing import Pairing
from factreasoner.judges.embedded.text import Text
from factreasoner.text.lexicon import BE, DETERMINERS, MUTUAL, PREPOSITIONS

_NEARLY_ALL = 0.9
_AUXILIARY = BE | {"has", "have", "had", "does", "did", "will", "would", "can", "could", "may", "might"}
_OF, _BY = "of", "by"
_JOINING = frozenset({"and", "or"})

Role = tuple[str, str]


def exchanged_roles(pair: Pairing) -> bool:
    """Whether two words of the claim have each other's role in the sentence, and not their own."""
    if pair.share() < _NEARLY_ALL:
        return False
    own = _roles(pair.claim, 0, len(pair.claim.words))
    there = _roles(pair.passage, pair.part.low, pair.part.high)
    known: dict[str, set[Role]] = {
        stem: {role for j in pair.found[stem] for role in there.get(pair.passage.stems[j], ())}
        for stem in own
        if stem in pair.found
    }
    moved = [stem for stem in known if known[stem] and not own[stem] <= known[stem]]
    for one, other in combinations(moved, 2):
        taken = (own[one] & known[other]) - own[other] - known[one]
        given = (own[other] & known[one]) - own[one] - known[other]
        if taken and given:
            return True
    return False


def _roles(text: Text, low: int, high: int) -> dict[str, set[Role]]:
    """What each content word among the tokens [low, high) does or undergoes, and what it stands behind."""
    at: dict[int, set[Role]] = {}
    runs = _runs(text, low, high)
    for first, past in runs:
        at |= {i: _before(text, first, i, low) | _after(text, i, past, high) for i in range(first, past)}
    for one, other in pairwise(runs):
        if text.words[one[1]] in _JOINING and not _parted(text, one[1] + 1, other[0]):
            # of what is joined, each has what the other one has
            both = [*range(*one), *range(*other)]
            shared = set().union(*(at[i] for i in both))
            at |= dict.fromkeys(both, shared)
    found: dict[str, set[Role]] = defaultdict(set)
    for i, roles in at.items():
        found[text.stems[i]] |= roles
    return found


def _parted(text: Text, low: int, high: int) -> bool:
    return any(text.words[i] not in DETERMINERS for i in range(low, high))


def _runs(text: Text, low: int, high: int) -> list[tuple[int, int]]:
    """The runs of content words that no other word, comma or clause interrupts."""
    runs: list[tuple[int, int]] = []
    for i in range(low, high):
        if not text.content[i]:
            continue
        goes_on = (
            runs and runs[-1][1] == i and i not in text.commas and text.clauses[i] == text.clauses[i - 1]
        )
        if goes_on:
            runs[-1] = (runs[-1][0], i + 1)
        else:
            runs.append((i, i + 1))
    return runs


def _before(text: Text, first: int, place: int, low: int) -> set[Role]:
    """What a word is by what stands before it in its run, or before the run."""
    found: set[Role] = {("undergoes", text.stems[i]) for i in range(first, place) if _acts(text, i)}
    if first in text.commas:
        return found
    i = first - 1
    while i >= low and text.words[i] in DETERMINERS:
        i -= 1
    if i < low:
        return found
    word = text.words[i]
    if word == _BY and text.content[i - 1] and i > low and text.value_at(place) is None:
        return found | {("does", text.stems[i - 1])}
    if word == _OF and i > low and text.content[i - 1]:
        return found | {(_OF, text.stems[i - 1])}
    if word in PREPOSITIONS:
        return found | {("behind", word)}
    if i < first - 1 and text.content[i] and _acts(text, i) and text.clauses[i] == text.clauses[first]:
        found.add(("undergoes", text.stems[i]))
    return found


def _after(text: Text, place: int, past: int, high: int) -> set[Role]:
    """What a word is by what follows it in its run, or after an auxiliary or "of" behind the run."""
    found: set[Role] = {("does", text.stems[i]) for i in range(place + 1, past) if _acts(text, i)}
    i = past
    while i < high and i not in text.commas and text.words[i] == _OF:
        i += 1
        while i < high and (text.words[i] in DETERMINERS or text.content[i]) and i not in text.commas:
            i += 1
    turned = False
    while i < high and text.words[i] in _AUXILIARY and i not in text.commas:
        turned = turned or text.words[i] in BE
        i += 1
    if past < i < high and text.content[i] and text.clauses[i] == text.clauses[place] and _acts(text, i):
        passive = turned and not text.words[i].endswith("ing")
        found.add(("undergoes" if passive else "does", text.stems[i]))
    return found


def _acts(text: Text, place: int) -> bool:
    """Whether a word may say what one thing does to another."""
    return not text.names[place] and text.value_at(place) is None and text.stems[place] not in MUTUAL
