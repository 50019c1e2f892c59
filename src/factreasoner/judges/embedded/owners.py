"""Whether a sentence speaks of somebody's relative and the claim of that somebody.

"Her mother was", "Ann Lee's brother was" and "The pupils of Ann Lee were" say nothing of Ann Lee.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import dropwhile, takewhile

from factreasoner.judges.embedded.pairing import Pairing
from factreasoner.judges.embedded.text import Text
from factreasoner.text.lexicon import DETERMINERS, PREPOSITIONS
from factreasoner.text.persons import gender_of_noun, is_person

_OWN, _OF, _AND, _WHOSE = "s", "of", "and", "whose"
_POSSESSIVE = frozenset({"his", "her", "their", "my", "our", "your", _WHOSE})
_PRONOUNS = frozenset({"he", "she", "they"})
_ARTICLES = frozenset({"a", "an", "the"})
_RELATED = frozenset(
    {"heir", "descendant", "pupil", "disciple", "apprentice", "grandchild", "relative", "ward"}
)
_REACH = 3
_OPENING = 6
_MOST = 0.7
_PAIR = 2


def of_a_relative(pair: Pairing) -> bool:
    """Whether the sentence says of a relative, friend or the like what the claim says of somebody else."""
    return _of_whose_relative(pair) or _of_whom_an_aside_names(pair)


def owners_exchanged(pair: Pairing) -> bool:
    """Whether a thing of the claim is there another's, whom the claim has elsewhere: "the king's decree"."""
    claim, text, part = pair.claim, pair.passage, pair.part
    own, there = _owners(claim, 0, len(claim.words)), _owners(text, part.low, part.high)
    said = frozenset(text.stems[part.low : part.high])
    for thing, owner in own.items():
        other = there.get(thing, frozenset())
        lacking, added = owner - other, other - owner
        if lacking and added and lacking <= said and added <= frozenset(claim.stems):
            return pair.share() >= _MOST
    return False


def _owners(text: Text, low: int, high: int) -> dict[str, frozenset[str]]:
    """Stem of each thing that is somebody's, "Ann's mill", "the mill of Ann" -> the stems of its owners."""
    found: dict[str, frozenset[str]] = {}
    for j in range(low + 1, high - 1):
        if text.words[j] == _OWN:
            owner = list(takewhile(lambda k: text.content[k], range(j - 1, low - 1, -1)))
            thing = j + 1
        elif text.words[j] == _OF and text.content[j - 1]:
            thing, owner = j - 1, list(_phrase(text, j + 1, high))
        else:
            continue
        if not any(text.value_at(k) is not None for k in owner):
            stem = text.stems[thing]
            found[stem] = found.get(stem, frozenset()) | {text.stems[k] for k in owner}
    return found


def _phrase(text: Text, first: int, high: int) -> list[int]:
    """The content words from a place on, joined by determiners, "of" and "and" alone."""
    joined = takewhile(
        lambda k: text.content[k] or text.words[k] in DETERMINERS or text.words[k] in (_OF, _AND),
        range(first, high),
    )
    return [k for k in joined if text.content[k]]


def _of_whom_an_aside_names(pair: Pairing) -> bool:
    """Whether the claim's subject stands only between two commas, after "of": "Ann, a pupil of Bea, won"."""
    text, part = pair.passage, pair.part
    subject = [i for i in _subject(pair) if pair.is_name(i)]
    said = [j for i in pair.content if i not in subject for j in pair.found[pair.claim.stems[i]]]
    commas = [j for j in range(part.low + 1, part.high) if j in text.commas]
    if not subject or not said or len(commas) < _PAIR or pair.share(subject) < _MOST:
        return False
    aside = range(commas[0], commas[1])
    owned = [j for j in aside if text.words[j] == _OF]
    named = all(text.names[j] or text.words[j] in DETERMINERS for j in range(part.low + 1, commas[0]))
    return (
        named
        and bool(owned)
        and min(said) >= aside.stop
        and any(
            places and all(j in range(owned[0], aside.stop) for j in places)
            for i in subject
            if (places := pair.places([i]))
        )
    )


