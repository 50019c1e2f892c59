"""A sentence as a reader sees it, without Markdown, citations and asides; each character has its place."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

from factreasoner.language.brackets import reading_of
from factreasoner.language.sentences import Span

STAND_IN = "Avalon"
"""The name a parser reads for a quoted title, a piece of code or an address."""

ASKS_FOR_NOUN = re.compile(
    r"\b(?:according to|per|"
    r"(?:shown|stated|reported|described|noted|found|said|told|listed|given) (?:in|by))[ \t]*$",
    re.IGNORECASE,
)
"""Words behind which a citation is a noun of its sentence: "according to [1], ..."."""
_LONGEST_TITLE = 12
_UNSEEN = "\u0000\u200b\u2060\ufeff"
_LIGATURES = {mark: unicodedata.normalize("NFKC", mark) for mark in "ﬀﬁﬂﬃﬄﬅﬆ"}
_LINK = r"!?\[(?P<link>[^\[\]\n]{1,300})\]\((?:https?:|www\.|/|\#|mailto:)[^()\s]*\)"
_PART = re.compile(
    r"""(?P<citation>\s*\[\^?[1-9]\d{0,2}(?:\s*[-–,]\s*\d{1,3})*\](?!\())
      | LINK
      | (?P<url>(?:https?://|www\.)[^\s<>"]+[^\s<>".,;:!?)\]])
      | `(?P<code>[^`\n]{1,200})`
      | ["“](?P<quoted>[^"“”\n]{1,200})["”] | «(?P<angled>[^«»\n]{1,200})»
      | (?P<aside>\s*(?<=\s)\((?P<inside>(?:[^()]|\([^()]*\)){1,400})\))
      | (?P<blank>(?:[^\S\n]|\n(?:[ \t]*+>)*+)+)""".replace("LINK", _LINK),
    re.VERBOSE,
)
_EMPHASIS = re.compile(r"(?<![\w*])(\*{1,3}|_{1,3})(?=[^\s*_])(.+?)(?<=[^\s])\1(?![\w*])", re.DOTALL)
_EXAMPLES = re.compile(r"(?:such as|including|for example|for instance|e\.g\.|i\.e\.|like)\b", re.IGNORECASE)


class Plain(NamedTuple):
    """`text` is what a parser reads; `places[i]` is where its character i stands in the source.

    `names` maps the start of a stand-in to what it stands for; `asides` maps the end of a word to the
    parenthesis that follows it.
    """

    text: str
    places: tuple[int, ...]
    names: dict[int, str]
    asides: dict[int, str]

    def span(self, start: int, end: int) -> Span:
        """Where characters [start, end) of the text stand in the source."""
        return Span(self.places[start], self.places[end - 1] + 1)

    def shown(self, start: int, end: int) -> str:
        """Characters [start, end) of the text with their titles, without asides."""
        parts: list[str] = []
        for place in sorted(place for place in self.names if start <= place < end):
            parts += [self.text[start:place], self.names[place]]
            start = place + len(STAND_IN)
        return "".join([*parts, self.text[start:end]])

    def whole(self) -> str:
        """The sentence with its titles and asides, on one line."""
        shown: list[str] = []
        at = 0
        for start in sorted({*self.names, *self.asides}):
            shown += [self.text[at:start], self.asides.get(start, ""), self.names.get(start, "")]
            at = start + (len(STAND_IN) if start in self.names else 0)
        return "".join([*shown, self.text[at:]]).strip()


def plain(source: str, span: Span) -> Plain:
    """The characters of `source` in `span` as plain text."""
    reading = _PlainTextBuilder(source, span)
    for part, start, end in _parts(source, span):
        reading.take(part, start, end)
    return reading.done()


def _is_word(source: str, citation: re.Match[str], span: Span) -> bool:
    """Whether a sentence goes on from its citation in lower case, or asks for a noun where it stands."""
    begins = citation.start() == span.start and source[citation.end() + 1 : citation.end() + 2].islower()
    return begins or bool(
        ASKS_FOR_NOUN.search(source[max(span.start, citation.start() - 40) : citation.start()])
    )


def _is_numbers(source: str, citation: re.Match[str]) -> bool:
    """Whether it is an interval, a list or an index, and a part of what the sentence says."""
    start = source.index("[", citation.start())
    return reading_of(source, start, citation.end()) == "numbers"


def _parts(source: str, span: Span) -> Iterator[tuple[re.Match[str] | None, int, int]]:
    """Matches and what lies between them, in order."""
    at = span.start
    for match in _PART.finditer(source, span.start, span.end):
        if match["citation"] and (_is_word(source, match, span) or _is_numbers(source, match)):
            continue
        if match.start() > at:
            yield None, at, match.start()
        yield match, match.start(), match.end()
        at = match.end()
    if at < span.end:
        yield None, at, span.end


class _PlainTextBuilder:
    def __init__(self, source: str, span: Span) -> None:
        self._source = source
        self._characters: list[str] = []
        self._places: list[int] = []
        self._names: dict[int, str] = {}
        self._asides: dict[int, str] = {}
        self._marks = {
            place
            for match in _EMPHASIS.finditer(source, span.start, span.end)
            for place in (*range(*match.span(1)), *range(match.end(2), match.end()))
        }

    def take(self, part: re.Match[str] | None, start: int, end: int) -> None:
        if part is None:
            self._copy(start, end)
        elif part["blank"]:
            self._add(" ", start)
        elif part["link"]:
            self._copy(*part.span("link"))
        elif part["url"] or part["code"]:
            self._stand_in(part["code"] or part["url"], start, end)
        elif part["aside"]:
            self._aside(part)
        elif not part["citation"]:
            self._quoted(part)

    def _copy(self, start: int, end: int) -> None:
        for place in range(start, end):
            said = self._source[place]
            if place not in self._marks and said not in _UNSEEN:
                self._add(" " if said.isspace() else _LIGATURES.get(said, said), place)

    def _add(self, text: str, place: int) -> None:
        if text == " " and (not self._characters or self._characters[-1] == " "):
            return
        self._characters.extend(text)
        self._places.extend([place] * len(text))

    def _stand_in(self, shown: str, start: int, end: int) -> None:
        self._names[len(self._characters)] = shown
        self._add(STAND_IN[:-1], start)
        self._add(STAND_IN[-1], end - 1)

    def _quoted(self, part: re.Match[str]) -> None:
        """A title becomes one name, with the stop that American style puts inside it put after it."""
        said = (part["quoted"] or part["angled"]).strip()
        title = said.rstrip(",.;")
        if not title or title[0].islower() or len(title.split()) > _LONGEST_TITLE or ". " in title:
            self._copy(*part.span())
            return
        opening, closing = part[0][0], part[0][-1]
        self._stand_in(f"{opening}{' '.join(title.split())}{closing}", part.start(), part.end())
        self._add(said[len(title) :][:1], part.end() - 1)

    def _aside(self, part: re.Match[str]) -> None:
        inside = re.sub(_LINK, r"\g<link>", part["inside"].strip())
        if _EXAMPLES.match(inside) and not self._source[part.end() : part.end() + 2].strip(" .,;"):
            self._add(", ", part.start())
            self._copy(*part.span("inside"))
            return
        while self._characters and self._characters[-1] == " ":
            self._characters.pop()
            self._places.pop()
        end = len(self._characters)
        self._asides[end] = self._asides.get(end, "") + f" ({' '.join(inside.split())})"

    def done(self) -> Plain:
        while self._characters and self._characters[-1] == " ":
            self._characters.pop()
            self._places.pop()
        return Plain("".join(self._characters), tuple(self._places), self._names, self._asides)
