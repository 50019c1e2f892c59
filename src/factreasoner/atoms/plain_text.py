"""Text without citations, Markdown and asides; each character keeps its position in the source."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from factreasoner.text.citation_marks import AUTHOR_YEAR, JOINT, find_marks, marks_as_words
from factreasoner.text.lines import CITED_HERE
from factreasoner.text.sentences import Span, joined_spans, may_abbreviate, newline_ended
from factreasoner.text.tags import UNSEEN

STAND_IN = "Avalon"
"""The name that replaces a quoted title, code, a formula or a URL for the parser."""

_LONGEST_TITLE = 12
_NEAR = 24
_UNSEEN = dict.fromkeys(map(ord, "\u0000\u200b\u2060\ufeff"))
_LINK = r"!?\[(?P<link>[^\[\]\n]{1,300})\]\((?:https?:|www\.|/|\#|mailto:)[^()\s]*\)"
_INDEX = r"""\[[^\s<>"\[\]]*\]"""
_PART = re.compile(
    r"""LINK
      | (?P<url>(?:https?://|www\.)(?:[^\s<>"\[\]]|INDEX)*(?:[^\s<>".,;:!?)\[\]]|INDEX))
      | `(?P<code>[^`\n]{1,200})`
      | (?P<formula>(?<![\w$\\])\$(?=[^\s$])[^$\n]{1,200}?(?<=[^\s\\])\$(?![\w$])|\\\([^\n]{1,200}?\\\))
      | ["“](?P<quoted>[^"“”\n]{1,200})["”] | «(?P<angled>[^«»\n]{1,200})»
      | (?P<aside>\s*(?<=\s)\((?P<inside>(?:[^()]|\([^()]*\)){1,400})\))
      | (?P<blank>(?:[^\S\n]|\n(?:[ \t]*>)*)+)""".replace("LINK", _LINK).replace("INDEX", _INDEX),
    re.VERBOSE,
)
_EMPHASIS = re.compile(r"(?<![\w*])(\*{1,3}|_{1,3})(?=[^\s*_])(.{1,500}?)(?<=[^\s])\1(?![\w*])", re.DOTALL)
_BOXED = re.compile(
    r"(?P<left>(?:(?P<maths>\$+|\\[\[(])\s*)?\\(?:boxed|fbox)\s*\{\s*(?P<styled>\\(?:text|math)\w*\s*\{)?)"
    r"(?:[^{}]|\{[^{}]*\}){1,2000}"
    r"(?P<right>(?(styled)\s*\})\s*\}(?(maths)\s*(?:\$+|\\[\])])|))"
)
_AUTHORS = re.compile(r"&| et al\b")
_STOPPED = re.compile(r"[.!?…] ?\Z")
BLANKS = (" ", "\t", "\u00a0", "\u202f", "\u2009")
_BLANK = "".join(BLANKS)
_ENDS = (".", ",", ";", ":", "!", "?")
_STOP = re.compile(r"[.!?…]+")
_ENDED = re.compile(rf"(?<=[^\s.!?…])[.!?…]+[)\"”’*_{UNSEEN}]*$")
_BEGINS = re.compile(rf"[\"“„«‘¿¡*_({UNSEEN}]*(?P<first>[^\W\d_])(?P<second>.?)")
_OPENED = re.compile(
    r"[ \t]*[(\[][ \t]*(?:(?:see(?: also)?|cf\.|e\.g\.,?|via|from|and|also|siehe|vgl\.|voir|quellen?:"
    r"|fuentes?:|sources? ?:|refs?\.?:|references?:)[ \t]*)?$",
    re.IGNORECASE,
)
_LED = re.compile(
    r"(?<=\w)(?:[ \t]*[,;][ \t]*(?:see(?: also)?|cf\.|siehe|vgl\.|voir)|[ \t]+[–—-])[ \t]*$", re.IGNORECASE
)
"""Words that introduce a mark at the end of a clause: ", see [1]"."""
_ENDED_HERE = re.compile(r"[ \t]*(?:[.,;:!?]|$)", re.MULTILINE)


class Plain(NamedTuple):
    """`text` is what a parser reads; `places[i]` is the source position of its character i.

    `names` maps the start of a stand-in to its text; `asides` maps the end of a word to the parenthesis after
    it.
    """

    text: str
    places: tuple[int, ...]
    names: dict[int, str]
    asides: dict[int, str]

    def span(self, start: int, end: int) -> Span:
        """The source position of characters [start, end) of the text."""
        return Span(self.places[start], self.places[end - 1] + 1)

    def whole(self) -> str:
        """The sentence with its titles and asides, on one line."""
        return self.shown(0, len(self.text)).strip()

    def shown(self, start: int, end: int) -> str:
        """Characters [start, end) of the text with their titles and asides."""
        shown: list[str] = []
        for place in sorted(place for place in {*self.asides, *self.names} if start <= place <= end):
            shown += [self.text[start:place], self.asides.get(place, ""), self.names.get(place, "")]
            start = place + (len(STAND_IN) if place in self.names else 0)
        return "".join([*shown, self.text[start:end]])


def plain(source: str, span: Span) -> Plain:
    """The characters of `source` in `span` as plain text."""
    return _PlainTextBuilder(source).read(span)


@lru_cache(maxsize=256)
def _citations(source: str) -> tuple[Span, ...]:
    """The citations that are not words of their sentence, with the spaces before them."""
    names = (m for m in AUTHOR_YEAR.finditer(source) if m[0][0] in "([")
    named = (
        m.span()
        for m in names
        if _AUTHORS.search(m[0]) or _STOPPED.search(source[max(0, m.start() - 2) : m.start()])
    )
    found = sorted([*((mark.start, mark.end) for mark in find_marks(source)), *named])
    words = marks_as_words(source, found)
    return tuple(cuts(source, [mark for mark in found if mark not in words]))


@lru_cache(maxsize=256)
def _omitted_positions(source: str) -> frozenset[int]:
    """The positions of citations, emphasis marks and check boxes, which may end far behind."""
    marks = [span for m in _EMPHASIS.finditer(source) for span in (m.span(1), (m.end(2), m.end()))]
    marks += [m.span(side) for m in _BOXED.finditer(source) for side in ("left", "right")]
    return frozenset(place for span in (*_citations(source), *marks) for place in range(*span))


def without_citations(text: str) -> str:
    """A text without its citation marks; those that are words of a sentence stay."""
    cut = {place for span in _citations(text) for place in range(*span)}
    return "".join(wording for place, wording in enumerate(text) if place not in cut)


class _PlainTextBuilder:
    def __init__(self, source: str) -> None:
        self._source = source
        self._characters: list[str] = []
        self._places: list[int] = []
        self._names: dict[int, str] = {}
        self._asides: dict[int, str] = {}
        self._omitted = _omitted_positions(source)

    def read(self, span: Span) -> Plain:
        at = span.start
        while part := _PART.search(self._source, at, span.end):
            self._copy(at, part.start())
            at = self._take(part)
        self._copy(at, span.end)
        return Plain("".join(self._characters), tuple(self._places), self._names, self._asides)

    def _take(self, part: re.Match[str]) -> int:
        if part.start() in self._omitted:
            return part.start() + 1
        if part["blank"]:
            self._add(" ", part.start())
        elif part["link"]:
            self._copy(*part.span("link"))
        elif shown := part["url"] or part["code"] or part["formula"]:
            self._stand_in(shown, *part.span())
        elif part["aside"]:
            self._add_aside(part)
        else:
            self._quoted(part)
        return part.end()

    def _copy(self, start: int, end: int) -> None:
        for place in range(start, end):
            wording = self._source[place]
            if place not in self._omitted and ord(wording) not in _UNSEEN:
                self._add(" " if wording.isspace() else wording, place)

    def _add(self, text: str, place: int) -> None:
        if text == " " and (not self._characters or self._characters[-1] == " "):
            return
        self._characters.extend(text)
        self._places.extend([place] * len(text))

    def _stand_in(self, shown: str, start: int, end: int) -> None:
        self._names[len(self._characters)] = shown.translate(_UNSEEN)
        self._add(STAND_IN[:-1], start)
        self._add(STAND_IN[-1], end - 1)

    def _quoted(self, part: re.Match[str]) -> None:
        """Turn a title into one name; a stop inside its quotation marks moves outside."""
        wording = without_citations(part["quoted"] or part["angled"]).strip()
        title = wording.rstrip(",.;")
        if not title or title[0].islower() or len(title.split()) > _LONGEST_TITLE or ". " in title:
            self._copy(*part.span())
            return
        opening, closing = part[0][0], part[0][-1]
        self._stand_in(f"{opening}{' '.join(title.split())}{closing}", part.start(), part.end())
        goes_on = wording[-1] == "." and re.match(r" ?[a-z]", self._source[part.end() :])
        self._add("" if goes_on else wording[len(title) :][:1], part.end() - 1)

    def _add_aside(self, part: re.Match[str]) -> None:
        wording = without_citations(part["inside"]).strip()
        if self._characters[-1:] == [" "]:
            self._characters.pop()
            self._places.pop()
        rest, links = re.subn(_LINK, "", wording)
        if links and not any(map(str.isalnum, rest)):
            return  # links alone: they say where it stands
        inside = re.sub(_LINK, r"\g<link>", wording)
        end = len(self._characters)
        wording = f"({' '.join(inside.split()).translate(_UNSEEN)})"
        self._asides[end] = self._asides.get(end, "") + (f" {wording}" if end else f"{wording} ")


def remove_marks(
    text: str, marks: Sequence[tuple[int, int]], others: Sequence[Span]
) -> tuple[str, list[int]]:
    """The text without citation marks and `others`, and the position of each character.

    A space replaces a marker that alone separates two sentences: "is tall.[1]The light", "is tall[1].The".
    `CITED_HERE` replaces one beside the stop of a possible abbreviation: "vitamin C [1]. Oranges".
    """
    kept: list[tuple[str, int]] = []

    def keep(start: int, end: int) -> None:
        kept.extend(zip(text[start:end], range(start, end), strict=True))

    at = 0
    for cut in cuts(newline_ended(text), marks, others):
        keep(at, cut.start)
        at = max(at, cut.end)
        stop, wording = _STOP.match(text, at), "".join(character for character, _ in kept[-_NEAR:])
        ended = _ENDED.search(wording)
        if not (stop or ended) or (cut in others and text[at : at + 1].isalnum()):  # a link begins
            continue
        sign = CITED_HERE if may_abbreviate(wording[: ended.start()] if ended else wording) else ""
        if sign and not ended:
            kept.append((sign, cut.start))
        begins = stop.end() if stop else at
        keep(at, begins)
        at, place = begins, begins - 1 if stop else cut.start
        if sign and ended:
            kept.append((sign, place))
        word = _BEGINS.match(text, begins)
        # Directly after a stop, an acronym begins no sentence: ".NET".
        if word and word["first"].isupper() and not (stop and word["second"].isupper()):
            kept.append((" ", place))
    keep(at, len(text))
    return "".join(character for character, _ in kept), [place for _, place in kept]


def cuts(text: str, marks: Sequence[tuple[int, int]], others: Sequence[Span] = ()) -> list[Span]:
    """The spans to remove: citation marks with the spaces and brackets around them.

    Marks joined by commas, spaces and "and" are one: "([1], [2] and [3])" is removed whole.
    """
    spans = (emphasised(text, *mark) for mark in marks)
    found = (Span(_on_line_before(text, len(text[:start].rstrip(_BLANK)), end), end) for start, end in spans)
    merged = joined_spans([*others, *found], lambda end, start: JOINT.fullmatch(text, end, start))
    return [_opened(text, span) for span in merged]


def _on_line_before(text: str, start: int, end: int) -> int:
    """The start of a cut: on the line before if the marker stands on a wrapped line."""
    before = text[:start].rstrip()
    one_break = start > 0 and text[start - 1] == "\n" and text[len(before) : start].count("\n") == 1
    return len(before) if one_break and before[-1:] not in _ENDS and text[end : end + 1] in _ENDS else start


def emphasised(text: str, start: int, end: int) -> tuple[int, int]:
    """A mark with the emphasis around it alone: "**[1]**"."""
    while text[start - 1 : start] in ("*", "_") and text[end : end + 1] == text[start - 1]:
        start, end = start - 1, end + 1
    return start, end


def _opened(text: str, span: Span) -> Span:
    """The span with surrounding brackets and spaces, or with the words that introduce it."""
    if (wider := emphasised(text, *span)) != span:
        span = Span(len(text[: wider[0]].rstrip(_BLANK)), wider[1])
    left = _OPENED.search(text, max(0, span.start - 16), span.start)
    if left and text[span.end : span.end + 1] in (")", "]"):
        return Span(left.start(), span.end + 1)
    led = _LED.search(text, max(0, span.start - 16), span.start)
    return Span(led.start(), span.end) if led and _ENDED_HERE.match(text, span.end) else span
