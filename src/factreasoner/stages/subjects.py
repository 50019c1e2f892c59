"""The subject of an English sentence or clause, where it can be told.

Everything here prefers saying "not found" to a guess.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from factreasoner.language.abbreviations import words
from factreasoner.stages.english import (
    BLOCKERS,
    CONNECTIVES,
    DETERMINERS,
    NOMINATIVES,
    PARTICLES,
    PREPOSITIONS,
    PRONOUNS,
    SURELY_FINITE,
    Token,
    VerbForm,
    skip_adverbs,
    verb_form,
)

_OF_DATES = words(
    "January February March April May June July August September October November December",
    "the early late mid same year spring summer autumn winter fall of",
)
_PARTICIPIAL = words("based born founded known located established built formed named called raised")
_SINGULAR = words("he she it")
_SUBORDINATING = words("after before since until once as")


class Subject(NamedTuple):
    """Tokens [start, end) are the subject, `verb` is the finite verb's index and `form` its form."""

    start: int
    end: int
    verb: int
    form: VerbForm


def find_subject(tokens: Sequence[Token], begin: int = 0) -> Subject | None:
    """Subject and finite verb of the clause that starts at `begin`, past a connective or an adjunct."""
    begin = body_start(tokens, begin)
    subject = subject_at(tokens, begin)
    if subject or begin >= len(tokens) or tokens[begin].lower not in PREPOSITIONS | _PARTICIPIAL:
        return subject
    commas = [i for i in range(begin + 1, min(begin + 18, len(tokens))) if tokens[i].text == ","][:3]
    starts = [comma + 1 for comma in commas]
    if tokens[begin].lower not in _SUBORDINATING:
        starts = [*_after_adjunct(tokens, begin + 1), *starts]
    return next((found for start in starts if (found := subject_at(tokens, start))), None)


def body_start(tokens: Sequence[Token], begin: int = 0) -> int:
    """Index past "However, " or a label ("Origin: ") in front of a clause."""
    for index in range(begin + 1, min(begin + 5, len(tokens) - 1)):
        if tokens[index].text == ":":
            return index + 1
        if tokens[index].text == "," and index == begin + 1 and tokens[begin].lower in CONNECTIVES:
            return index + 1
        if verb_form(tokens[index]):
            break
    return begin


def _after_adjunct(tokens: Sequence[Token], start: int) -> list[int]:
    """Index past a date ("in June 1990 Jane ..."), else of a pronoun that can only be a subject."""
    index = start
    while index < len(tokens) and (tokens[index].text[0].isdigit() or tokens[index].text in _OF_DATES):
        index += 1
    if index > start:
        return [index]
    for position in range(start, min(start + 10, len(tokens))):
        token = tokens[position]
        if token.text in NOMINATIVES - {"this"}:
            return [position]
        if verb_form(token) or token.lower in BLOCKERS or not token.text[0].isalnum():
            break
    return []


def subject_at(tokens: Sequence[Token], start: int) -> Subject | None:
    """The subject that starts exactly at `start`, when its finite verb follows without a detour."""
    if start >= len(tokens):
        return None
    first = tokens[start]
    if first.lower in PRONOUNS:
        verb = skip_adverbs(tokens, start + 1)
        form = verb_form(tokens[verb]) if verb < len(tokens) else None
        if (
            form is None
            and first.lower in _SINGULAR
            and verb < len(tokens)
            and _is_third_person(tokens[verb].text)
        ):
            form = "present"
        if form:
            return Subject(start, start + 1, verb, form)
    opens_phrase = first.lower in DETERMINERS or (first.named and first.lower not in PREPOSITIONS | BLOCKERS)
    if not opens_phrase or first.lower in CONNECTIVES:
        return None
    # Past a participle ("proteins made in cells") only a form that can be nothing but finite is the verb.
    reduced = False
    for end in range(start + 1, min(start + 11, len(tokens))):
        token = tokens[end]
        verb = skip_adverbs(tokens, end)
        form = verb_form(tokens[verb]) if verb < len(tokens) else None
        participle = form == "mixed" and not _is_finite(tokens, start, verb)
        reduced = reduced or participle
        if form in SURELY_FINITE or (form and not reduced):
            return Subject(start, end, verb, form)
        if token.text == ",":
            return _past_apposition(tokens, start, end)
        if token.lower in BLOCKERS | NOMINATIVES or not (token.text[0].isalnum() or token.text[0] in '("“«'):
            return None
    return None


def _is_third_person(word: str) -> bool:
    """Whether a word after "it" is its verb: "it blocks"."""
    return len(word) > 3 and word.isalpha() and word.islower() and word.endswith("s")


def _past_apposition(tokens: Sequence[Token], start: int, comma: int) -> Subject | None:
    """The subject of "X, also known as Y, is ..."; `comma` is the first one."""
    limit = min(comma + 14, len(tokens) - 1)
    second = next((i for i in range(comma + 1, limit) if tokens[i].text == ","), None)
    if second is None or any(verb_form(t) in SURELY_FINITE for t in tokens[comma:second]):
        return None
    if tokens[comma + 1].lower in BLOCKERS | PREPOSITIONS | {"and"}:
        return None
    verb = skip_adverbs(tokens, second + 1)
    form = verb_form(tokens[verb]) if verb < len(tokens) else None
    return Subject(start, comma, verb, form) if form in SURELY_FINITE else None


def _is_finite(tokens: Sequence[Token], start: int, verb: int) -> bool:
    """Whether a mixed form after a phrase is its verb and no participle ("proteins made in cells are")."""
    following = tokens[verb + 1].lower if verb + 1 < len(tokens) else ""
    bare = skip_adverbs(tokens, start + 1) == verb and tokens[start].lower in DETERMINERS
    if following == "by" or bare:
        return False
    for token in tokens[verb + 1 :]:
        if token.text in (",", "and", "but") or token.lower in BLOCKERS:
            break
        if verb_form(token) in ("be", "have", "past", "present"):
            return False
    named = all(t.named or t.lower in PARTICLES or t.text[0] == "(" for t in tokens[start:verb])
    return named or tokens[start].lower in DETERMINERS
