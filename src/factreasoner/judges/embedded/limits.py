"""Whether a sentence limits what a claim says without limit: to some days or people, or to one of two things.

"Entry is free on Sundays" leaves open whether "Entry is free". Only what is so in general is limited so: who
"won the prize in Oslo in 1957" did "win the prize".
"""

from __future__ import annotations

from collections.abc import Iterator

from factreasoner.judges.embedded.numbers import UNITS_OF
from factreasoner.judges.embedded.pairing import Pairing
from factreasoner.judges.embedded.text import Text
from factreasoner.text.inflection import PASTS
from factreasoner.text.lexicon import BE, CLASSES_OF, DETERMINERS, ORDINALS, UNIVERSAL
from factreasoner.text.persons import is_person
from factreasoner.text.stems import alike

_THEN = frozenset({"was", "were", "had", "did", "been"})
_NOW = frozenset({"is", "are", "be", "has", "have"})
_WHEN = frozenset({"on", "in", "at", "after", "before", "during", "until", "from", "between", "by"})
_AGED = frozenset({"over", "under", "above", "below", "aged", "between", "from"})
_LACKING = frozenset({"without", "outside"})
_PERIODS = frozenset({"monday", "summer", "morning", "january"})
_TIMES = frozenset().union(*(one for word in _PERIODS for one in CLASSES_OF[word])) | {
    "day",
    "weekday",
    "weekend",
    "holiday",
    "season",
    "quarter",
    "am",
    "pm",
    "noon",
    "midnight",
    "daytime",
    "term",
}
_GROUPS = frozenset(
    {"adult", "children", "men", "women", "people", "resident", "visitor", "member", "patient", "citizen"}
    | {"customer", "user", "guest", "tourist", "passenger", "worker", "senior", "pensioner", "infant"}
)
_SOME = frozenset({"most", "some", "many", "few", "several", "certain", "alternate", "other"})
_ONE_OF = ORDINALS | {"first", "last"}
_DAILY = UNIVERSAL | {"daily", "nightly"}
_EXCEPT = frozenset({"except", "excluding", "bar", "save", "but"})
_OR_SO = frozenset({"more", "less", "so", "other", "both", "fewer", "later", "earlier", "not", "even"})
_CAN = frozenset({"can", "could", "may", "might"})
_HAVE, _OF = "have", "of"
_FEW, _HARDLY, _ANY = "few", frozenset({"hardly", "scarcely", "barely"}), "any"
_MANY = frozenset({"many", "various", "different", "several"})
_ARTICLES, _JOINTS = frozenset({"a", "an", "the"}), frozenset({"for", "to"})
_HOLDING = frozenset(
    {"hold", "holds", "true", "valid", "work", "works", "fail", "fails", "apply", "applies", "applicable"}
    | {"needed", "required", "safe", "unsafe", "free", "open", "approved", "suitable", "legal", "illegal"}
    | {"allowed", "forbidden", "mandatory", "compulsory", "proved", "proven", "false", "available"}
)
"""Words that say of a thing "for" or "to" whom it holds: for all that are named."""
_CHANGED = ("increas", "rais", "reduc", "lower", "decreas", "cut", "doubl", "drop", "ris")
_MOST = 0.7
_REACH = 4


def limited(pair: Pairing) -> bool:
    """Whether the sentence says of some times, people or cases what the claim says of all."""
    if pair.share() < _MOST:
        return False
    return (
        _one_of_two(pair)
        or _all_but_some(pair)
        or _hardly_any(pair)
        or (_is_general(pair) and (_only_some(pair) or _later(pair)))
    )


def _is_general(pair: Pairing) -> bool:
    """Whether both say what is so again and again, and not what happened."""
    part = pair.part
    return not _is_past(pair.claim, 0, len(pair.claim.words)) and not _is_past(
        pair.passage, part.low, part.high
    )


def _is_past(text: Text, low: int, high: int) -> bool:
    words = text.words
    if any(low <= one.place < high and one.kind == "calendar year" for one in text.numbers):
        return True
    return any(
        words[j] in _THEN
        or (words[j] in PASTS and words[j - 1] not in _ARTICLES)
        or (words[j].endswith("ed") and j > low and text.content[j - 1] and j not in text.commas)
        or (words[j].endswith("ed") and words[j - 1] in ("has", "have"))
        for j in range(low, high)
    )


def _known(pair: Pairing) -> frozenset[int]:
    return frozenset(j for i in pair.content for j in pair.found[pair.claim.stems[i]])


def _only_some(pair: Pairing) -> bool:
    """Whether a phrase of times or people that the claim lacks stands right behind its words, or leads."""
    known, part = _known(pair), pair.part
    return any(
        (j == part.low or j - 1 in known) and _limits(pair, j) for j in range(part.low, part.high - 1)
    ) or any(_is_picked(pair, j) for j in known)


