"""Whether a text speaks of another thing of a claim's name: one with another label."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from factreasoner.judges.embedded.labels import Labelled
from factreasoner.judges.embedded.pairing import Pairing
from factreasoner.judges.embedded.text import Text

_LEAST_SHARE, _EVEN = 0.7, 0.5
_OF = "of"


def labelled_otherwise(claim: Text, own: range, passage: Text, there: range) -> bool:
    """Whether a thing of the claim's tokens `own` has another label `there`, where most of them stand."""
    labels, others = _labels(claim, own), _labels(passage, there)
    if not labels or not others:
        return False
    marks = {claim.stems[one.place] for one in labels}
    known = {claim.stems[i] for i in own if claim.content[i]} - marks
    shared = Counter(passage.clauses[j] for j in there if passage.content[j] and passage.stems[j] in known)
    for label in labels:
        same = [one for one in others if one.noun == label.noun]
        most = max((shared[passage.clauses[one.place]] for one in same), default=0)
        nearest = [one for one in same if shared[passage.clauses[one.place]] == most]
        sure = not _has(same, label) or most >= _EVEN * len(known)
        if nearest and sure and not _has(nearest, label):
            return True
    return False


def of_another_label(pair: Pairing) -> bool:
    """Whether the sentence has most of the claim, and the passage says it under another label or name."""
    claim, passage = pair.claim, pair.passage
    own, there = range(len(claim.words)), range(pair.part.low, pair.part.high)
    if pair.share() >= _LEAST_SHARE and (
        _is_built_otherwise(claim, own, passage, there) or _is_built_otherwise(passage, there, claim, own)
    ):
        return True
    return (
        bool(claim.labels)
        and pair.share([one.place for one in claim.labels]) >= _LEAST_SHARE
        and labelled_otherwise(claim, range(len(claim.words)), passage, range(len(passage.words)))
    )


def _is_built_otherwise(one: Text, own: range, other: Text, there: range) -> bool:
    """Whether a name is there longer and turned round: "Texas State University", "University of Texas"."""
    for of in own:
        if one.words[of] != _OF or of + 1 == own.stop or not (one.names[of - 1] and one.names[of + 1]):
            continue
        first, last = one.stems[of + 1], one.stems[of - 1]
        for j in (j for j in there if other.stems[j] == first):
            end = next((k for k in range(j, there.stop) if not other.names[k] or other.stems[k] == last), j)
            ends = other.names[end] and other.stems[end] == last
            if ends and any(other.stems[k] not in one.stems[own.start : own.stop] for k in range(j, end)):
                return True
    return False


def is_labelled_alike(claim: Text, passage: Text, there: range) -> bool:
    """Whether what both name has one label in both, or none."""
    labels, others = claim.labels, _labels(passage, there)
    if labelled_otherwise(claim, range(len(claim.words)), passage, there):
        return False
    named, others_named = frozenset(claim.stems), frozenset(passage.stems[there.start : there.stop])
    return all(one.noun not in others_named for one in labels if not _has(others, one)) and all(
        one.noun not in named for one in others if not _has(labels, one)
    )


def _labels(text: Text, places: range) -> list[Labelled]:
    return [one for one in text.labels if one.place in places]


def _has(labels: Sequence[Labelled], sought: Labelled) -> bool:
    return any(one.noun == sought.noun and one.label == sought.label for one in labels)
