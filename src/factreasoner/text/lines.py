"""The lines of a text, and what each of them is."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

BlockKind = Literal["prose", "item", "heading", "table", "code", "note"]


@dataclass(eq=False, slots=True)
class Line:
    """A line with words at `text[start:end]`, behind the marker of an item, heading or footnote.

    `words` is the place of the marker, behind indent and quotation marks, whose number is `quoted`. `apart`:
    a blank line or a rule stands above it. A line of code is a whole fence.
    """

    begin: int
    words: int
    start: int
    end: int
    kind: BlockKind
    marker: str
    quoted: int
    apart: bool = False
    bold: bool = False


_QUOTED = re.compile(r"[\s>]*+")
_MARKER = re.compile(
    r"""(?:
        (?P<heading>\#{1,6})(?=\s)
      | (?P<note>\[\^[^\s\[\]]{1,60}\]:)
      | (?P<raised>[¹²³⁰⁴-⁹]{1,3})(?=\s|[^\W\d_]{2})
      | (?P<item>
          [-*+–—·](?:\s++\[[ xX]\])?(?=\s)
        | [•‣◦▪▫●○■□]
        | -(?=[^\W\d_])
        | \(?\d{1,3}[.)](?=\s|[^\W\d_])
        | \(?(?:[a-zA-Z]|[ivx]{2,4})\)(?=\s)
        | (?:[a-z]|[ivx]{2,4})\.(?=\s)
        | [\d一二三四五六七八九十]{1,3}、
        )
    )\s*+""",
    re.VERBOSE,
)
_RULE = re.compile(r"\s*(?:[-=_*~|:+]\s*)+")
_COLUMNS = re.compile(r"\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*")
"""The rule below the header of a table without a bar at the start of its rows."""
_RAISED = re.compile(r"(?<=[^\s¹²³⁰⁴-⁹])[¹²³⁰⁴-⁹]{1,3}(?![¹²³⁰⁴-⁹])")
"""Raised digits behind a word or a stop."""
_FENCE = re.compile(r"\s*+(?P<fence>`{3,}(?=[^`\n]*\Z)|~{3,})")
_BOLD_LINE = re.compile(r"(\*\*|__)[^*_]{1,120}\1:?")


@lru_cache(maxsize=64)
def lines(text: str) -> list[Line]:
    """The lines of `text` that say something, in order; those of a fence are one."""
    found: list[Line] = []
    fence, apart, position = "", False, 0
    raised = frozenset(_RAISED.findall(text))
    for raw in text.splitlines(keepends=True):
        start, position = position, position + len(raw)
        end = start + len(raw.rstrip())
        opened = _FENCE.match(text[start:end])
        if fence:
            found[-1].end = end if raw.strip() else found[-1].end
            closes = opened is not None and opened["fence"].startswith(fence) and opened.end() == end - start
            fence = "" if closes else fence
        elif opened:
            fence = opened["fence"]
            at = start + len(raw) - len(raw.lstrip())
            found.append(Line(start, at, at, end, "code", "", 0, apart))
            apart = False
        elif _RULE.fullmatch(text, start, end) or not (line := _line(text, start, end, raised)):
            columns = "|" in raw and _COLUMNS.fullmatch(text, start, end)
            if found and not apart and columns and "|" in text[found[-1].start : found[-1].end]:
                found[-1].kind, found[-1].start = "table", found[-1].words
            apart = True
        else:
            line.apart = apart
            above = found[-1].kind if found else ""
            if above == "table" and "|" in raw and not _has_blank_line(text[found[-1].end : start]):
                line.kind, line.start = "table", line.words
            elif above == "note" and re.match(r"\t|\s{4}" if apart else r"\t|\s{2}", raw):
                line.kind = "note"
            found.append(line)
            apart = False
    return found


def _has_blank_line(between: str) -> bool:
    return any(not line.strip() for line in between.splitlines()[1:])


def _line(text: str, start: int, end: int, raised: frozenset[str]) -> Line | None:
    """The line at text[start:end]; None where it says nothing.

    One that begins with one of the digits `raised`, which stand behind other words, is a footnote.
    """
    quoted = _QUOTED.match(text, start, end)
    words = quoted.end() if quoted else start
    marker = _MARKER.match(text, words, end)
    marker = None if marker and marker["raised"] and marker["raised"] not in raised else marker
    at = marker.end() if marker else words
    if at >= end:
        return None
    depth = text.count(">", start, words)
    kind: BlockKind = "prose"
    if marker:
        kind = "heading" if marker["heading"] else "note" if marker["note"] or marker["raised"] else "item"
        return Line(start, words, at, end, kind, marker[0].strip(), depth)
    bold = _BOLD_LINE.fullmatch(text, at, end) is not None
    row = text[at] == "|" and "|" in text[at + 1 : end]
    kind = "table" if row else "heading" if bold else "prose"
    return Line(start, words, at, end, kind, "", depth, bold=bold)
