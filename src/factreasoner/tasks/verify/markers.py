"""Citation markers in a text: where they stand, and which of a record's contexts they name.

Markers are the marks of `text.citation_marks`, and links to the page of a context: in Markdown, in angle
brackets, or bare. Other links are not markers.

A label names the context with that id, else the page in the answer's own list of references, else the n-th
context. Author and year name the only context that has both in its id, title or link. Other labels are
unknown.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from factreasoner.atoms.plain_text import emphasised
from factreasoner.models import Context
from factreasoner.text.author_years import AuthorYear, work_of_key, works_of
from factreasoner.text.citation_marks import (
    BROKEN,
    LINKED,
    Known,
    Mark,
    Regions,
    find_marks,
    is_word,
    may_be_numbers,
    nothing_cited,
)
from factreasoner.text.language import SENTENCES
from factreasoner.text.links import page_of
from factreasoner.text.tags import ANCHOR, UNSEEN, Tags, are_pair, without_tags

_URL = re.compile(r"<(?P<angled>https?://[^\s<>]+)>|(?P<bare>https?://[^\s<>\[\]\"”]+)")
_TERM = re.compile(r"[^\W\d_]+|\d+")
_ROUND = re.compile(r"(?<=[^\W_%] )\((\d{1,3}(?:(?:, ?|[-–])\d{1,3}){0,9})\)(?=[.!?]|[ \t]*$)", re.M)
"""A number in round brackets that ends its sentence or line, or several."""
_TURN = r"turn\d{1,3}[a-z]{3,12}\d{1,3}"
UNREAD = re.compile(
    r"(?P<begins>\[cite_start\])|\[[Cc]itation needed\]"
    r"|(?P<pointer>\ue200cite[^\ue200\ue201\n]{0,200}\ue201|【\d{1,4}:\d{1,4}†[^【】\n]{0,200}】"
    r"|(?P<opens><(?:antml:)?cite index=[^<>\n]{1,200}>)"
    r"|(?::contentReference)?[\[【]oaicite:\d{1,3}[\]】](?:\{index=\d{1,3}\})?"
    rf"|(?<![^\W_])(?:file)?cite(?:{_TURN})+|[\[【]{_TURN}(?:, ?{_TURN})*[\]】])"
)
"""Marks that are no words and name no source; a pointer is for the program alone that wrote it.