def _limits(pair: Pairing, place: int) -> bool:
    """Whether a limiting phrase begins there: "on weekdays", "for members", "under six", "without a visa"."""
    text, word = pair.passage, pair.passage.words[place]
    following = list(_phrase(pair, place))
    said = [k for k in following if text.content[k] and not _is_claimed(pair, k)]
    if not said:
        return False
    if word == _OF:
        everyone = any(text.words[k] in UNIVERSAL or text.words[k] in _MANY for k in following)
        return not everyone and _is_of_all(text, place - 1)
    if word in _LACKING or (word in _AGED and text.value_at(said[0]) is not None):
        return True
    if word in _WHEN:
        claim = pair.claim
        timed = any(claim.words[i].removesuffix("s") in _TIMES for i in pair.content)
        return not timed and any(_is_time(text, k) for k in following if not _is_claimed(pair, k))
    joined = word == "for" or (word == "to" and text.words[place - 2] in BE)
    return joined and any(_is_group(text.words[k]) for k in said)


def _is_of_all(text: Text, place: int) -> bool:
    """Whether what is said holds of all that a plural means: "holds for groups", "applies to firms"."""
    first = place
    while first > 1 and text.content[first - 1]:
        first -= 1
    for_all = text.words[first - 1] in _JOINTS and text.words[first - 2] in _HOLDING
    return for_all and text.words[place].endswith("s") and text.content[place]


def _is_claimed(pair: Pairing, place: int) -> bool:
    return any(alike(pair.passage.stems[place], stem) for stem in pair.claim.stems)


def _phrase(pair: Pairing, place: int) -> Iterator[int]:
    """The next tokens, up to a comma or another clause."""
    text = pair.passage
    for k in range(place + 1, min(place + 1 + _REACH, pair.part.high)):
        if k in text.commas or text.clauses[k] != text.clauses[place]:
            return
        yield k


def _is_time(text: Text, place: int) -> bool:
    word = text.words[place]
    clock = UNITS_OF.get(text.stems[place]) is UNITS_OF["second"]
    return clock or word in _TIMES or word.removesuffix("s") in _TIMES


def _is_group(word: str) -> bool:
    one = word.removesuffix("s")
    return word in _GROUPS or one in _GROUPS or (word != one and is_person(one))


def _is_picked(pair: Pairing, place: int) -> bool:
    """Whether a time of the claim is there one of several: the "last" Sunday, "most" winters."""
    text, picking = pair.passage, (_SOME | _ONE_OF) - frozenset(pair.claim.words)
    return place > pair.part.low and _is_time(text, place) and text.words[place - 1] in picking


def _one_of_two(pair: Pairing) -> bool:
    """Whether the claim is one of two things of which one is so: "were burned or buried"."""
    claim, text, part = pair.claim, pair.passage, pair.part
    if "or" in claim.words or any(part.low <= j < part.high for j in text.negations):
        return False
    if _is_general(pair) and "will" not in text.words[part.low : part.high]:
        # of what is so in general each is: "is used in trams or buses"
        return False
    known = _known(pair)
    for j in range(part.low + 1, part.high - 1):
        if text.words[j] != "or" or j in text.commas or text.words[j + 1] in _OR_SO:
            continue
        if any(text.words[k] in _CAN and _HAVE not in text.words[k:j] for k in range(part.low, j)):
            continue
        left = next((k for k in range(j - 1, part.low - 1, -1) if text.content[k]), None)
        right = next((k for k in range(j + 1, part.high) if text.content[k]), None)
        if left is None or right is None or text.value_at(left) is not None:
            continue
        if (left in known) != (right in known):
            return True
    return False


def _all_but_some(pair: Pairing) -> bool:
    """Whether what the claim says of all, or of every day, is said with an exception."""
    words = pair.passage.words
    if _DAILY.isdisjoint(pair.claim.words) or not _EXCEPT.isdisjoint(pair.claim.words):
        return False
    return any(
        words[j] in ("except", "excluding") or (words[j] in _EXCEPT and words[j - 1] in UNIVERSAL)
        for j in range(pair.part.low + 1, pair.part.high)
    )


def _hardly_any(pair: Pairing) -> bool:
    """Whether one of the two, and not the other, is of "hardly any", "hardly anyone" or "few" things."""
    part, claim, text = pair.part, pair.claim, pair.passage
    if _is_of_few(claim, 0, len(claim.words)):
        said = _is_of_few(text, part.low, part.high) or "only" in text.words[part.low : part.high]
        return not said and not any(part.low <= j < part.high for j in text.negations)
    return not claim.negations and _is_of_few(text, part.low, min(_known(pair), default=part.low))


def _is_of_few(text: Text, low: int, high: int) -> bool:
    """Whether "hardly any" or "few" is among the tokens [low, high); "a few" are some."""
    before = ("", *text.words)
    return any(
        (text.words[j] in _HARDLY and text.words[j + 1].startswith(_ANY))
        or (text.words[j] == _FEW and before[j] not in DETERMINERS)
        for j in range(low, min(high, len(text.words) - 1))
    )


def _later(pair: Pairing) -> bool:
    """Whether the claim's number is what another is "increased to" after a time."""
    claim, text, part = pair.claim, pair.passage, pair.part
    if any(stem.startswith(_CHANGED) for stem in claim.stems):
        return False
    there = [one for one in text.numbers if part.low <= one.place < part.high]
    for number in claim.numbers:
        said = [one for one in there if number.follows_from(one)]
        changed = [
            one
            for one in said
            if text.words[one.place - 1] == "to" and text.stems[one.place - 2].startswith(_CHANGED)
        ]
        others = [one for one in there if one.kind == number.kind and one not in said]
        if changed and len(changed) == len(said) and others:
            return True
    return False
