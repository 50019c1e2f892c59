"""Whether a passage says a claim's words of each other: the same doer, the same object, in one clause.

A passage can have every word of a claim and say another thing: "Steve Jobs founded Apple; Tim Cook led it"
has all of "Tim Cook founded Apple". Each clause of the claim must therefore have a clause of the passage to
stand on, in which no other word stands where the claim's stands, and in which doer and object are not
exchanged. What that clause lacks, and the passage has, must be carried on to it: from before it in its
sentence, or from earlier ones by a pronoun.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from factreasoner.judges.embedded.clauses import Clause, clauses, displaced, following, runs
from factreasoner.judges.embedded.namesakes import labelled_otherwise
from factreasoner.judges.embedded.numbers import Number
from factreasoner.judges.embedded.scopes import NEGATING, is_intended
from factreasoner.judges.embedded.text import Text
from factreasoner.judges.embedded.windows import Window
from factreasoner.text.lexicon import DETERMINERS, INTENDING, LIMITING, MODIFIERS, PRONOUNS

_BE = frozenset(["is", "are", "was", "were", "be", "been", "being"])
_MUTUAL = frozenset({"marry", "met", "meet", "between"})
_ONCE, _FOR = "once", "for"
_JOINING = frozenset({"and", "but"})
_LEAST_SHARE = 0.25


def bound(claim: Text, weights: Sequence[float], passage: Text, window: Window) -> bool:
    """Whether every clause of `claim` has one in the window of `passage` that it can stand on.

    Every number of the claim must be in the window.
    """
    there = _quantities(passage, window.low, window.high)
    labels = {passage.label_at(j) for j in range(window.low, window.high)} - {None}
    for number in _quantities(claim, 0, len(claim.words)):
        if not number.is_said(there) and claim.label_at(number.place) not in labels:
            return False
    grounds = list(clauses(passage, window.low, window.high))
    known = frozenset(claim.stems)
    whole = Clause(claim, 0, len(claim.words))
    unknown = [i for i in whole.content if claim.names[i] and claim.stems[i] not in passage.stems]
    if any(displaced(whole, run, ground, known) for run in runs(unknown) for ground in grounds):
        return False
    return all(
        any(_stands(part, weights, ground, known) for ground in grounds)
        for part in clauses(claim, 0, len(claim.words))
        if part.content
    )


def _stands(part: Clause, weights: Sequence[float], ground: Clause, known: frozenset[str]) -> bool:
    there = frozenset(ground.stems)
    counted = _counted(part.text, ground)
    missing = [i for i in part.content if part.text.stems[i] not in there and i not in counted]
    if not all(_is_of_the_sentence(part.text, i, ground) for i in missing):
        return False
    subjects = {i for i in part.content if part.text.names[i]} | {_first(part)}
    plain = [i for i in part.content if i not in subjects and part.text.value_at(i) is None]
    said = plain or part.content
    if sum(weights[i] for i in missing if i in said) >= (1 - _LEAST_SHARE) * sum(weights[i] for i in said):
        return False
    limits = LIMITING & {part.text.words[i] for i in part.places if part.text.label_at(i) is None}
    return (
        limits <= frozenset(ground.text.words[ground.low : ground.high])
        and all(_carried(part.text, i, ground, known) for i in missing if i in subjects)
        and not any(displaced(part, run, ground, known) for run in runs(missing))
        and not any(_scattered(part, i, ground) for i in plain)
        and not any(_sought(part, i, ground) for i in part.content)
        and not _changed(part, ground)
        and not labelled_otherwise(part.text, part.places, ground.text, ground.places)
        and not _exchanged(part, ground)
    )


def _is_of_the_sentence(claim: Text, place: int, ground: Clause) -> bool:
    """Whether a word of the claim is no year, or the ground's sentence has the year."""
    year, text = claim.number_at(place), ground.text
    if year is None or year.kind != "calendar year":
        return True
    # the marker of a list item stands in no sentence
    within = (one for one in text.sentences if one.low <= ground.low < one.high)
    return any(year.is_said(_quantities(text, one.low, one.high)) for one in within)


def _first(part: Clause) -> int:
    """The first content word of a text, where the clause begins it: a name that no capital tells."""
    return part.content[0] if part.low == 0 else -1


def _counted(claim: Text, ground: Clause) -> set[int]:
    """The places of the claim's numbers, with their units, that the ground says."""
    there = _quantities(ground.text, ground.low, ground.high)
    said = [number for number in claim.numbers if any(number.follows_from(other) for other in there)]
    otherwise = {n for n in said if any(n.follows_otherwise(other) for other in there)}
    return {i for n in said for i in range(n.place, n.place + (n.length if n in otherwise else n.size))}


def _scattered(part: Clause, place: int, ground: Clause) -> bool:
    """Whether a word and the one right behind it in the claim belong to two verbs of one doer.

    "Nominated for five awards, and won for best score" has no "won five awards".
    """
    text = ground.text
    following = (i for i in part.content if i > place and part.text.value_at(i) is None)
    beside = next(following, None)
    passed = (i for i in range(place + 1, beside or 0) if part.text.value_at(i) is None)
    if beside is None or any(part.text.words[i] not in DETERMINERS for i in passed):
        return False
    first, second = part.text.stems[place], part.text.stems[beside]
    sentence = next(one for one in text.sentences if one.low <= ground.low < one.high)
    there = Clause(text, sentence.low, sentence.high).content
    said = [text.stems[j] for j in there if text.value_at(j) is None]
    if (first, second) in pairwise(said):
        return False
    for clause in clauses(text, sentence.low, sentence.high):
        # "and won": its doer, and maybe what it is done to, stand before it
        joined = text.words[clause.low] in _JOINING and clause.content[:1]
        if joined and text.stems[joined[0]] == first and joined[0] <= clause.low + 1:
            taken = second in clause.stems or not PRONOUNS.isdisjoint(text.words[clause.low : clause.high])
            return not taken and second in text.stems[sentence.low : clause.low]
    return False


