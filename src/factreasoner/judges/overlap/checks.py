"""What keeps a claim from being entailed though its words are there, and what makes a sentence contradict it.

All checks read English. A text in another language entails only what its sentences are word for word.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from itertools import pairwise

from factreasoner.judges.overlap.numbers import MEASURES, YEAR, Number
from factreasoner.judges.overlap.words import Span, Text
from factreasoner.text.language import words

_NEGATIONS = words(
    "no not never none nobody nothing nowhere neither nor cannot without lack lacks lacked fail fails",
    "failed refuse refuses refused unable unwilling deny denies denied",
)
_DOUBTS = _NEGATIONS | words(
    "believed thought claimed claims claim alleged reported supposed rumour rumoured myth false argue",
    "argues argued accused whether if unless",
)
"""Words before a statement that take it back, or do not vouch for it."""
_QUALIFIERS = _DOUBTS | words(
    "all every each both any some many most few fewer less more only alone mainly mostly nearly almost",
    "hardly rarely seldom sometimes often usually always may might could would can should possibly perhaps",
    "probably likely said tried try attempted planned expected proposed until since before after except",
    "apart unlike instead than rather former either north south east west northern southern eastern western",
    "larger smaller higher lower older younger longer shorter better worse earlier later half once twice",
    "second third fourth plans hopes promised agreed stopped around over about",
)
"""Words that change a statement."""
_REACH = 2
_LEAST_REST, _LEAST_NEGATED = 0.75, 0.85
_IN_ORDER = 0.6
_NEAR = 4
_PREFIX = 4


def said_by(claim: Text, text: Text) -> Span | None:
    """The sentences of a text that begin with the words of the claim, and end with them."""
    for part in text.sentences:
        high = part.low + len(claim.words)
        if claim.words and text.words[part.low : high] == claim.words:
            last = next(other for other in text.sentences if other.high >= high)
            if last.high == high:
                return Span(part.low, last.high, part.start, last.end)
    return None


def qualified_alike(claim: Text, text: Text, window: Span) -> bool:
    """Whether the sentence nearest to the claim has its negations, hedges and quantifiers, and no others.

    Others may stand more than two words before or behind the claim's, but no denial or doubt before them.
    """
    wanted = claim.content_stems
    parts = [part for part in text.sentences if window.low <= part.low < window.high]
    part = max(
        parts, key=lambda part: len(wanted.intersection(text.stems[part.low : part.high])), default=window
    )
    places = [i for i in range(part.low, part.high) if text.stems[i] in wanted] or [part.low]
    first, last = max(part.low, places[0] - _REACH), min(part.high, places[-1] + 1 + _REACH)
    own = _QUALIFIERS.intersection(claim.words)
    before, near = text.words[part.low : first], text.words[first:last]
    others = _QUALIFIERS.intersection(near) | _DOUBTS.intersection(before)
    return own.issubset(text.words[part.low : part.high]) and own.issuperset(others)


def has_words(claim: Text, text: Text, window: Span) -> bool:
    """Whether the claim has at least two content words, and the window has them all.

    A figure must be there as often as in the claim, since "1-1" is not said by "1-0"; a year need not be.
    """
    wanted, there = claim.content_stems, text.stems[window.low : window.high]
    years = {number.place for number in claim.numbers if number.kind == YEAR}
    figures = Counter(word for i, word in enumerate(claim.words) if word[0].isdecimal() and i not in years)
    said = len(wanted) > 1 and wanted.issubset(there)
    return said and figures <= Counter(text.words[window.low : window.high])


def in_order(claim: Text, text: Text, window: Span) -> bool:
    """Whether most neighbouring content words of the claim follow each other in the window, too.

    Two pairs in a row that do not may have subject and object in each other's place. Any order will do if
    only one of the two says "by", as a passive does.
    """
    if ("by" in claim.words) != ("by" in text.words[window.low : window.high]):
        return True
    places = range(window.low, window.high)
    first, last = ({text.stems[i]: i for i in each} for each in (reversed(places), places))
    pairs = pairwise(stem for stem, keep in zip(claim.stems, claim.content, strict=True) if keep)
    follows = [first.get(one, window.high) < last.get(two, window.low) for one, two in pairs]
    return (False, False) not in pairwise(follows) and sum(follows) >= _IN_ORDER * len(follows)


def denying_sentence(claim: Text, weights: Sequence[float], text: Text, window: Span) -> Span | None:
    """The sentence of a window that says nearly all of the claim, but another number, date, unit or negation.

    `weights` are those of the claim's tokens.
    """
    for part in text.sentences:
        is_near = window.low <= part.low < window.high
        if is_near and any(denies(claim, weights, text, part) for denies in (_has_other_number, _is_negated)):
            return part
    return None


def _has_other_number(claim: Text, weights: Sequence[float], text: Text, part: Span) -> bool:
    """Whether the sentence has another number than the claim, and the passage up to its end has the rest.

    What comes behind counts for nothing: "it" and "the plug" point back.
    """
    there = [number for number in text.numbers if part.low <= number.place < part.high]
    negated = not _NEGATIONS.isdisjoint(claim.words)
    if negated == _NEGATIONS.isdisjoint(text.words[part.low : part.high]):
        return False
    for number in claim.numbers:
        same = [other for other in there if other.kind == number.kind]
        if (
            number.kind
            and (len(same) == 1 or (same and number.kind == YEAR))
            and all(
                number.differs_from(other) and _stands_alike(claim, number, text, other) for other in same
            )
            and not number.is_said(text.numbers)
            and all(other.is_said(there) for other in claim.numbers if other is not number)
            and _share(claim, weights, set(text.stems[: part.high]), range(number.place, number.end))
            >= _LEAST_REST
        ):
            return True
    return False


def _stands_alike(claim: Text, number: Number, text: Text, other: Number) -> bool:
    """Whether the content word nearest to the claim's number is near the other number, too."""
    if number.kind in MEASURES:
        return True
    around = range(max(0, number.place - _NEAR), min(len(claim.stems), number.end + _NEAR))
    beside = [i for i in around if claim.content[i] and not number.place <= i < number.end]
    there = text.stems[max(0, other.place - _NEAR) : other.end + _NEAR]
    nearest = min(beside, key=lambda i: abs(2 * i + 1 - number.place - number.end), default=None)
    return nearest is None or claim.stems[nearest] in there


