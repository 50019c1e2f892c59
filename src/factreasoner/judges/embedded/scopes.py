"""Whether a sentence says what a claim says, but of fewer things, or only as a plan."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from factreasoner.judges.embedded.pairing import Pairing
from factreasoner.text.lexicon import (
    BE,
    DETERMINERS,
    INTENDING,
    LIMITING,
    NEARLY,
    NEGATING_TO,
    NEGATIONS,
    NO_SUPERLATIVES,
    ORDINALS,
    SHARES,
    UNIVERSAL,
    UNTRUE,
)

NEGATING = NEGATING_TO | NEGATIONS["english"]
"""Words after which, with "to", a thing is not done."""
_MOST = 0.7
_NEARLY_ALL = 0.9
_NOUNS = ("er", "ers", "or", "ors", "ion", "ions", "ment", "ments")
_UNIQUE = frozenset({"only", "sole", "first", "last"})
_SHORTEST_SUPERLATIVE = 6
_RESTRICTING = frozenset({"who", "that", "to", "whose", "since", "outside", "without", "not", "after"})
_PROOF = frozenset({"evidence", "proof"})
_LACKING = frozenset({"no", "little", "without", "insufficient", "lack"})
_STOPPED = frozenset({"stopped", "quit", "ceased"})
_NOT_ALL = frozenset({"only", "some", "most", "many", "few", "several", "certain"})
_WHOLE = frozenset({"whole", "entire", "entirely", "fully", "completely", "wholly", "altogether"})
_PARTS = frozenset(
    {"half", "part", "parts", "partly", "partially", "largely", "mostly", "mainly", "nearly"}
) | {
    "third",
    "thirds",
    "quarter",
    "quarters",
    "percent",
    "majority",
    "almost",
}
_RANKS = {"few": 1, "some": 1, "several": 1, "certain": 1, "many": 2, "most": 3}
"""Words for how many of a thing, the fewer the lower; those of `UNIVERSAL` are above."""
_NOW, _THEN = frozenset({"is", "are"}), frozenset({"was", "were"})
_ENDED = frozenset({"until", "once", "formerly", "previously", "originally"})
_HARDLY = frozenset({"hardly", "barely", "scarcely"})
_REACH = 3
_OUT_OF = frozenset({"out", "of", "in"})
_REPORTS = frozenset(
    {"accusation", "allegation", "allegations", "belief", "claim", "claims", "report", "reports"}
    | {"rumor", "rumors", "rumour", "rumours", "story", "suggestion", "suspect", "theory"}
)
_REFUTED = UNTRUE | {"denied", "dismissed", "refuted", "rejected"}


def narrowed(pair: Pairing) -> bool:
    """Whether the sentence says it of fewer things than the claim, or as planned, or as over."""
    return (
        _not_all(pair)
        or _one_of(pair)
        or _intended(pair)
        or _of_some(pair)
        or _of_fewer(pair)
        or _of_a_part(pair)
        or _one_of_several(pair)
        or _first_of_a_kind(pair)
        or _over(pair)
        or _of_the_past(pair)
        or _hardly(pair)
        or _untrue(pair)
    )


def _of_some(pair: Pairing) -> bool:
    """Whether a claim on "all" or "anyone" is said of "some", "most" or "only" those."""
    words = frozenset(pair.passage.words[pair.part.low : pair.part.high])
    if UNIVERSAL.isdisjoint(pair.claim.words[:1]) or pair.claim.negations:
        return False
    if not UNIVERSAL.isdisjoint(words):
        part, there = pair.part, pair.passage.words
        whole = [j for j in range(part.low, part.high) if there[j] in UNIVERSAL]
        return all(there[j - 1] in NEARLY for j in whole if j > part.low) and whole[0] > part.low
    return not _NOT_ALL.isdisjoint(words - frozenset(pair.claim.words))


def _of_fewer(pair: Pairing) -> bool:
    """Whether what the claim says of "most" or "many" is said of "some" or "many"."""
    own = _RANKS.get(pair.claim.words[0], 0)
    words = pair.passage.words[pair.part.low : pair.part.high]
    there = [_RANKS[word] for word in words if word in _RANKS]
    return bool(there) and max(there) < own and UNIVERSAL.isdisjoint(words) and pair.share() >= _MOST


def _of_a_part(pair: Pairing) -> bool:
    """Whether what the claim says of the whole is said of "most" or "half" of it, or "partly"."""
    words = frozenset(pair.passage.words[pair.part.low : pair.part.high])
    whole = _WHOLE & frozenset(pair.claim.words)
    places = [i for i in pair.content if pair.claim.words[i] in whole]
    parts = (_NOT_ALL - {"only", "certain"} | _PARTS) - frozenset(pair.claim.words)
    return (
        bool(whole)
        and not pair.claim.negations
        and not _WHOLE & words
        and bool(parts & words)
        and pair.share(places) >= _MOST
    )


def _hardly(pair: Pairing) -> bool:
    """Whether "hardly" stands before a word of the claim, which has it not."""
    words = pair.passage.words
    if pair.share() < _MOST or not _HARDLY.isdisjoint(pair.claim.words) or pair.claim.negations:
        return False
    places = pair.places(pair.content)
    return any(not _HARDLY.isdisjoint(words[max(pair.part.low, j - _REACH) : j]) for j in places)


def _one_of_several(pair: Pairing) -> bool:
    """Whether what the claim calls the only, the first or the largest is "one of" these, or the third."""
    claim, words, part = pair.claim, pair.passage.words, pair.part
    unique = [i for i, word in enumerate(claim.words) if word in _UNIQUE or is_superlative(word)]
    if not unique or pair.share(unique) < _MOST or not {"one", "among"}.isdisjoint(claim.words):
        return False
    for j in range(part.low, part.high):
        if words[j] == "among" or words[j : j + 3] == ("one", "of", "the"):
            return True
        if is_superlative(words[j]) and words[max(part.low, j - 1)] in ORDINALS - set(claim.words):
            return True
    return False


def is_superlative(word: str) -> bool:
    """Whether a word says that nothing has more of something: "most", "largest"."""
    ends = len(word) >= _SHORTEST_SUPERLATIVE and word.endswith("est")
    return word == "most" or (ends and word not in NO_SUPERLATIVES)


def _first_of_a_kind(pair: Pairing) -> bool:
    """Whether "the first mayor" of the claim is there only the first of fewer: "who was born there"."""
    claim, passage, part = pair.claim, pair.passage, pair.part
    own = {word for word in claim.words if word in _UNIQUE or is_superlative(word)}
    shared = own & frozenset(passage.words[part.low : part.high])
    if not shared or pair.share() < _NEARLY_ALL:
        return False
    if any(_narrower(pair, claim.words.index(word)) for word in shared):
        return True
    end = max(j for i in pair.content for j in pair.found[claim.stems[i]]) + 1
    goes_on = end < part.high and passage.words[end] in _RESTRICTING and end not in passage.commas
    return goes_on and any(word in shared for word in passage.words[part.low : end])


def _untrue(pair: Pairing) -> bool:
    """Whether the sentence says that there is "no evidence" of what the claim says, or that it is "false"."""
    words, part = pair.passage.words, pair.part
    places = [j for i in pair.content for j in pair.found[pair.claim.stems[i]]]
    if pair.share() < _NEARLY_ALL or pair.claim.negations or not UNTRUE.isdisjoint(pair.claim.words):
        return False
    unproven = any(
        words[j] in _PROOF and not _LACKING.isdisjoint(words[max(part.low, j - 3) : j])
        for j in range(part.low, min(places))
    )
    if unproven or not UNTRUE.isdisjoint(words[part.low : part.high]):
        return True
    return is_reported(pair) and not _REFUTED.isdisjoint(words[max(places) : part.high])


def is_reported(pair: Pairing) -> bool:
    """Whether the sentence has the claim as what a rumour or report says: "reports that"."""
    words, part = pair.passage.words, pair.part
    places = pair.places([i for i in pair.content if not pair.is_name(i)])
    if not places or not _REPORTS.isdisjoint(pair.claim.words):
        return False
    return any(words[j] == "that" and words[j - 1] in _REPORTS for j in range(part.low + 1, min(places)))


def _narrower(pair: Pairing, place: int) -> bool:
    """Whether more words describe the thing there: the oldest "surviving wooden" church."""
    claim, passage = pair.claim, pair.passage
    if place + 1 >= len(claim.words) or not claim.content[place + 1]:
        return False
    known = {j for places in pair.found.values() for j in places}
    for j in range(pair.part.low, pair.part.high - 2):
        if passage.words[j] == claim.words[place]:
            following = range(j + 1, min(j + 5, pair.part.high))
            added = list(takewhile(lambda k: passage.content[k] and k not in known, following))
            if added and added[-1] + 1 in pair.found[claim.stems[place + 1]]:
                return True
    return False


def _over(pair: Pairing) -> bool:
    """Whether the sentence says of the past, as over, what the claim says of today."""
    claim, words, part = pair.claim, pair.passage.words, pair.part
    if pair.share() < _MOST:
        return False
    for i in pair.content:
        for j in pair.found[claim.stems[i]]:
            before = words[max(part.low, j - 3) : j]
            used = before[-2:] == ("used", "to") and BE.isdisjoint(before[:1]) and "used" not in claim.words
            ended = words[j].endswith("ed") and "until" in words[j : part.high] and "until" not in claim.words
            stopped = before[-1:] and before[-1] in _STOPPED and before[-1] not in claim.words
            if used or stopped or (ended and claim.words[i].endswith("s")):
                return True
    return False


def _of_the_past(pair: Pairing) -> bool:
    """Whether the sentence says as past, and over, what the claim says of today: "was ... until 1989"."""
    own, words = pair.claim.words, pair.passage.words[pair.part.low : pair.part.high]
    if _NOW.isdisjoint(own) or not _THEN.isdisjoint(own) or not _NOW.isdisjoint(words):
        return False
    span = any(one == "from" and to == "to" for one, to in zip(words, words[2:], strict=False))
    ended = span or not (_ENDED - frozenset(own)).isdisjoint(words)
    if not ended or pair.share() < _NEARLY_ALL:
        return False
    past = [j for j, word in enumerate(words, pair.part.low) if word in _THEN]
    return bool(past) and any(j < past[0] for j in pair.places(pair.content[:1]))


def _not_all(pair: Pairing) -> bool:
    limits = LIMITING & frozenset(pair.claim.words[:2])
    words, negations = pair.passage.words, pair.passage.negations
    return not pair.claim.negations and any(
        words[j] in limits and j - 1 in negations for j in range(pair.part.low + 1, pair.part.high)
    )


def _one_of(pair: Pairing) -> bool:
    """Whether the number that begins the claim is there only that of a whole, of which a share is meant."""
    low = pair.part.low
    for number in pair.claim.numbers:
        there = [
            other.place
            for other in pair.passage.numbers
            if low <= other.place < pair.part.high and other.value == number.value
        ]
        shares = [_is_whole(pair, j) for j in there]
        if number.place <= 1 and there and all(shares) and pair.share() >= _NEARLY_ALL:
            return True
    return False


def _is_whole(pair: Pairing, place: int) -> bool:
    """Whether the number there is that of a whole: "seven of the twelve", "one in four"."""
    text, low = pair.passage, pair.part.low
    before = range(max(low, place - 3), place)
    joint = next((j for j in before if text.words[j] in _OUT_OF), low)
    share = joint > low and (text.words[joint - 1] in SHARES or text.value_at(joint - 1) is not None)
    return share and all(text.words[j] in DETERMINERS | _OUT_OF for j in range(joint, place))


def _intended(pair: Pairing) -> bool:
    """Whether the sentence has what the claim says planned, refused or tried alone: "planned to build"."""
    claim, words, low = pair.claim, pair.passage.words, pair.part.low
    if not INTENDING.isdisjoint(claim.words) or pair.share() < _MOST:
        return False
    negated = bool(claim.negations)
    places = [
        pair.found[claim.stems[i]]
        for i in pair.content
        if "to" not in claim.words[max(0, i - 1) : i] and not claim.words[i].endswith(_NOUNS)
    ]
    return any(there and all(is_intended(words[low:j], negated=negated) for j in there) for there in places)


def is_intended(before: Sequence[str], *, negated: bool = False) -> bool:
    """Whether the words before a verb make a plan of it: "planned to", "expected to be".

    Where the verb is `negated`, what somebody "failed to" do is no plan.
    """
    if before[-1:] and before[-1] in ("be", "have"):
        before = before[:-1]
    intending = INTENDING - NEGATING if negated else INTENDING
    return before[-1:] == ("to",) and not intending.isdisjoint(before[-2:-1])
