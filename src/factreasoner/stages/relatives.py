"""Relative clauses as statements of their own: "X, who won the prize, ..." says "X won the prize"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from factreasoner.language.abbreviations import words
from factreasoner.stages.english import (
    BLOCKERS,
    DETERMINERS,
    NOMINATIVES,
    PREPOSITIONS,
    Token,
    describe,
    is_active,
    skip_adverbs,
    verb_form,
)
from factreasoner.stages.subjects import find_subject


class Piece(NamedTuple):
    """Tokens [start, end) form a clause once `prefix` stands before them."""

    start: int
    end: int
    prefix: str = ""


_PLURAL = words("are were have")
_DEFINITE = words("the his her its their this these our those")
_NO_ANTECEDENT = words("it this there that these those i we you")
_OF_EVENTS = words(
    "made meant led allowed allows caused resulted gave brought helped enabled earned makes means"
)
_BEGINS_PHRASE = NOMINATIVES | DETERMINERS | PREPOSITIONS | BLOCKERS
_OFFICES = words(
    "president governor mayor king queen emperor minister duke duchess earl secretary director professor",
    "bishop archbishop chancellor chairman chair head dean ambassador member",
)


def relatives(text: str, tokens: Sequence[Token], part: Piece) -> Iterator[Piece]:
    """Cut one relative clause off a clause of `text`, or leave the clause whole."""
    yield from (
        _medial(text, tokens, part)
        or _trailing(text, tokens, part)
        or _restrictive(text, tokens, part)
        or (part,)
    )


def _medial(text: str, tokens: Sequence[Token], part: Piece) -> tuple[Piece, ...] | None:
    """ "X, who did A, did B": X did A; X did B."""
    limit = min(part.start + 9, part.end - 3)
    comma = next((i for i in range(part.start + 1, limit) if tokens[i].text == ","), None)
    first = tokens[part.start]
    if part.prefix or comma is None or not _is_relative(tokens, comma, part.end, any_verb=True):
        return None
    phrase = tokens[part.start : comma]
    if not (first.named or first.lower in _DEFINITE) or any(
        verb_form(t) or t.lower in BLOCKERS for t in phrase
    ):
        return None
    if first.lower in PREPOSITIONS:
        return None
    for index in range(comma + 3, part.end - 2):
        verb = skip_adverbs(tokens, index + 1)
        if tokens[index].text.rstrip('"”')[-1:] == "," and verb + 1 < part.end and verb_form(tokens[verb]):
            if verb_form(tokens[verb]) == "mixed" and not is_active(tokens, verb):
                return None
            name = describe(tokens, text, part.start, comma)
            return Piece(comma + 2, index, name), Piece(index + 1, part.end, name)
    return None


def _trailing(text: str, tokens: Sequence[Token], part: Piece) -> tuple[Piece, ...] | None:
    """ "... by Y, which did A": Y did A."""
    commas = [i for i in range(part.start + 2, part.end - 3) if _is_relative(tokens, i, part.end)]
    if not commas or not (part.prefix or find_subject(tokens[: commas[-1]], part.start)):
        return None
    comma = commas[-1]
    for index in range(comma + 3, part.end - 1):
        # "..., which did A, and did B" or "..., which did A, to C": the clause may end before B or C.
        verb = skip_adverbs(tokens, index + 1)
        resumes = verb < part.end and verb_form(tokens[verb]) is not None
        if tokens[index].text in ("and", "but") and resumes:
            return None
        if tokens[index].text == "," and (resumes or tokens[index + 1].text in PREPOSITIONS):
            return None
    antecedent = _antecedent(text, tokens, part.start, comma)
    if antecedent is None:
        return None
    return Piece(part.start, comma, part.prefix), Piece(comma + 2, part.end, antecedent)


def _is_relative(tokens: Sequence[Token], comma: int, end: int, *, any_verb: bool = False) -> bool:
    """Whether a comma and "who" or "which" with a verb stand at `comma`.

    `any_verb`: a plain word that can't begin a phrase passes for a verb.
    """
    if tokens[comma].text != "," or comma + 3 >= end or tokens[comma + 1].text not in ("who", "which"):
        return False
    verb = skip_adverbs(tokens, comma + 2)
    if verb >= end:
        return False
    word = tokens[verb]
    plain = word.text.isalpha() and word.text.islower() and word.text not in _BEGINS_PHRASE
    return verb_form(word) is not None or (any_verb and plain)


def _antecedent(text: str, tokens: Sequence[Token], first: int, comma: int) -> str | None:
    """The name or definite phrase right before `comma`, if it agrees with the verb of the relative clause."""
    last = comma - 1
    if tokens[last].text[0] == "(":
        last -= 1
    if last <= first:
        return None
    start = _name_start(tokens, first, last) if tokens[last].named else _phrase_start(tokens, first, last)
    if start is None or tokens[last].text[0].isdigit() or not _stands_alone(tokens, first, start, last):
        return None
    if tokens[comma + 1].text == "which" and not _may_be_meant(tokens, first, start, comma):
        return None
    verb = tokens[skip_adverbs(tokens, comma + 2)].text
    noun = tokens[last].text
    plural = noun.endswith("s") and not noun.endswith(("ss", "us", "is")) and noun.islower()
    joined = any(token.text == "and" for token in tokens[start:last])
    if (verb in _PLURAL) != (plural or joined) and not (noun[0].isupper() and noun.endswith("s")):
        return None
    return describe(tokens, text, start, last + 1)


def _stands_alone(tokens: Sequence[Token], first: int, start: int, last: int) -> bool:
    """Whether the clause can only mean this phrase, not a longer one it ends ("a layer on the deck")."""
    before = tokens[start - 1].text if start > first else ""
    if tokens[last].named:
        return not (before in PREPOSITIONS and start - 2 >= first and tokens[start - 2].named)
    own = tokens[start].lower not in ("the", "this", "these", "those")
    return own or before not in PREPOSITIONS or any(t.named for t in tokens[start + 1 : last])


def _may_be_meant(tokens: Sequence[Token], first: int, start: int, comma: int) -> bool:
    """Whether "which" can mean this phrase alone: after a list or apposition a name seldom is."""
    verb = tokens[skip_adverbs(tokens, comma + 2)].text
    if verb in _OF_EVENTS or (start > first and tokens[start - 1].text in ("and", "&")):
        return False
    marks = {token.text for token in tokens[first:start]}
    return ":" not in marks and not (
        tokens[start].lower in _OFFICES or ("," in marks and tokens[start].named)
    )


def _name_start(tokens: Sequence[Token], first: int, last: int) -> int | None:
    start = last
    while start > first:
        before = tokens[start - 1]
        particle = (
            before.text in ("of", "de", "van", "von") and start - 2 >= first and tokens[start - 2].named
        )
        if not (before.named or particle) or (start - 1 == first and before.lower in PREPOSITIONS):
            break
        start -= 1
    if start > first and tokens[start - 1].text in _DEFINITE:
        start -= 1
    return start


def _phrase_start(tokens: Sequence[Token], first: int, last: int) -> int | None:
    for start in range(last - 1, max(first - 1, last - 5), -1):
        token = tokens[start]
        if token.lower in _DEFINITE or (token.named and token.text.endswith(("'s", "’s"))):
            return start
        stops = token.lower in PREPOSITIONS | BLOCKERS | DETERMINERS | {"and"}
        if stops or not token.text.isalpha() or verb_form(token) in ("be", "have", "modal", "past"):
            return None
    return None


def _restrictive(text: str, tokens: Sequence[Token], part: Piece) -> tuple[Piece, ...] | None:
    """ "X is an actor who did A" and "X is an actor born in Y": X did A; X was born in Y."""
    if part.prefix:
        name, verb = part.prefix, skip_adverbs(tokens, part.start)
    else:
        subject = find_subject(tokens[: part.end], part.start)
        if subject is None or tokens[subject.start].lower in _NO_ANTECEDENT:
            return None
        name, verb = describe(tokens, text, subject.start, subject.end), subject.verb
    if (
        verb + 1 >= part.end
        or tokens[verb].text not in ("is", "was")
        or tokens[verb + 1].text not in ("a", "an")
    ):
        return None
    for index in range(verb + 3, min(verb + 13, part.end - 2)):
        token, following = tokens[index], tokens[index + 1]
        if token.text == "born" and following.text in ("on", "in"):
            return Piece(part.start, index, part.prefix), Piece(index, part.end, f"{name} was")
        if token.text in ("who", "that", "which"):
            if not _predicates(tokens, index + 1, part.end):
                return None
            return Piece(part.start, index, part.prefix), Piece(index + 1, part.end, name)
        if not (token.text.isalnum() or "-" in token.text) or token.lower in PREPOSITIONS | BLOCKERS:
            return None
    return None


def _predicates(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Whether a singular predicate stands at `start`."""
    verb = skip_adverbs(tokens, start)
    if verb + 1 >= end or tokens[verb].text in _PLURAL:
        return False
    if verb_form(tokens[verb]):
        return True
    following = tokens[verb + 1].lower
    return tokens[verb].text.endswith("s") and following in DETERMINERS | PREPOSITIONS | {"not"}