def _of_whose_relative(pair: Pairing) -> bool:
    """Whether the sentence begins with a relative, friend or the like of the claim's subject."""
    claim, passage, part = pair.claim, pair.passage, pair.part
    relative = _relative(passage, part.low, part.high)
    subject = _subject(pair)
    if relative is None or max(pair.share(), pair.share(subject)) < _MOST:
        return False
    if passage.stems[relative] in claim.stems:
        return False
    last = subject[-1] if subject else -1
    said = [j for i in pair.content if i > last for j in pair.found[claim.stems[i]]]
    if not said or min(said) <= relative:
        return False
    between = range(relative + 1, max(said))
    if any(passage.words[j] in _PRONOUNS for j in between) or _closes_aside(passage, relative, between):
        return False
    if _relative(claim, 0, len(claim.words)) is not None or claim.words[0] in _PRONOUNS:
        return pair.share() >= _MOST
    places = pair.places(subject)
    if _is_of_other_name(pair, subject, relative):
        return True
    if pair.share() < _MOST:
        return False
    if passage.words[relative + 1] == _OF:
        end = max((min(pair.places([i]), default=relative) for i in subject), default=relative)
        near = relative < end <= relative + _OPENING
        return near and min(said) > end and passage.commas.isdisjoint(range(relative, end + 1))
    named = all(pair.is_name(i) for i in subject) or any(
        passage.words[j + 1 : j + 2] == (_OWN,) for j in places
    )
    return bool(subject) and named and all(j < relative for j in places)


def _relative(text: Text, low: int, high: int) -> int | None:
    """The place of the person that a text begins with as somebody's: the mother in "Her old mother was"."""
    for j in range(low, min(low + _OPENING, high)):
        begins = j == low or (text.words[low] in DETERMINERS and j <= low + 2)
        if (
            begins
            and text.words[j + 1 : j + 2] == (_OF,)
            and j + 2 < high
            and is_person_or_relative(text.words[j])
        ):
            return j
        joined = j > low and text.words[j - 1] == _AND
        owned = (text.words[j] in _POSSESSIVE and not joined) or (
            text.words[j] == _OWN and j > low and text.content[j - 1]
        )
        if owned:
            following = range(j + 1, min(j + 1 + _REACH, high))
            return next((k for k in following if is_person_or_relative(text.words[k])), None)
    return None


def _closes_aside(text: Text, relative: int, between: Sequence[int]) -> bool:
    """Whether a comma ends what is said of the relative amid what is said of another: "whose son won,"."""
    if not any(text.words[j] == _WHOSE for j in range(max(relative - _REACH, 0), relative)):
        return False
    return any(j in text.commas for j in (*between[1:], between[-1] + 1))


def _is_of_other_name(pair: Pairing, subject: Sequence[int], relative: int) -> bool:
    """Whether another name follows than the subject's, which shares a word of it or stands before."""
    text = pair.passage
    following = range(relative + 1, pair.part.high)
    ends = text.commas - {relative + 1}
    named = {text.stems[j] for j in takewhile(lambda j: text.names[j] and j not in ends, following)}
    own = {pair.claim.stems[i] for i in subject if pair.is_name(i)}
    known = own & named or own <= {*text.stems[:relative]}
    return bool(named) and bool(known) and not (own <= named or named <= own)


def is_person_or_relative(word: str) -> bool:
    """Whether a noun, or its plural, is one for a person: "mother", "pupils"."""
    return any(
        gender_of_noun(one) is not None or is_person(one) or one in _RELATED
        for one in (word, word.removesuffix("s"))
    )


def _subject(pair: Pairing) -> list[int]:
    """The content words that the claim begins with, or the name behind "In May", up to a function word."""
    own, claim = pair.own, pair.claim
    if claim.words[0] in PREPOSITIONS:
        own = list(dropwhile(lambda i: not claim.names[i] or claim.words[i - 1] in PREPOSITIONS, own))
    found: list[int] = []
    for i in own:
        if not pair.claim.content[i]:
            break
        if found and not pair.claim.names[i]:
            break
        found.append(i)
    return found