def _is_negated(claim: Text, weights: Sequence[float], text: Text, part: Span) -> bool:
    """Whether claim and sentence differ in one negation, and both have the word it negates."""
    own = [i for i, word in enumerate(claim.words) if word in _NEGATIONS]
    beside = text.words[part.low : part.high]
    said = [i for i, word in enumerate(beside, start=part.low) if word in _NEGATIONS]
    if len(own) + len(said) != 1 or "?" in claim.raw:
        return False
    there = set(text.stems[part.low : part.high])
    others = _QUALIFIERS - _NEGATIONS
    is_alike = others.intersection(claim.words) == others.intersection(beside)
    if _share(claim, weights, there) < _LEAST_NEGATED or not is_alike:
        return False
    if own:
        return _negated(claim, own[0], len(claim.words)) in there
    return _negated(text, said[0], part.high) in claim.content_stems


def _negated(text: Text, place: int, high: int) -> str:
    """The stem of the next content word after a negation."""
    return next((text.stems[i] for i in range(place + 1, high) if text.content[i]), "")


def _share(
    claim: Text, weights: Sequence[float], there: Collection[str], apart: Collection[int] = ()
) -> float:
    """The share of the claim's weight that is there, leaving out the tokens `apart`."""
    rest = [i for i, keep in enumerate(claim.content) if keep and i not in apart]
    total = sum(weights[i] for i in rest)
    return sum(weights[i] for i in rest if _is_there(claim.stems[i], there)) / total if total else 0.0


def _is_there(stem: str, there: Collection[str]) -> bool:
    """Whether a stem, or one that continues it, is there: "longest" for "long"."""
    return stem in there or (len(stem) >= _PREFIX and any(other.startswith(stem) for other in there))