def _sought(part: Clause, place: int, ground: Clause) -> bool:
    """Whether what somebody is, in the claim, is there what somebody stands for: "ran for mayor"."""
    before = following(part, place, -1)
    if before is None or part.text.words[before] not in _BE:
        return False
    places = [j for j in ground.content if ground.text.stems[j] == part.text.stems[place]]
    return bool(places) and all(
        (prior := following(ground, j, -1)) is not None and ground.text.words[prior] == _FOR for j in places
    )


def _quantities(text: Text, low: int, high: int) -> list[Number]:
    found = [number for number in text.numbers if low <= number.place < high]
    return found + [Number(i, 1.0, "") for i in range(low, high) if text.words[i] == _ONCE]


def _carried(claim: Text, place: int, ground: Clause, known: frozenset[str]) -> bool:
    """Whether a subject that the ground lacks may be the ground's: no other name is there, or lies between.

    A subject that is nowhere in the passage may be meant by its title or topic.
    """
    text, stem = ground.text, claim.stems[place]
    if stem not in text.stems:
        return True
    said = (i for i in ground.content if text.stems[i] in known)
    if _named(text, ground.low, next(said, ground.high), known):
        return False
    opening = max(i for i in (0, *text.openings) if i <= ground.low)
    earlier = [i for i in range(ground.low) if text.stems[i] == stem]
    referring = not PRONOUNS.isdisjoint(text.words[ground.low : ground.high])
    if earlier and (referring or earlier[-1] < opening):
        return not _named(text, earlier[-1] + 1, ground.low, known)
    return True


def _named(text: Text, low: int, high: int, known: frozenset[str]) -> bool:
    """Whether a name that the claim lacks is among the tokens [low, high)."""
    return any(text.names[i] and text.stems[i] not in known for i in range(low, high))


def _changed(part: Clause, ground: Clause) -> bool:
    """Whether a word that the claim lacks changes what a shared one says: "second" before "highest"."""
    shared = {part.text.stems[i] for i in part.content}
    settled, negated = INTENDING.isdisjoint(part.text.words), bool(part.text.negations)
    changing = MODIFIERS - frozenset(part.text.words) - (NEGATING if negated else frozenset())
    labels = {one.place for one in ground.text.labels if one[1:] in {own[1:] for own in part.text.labels}}
    return any(
        ground.text.stems[i] in shared
        and (
            any(ground.text.words[j] in changing for j in range(max(ground.low, i - 2), i) if j not in labels)
            or (settled and is_intended(ground.text.words[ground.low : i], negated=negated))
        )
        for i in ground.content
    )


def _exchanged(part: Clause, ground: Clause) -> bool:
    """Whether doer and object have changed places around a shared word."""
    labels = {part.text.stems[one.place] for one in part.text.labels}
    shared = {part.text.stems[i] for i in part.content} & frozenset(ground.stems) - labels
    for i in part.content:
        pivot = part.text.stems[i]
        places = [j for j in ground.content if ground.text.stems[j] == pivot]
        if len(places) != 1 or pivot in _MUTUAL or part.text.names[i]:
            continue
        left, right = _roles(part, i, shared)
        there = [ground.text.stems[j] for j in ground.content]
        at = there.index(pivot)
        far_left, far_right = frozenset(there[:at]), frozenset(there[at + 1 :])
        crossed = bool((left & far_right) - far_left) and bool((right & far_left) - far_right)
        straight = bool((left & far_left) - far_right) and bool((right & far_right) - far_left)
        if straight if _voices_differ(part, i, ground, places[0]) else crossed:
            return True
    return False


def _roles(part: Clause, pivot: int, shared: set[str]) -> tuple[set[str], set[str]]:
    """Shared names before and after a place of the claim, and its neighbours among the shared words."""
    text = part.text
    left = [i for i in part.content if i < pivot and text.stems[i] in shared]
    right = [i for i in part.content if i > pivot and text.stems[i] in shared]
    named = {i for i in (*left, *right) if text.names[i]}
    return (
        {text.stems[i] for i in left if i in named or i == left[-1]},
        {text.stems[i] for i in right if i in named or i == right[0]},
    )


def _voices_differ(part: Clause, own: int, ground: Clause, there: int) -> bool:
    """Whether one of two verbs has its doer before it and the other one behind it."""
    if _passive(part, own) == _passive(ground, there):
        return False
    return not (_after_be(part, own) and _after_be(ground, there))


def _after_be(clause: Clause, verb: int) -> bool:
    return not _BE.isdisjoint(clause.text.words[max(clause.low, verb - 2) : verb])


def _passive(clause: Clause, verb: int) -> bool:
    return _after_be(clause, verb) and "by" in clause.text.words[verb + 1 : clause.high]