One that opens stands before the sentence that it is for.
"""
_REFERRED = re.compile(r"\[(?P<inside>[^\[\]\n]{1,120})\]\[(?P<label>[^\[\]\n]{1,60})\]")
"""A link whose address the text defines elsewhere: "[Reuters][1]"."""
_POINTERS = re.compile(
    r"(?<!\])\((?:(?:[ ,;]|and\b|und\b|et\b|&)*(?:https?://[^\s<>()\[\]]+"
    r"|\[[^\[\]\n]{1,120}\](?:\((?:[^()\s]|\([^()\s]*\))*\)|\[[^\[\]\n]{1,60}\]))){1,20} *\)"
)
"""Links in round brackets, and nothing else there: "([Reuters](https://...))"."""
_ENDS = re.compile(r"[ \t]*(?:[.!?;]|$)", re.MULTILINE)
_STOPPED = re.compile(r"[.!?…][\"”’)]*[ \t]+$")
_LINK = r"\[[^\[\]\n]{1,120}\]\(https?:(?:[^()\s]|\([^()\s]*\))+\)"
_LED = re.compile(rf"[ \t>*+-]*{_LINK}")
_ALONE = re.compile(
    rf"(?P<word>[\w.]{{0,24}})[.!?…][\"”’)]*[ \t]+(?P<links>{_LINK}(?:[ \t]*{_LINK})*)"
    r"(?=[ \t]*$|[ \t]+(?P<next>[^\W\d_]+))"
)
"""Links between two sentences, or behind the last of a line."""


class Marker(NamedTuple):
    """A citation in `text[start:end]`: the contexts it names, and labels that name none.

    `shown` is the part that reads as words of the sentence, such as the text of a link. `is_word`: all of it
    does, such as "Smith et al. (2020)".
    """

    start: int
    end: int
    sources: tuple[str, ...]
    unknown: tuple[str, ...]
    shown: tuple[int, int] | None = None
    is_word: bool = False


class Sources:
    """The contexts that labels and links in a text name, given the contexts in their order.

    `defined` maps labels to entries of the text's list of references. The author and year of an entry name
    its source, too: the one that its link leads to, else the one that its label names. `elsewhere`: labels
    whose entries have another link than their source and not its title, with that link; they name none.
    `by_order`: labels that name a source by its number alone, as their entries have neither of the two.
    """

    def __init__(self, contexts: Sequence[Context], defined: Mapping[str, str] | None = None) -> None:
        self._ids = {context.id for context in contexts}
        self._pages = {page_of(c.link): c.id for c in reversed(contexts) if page_of(c.link)}
        self._numbered = {str(n): context.id for n, context in enumerate(contexts, start=1)}
        self._terms = {
            context.id: _terms(f"{context.id} {context.title} {context.link}") for context in contexts
        }
        titles = {str(n): _terms(context.title) for n, context in enumerate(contexts, start=1)}
        self.defined = frozenset(defined or ())
        linked = set(self._pages.values())
        self.by_order: list[str] = []
        self.elsewhere: dict[str, str] = {}
        for label, entry in (defined or {}).items():
            link = _URL.search(entry)
            url = _url_of(link) if link else ""
            title = titles.get(label, frozenset())
            named = self._numbered.get(label) or self.of_label(entry.partition("]:")[2].strip())
            source = self._pages.get(page_of(url)) if url else named
            untitled = not title or not title <= _terms(entry)
            if source is None and named in linked and untitled and _is_page(url):
                self.elsewhere[label] = url
                self._numbered.pop(label, None)
            elif title and untitled and (source is None or not url):
                self.by_order.append(label)
            if source is not None:
                self._numbered[label] = source
                self._terms[source] |= _terms(entry)
        self.known = Known(self._ids, self._numbered)

    def of_label(self, label: str) -> str | None:
        """The id of the context that a label names, if any."""
        if label in self._ids:
            return label
        if label in self._numbered:
            return self._numbered[label]
        found = self.fitting(label)
        return found[0] if len(found) == 1 else None

    def fitting(self, label: str) -> list[str]:
        """The ids of the contexts that a label of author and year may name."""
        work = next(iter(works_of(label)), None) or work_of_key(label)
        return self._by_author(work) if work is not None else []

    def _by_author(self, work: AuthorYear) -> list[str]:
        """The contexts with the first author and no other year; those with the year before others."""
        names = [_terms(author) for author in work.authors]
        found = [
            source
            for source, terms in self._terms.items()
            if names[0] <= terms and (_dated(terms, work.years) or not any(map(_is_year, terms)))
        ]
        dated = [source for source in found if _dated(self._terms[source], work.years)]
        found = dated or found
        return [s for s in found if all(name <= self._terms[s] for name in names)] or found

    def label_of(self, source: str) -> str:
        """The number that names a context; its id where none does."""
        return next((label for label in self._numbered if self.of_label(label) == source), source)

    def of_link(self, link: str) -> str | None:
        """The id of the context whose page a link leads to, if any."""
        return self._pages.get(page_of(link))


def is_author_year(label: str) -> bool:
    """Whether a label is an author with a year, not a number or id."""
    return bool(works_of(label)) or work_of_key(label) is not None


def is_link(label: str) -> bool:
    """Whether a label is a link, as that of a page that is no source."""
    return label.startswith(("http:", "https:"))


def _is_page(link: str | None) -> bool:
    """Whether a link leads to a page of a site; that of the site itself only says where it is."""
    return link is not None and is_link(link) and not {"/", "?"}.isdisjoint(page_of(link).rstrip("?"))


def _terms(text: str) -> frozenset[str]:
    """Words and numbers of a text, without case and accents."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
    return frozenset(_TERM.findall(plain.casefold()))


def _is_year(term: str) -> bool:
    return re.fullmatch(r"(?:1[5-9]|20)\d\d", term) is not None


def _dated(terms: frozenset[str], years: Sequence[str]) -> bool:
    """Whether one of the years is among the terms. A key has only its last two digits."""
    return any(term.endswith(year) for term in terms if _is_year(term) for year in years)


def find_markers(text: str, sources: Sources) -> list[Marker]:
    """The citations in `text`, in order, none within another."""
    marks = (_marker(mark, sources) for mark in find_marks(text, sources.known))
    apart = nothing_cited(text)
    links = [m for m in _links(text, sources) if not apart.hold(m.start, m.start + 1)]
    tags = Tags(text)
    found = [_with_tags(text, tags, m) for m in (*links, *marks) if m is not None]
    markers: list[Marker] = []
    for marker in sorted(found, key=lambda m: (m.start, -m.end)):
        if not markers or marker.start >= markers[-1].end:
            markers.append(marker)
    return markers


def _with_tags(text: str, tags: Tags, marker: Marker) -> Marker:
    """A marker with the inline tags around it, such as those of a superscript, and with its emphasis."""
    before, behind = tags.before(marker.start), tags.behind(marker.end)
    while before and behind and before["inline"] and are_pair(before, behind):
        marker = marker._replace(start=before.start(), end=behind.end())
        before, behind = tags.before(marker.start), tags.behind(marker.end)
    start, end = emphasised(text, marker.start, marker.end)
    return marker._replace(start=start, end=end)


