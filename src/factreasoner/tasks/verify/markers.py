"""Citation markers in a text: their positions, and the contexts they name.

Markers are the marks of `text.citation_marks`, and links to the page of a context: in Markdown, in angle
brackets, or bare. Links to other pages, and author and year, are not markers.

A label names the context with that id, else the page in the answer's own reference list, else the n-th
context. Other labels are unknown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from factreasoner.atoms.plain_text import emphasised
from factreasoner.models import Context
from factreasoner.text.citation_marks import (
    AUTHOR_YEAR,
    BROKEN,
    LINKED,
    Known,
    Mark,
    Regions,
    find_marks,
    may_be_numbers,
    uncitable_regions,
)
from factreasoner.text.language import SENTENCES
from factreasoner.text.links import page_of

_URL = re.compile(r"<(?P<angled>https?://[^\s<>]+)>|(?P<bare>https?://[^\s<>\[\]\"”]+)")
_ROUND = re.compile(r"(?<=[^\W_%] )\((\d{1,3}(?:(?:, ?|[-–])\d{1,3}){0,9})\)(?=[.!?]|[ \t]*$)", re.M)
"""Numbers in round brackets that end their sentence or line."""
_TURN = r"turn\d{1,3}[a-z]{3,12}\d{1,3}"
UNREAD = re.compile(
    r"(?P<begins>\[cite_start\])|\[[Cc]itation needed\]"
    r"|(?P<pointer>\ue200cite[^\ue200\ue201\n]{0,200}\ue201|【\d{1,4}:\d{1,4}†[^【】\n]{0,200}】"
    r"|(?P<opens><(?:antml:)?cite index=[^<>\n]{1,200}>)"
    r"|(?::contentReference)?[\[【]oaicite:\d{1,3}[\]】](?:\{index=\d{1,3}\})?"
    rf"|(?<![^\W_])(?:file)?cite(?:{_TURN})+|[\[【]{_TURN}(?:, ?{_TURN})*[\]】])"
)
"""Marks without words or a source; a pointer has meaning only for the program that wrote it.

