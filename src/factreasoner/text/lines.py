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
    apart: bool
    bold: bool = False


_QUOTED = re.compile(r"[\s>]*+")
_MARKER = re.compile(
    r"""(?:
        (?P<heading>\#{1,6})(?=\s)
      | (?P<note>\[\^[^\s\[\]]{1,60}\]:)
      | (?P<item>
          [-*+–—·](?:\s++\[[ xX]\])?(?=\s)
        | [•‣◦▪▫●○■□]
        | -(?=[^\W\d_])
        | \(?\d{1,3}[.)](?=\s|[^\W\d_])
        | \(?(?:[a-zA-Z]|[ivx]{2,4})\)(?=\s)
        | [a-z]\.(?=\s)
        | [\d一二三四五六七八九十]{1,3}、
        )
    )\s*+""",
    re.VERBOSE,
)
_RULE = re.compile(r"\s*(?:[-=_*~|:+]\s*)+")
_COLUMNS = re.compile(r"\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)+")
"""The rule below the header of a table without outer bars."""
_FENCE = re.compile(r"\s*+(?P<fence>`{3,}(?=[^`\n]*\Z)|~{3,})")
_BOLD_LINE = re.compile(r"(\*\*|__)[^*_]{1,120}\1:?")


@lru_cache(maxsize=64)
def lines(text: str) -> list[Line]:
    """The lines of `text` that say something, in order; those of a fence are one."""
    found: list[Line] = []
    fence, apart, position = "", False, 0
    for raw in text.splitlines(keepends=True):
        start, position = position, position + len(raw)
        end = start + len(raw.rstrip())
        opened = _FENCE.match(text[start:end])
        if fence:
            found[-1].end = max(found[-1].end, end)
            closes = opened is not None and opened["fence"].startswith(fence) and opened.end() == end - start
            fence = "" if closes else fence
        elif opened:
            fence = opened["fence"]
            at = start + len(raw) - len(raw.lstrip())
            found.append(Line(start, at, at, end, "code", "", 0, apart))
            apart = False
        elif _RULE.fullmatch(text, start, end) or not (line := _line(text, start, end, apart=apart)):
            if found and not apart and _COLUMNS.fullmatch(text, start, end) and "|" in _said(text, found[-1]):
                found[-1].kind, found[-1].start = "table", found[-1].words
            apart = True
        else:
            row_above = bool(found) and found[-1].kind == "table" and "|" in raw
            if row_above and not _has_blank_line(text[found[-1].end : start]):
                line.kind, line.start = "table", line.words
            found.append(line)
            apart = False
    return found


def _said(text: str, line: Line) -> str:
    return text[line.start : line.end]


def _has_blank_line(between: str) -> bool:
    return any(not line.strip() for line in between.splitlines()[1:])


def _line(text: str, start: int, end: int, *, apart: bool) -> Line | None:
    """The line at text[start:end]; None where it says nothing."""
    quoted = _QUOTED.match(text, start, end)
    words = quoted.end() if quoted else start
    marker = _MARKER.match(text, words, end)
    at = marker.end() if marker else words
    if at >= end:
        return None
    depth = text.count(">", start, words)
    kind: BlockKind = "prose"
    if marker:
        kind = "heading" if marker["heading"] else "note" if marker["note"] else "item"
        return Line(start, words, at, end, kind, marker[0].strip(), depth, apart)
    bold = _BOLD_LINE.fullmatch(text, at, end) is not None
    kind = "table" if text[at] == "|" else "heading" if bold else "prose"
    return Line(start, words, at, end, kind, "", depth, apart, bold)
