"""Whether a sentence leaves open what a claim says: only as possible, as told, or without its "only"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise, takewhile

from factreasoner.judges.embedded.attributes import said_of_another
from factreasoner.judges.embedded.comparisons import is_uncompared
from factreasoner.judges.embedded.limits import limited
from factreasoner.judges.embedded.opposites import subject_places
from factreasoner.judges.embedded.pairing import Pairing
from factreasoner.judges.embedded.prospects import only_prospective
from factreasoner.judges.embedded.scopes import is_reported
from factreasoner.judges.embedded.text import Text
from factreasoner.judges.embedded.windows import Window
from factreasoner.text.lexicon import BE, CARRYING, COLLECTIVE, DETERMINERS, DOUBTING, POSSIBLE, SHARES
from factreasoner.text.stems import alike

_CONDITIONS = frozenset({"if", "unless"})
_NO_CONDITION = frozenset({"as", "even"})
_BEFORE = 3
_MORE = frozenset({"more", "less", "fewer"})
_TO, _FIRST = "to", "first"
_MOST = 0.7
_ONLY = frozenset({"only", "sole", "solely", "exclusively"})
_BY_ITSELF, _BEING = "alone", [(word,) for word in BE]
_ALONE = _ONLY | {_BY_ITSELF, "just", "unique", "uniquely"}
_NO, _NOBODY = "no", frozenset({"no", "nothing", "nobody", "none"})
_BUT = frozenset((word,) for word in ("but", "except", "excepting", "save", "besides"))
_PERHAPS = frozenset({"perhaps", "possibly", "probably", "likely", "maybe"})
_SUPPOSEDLY = frozenset(word for word in DOUBTING if word.endswith("ly"))
_MAY, _DURING = "may", frozenset({"by", "during", "in", "of", "since", "until"})
_SUPPOSED = frozenset({"thought", "believed", "alleged", "rumored", "rumoured", "assumed", "likely"})
_ASKING = re.compile(r"\?(?![^\W_])")
"""A question mark, but that of an address: "docs?topic=vm"."""
_GRANTING = frozenset({"how", "why", "when", "where"})
_YES = frozenset({"yes", "yeah", "yep", "correct", "indeed", "true", "absolutely", "certainly"})
_EXCEPT, _APART_FROM = (
    frozenset({"except", "excluding"}),
    (("apart", "from"), ("except", "for"), ("other", "than")),
)
_THE, _OF, _BY = "the", "of", "by"
_MODAL = frozenset({"may", "might", "could"})


def left_open(claim: Text, weights: Sequence[float], passage: Text, window: Window) -> float:
    """The share of a claim that the sentences of the window have, where none has most of it as a fact.

    A claim that asks and answers may be about what may be or is told: of it nothing is left open.
    """
    if "?" in claim.raw:
        return 0.0
    if _is_of_no_doer(claim, passage, window):
        return 1.0
    if _is_alone(claim, passage, window):
        return 1.0
    parts = (part for part in passage.sentences if window.low <= part.low < window.high)
    alone = [*_nothing_but(claim.words), *_only(claim)]
    pairs = [pair for part in parts if (pair := Pairing(claim, weights, passage, part)).share(alone) >= _MOST]
    open_ = all(
        _possible(pair)
        or _conditional(pair)
        or _told(pair)
        or _asked(pair)
        or said_of_another(pair)
        or is_uncompared(pair)
        or _attended(pair)
        or _of_something_of_it(pair)
        or _exclusive(pair)
        or _excepted(pair)
        or limited(pair)
        or only_prospective(pair)
        for pair in pairs
    )
    return max((pair.share(alone) for pair in pairs), default=0.0) if open_ else 0.0


def _is_of_no_doer(claim: Text, passage: Text, window: Window) -> bool:
    """Whether the window has what the claim's subject does only as done, and not by whom: "was signed"."""
    subject = range(claim.words[0] in DETERMINERS, len(claim.words) - 1)
    for verb in takewhile(lambda i: claim.content[i], subject):
        object_ = verb + 1 + (claim.words[verb + 1] in DETERMINERS)
        if verb == subject.start or claim.names[verb] or not any(claim.content[object_ : object_ + 1]):
            continue
        places = [j for j in range(window.low, window.high) if alike(passage.stems[j], claim.stems[verb])]
        done = [j for j in places if _is_done(passage, j, claim.stems[object_], claim.stems[verb - 1])]
        if done and all(j in done or passage.words[j - 1] in DETERMINERS for j in places):
            return True
    return False