An opening one precedes its sentence.
"""
_POINTERS = re.compile(
    r"(?<!\])\((?:(?:[ ,;]|and\b|und\b|et\b|&)*(?:https?://[^\s<>()\[\]]+"
    r"|\[[^\[\]\n]{1,120}\](?:\((?:[^()\s]|\([^()\s]*\))*\)|\[[^\[\]\n]{1,60}\]))){1,20} *\)"
)
"""Links alone in round brackets: "([Reuters](https://...))"."""
_LINK = r"\[[^\[\]\n]{1,120}\]\(https?:(?:[^()\s]|\([^()\s]*\))+\)"
_LED = re.compile(rf"[ \t>*+-]*{_LINK}")
_ALONE = re.compile(
    rf"(?P<word>[\w.]{{0,24}})[.!?…][\"”’)]*[ \t]+(?P<links>{_LINK}(?:[ \t]*{_LINK})*)"
    r"(?=[ \t]*$|[ \t]+(?P<next>[^\W\d_]+))"
)


class Marker(NamedTuple):
    """A citation in `text[start:end]`: the contexts it names, and unknown labels.

    `shown` is the part that is text of the sentence, such as a link's text.
    """

    start: int
    end: int
    sources: tuple[str, ...]
    unknown: tuple[str, ...]
    shown: tuple[int, int] | None = None


class Sources:
    """The contexts that labels and links in a text name, given the contexts in order.

    `defined` maps labels to entries of the text's reference list. `elsewhere` maps labels whose entry has
    neither the link nor the title of their source to that link; they name none.
    """

    def __init__(self, contexts: Sequence[Context], defined: Mapping[str, str] | None = None) -> None:
        self._ids = {context.id for context in contexts}
        self._pages = {page_of(c.link): c.id for c in reversed(contexts) if page_of(c.link)}
        self._numbered = {str(n): context.id for n, context in enumerate(contexts, start=1)}
        titles = {str(n): context.title for n, context in enumerate(contexts, start=1)}
        linked = set(self._pages.values())
        self.elsewhere: dict[str, str] = {}
        for label, entry in (defined or {}).items():
            link = _URL.search(entry)
            url = _url_of(link) if link else ""
            named = self._numbered.get(label) or self.of_label(entry.partition("]:")[2].strip())
            source = self._pages.get(page_of(url)) if url else named
            title = titles.get(label) or ""
            if source is not None:
                self._numbered[label] = source
            elif named in linked and _is_page(url) and not (title and title.casefold() in entry.casefold()):
                self.elsewhere[label] = url
                self._numbered.pop(label, None)
        self.known = Known(self._ids, self._numbered)

    def of_label(self, label: str) -> str | None:
        """The id of the context that a label names, if any."""
        return label if label in self._ids else self._numbered.get(label)

    def label_of(self, source: str) -> str:
        """The number that names a context; its id if none does."""
        return next((label for label in self._numbered if self.of_label(label) == source), source)

    def of_link(self, link: str) -> str | None:
        """The id of the context whose page a link leads to, if any."""
        return self._pages.get(page_of(link))


def is_link(label: str) -> bool:
    """Whether a label is a link, as of a page that is not a source."""
    return label.startswith(("http:", "https:"))


def _is_page(link: str) -> bool:
    """Whether a link leads to a page of a site, not to the site itself."""
    return is_link(link) and not {"/", "?"}.isdisjoint(page_of(link).rstrip("?"))


def find_markers(text: str, sources: Sources) -> list[Marker]:
    """The citations in `text`, in order, none within another."""
    marks = (_marker(mark, sources) for mark in find_marks(text, sources.known))
    apart = uncitable_regions(text)
    links = [m for m in _links(text, sources) if not apart.hold(m.start, m.start + 1)]
    found = [_emphasised(text, m) for m in (*links, *marks)]
    markers: list[Marker] = []
    for marker in sorted(found, key=lambda m: (m.start, -m.end)):
        if not markers or marker.start >= markers[-1].end:
            markers.append(marker)
    return markers


def _emphasised(text: str, marker: Marker) -> Marker:
    """A marker with the emphasis around it."""
    start, end = emphasised(text, marker.start, marker.end)
    return marker._replace(start=start, end=end)


def notes_on(text: str, markers: Sequence[Marker], sources: Sources) -> Iterator[str]:
    """Notes on text that looks like a citation but was not read as one, or the reverse."""
    read = Regions((marker.start, marker.end) for marker in markers)
    apart = uncitable_regions(text)
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
    names = AUTHOR_YEAR.finditer(text)
    if name := next((m[0] for m in names if not (apart.hold(*m.span()) or read.hold(*m.span()))), None):
        yield f"{name!r} was not read as a citation: cite sources by number, id or link"


def _unread(text: str, read: Regions, sources: Sources) -> Iterator[str]:
    """Numbers in round brackets, and pointers that only another program can resolve."""
    apart = uncitable_regions(text)
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
    """Links to the pages of contexts.

    The text of a link belongs to the sentence, unless it is a number, in its own brackets, or between two
    sentences.
    """
    apart = Regions([*(match.span() for match in _POINTERS.finditer(text)), *_alone(text)])
    for match in LINKED.finditer(text):
        if (source := sources.of_link(match["url"] or "")) is not None:
            silent = apart.hold(*match.span()) or sources.known.read(match["inside"]) is not None
            yield Marker(*match.span(), (source,), (), None if silent else match.span("inside"))
    for match in _URL.finditer(text):
        url = _url_of(match)
        if (source := sources.of_link(url)) is not None:
            end = match.end() if match["angled"] else match.start() + len(url)
            yield Marker(match.start(), end, (source,), ())


def _alone(text: str) -> Iterator[tuple[int, int]]:
    """Links after a sentence that belong to it, if none of the line precedes one."""
    for line in re.finditer(r".+", text):
        found = [] if _LED.match(line[0]) else list(_ALONE.finditer(text, *line.span()))
        for match in found:
            following = match["next"] or ""
            styled = following[:1].isupper() and found[-1]["next"] is None
            begins = not following or styled or following in SENTENCES["starters"]
            if begins and match["word"].lower() not in SENTENCES["always_continue"]:
                yield match.span("links")


def _url_of(match: re.Match[str]) -> str:
    """The URL, without punctuation of the sentence around it."""
    url: str = match["angled"] or match["bare"].rstrip(".,;:!?'*_")
    while url.endswith(")") and url.count(")") > url.count("("):
        url = url[:-1].rstrip(".,;:!?'*_")
    return url


def _marker(mark: Mark, sources: Sources) -> Marker:
    """A mark with the contexts it names."""
    named = {label: sources.of_label(label) for label in mark.labels}
    known = [source for source in named.values() if source is not None]
    unknown = tuple(sources.elsewhere.get(label, label) for label, s in named.items() if s is None)
    return Marker(mark.start, mark.end, tuple(dict.fromkeys(known)), unknown)
