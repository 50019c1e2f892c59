"""Whether a sentence has what a claim says as done only as what is considered, asked, allowed or charged.

"Considered selling it", "permission to sell it", "urged them to sell it" and "accused of selling it" leave
open whether it was sold; "managed to sell it" and "took the chance to sell it" do not.
"""

from __future__ import annotations

from factreasoner.judges.embedded.pairing import Pairing
from factreasoner.judges.embedded.text import Text
from factreasoner.text.lexicon import (
    BE,
    DETERMINERS,
    INTENDING,
    POSSIBLE,
    PREPOSITIONS,
    PROSPECTIVE,
    REALISING,
)

_TO, _ING = "to", "ing"
_AGAINST, _WHETHER, _OUGHT = "against", "whether", frozenset({"should", "would"})
_PERFECT = frozenset({"be", "been", "being", "have", "having"})
_JOINTS = PREPOSITIONS | {"of", "about"}
_WITHIN = DETERMINERS | _JOINTS
_REACH = 7
_NEAR = 4


def only_prospective(pair: Pairing) -> bool:
    """Whether a verb of the claim stands in the sentence only behind a word that does not imply it."""
    claim = pair.claim
    if claim.negations or not POSSIBLE.isdisjoint(claim.words):
        return False
    for i in pair.content:
        places = pair.found[claim.stems[i]]
        if i == 0 or claim.names[i] or not places or not _is_verb(claim, i):
            continue
        if all(_is_prospect(pair, j) for j in places):
            return True
    return False


def _is_verb(claim: Text, place: int) -> bool:
    """Whether a word of the claim may say what is done; "to sell" and "sold by selling" do so of another."""
    if claim.words[place].endswith(_ING):
        return claim.words[place - 1] in BE
    return claim.words[place - 1] not in DETERMINERS | _JOINTS


def _is_prospect(pair: Pairing, place: int) -> bool:
    """Whether a word that the claim lacks makes a prospect of the verb at a place: "to sell", "selling"."""
    text, low = pair.passage, pair.part.low
    first = place
    while first > low and text.words[first - 1] in _PERFECT:
        first -= 1
    if _is_subjunctive(text, first, place):
        return True
    joint = text.words[first - 1] if first > low else ""
    gerund = text.words[first].endswith(_ING)
    if joint != _TO and not gerund:
        return False
    if joint == _AGAINST or (joint == _TO and text.words[first - 2] == _WHETHER):
        return True
    direct = gerund and joint not in _JOINTS
    least = first - 1 if direct else first - _REACH
    for j in range(first - 1, max(low, least) - 1, -1):
        if text.words[j] in REALISING or text.clauses[j] != text.clauses[place]:
            return False
        if text.words[j] in PROSPECTIVE or (joint == _TO and text.words[j] in INTENDING):
            return text.stems[j] not in pair.claim.stems and not _is_realised(text, j, low)
        if not (text.content[j] or text.words[j] in _WITHIN):
            return False
    return False


def _is_subjunctive(text: Text, first: int, place: int) -> bool:
    """Whether a verb says what ought to be, in a clause after a prospect: "proposed that it be sold"."""
    opening = text.clauses.index(text.clauses[place])
    ought = text.words[first] == "be" or text.words[first - 1] in _OUGHT
    return ought and text.words[opening] == "that" and text.words[opening - 1] in PROSPECTIVE | INTENDING


def _is_realised(text: Text, place: int, low: int) -> bool:
    """Whether a verb before a prospect says that it came true: "took the chance"."""
    return not REALISING.isdisjoint(text.words[max(low, place - _NEAR) : place])
