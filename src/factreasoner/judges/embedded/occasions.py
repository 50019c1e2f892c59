"""Whether a sentence and a claim can both be true, being of another group or another time."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from factreasoner.judges.embedded.figures import DATES
from factreasoner.judges.embedded.numbers import Number
from factreasoner.judges.embedded.text import Text
from factreasoner.judges.embedded.windows import Window
from factreasoner.text.lexicon import CLASSES_OF, CLAUSE_WORDS, ONCE, OPPOSITES, ORDINALS

_UNIQUE = ORDINALS | {"first", "last", "st", "nd", "rd", "th"}
_REACH = 5
_NOW, _THEN = frozenset({"is", "are"}), frozenset({"was", "were"})


def is_of_another(claim: Text, passage: Text, at: Window, apart: Collection[int] = ()) -> bool:
    """Whether a word of the claim has its opposite or a rival in the sentence: women, July, "Spanish".

    The words at the places `apart` may, and those that the sentence has, too.
    """
    there = frozenset(passage.words[at.low : at.high])
    stems, own = frozenset(passage.stems[at.low : at.high]), frozenset(claim.words)
    for i, word in enumerate(claim.words):
        if i in apart or claim.stems[i] in stems:
            continue
        rivals = OPPOSITES.get(word, frozenset()).union(*CLASSES_OF.get(word, ()))
        if rivals & there - own:
            return True
    return False


def can_recur(claim: Text, claimed: Number, passage: Text, other: Number, others: Sequence[Number]) -> bool:
    """Whether a date may be that of another time: not of a birth, a "first", or with the same day or year.

    `others` are the numbers of the sentence.
    """
    if claimed.kind not in DATES:
        return False
    dates = [one for one in claim.numbers if one.kind in DATES and one.place != claimed.place]
    if any(one.kind == same.kind and one.value == same.value for one in dates for same in others):
        return False
    own, there = _telling(claim, claimed.place), _telling(passage, other.place)
    return not (own & there & _UNIQUE or (own & ONCE and there & ONCE))


def is_of_the_past(claim: Text, passage: Text, at: Window) -> bool:
    """Whether the sentence tells how much it was, and the claim how much it is."""
    there = frozenset(passage.words[at.low : at.high])
    return not _NOW.isdisjoint(claim.words) and _NOW.isdisjoint(there) and not _THEN.isdisjoint(there)


def is_of_a_part(claim: Text, passage: Text, other: Number) -> bool:
    """Whether the sentence's figure is that of a part: 20,000 copies "in its first week"."""
    end = other.place + other.length
    behind = frozenset(passage.words[end : end + _REACH])
    return other.kind not in DATES and bool(behind & _UNIQUE - frozenset(claim.words))


def _telling(text: Text, place: int) -> frozenset[str]:
    """The words that stand with a place, no conjunction between."""
    begins = {part.low for part in text.sentences}
    low, high = place, place + 1
    while low > 0 and low not in begins and text.words[low - 1] not in CLAUSE_WORDS:
        low -= 1
    while high < len(text.words) and high not in begins and text.words[high] not in CLAUSE_WORDS:
        high += 1
    return frozenset(text.words[low:high])
