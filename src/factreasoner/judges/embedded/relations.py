"""Relations turned into their opposites: "before" for "after", "without" for "with"."""

from __future__ import annotations

from factreasoner.judges.embedded.pairing import Pairing
from factreasoner.judges.embedded.text import Text
from factreasoner.text.lexicon import NEGATIONS, OPPOSITES
from factreasoner.text.stems import stem

_RELATIONS = frozenset(
    {"before", "after", "with", "without", "above", "below", "inside", "outside", "few", "many", "most"}
)
_UNTIL, _AFTER, _NOT = "until", "after", NEGATIONS["english"] | {"n't"}
_UP_TO, _FROM_THEN = frozenset({"by", "before"}), frozenset({"after"})
_AT = "at"
_REACH = 3
_NEARLY_ALL = 0.9
_BEING = (
    frozenset({"is", "are", "stay", "stays", "remain", "remains", "keep", "keeps"}),
    frozenset({"was", "were", "stayed", "remained", "kept"}),
)


def turned_relation(claim: Text, passage: Text, low: int, high: int) -> bool:
    """Whether the opposite of a relation of the claim stands before the same word in [low, high)."""
    own = [i for i, word in enumerate(claim.words) if word == _UNTIL]
    ends = {_is_begun(passage, j, low) for j in range(low, high) if passage.words[j] == _UNTIL}
    if own and ends and _is_begun(claim, own[0], 0) not in ends:
        return True
    for i, word in enumerate(claim.words):
        if word not in _RELATIONS or (beside := _after(claim, i, len(claim.words))) is None:
            continue
        there = {
            passage.words[j]
            for j in range(low, high)
            if passage.words[j] in (*_RELATIONS, _UNTIL) and _after(passage, j, high) == beside
        }
        turned = OPPOSITES[word] | ({_UNTIL} if word == _AFTER else frozenset())
        if word not in there and turned & there:
            return True
    return _turned_time(claim, passage, low, high)


def _turned_time(claim: Text, passage: Text, low: int, high: int) -> bool:
    """Whether what is so "by" or "before" a time is there so "after" it, or the reverse: "filed by 11:30".

    A passage that tells what is so on the claim's side of that time, too, or "at" it, turns nothing.
    """
    for i, word in enumerate(claim.words[:-1]):
        if word not in _UP_TO | _FROM_THEN or claim.value_at(i + 1) is None:
            continue
        same, turned = (_UP_TO, _FROM_THEN) if word in _UP_TO else (_FROM_THEN, _UP_TO)
        told = [j for j, later in enumerate(passage.words[1:]) if later == claim.words[i + 1]]
        here = {passage.words[j] for j in told if low <= j < high - 1}
        if here & turned and (same | {_AT}).isdisjoint(passage.words[j] for j in told):
            return True
    return False


def turned_state(pair: Pairing) -> bool:
    """Whether the rest of the claim is said with the opposite of what it says is so: "stays closed"."""
    claim, text, part = pair.claim, pair.passage, pair.part
    if claim.negations or any(part.low <= j < part.high for j in text.negations):
        return False
    for i in pair.content:
        opposites = {stem(word, "english") for word in OPPOSITES.get(claim.words[i], ())}
        if not opposites or pair.found[claim.stems[i]] or pair.share([i]) < _NEARLY_ALL:
            continue
        being = next((one for one in _BEING if claim.words[i - 1] in one), frozenset[str]())
        if i and any(
            text.stems[j] in opposites and text.words[j - 1] in being for j in range(part.low + 1, part.high)
        ):
            return True
    return False


def _is_begun(text: Text, until: int, low: int) -> bool:
    """Whether something begins with what it is "not until", instead of ending with it."""
    return not _NOT.isdisjoint(text.words[low:until])


def _after(text: Text, place: int, high: int) -> str | None:
    """The stem of the content word that follows a relation; None before a number."""
    for i in range(place + 1, min(place + 1 + _REACH, high)):
        if text.value_at(i) is not None:
            return None
        if text.content[i]:
            return text.stems[i]
    return None