def _is_done(text: Text, verb: int, object_: str, subject: str) -> bool:
    """Whether a verb says what is done to an object, and not "by" whom, in a clause without the subject."""
    clause = [j for j, number in enumerate(text.clauses) if number == text.clauses[verb]]
    stems = [text.stems[j] for j in clause]
    passive = not BE.isdisjoint(text.words[max(verb - 2, 0) : verb]) and object_ in stems[: verb - clause[0]]
    return passive and subject not in stems and _BY not in text.words[verb : clause[-1] + 1]


def _possible(pair: Pairing) -> bool:
    """Whether "may" or "is thought to" stands before a word of the claim, which has no such word itself."""
    passage, part = pair.passage, pair.part
    claim = pair.claim
    said = [word for before, word in pairwise(("", *claim.words)) if word != _MAY or before not in _DURING]
    if not POSSIBLE.isdisjoint(said) or not _SUPPOSEDLY.isdisjoint(said):
        return False
    known = {j for i in pair.content for j in pair.found[pair.claim.stems[i]]}
    for j in range(part.low, part.high):
        supposed = passage.words[j] in _SUPPOSED and passage.words[j + 1 : j + 2] == ("to",)
        modal = passage.words[j] in _MODAL and not passage.content[j]
        if supposed or modal or passage.words[j] in _PERHAPS | _SUPPOSEDLY:
            following = next((k for k in range(j + 1, part.high) if passage.content[k]), -1)
            if following in known:
                return True
    return False


def _conditional(pair: Pairing) -> bool:
    """Whether the sentence has a condition, and the claim none or another; "as if" and "even if" set none.

    Nor does a condition of something else: "25 times your expenses, a bit more if you want to retire early".
    """
    passage, part = pair.passage, pair.part
    if own := _CONDITIONS & frozenset(pair.claim.words):
        there = _CONDITIONS & frozenset(passage.words[part.low : part.high])
        return bool(there) and own.isdisjoint(there)
    said = max(pair.places(pair.content), default=part.low)
    for j in range(part.low, part.high):
        if passage.words[j] in _CONDITIONS and (j == part.low or passage.words[j - 1] not in _NO_CONDITION):
            comma = next((k for k in range(said + 1, j) if k in passage.commas), j)
            if not any(passage.content[k] or passage.words[k] in _MORE for k in range(comma, j)):
                return True
    return False


def _told(pair: Pairing) -> bool:
    """Whether the claim's own words all stand after one of believing or accusing that the claim lacks."""
    places = [j for i in pair.content if not pair.is_name(i) for j in pair.found[pair.claim.stems[i]]]
    if not places or not DOUBTING.isdisjoint(pair.claim.words):
        return False
    return is_reported(pair) or not DOUBTING.isdisjoint(pair.passage.words[pair.part.low : min(places)])


def _asked(pair: Pairing) -> bool:
    """Whether the sentence asks what the claim says, and no answer follows: a "yes", or what it asks for.

    "How can I lower it?" takes for granted that one can.
    """
    passage, part = pair.passage, pair.part
    if passage.words[part.low] in _GRANTING or _ASKING.search(passage.raw[part.start : part.end]) is None:
        return False
    answer = next((one for one in passage.sentences if one.low == part.high), None)
    if answer is None:
        return True
    lacking = {pair.claim.stems[i] for i in pair.content if not pair.found[pair.claim.stems[i]]}
    said = passage.stems[answer.low : answer.high]
    return passage.words[answer.low] not in _YES and not any(
        alike(one, other) for one in lacking for other in said
    )


def _attended(pair: Pairing) -> bool:
    """Whether what the claim's subject does is there an event that they are at: "attended the signing"."""
    claim, passage = pair.claim, pair.passage
    for one, other in pairwise(pair.own):
        named = claim.content[one] and (one == pair.content[0] or claim.names[one])
        if not named or not claim.content[other] or claim.names[other]:
            continue
        doers, places = pair.places([one]), pair.found[claim.stems[other]]
        if doers and places and all(_is_event_of_another(pair, doers, j) for j in places):
            return passage.words[places[0]] not in claim.words or passage.words[
                places[0] + 1 : places[0] + 2
            ] == ("of",)
    return False