def notes_on(text: str, markers: Sequence[Marker], sources: Sources) -> Iterator[str]:
    """What was not read as a citation but looks like one, or was and may not be one, in words."""
    read = Regions((marker.start, marker.end) for marker in markers)
    apart = nothing_cited(text)
    for match in BROKEN.finditer(text):
        if not read.hold(match.start(), match.start() + 1):
            yield f"{match[0]!r} lacks a bracket and was not read as a citation"
    yield from _unread(text, read, sources)
    cited = {marker.start for marker in markers}
    for match in LINKED.finditer(text):
        labelled = match["url"] is None and sources.known.read(match["inside"]) is not None
        if (
            labelled
            and not apart.hold(match.start(), match.start() + 1)
            and may_be_numbers(text, *match.span())
        ):
            yield (
                f"{match[0]!r} was read as a citation; it may be an interval or a list of numbers"
                if match.start() in cited
                else f"{match[0]!r} was read as numbers and not as a citation: not all of them name a source"
            )
    if sources.by_order:
        labels = ", ".join(f"[{label}]" for label in sources.by_order)
        yield (
            f"{labels} count by number, as the list of references has neither link nor title of a source; "
            "give the sources in the order of the list"
        )
    for label in dict.fromkeys(label for marker in markers for label in marker.unknown):
        if fitting := sources.fitting(label):
            yield f"{label!r} fits several sources and names none: {', '.join(fitting)}"


def _unread(text: str, read: Regions, sources: Sources) -> Iterator[str]:
    """Numbers in round brackets, and pointers that only another program can follow."""
    apart = nothing_cited(text)
    for piece, numbers in dict.fromkeys(
        m.group(0, 1) for m in _ROUND.finditer(text) if not apart.hold(*m.span())
    ):
        labels = sources.known.read(numbers)
        if labels and all(map(sources.of_label, labels)):
            yield f"{piece!r} was not read as a citation; if it is one, write '[{numbers}]'"
    pointers = (m[0] for m in UNREAD.finditer(text) if m["pointer"] and not read.hold(*m.span()))
    if pointer := next(pointers, None):
        yield f"{pointer!r} and the like were not read as citations: they name no source by number or id"


def _links(text: str, sources: Sources) -> Iterator[Marker]:
    """Links to the pages of contexts, and those to other pages that end their sentence or stand behind it.

    The text of a link is words of the sentence, unless it is a number, stands in brackets of its own, or
    between two sentences.
    """
    pointers, alone = [match.span() for match in _POINTERS.finditer(text)], list(_alone(text))
    apart = Regions([*pointers, *alone])
    ending = Regions([*alone, *(span for span in pointers if _ends_sentence(text, *span))])
    for match in chain(LINKED.finditer(text), ANCHOR.finditer(text), _REFERRED.finditer(text)):
        number = sources.known.read(without_tags(match["inside"]).replace(UNSEEN, "")) is not None
        if match.re is not _REFERRED:
            source = sources.of_link(html.unescape(match["url"] or ""))
        else:
            known = match["label"] in sources.defined and not number
            source = sources.of_label(match["label"]) if known else None
        if source is not None:
            silent = number or apart.hold(*match.span())
            yield Marker(*match.span(), (source,), (), None if silent else match.span("inside"))
        elif match.re is LINKED and _is_page(match["url"]) and not number and ending.hold(*match.span()):
            yield Marker(*match.span(), (), (match["url"],))
    for match in _URL.finditer(text):
        url = _url_of(match)
        source = sources.of_link(url)
        end = match.end() if match["angled"] else match.start() + len(url)
        if source is not None or (_is_page(url) and ending.hold(match.start(), end)):
            yield Marker(match.start(), end, (source,) if source else (), () if source else (url,))


def _alone(text: str) -> Iterator[tuple[int, int]]:
    """Links behind a sentence that belong to it, as none of the line's stands before one."""
    for line in re.finditer(r".+", text):
        found = [] if _LED.match(line[0]) else list(_ALONE.finditer(text, *line.span()))
        for match in found:
            following = match["next"] or ""
            styled = following[:1].isupper() and found[-1]["next"] is None
            begins = not following or styled or following in SENTENCES["starters"]
            if begins and match["word"].lower() not in SENTENCES["always_continue"]:
                yield match.span("links")


def _ends_sentence(text: str, start: int, end: int) -> bool:
    if is_word(text, start, end):
        return False
    return bool(_ENDS.match(text, end) or _STOPPED.search(text[max(0, start - 8) : start]))


def _url_of(match: re.Match[str]) -> str:
    """The address, without the punctuation of the sentence around it."""
    url: str = match["angled"] or match["bare"].rstrip(".,;:!?'*_")
    while url.endswith(")") and url.count(")") > url.count("("):
        url = url[:-1].rstrip(".,;:!?'*_")
    return url


def _marker(mark: Mark, sources: Sources) -> Marker | None:
    """A mark with the contexts it names; None where it names none and may not be a citation."""
    named = {label: sources.of_label(label) for label in mark.labels}
    known = [source for source in named.values() if source is not None]
    unknown = tuple(sources.elsewhere.get(label, label) for label, s in named.items() if s is None)
    if unknown and mark.narrative and not mark.sure:
        return None
    return Marker(mark.start, mark.end, tuple(dict.fromkeys(known)), unknown, is_word=mark.narrative)
