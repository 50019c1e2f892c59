"""Citations by author and year: "(Smith & Lee, 2020; Wu et al. 2021a)", "Smith et al. (2020)", [Smith20]."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from factreasoner.text.language import NO_AUTHORS

_PARTICLES = (
    r"(?:(?:[Vv]an|[Vv]on|[Dd]e[rnl]?|[Dd]ella|[Dd][iau]|[Ll][ae]|[Tt]e[nr]|[Bb]in|[Ee]l|[Aa]l|St\.?)[ -])"
)
_NAME = r"[^\W\d_a-z][^\W\d_]+(?:[-’'][^\W\d_]+)*"
_SURNAME = rf"{_PARTICLES}{{0,3}}(?:[^\W\d_][’'])?{_NAME}"
_INITIALS = r"[^\W\d_a-z]\.(?:[ -]?[^\W\d_a-z]\.){0,2}"
_AUTHOR = rf"(?:{_INITIALS}[ -]?)?{_SURNAME}(?:, {_INITIALS}(?=[,;&) ]|$))?"
_AND = r"(?:,? ?& ?|,? (?:and|und|et|y) |, )"
_OTHERS = r",? (?:et al\.?|et coll\.?|u\. ?a\.|and (?:others|colleagues))"
_ORGANISATION = (
    rf"(?:{_NAME} (?:(?:of|for|the|and|on|{_NAME}) ){{0,6}})?"
    "(?i:organi[sz]ation|bank|institutes?|university|ministry|association|commission|bureau|agency|department"
    "|office|council|committee|foundation|group|nations|cent(?:er|re)s?|society|service|authority|team|union"
    rf"|statistics)(?: (?:of|for|on)(?: (?:the|and|{_NAME})){{1,5}})?"
)
_YEAR = r"(?:1[5-9]|20)\d\d[a-z]?(?:/(?:1[5-9]|20)?\d\d)?"
_YEAR_ALONE = re.compile(r"\d{4}")
_DATE = rf"(?:{_YEAR}(?:(?:, ?| and | & )(?:{_YEAR}|[a-z](?![^\W\d_])))*|n\. ?d\.|in press|forthcoming)"
_LOCATOR = (
    r"(?:(?:,|:) ?(?:(?i:pp?|S|ch|chap|chapters?|sec|section|§+|table|fig|figure|para|vol|no)\.? ?)?"
    r"\d{1,4}(?:\.\d+)*(?: ?[-–] ?\d+)?f{0,2}\.?)"
)
_ITEM = re.compile(
    rf"(?P<authors>(?P<organisation>{_ORGANISATION})|{_AUTHOR}(?:{_AND}{_AUTHOR}){{0,9}}(?P<others>{_OTHERS})?)"
    rf"(?P<comma>,)? (?P<date>{_DATE})(?P<locator>{_LOCATOR})*"
)
_KEY = re.compile(
    r"(?P<author>[^\W\d_a-z][^\W\d_]+(?:[+-][^\W\d_]*)*)[ ’']?(?P<date>(?:1[5-9]|20)?\d\d)[a-z]?"
)
_PREFIXES = re.compile(
    r"(?:(?:for (?:an? )?\w+, )?(?:(?:but |and )?see(?: also)?|cf\.?|e\.g\.,?|(?:data|adapted) from"
    r"|source:|vgl\.|siehe(?: auch)?|voir|véase)\s+)*",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"\s*;\s*|(?:(?<=\d\d)|(?<=\d[a-z]))(?:,| and| &)\s+(?=[^\W\d_a-z][^\W\d_])")
ASIDE = re.compile(r"[(（](?P<inside>[^()（）\n]{4,300}(?:\([^()\n]{1,40}\)[^()\n]{0,200})?)[)）]")
NARRATIVE = re.compile(
    rf"(?<![\w(’'-])(?P<authors>{_SURNAME}(?:(?P<joined>(?:,? & |,? and ){_SURNAME})|(?P<others>{_OTHERS}))?"
    rf"(?:['’]s?)?) \((?P<date>{_DATE})(?P<locator>{_LOCATOR})*\)"
)
_REPORTING = re.compile(
    r"\s+(?:also |first |later |further )?(?:show|find|found|argu|report|not|claim|conclud|demonstrat|describ"
    r"|suggest|observ|propos|estimat|stat|writ|wrot|point|confirm|review|studi|examin|reject|disagre)\w*\b"
)
_CAPITALS = re.compile(r"[^\W\d_a-z]{2}")
"""Part of the name of a conference or a show ("NIPS 2017"), unless a comma follows."""


class AuthorYear(NamedTuple):
    """A work as a text cites it. `years` are as written, without letters; empty for "in press".

    `sure`: the form alone tells it from a place or title with a year, as "et al." does.
    """

    label: str
    authors: tuple[str, ...]
    years: tuple[str, ...]
    sure: bool


@lru_cache(maxsize=4096)
def works_of(inside: str) -> tuple[AuthorYear, ...]:
    """The works that the inside of a parenthesis cites; none where it holds anything else."""
    found: list[AuthorYear] = []
    for piece in filter(None, _BETWEEN.split(" ".join(inside.split()))):
        said = _PREFIXES.sub("", piece, count=1).strip()
        item = _ITEM.fullmatch(said)
        if item is None and found and re.fullmatch(_DATE, said):
            found[-1] = found[-1]._replace(years=(*found[-1].years, *_YEAR_ALONE.findall(said)))
            continue
        work = _work(item, said) if item is not None else None
        if work is None:
            return ()
        found.append(work)
    return tuple(found)


def work_of_key(key: str) -> AuthorYear | None:
    """The work that a key names: "Smith20", "Smith2020"; None for anything else."""
    match = _KEY.fullmatch(key.strip())
    if match is None or match["author"].lower() in NO_AUTHORS:
        return None
    return AuthorYear(key.strip(), (match["author"],), (match["date"],), sure=False)


def work_of_words(text: str, match: re.Match[str]) -> AuthorYear | None:
    """The work that a match of `NARRATIVE` cites: authors joined, "et al.", or one who reports something."""
    work = _work(match, f"{match['authors']} {match['date']}")
    told = match["joined"] or match["others"] or _REPORTING.match(text, match.end())
    return work._replace(sure=match["others"] is not None) if work and told else None


def _work(match: re.Match[str], piece: str) -> AuthorYear | None:
    """The work of a match of `_ITEM` or `NARRATIVE`; None where the name is that of a place or the like."""
    groups = match.groupdict()
    authors = re.sub(rf"{_OTHERS}|['’]s?$", "", match["authors"])
    names = [authors]
    if not groups.get("organisation"):
        apart = (re.sub(rf"^{_INITIALS}[ -]?", "", name).strip() for name in re.split(_AND, authors))
        names = [name for name in apart if re.search(r"[^\W\d_]{2}", name)]
    sure = bool(groups["others"] or groups["locator"] or groups.get("organisation"))
    if not sure and not NO_AUTHORS.isdisjoint(" ".join(names).lower().split()):
        return None
    if not sure and groups.get("comma", "") is None and any(map(_CAPITALS.search, names)):
        return None
    label = re.sub(rf"{_LOCATOR}$", "", piece) if groups["locator"] else piece
    return AuthorYear(label, tuple(names), tuple(_YEAR_ALONE.findall(match["date"])), sure or "&" in authors)