def _is_event_of_another(pair: Pairing, doers: Sequence[int], place: int) -> bool:
    """Whether a word is a noun there, after "the", and another verb than one of doing stands before it."""
    text = pair.passage
    before = [j for j in doers if j < place and text.clauses[j] == text.clauses[place]]
    if not before or text.words[place - 1] != _THE:
        return False
    verbs = [j for j in range(before[-1] + 1, place) if text.content[j] and not text.names[j]]
    return bool(verbs) and not any(text.words[j] in CARRYING or text.stems[j] in pair.found for j in verbs)


def _of_something_of_it(pair: Pairing) -> bool:
    """Whether the sentence is on something of the claim's subject: "The north wing of the palace burned"."""
    claim = pair.claim
    subject = list(takewhile(lambda i: claim.content[i], pair.own))[:1]
    if not subject or pair.is_name(subject[0]):
        return False
    places = pair.places(subject)
    return bool(places) and all(_is_behind_of(pair, j) for j in places)


def _is_behind_of(pair: Pairing, place: int) -> bool:
    """Whether the sentence begins with a noun that the claim lacks, no number or group, "of" a place."""
    text = pair.passage
    *nouns, of = [j for j in range(pair.part.low, place) if text.words[j] not in DETERMINERS] or [place]
    if not nouns or text.words[of] != _OF or nouns[-1] in pair.places(pair.content):
        return False
    return (
        all(text.content[j] or text.words[j] in SHARES for j in nouns)
        and text.words[nouns[-1]] not in COLLECTIVE
        and text.value_at(nouns[-1]) is None
    )


def _is_alone(claim: Text, passage: Text, window: Window) -> bool:
    """Whether the claim has "the only" thing or "the first" to do it, and no sentence of the window has."""
    words, own = frozenset(passage.words[window.low : window.high]), claim.words
    for i in range(1, len(own) - 1):
        if own[i - 1] != _THE or not claim.content[i + 1]:
            continue
        if own[i] in _ONLY and _ALONE.isdisjoint(words):
            return True
        if own[i] == _FIRST and _TO in own[i + 2 : i + 4] and _FIRST not in words:
            return True
    return False


def _exclusive(pair: Pairing) -> bool:
    """Whether the claim says "only" or "nothing but", and the sentence says nothing of the kind."""
    words, own = pair.passage.words[pair.part.low : pair.part.high], pair.claim.words
    if not _only(pair.claim) and not _nothing_but(own):
        return False
    return _ALONE.isdisjoint(words) and not _nothing_but(words)


def _only(claim: Text) -> list[int]:
    """Where the claim says "only", or "alone" between its subject and verb."""
    subject, words = subject_places(claim), claim.words
    return [
        i
        for i, word in enumerate(words)
        if word in _ONLY
        or (word == _BY_ITSELF and i - 1 in subject and (i + 1 in subject or words[i + 1 : i + 2] in _BEING))
    ]


def _nothing_but(words: Sequence[str]) -> list[int]:
    """Where words exclude all but one thing: "nothing but", "no one except", "no tools other than"."""
    return [
        i
        for i, word in enumerate(words)
        if word in _NOBODY
        for behind in (i + 1 + (word == _NO),)
        if words[behind : behind + 1] in _BUT or words[behind : behind + 2] in _APART_FROM
    ]


def _excepted(pair: Pairing) -> bool:
    """Whether a word of the claim is there an exception: "all damage except water damage"."""
    words, low = pair.passage.words, pair.part.low
    if not _EXCEPT.isdisjoint(pair.claim.words):
        return False
    return any(
        _leads(pair, _EXCEPT, j) or words[max(low, j - 2) : j] in _APART_FROM
        for i in pair.content
        for j in pair.found[pair.claim.stems[i]]
    )


def _leads(pair: Pairing, leading: frozenset[str], place: int) -> bool:
    """Whether one of the leading words stands before a word, function words between: "except on Mondays"."""
    text, low = pair.passage, max(pair.part.low, place - _BEFORE)
    before = takewhile(
        lambda j: not text.content[j] or text.words[j] in leading, range(place - 1, low - 1, -1)
    )
    return any(text.words[j] in leading for j in before)
