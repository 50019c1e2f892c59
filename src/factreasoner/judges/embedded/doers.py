"""Whether a sentence names another doer than a claim: "raised by" another, or both ends exchanged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile

from factreasoner.judges.embedded.pairing import Pairing
from factreasoner.judges.embedded.text import Text
from factreasoner.text.lexicon import BE, DETERMINERS, MUTUAL, PRONOUNS
from factreasoner.text.stems import alike

_NEARLY_ALL = 0.9
_MOST = 0.7
_LONGEST = 6
_OWNED = "s"
_BY = "by"
_LISTING = frozenset({"and", "or"})
_WITHIN = DETERMINERS | {"of"}
_KNOWN = DETERMINERS - {"a", "an"}
_APART_FROM = (("rather", "than"), ("instead", "of"), ("other", "than"))


def done_otherwise(pair: Pairing) -> bool:
    """Whether the sentence says what the claim says with doer and object exchanged, or of another doer."""
    return (
        (pair.share() >= _NEARLY_ALL and _turned_round(pair)) or _by_another(pair) or _by_another_kind(pair)
    )


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
    doers = _names_from(pair, by + 1)
    return bool(doers) and {claim.stems[i] for i in subject}.isdisjoint(passage.stems[j] for j in doers)


def _names_from(pair: Pairing, first: int) -> list[int]:
    """The names from a place on, joined by function words but no pronoun or verb; not an owner's: "Ann's"."""
    text, found, owned = pair.passage, list[int](), False
    for j in range(first, pair.part.high):
        if text.names[j]:
            found.append(j)
        elif text.words[j] == _OWNED:
            found, owned = [], True
        elif found and text.content[j] and _leads_to_name(text, j, pair.part.high):
            found = []  # "by the Catalan architect Bernat Soler"
        elif (text.content[j] and (found or not owned)) or text.words[j] in PRONOUNS:
            break
    return found


def _leads_to_name(text: Text, place: int, high: int) -> bool:
    return place + 1 < high and text.names[place + 1] and place + 1 not in text.commas


def _by_another_kind(pair: Pairing) -> bool:
    """Whether one of the two has a verb done "by" one that is not the other's doer: "by the Danish envoy".

    Who a passage has only elsewhere did not do it, unless "the envoy" may mean somebody spoken of before.
    """
    claim, passage = pair.claim, pair.passage
    for i in pair.content:
        places = pair.found[claim.stems[i]]
        if len(places) != 1 or claim.names[i]:
            continue
        own = doer(claim, i, 0, len(claim.words))
        there = doer(passage, places[0], pair.part.low, pair.part.high)
        if (
            own
            and there
            and (_agent(claim, i, len(claim.words)) or _agent(passage, places[0], pair.part.high))
        ):
            return _are_others(pair, own, there)
    return False


def doer(text: Text, verb: int, low: int, high: int) -> list[int]:
    """The words for who does what a verb says: behind "by" after a form of "be", else right before it."""
    agent = _agent(text, verb, high)
    if agent or not BE.isdisjoint(text.words[max(low, verb - 2) : verb]):
        return agent
    first = verb
    while first > low and text.clauses[first - 1] == text.clauses[verb]:
        first -= 1
    before, behind = range(first, verb), text.words[verb + 1 : verb + 2]
    if not all(_continues(text, j) for j in before) or not (BE | {"of"}).isdisjoint(behind):
        return []  # "inheritance is": no verb
    return [j for j in before if text.content[j]]


def _agent(text: Text, verb: int, high: int) -> list[int]:
    """The words behind a "by" that names who does what a verb after a form of "be" says."""
    if BE.isdisjoint(text.words[max(verb - 2, 0) : verb]):
        return []
    clause = list(takewhile(lambda j: text.clauses[j] == text.clauses[verb], range(verb + 1, high)))
    by = next((j for j in clause if text.words[j] == _BY), None)
    if by is None:
        return []
    behind = takewhile(
        lambda j: _continues(text, j) or text.words[j] in _LISTING, range(by + 1, clause[-1] + 1)
    )
    return [j for j in behind if text.content[j]]


def _continues(text: Text, place: int) -> bool:
    return text.words[place] in _WITHIN or (text.content[place] and text.value_at(place) is None)


def _are_others(pair: Pairing, own: Sequence[int], there: Sequence[int]) -> bool:
    """Whether two doers are of other kinds, and the passage has the claim's one only behind the other."""
    claim, passage = pair.claim, pair.passage
    mine, others = [claim.stems[i] for i in own], [passage.stems[j] for j in there]
    lacking = [stem for stem in mine if not any(alike(stem, other) for other in others)]
    added = [stem for stem in others if not any(alike(stem, other) for other in mine)]
    if not lacking or not added or (claim.names[own[-1]] and passage.names[there[-1]]):
        return False
    elsewhere = [j for j, stem in enumerate(passage.stems) if stem in lacking]
    if {passage.stems[j] for j in elsewhere} != set(lacking):
        return False
    known = passage.words[there[0] - 1] in _KNOWN and min(elsewhere) < there[0]
    return not known and (claim.names[own[-1]] == passage.names[there[-1]] or len(lacking) < len(mine))


def set_apart(pair: Pairing, run: Sequence[int]) -> bool:
    """Whether the sentence names words of the claim as what it does not speak of: "unlike lions"."""
    words = pair.passage.words
    return any(
        words[j - 1] == "unlike" or words[max(j - 2, 0) : j] in _APART_FROM for j in pair.places(run[:1])
    )
