"""Citations by author and year: "(Smith & Lee, 2020; Wu et al. 2021a)", "Smith et al. (2020)", [Smith20]."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from factreasoner.text.lexicon import NO_AUTHORS, gender_of_name

_PARTICLES = (
    r"(?:(?:[Vv]an|[Vv]on|[Dd]e[rnl]?|[Dd]ella|[Dd][iau]|[Ll][ae]|[Tt]e[nr]|[Bb]in|[Ee]l|[Aa]l|St\.?)[ -])"
)
_NAME = r"[^\W\d_a-z][^\W\d_]+(?:[-’'][^\W\d_]+)*"
_SURNAME = rf"{_PARTICLES}{{0,3}}(?:[^\W\d_]’|[^\W\d_]')?{_NAME}"
_INITIALS = r"[^\W\d_a-z]\.(?:[ -]?[^\W\d_a-z]\.){0,2}"
_AUTHOR = rf"(?:{_INITIALS}[ -]?)?{_SURNAME}(?:, {_INITIALS}(?=[,;&) ]|$))?"
_AND = r"(?:,? ?& ?|,? (?:and|und|et|y) |, )"
_OTHERS = r",? (?:et al\.?|et coll\.?|u\. ?a\.|and (?:others|colleagues))"
_ORGANISED = (
    "organi[sz]ation|bank|institutes?|university|ministry|association|commission|bureau|agency|department|office"
    "|council|committee|foundation|group|nations|cent(?:er|re)s?|society|service|authority|team|union|statistics"
)
_ORGANISATION = (
    rf"(?:{_NAME} (?:(?:of|for|the|and|on|{_NAME}) ){{0,6}})?(?i:{_ORGANISED})"
    rf"(?: (?:of|for|on)(?: (?:the|and|{_NAME})){{1,5}})?"
)
_YEAR = r"(?:1[5-9]|20)\d\d[a-z]?(?:/(?:1[5-9]|20)?\d\d)?"
_DATE = rf"(?:{_YEAR}(?:(?:, ?| and | & )(?:{_YEAR}|[a-z](?![^\W\d_])))*|n\. ?d\.|in press|forthcoming)"
_LOCATOR = (
    r"(?:(?:,|:) ?(?:(?i:pp?|S|ch|chap|chapters?|sec|section|§+|table|fig|figure|para|vol|no)\.? ?)?"
    r"\d{1,4}(?:\.\d+)*(?: ?[-–] ?\d+)?f{0,2}\.?)"
)
_ITEM = re.compile(
    rf"(?P<authors>(?P<organisation>{_ORGANISATION})"
    rf"|(?P<given>{_NAME} )??{_AUTHOR}(?:{_AND}{_AUTHOR}){{0,9}}(?P<others>{_OTHERS})?)"
    rf"(?P<comma>,)? (?P<date>{_DATE})(?P<locator>{_LOCATOR})*"
)
_KEY = re.compile(
    r"(?P<author>[^\W\d_a-z][^\W\d_]+(?:[+-][^\W\d_]*)*)[ ’']?(?P<date>(?:1[5-9]|20)?\d\d)[a-z]?"
)
_PREFIXES = re.compile(
    r"^\s*(?:(?:for (?:a|an|the)? ?\w+,? )?(?:(?:but |and )?see(?: also| e\.g\.,?)?|cf\.?|e\.g\.,?|after|"
    r"following|(?:reviewed|as cited|cited|quoted|discussed) (?:in|by)|adapted from|data from|source:|"
    r"vgl\.|siehe(?: auch)?|voir|véase)\s+)+",
    re.IGNORECASE,
)
_SUFFIX = re.compile(
    r",? (?:for (?:a |an )?(?:recent )?(?:review|overview|discussion)|and references therein|among others)$"
)
_APART = re.compile(
    r"\s*;\s*|(?<=\d\d),\s+(?=[^\W\d_a-z][^\W\d_])|(?<=\d[a-z]),\s+(?=[^\W\d_a-z][^\W\d_])"
    r"|(?<=\d\d) (?:and|&) (?=[^\W\d_a-z])"
)
_PARENTHESIS = re.compile(r"[(（](?P<inside>[^()（）\n]{4,300}(?:\([^()\n]{1,40}\)[^()\n]{0,200})?)[)）]")
_NARRATIVE = re.compile(
    rf"(?<![\w(’'-])(?P<authors>{_SURNAME}(?:(?:,? & |,? and ){_SURNAME}|(?P<others>{_OTHERS}))?(?:['’]s?)?) "
    rf"\((?P<date>{_DATE})(?P<locator>{_LOCATOR})*\)"
)
_REPORTING = re.compile(
    r"\s+(?:also |first |later |further )?(?:show|find|found|argu|report|not|claim|conclud|demonstrat|describ"
    r"|suggest|observ|propos|estimat|stat|writ|wrot|point|confirm|review|studi|examin|reject|disagre)\w*\b"
)
_CAPITALS = re.compile(r"[^\W\d_a-z]{2}")
"""A name like that is rather a conference's or a show's, unless a comma stands behind it."""


class AuthorYear(NamedTuple):
    """A work as a text cites it. `years` are as written, without letters; none where none is told.

    `sure` where the form alone tells it from a place or title with a year, as "et al." does.
    """

    label: str
    authors: tuple[str, ...]
    years: tuple[str, ...]
    sure: bool


class Cited(NamedTuple):
    """Works that `text[start:end]` cites. `narrative`: their authors are words of the sentence."""

    start: int
    end: int
    works: tuple[AuthorYear, ...]
    narrative: bool = False


def author_years(text: str) -> Iterator[Cited]:
    """The citations by author and year in a text, in parentheses or as a part of its sentences."""
    for match in _PARENTHESIS.finditer(text):
        if works := works_of(match["inside"]):
            yield Cited(*match.span(), works)
    for match in _NARRATIVE.finditer(text):
        work = _work(match, f"{match['authors']} {match['date']}")
        joined = match["others"] is not None or re.search(r" (?:and|&) ", match["authors"]) is not None
        if work is not None and (joined or _REPORTING.match(text, match.end())):
            yield Cited(*match.span(), (work._replace(sure=match["others"] is not None),), narrative=True)


@lru_cache(maxsize=4096)
def works_of(inside: str) -> tuple[AuthorYear, ...]:
    """The works that the inside of a parenthesis cites; none where it holds anything else."""
    inside = " ".join(inside.split())
    inside = _SUFFIX.sub("", inside)
    found: list[AuthorYear] = []
    for piece in filter(None, _APART.split(inside)):
        told = _PREFIXES.sub("", piece).strip()
        item = _ITEM.fullmatch(told)
        if item is None and found and re.fullmatch(_DATE, told):
            found[-1] = found[-1]._replace(years=(*found[-1].years, *_years(told)))
            continue
        work = _work(item, told) if item is not None else None
        if work is None:
            return ()
        found.append(work)
    return tuple(found)


def work_of_key(key: str) -> AuthorYear | None:
    """The work that a key names: "Smith20", "Smith2020"; None for what is no key."""
    match = _KEY.fullmatch(key.strip())
    if match is None or match["author"].lower() in NO_AUTHORS:
        return None
    return AuthorYear(key.strip(), (match["author"],), (match["date"],), sure=False)


def _work(match: re.Match[str], piece: str) -> AuthorYear | None:
    """The work of a match of `_ITEM` or `_NARRATIVE`; None where the name is that of a place or the like."""
    groups = match.groupdict()
    given = groups.get("given")
    if given and gender_of_name(given) is None:
        return None
    authors = re.sub(rf"{_OTHERS}|['’]s?$", "", match["authors"].removeprefix(given or ""))
    if groups.get("organisation"):
        names = [authors]
    else:
        names = [
            re.sub(rf"^{_INITIALS}[ -]?", "", name).strip()
            for name in re.split(_AND, authors)
            if re.search(r"[^\W\d_]{2}", name)
        ]
    sure = bool(groups.get("others") or groups.get("locator") or groups.get("organisation"))
    if not sure and any(part.lower() in NO_AUTHORS for name in names for part in name.split()):
        return None
    if not sure and groups.get("comma", "") is None and any(_CAPITALS.search(name) for name in names):
        return None
    label = re.sub(rf"{_LOCATOR}$", "", piece) if groups.get("locator") else piece
    return AuthorYear(label, tuple(names), _years(match["date"]), sure or "&" in authors)


def _years(date: str) -> tuple[str, ...]:
    return tuple(re.findall(r"\d{4}", date))
