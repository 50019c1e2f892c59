"""Clauses of a sentence: coordinated predicates, relative clauses, lists of names, semicolons.

English only, and only where the split is safe: a wrong split is worse than none, and what isn't recognised
stays one clause.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from factreasoner.language.abbreviations import words
from factreasoner.language.sentences import Span
from factreasoner.stages.english import (
    BE,
    BLOCKERS,
    DETERMINERS,
    INTRANSITIVE,
    NOMINATIVES,
    PREPOSITIONS,
    SURELY_FINITE,
    Token,
    describe,
    is_active,
    is_participle,
    skip_adverbs,
    tokenize,
    verb_form,
)
from factreasoner.stages.lists import listed
from factreasoner.stages.relatives import Piece, relatives
from factreasoner.stages.subjects import Subject, body_start, find_subject, subject_at


class Clause(NamedTuple):
    """A part of a sentence that can be true or false. `text` is complete where the part at `span` is not."""

    span: Span
    text: str


_PASSIVE = words(
    "raised educated buried located based known named used released published held founded established",
    "awarded elected appointed given granted declared called considered crowned regarded inducted",
    "nominated produced built sold adapted translated recognized recognised honored honoured credited",
    "married",
)
_NAMING = words(
    "awarded named elected appointed given granted declared called considered crowned offered voted",
    "inducted",
)
_SURE_VERBS = words(
    "includes include lives serves specializes specialises provides contains consists comprises allows",
    "becomes makes holds teaches writes belongs remains operates employs depends refers describes",
    "involves requires occurs",
)
_PLURAL = words("are were have")
_SINGULAR = words("is was has")
_SUBORDINATING = words("after before until till once as since")
_CIRCUMSTANTIAL = words("in on at after before during since by from throughout between until born founded")
_POSSESSIVES = words("his her its their")
_CONJUNCTIONS = words("and but so yet while whereas")
_TOKEN_LIMIT = 300
_FINAL_MARKS = ".!?…。！？।؟۔"


def clauses(text: str, span: Span) -> list[Clause]:
    """Split the sentence at `span` of `text`; in order, not overlapping, at least one.

    A carried-over subject is put before its clause in `Clause.text` ("X won the prize in 1990."); the span
    is that of the verbatim clause.
    """
    whole = [Clause(Span(*span), text[span.start : span.end])]
    tokens = tokenize(text, span)
    # A quotation left open shows as a token that is a mere quotation mark.
    unsafe = any(token.text in '"“”' for token in tokens) or (tokens and "?" in tokens[-1].text)
    if unsafe or not 5 <= len(tokens) <= _TOKEN_LIMIT:
        return whole
    last = len(tokens) - 1 if tokens[-1].text[0] in _FINAL_MARKS else len(tokens)
    pieces = [
        piece
        for start, end in _at_semicolons(tokens, last)
        for part in _coordinated(text, tokens, start, end)
        for whole_piece in relatives(text, tokens, part)
        for piece in listed(text, tokens, whole_piece)
    ]
    if len(pieces) < 2:
        return whole
    return [_compose(text, tokens, piece) for piece in pieces]


def _compose(text: str, tokens: Sequence[Token], piece: Piece) -> Clause:
    span = Span(tokens[piece.start].start, tokens[piece.end - 1].end)
    sentence = f"{piece.prefix} {text[span.start : span.end]}".strip()
    sentence = re.sub(r"[,;]([\"”’)]*)$", r"\1", sentence[0].upper() + sentence[1:])
    if not re.search(r"[.!?…][\"”’)]*$", sentence):
        sentence += "."
    return Clause(span, sentence)


def _at_semicolons(tokens: Sequence[Token], last: int) -> Iterator[tuple[int, int]]:
    marks = [i for i in range(last) if tokens[i].text in ";；"]
    edges = [-1, *marks, last]
    parts = [(a + 1, b) for a, b in pairwise(edges)]
    listing = marks and any(token.text == ":" for token in tokens[: marks[0]])
    if marks and not listing and all(_predicates(tokens[a:b]) for a, b in parts):
        yield from parts
    else:
        yield 0, last


def _predicates(part: Sequence[Token]) -> bool:
    """Whether a part between semicolons says something on its own."""
    finite = any(verb_form(token) in SURELY_FINITE for token in part) or find_subject(part) is not None
    return len(part) > 2 and finite and part[0].lower not in BLOCKERS | {"and", "but"}


def _coordinated(text: str, tokens: Sequence[Token], start: int, end: int) -> Iterator[Piece]:
    """Cut "S did A, did B and did C" and "S did A, and T did B"."""
    subject = find_subject(tokens[:end], start)
    condition = _condition(text, tokens, start, subject) if subject else ""
    piece = Piece(start, end)
    # A cut at a mere comma ("did A, did B") holds only once "and did C" follows.
    pending: list[Piece] = []
    index = subject.verb + 1 if subject else end
    verb = index - 1
    while subject and index < end:
        cut = _cut(text, tokens[:end], index, subject)
        if cut is None or not _weighs(tokens, verb, index):
            if _is_closed(tokens[:end], index):
                break
            index += 1
            continue
        if cut.comma_only:
            pending.append(Piece(piece.start, index, piece.prefix))
        else:
            yield from pending
            pending.clear()
            yield Piece(piece.start, index, piece.prefix)
        piece = Piece(cut.start, end, f"{condition} {cut.prefix}".strip())
        subject, verb, index = cut.subject, cut.verb, cut.verb + 1
    first = pending[0] if pending else piece
    yield Piece(first.start, end, first.prefix)


def _is_closed(tokens: Sequence[Token], index: int) -> bool:
    """Whether from here on a coordination may belong to a subordinate clause or an aside."""
    token = tokens[index]
    subordinate = token.text in _SUBORDINATING and subject_at(tokens, index + 1) is not None
    return subordinate or token.lower in BLOCKERS or token.text in ":–—-"


def _condition(text: str, tokens: Sequence[Token], start: int, subject: Subject) -> str:
    """The phrase in front of the subject, if what follows holds under it alone ("Without air, ...")."""
    start = body_start(tokens, start)
    if subject.start <= start or tokens[start].lower in _CIRCUMSTANTIAL:
        return ""
    return describe(tokens, text, start, subject.start)


class _Cut(NamedTuple):
    start: int
    verb: int
    prefix: str
    subject: Subject
    comma_only: bool


def _cut(text: str, tokens: Sequence[Token], index: int, subject: Subject) -> _Cut | None:
    """What begins after the comma or conjunction at `index`, if it is a clause of its own."""
    comma = tokens[index].text == ","
    start = index + 1 if comma else index
    conjunction = tokens[start].text if start < len(tokens) else ""
    joined = conjunction in _CONJUNCTIONS
    if joined:
        start += 1
    elif not comma:
        return None
    clausal = joined and start < len(tokens) and tokens[start].text != "that"
    new = subject_at(tokens, start) if clausal else None
    if clausal and comma and new is None:
        new = _bare_subject(tokens, start)
    if new and _is_sure(tokens, new) and (comma or tokens[start].lower in NOMINATIVES | _POSSESSIVES):
        return _Cut(start, new.verb, "", new, comma_only=False)
    if joined and conjunction not in ("and", "but"):
        return None
    verb = skip_adverbs(tokens, start)
    prefix = _carried(text, tokens, verb, subject)
    return _Cut(start, verb, prefix, subject, comma_only=not joined) if prefix else None


def _bare_subject(tokens: Sequence[Token], start: int) -> Subject | None:
    """A subject of one or two plain nouns: "..., and resin is used ..."."""
    for verb in (start + 1, start + 2):
        form = verb_form(tokens[verb]) if verb < len(tokens) else None
        if form in ("be", "have"):
            plain = all(
                t.text.isalpha() and t.lower not in PREPOSITIONS | BLOCKERS for t in tokens[start:verb]
            )
            return (
                Subject(start, verb, verb, form) if plain and skip_adverbs(tokens, start) == start else None
            )
    return None


def _is_sure(tokens: Sequence[Token], subject: Subject) -> bool:
    """Whether a subject after a conjunction is no further item of a list ("and other costs seen")."""
    rest = tokens[subject.verb + 1 :]
    if not rest or (len(rest) == 1 and rest[0].text[0].isdigit()):
        # "Lightning has 8 pins, whereas USB-C has 16."
        return False
    return subject.form != "mixed" or (
        is_active(tokens, subject.verb) and tokens[subject.start].lower not in ("other", "such", "any")
    )


def _weighs(tokens: Sequence[Token], verb: int, end: int) -> bool:
    """Whether a predicate says enough alone; "was born" of "was born and raised in Chicago" does not."""
    passive = tokens[verb].text in BE and is_participle(tokens[skip_adverbs(tokens, verb + 1)])
    return end - verb > (2 if passive else 1)


def _carried(text: str, tokens: Sequence[Token], verb: int, subject: Subject) -> str | None:
    """What a coordinated predicate takes over from the first one: its subject, or subject and auxiliary."""
    form = verb_form(tokens[verb]) if verb + 1 < len(tokens) else None
    if form is None:
        return None
    name = describe(tokens, text, subject.start, subject.end)
    word, first, following = tokens[verb].text, tokens[subject.verb].text, tokens[verb + 1]
    if (
        (word in _PLURAL) != (first in _PLURAL)
        and first in _PLURAL | _SINGULAR
        and word in _PLURAL | _SINGULAR
    ):
        return None
    if form in ("be", "have", "modal"):
        infinitive = subject.form == "modal" or any(t.text == "to" for t in tokens[subject.verb : verb])
        return None if infinitive and word in ("have", "do") else name
    if form == "present":
        noun_like = not (following.lower in DETERMINERS or (word in _SURE_VERBS and _is_clear(following)))
        return None if noun_like or subject.form == "modal" else name
    return name if form == "past" else _carried_by_mixed(tokens, verb, subject, name)


def _carried_by_mixed(tokens: Sequence[Token], verb: int, subject: Subject, name: str) -> str | None:
    """The same for a form that may be a past tense or a participle ("directed")."""
    word, following = tokens[verb].text, tokens[verb + 1]
    active = is_active(tokens, verb)
    second = skip_adverbs(tokens, subject.verb + 1)
    auxiliary = tokens[subject.verb].text
    if tokens[second].text == "been":
        auxiliary, second = f"{auxiliary} been", skip_adverbs(tokens, second + 1)
    participle = second < verb and is_participle(tokens[second])
    if participle and (subject.form == "be" or auxiliary.endswith("been")):
        if following.text == "by" or (word in _NAMING and active):
            return f"{name} {auxiliary}"
        if active:
            return name
        return f"{name} {auxiliary}" if word in _PASSIVE else None
    if word in _NAMING or not active:
        return None
    if subject.form == "be" and not (following.lower in DETERMINERS or word in INTRANSITIVE):
        # "The result is lower risk and increased ROI."
        return None
    return f"{name} {auxiliary}" if participle and subject.form == "have" else name


def _is_clear(token: Token) -> bool:
    return token.named or (token.lower in PREPOSITIONS and token.text != "of")
