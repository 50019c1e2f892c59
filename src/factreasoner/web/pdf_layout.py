"""Words of a page, by their places, put into lines, columns and sentences."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from factreasoner.text.language import FUNCTION_WORDS

_COLUMN_GAP = 0.9
"""Blank within a line, in heights of its letters, from which the parts beside it may be columns or cells."""
_CELL_GAP = 2.0
_FACING = 0.8
_MOST_GUTTERS = 40
_SHORT_LINE = 25
"""Characters of a line that is hardly cut because there is no more room in its column."""
_COLUMN_WORDS, _COLUMN_CONTINUES = 2.5, 0.3
BAR = " | "
_BULLET = re.compile(r"[•◦▪‣·●○■□]|[-–*] |\(?(\d{1,2}|[a-z])[.)] ")
_SENTENCE_END = re.compile(r"[.!?:;…。！？][\"'”’»)\]]*$")
_HYPHEN = re.compile(r"(?:(?P<head>[^\s\xad]*[^\W_])[-‐]|\S\xad)$")
_FIRST_WORD = re.compile(r"[^\W\d_]+")
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_UNSPACED = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff]")
RIGHT_TO_LEFT = re.compile(r"[\u0590-\u08ff]")
_AND = re.compile(r"(?:and|or|und|oder|bzw)\b")
"""What stands behind a hyphen that is for a part of a word: "pre- and postwar"."""
_BEFORE_HYPHENS = frozenset({"well", "self", "half", "non", "ex", "so", "semi", "quasi", "vice"})
KNOWN = frozenset[str]().union(*FUNCTION_WORDS.values())


class PagePart(NamedTuple):
    """Words that stand side by side, in points from the page's corner: a line of a column, or a cell.

    `full` says that the line goes to the right end of its column, `last` that it is the last of its page.
    """

    text: str
    left: float
    right: float
    base: float
    height: float
    full: bool = False
    last: bool = False


def rows_of(parts: Iterable[PagePart]) -> Iterator[list[PagePart]]:
    """Parts that stand on one line, from the top of the page to its bottom, each row from the left."""
    row: list[PagePart] = []
    for part in sorted(parts, key=lambda part: -part.base):
        if row and row[0].base - part.base > 0.5 * max(row[0].height, part.height):
            yield sorted(row, key=lambda part: part.left)
            row = []
        row.append(part)
    if row:
        yield sorted(row, key=lambda part: part.left)


def parts_of(row: Sequence[PagePart]) -> Iterator[PagePart]:
    """The words of a row joined, save across wide blanks."""
    beside = [row[0]]
    for word in row[1:]:
        if word.left - beside[-1].right > _COLUMN_GAP * max(beside[-1].height, word.height):
            yield _merged(beside)
            beside = []
        beside.append(word)
    yield _merged(beside)


def _merged(row: Sequence[PagePart]) -> PagePart:
    """Parts of one row as one, with a bar between those that are far apart."""
    if len(row) == 1:
        return row[0]
    height = max(part.height for part in row)
    pieces = [row[0].text]
    for one, other in pairwise(row):
        gap = other.left - one.right
        close = gap < 0.1 * height and abs(one.base - other.base) < 0.1 * height
        pieces += ["" if close else BAR if gap > _CELL_GAP * height else " ", other.text]
    if 2 * sum(RIGHT_TO_LEFT.search(piece) is not None for piece in pieces) > len(row):
        pieces.reverse()
    right = max(part.right for part in row)
    return PagePart("".join(pieces), row[0].left, right, row[0].base, height)


def ordered(parts: list[PagePart]) -> list[PagePart]:
    """Lines in the order of reading, columns one after the other."""
    gutter = _gutter(parts)
    if gutter is None:
        return _lines(parts)
    lines: list[PagePart] = []
    groups = groupby(sorted(parts, key=lambda part: -part.base), lambda part: part.left < gutter < part.right)
    bands = [(across, list(group)) for across, group in groups]
    for number, (across, band) in enumerate(bands, 1):
        lines += _lines(band) if across else _columns(band, gutter, followed=number < len(bands))
    return lines


def _gutter(parts: Sequence[PagePart]) -> float | None:
    """Where the blank between two columns is: the place that most parts face one another across."""
    places = sorted({round(part.right) + 1.0 for part in parts})
    best, most = None, 1
    for place in places[:: max(1, len(places) // _MOST_GUTTERS)]:
        lefts = sorted(part.base for part in parts if part.right <= place)
        rights = [part for part in parts if part.left >= place]
        facing = 0
        for part in rights:
            at = bisect_left(lefts, part.base - _FACING * part.height)
            facing += at < len(lefts) and lefts[at] <= part.base + _FACING * part.height
        if facing > most:
            best, most = place, facing
    return best


def _columns(parts: list[PagePart], gutter: float, *, followed: bool) -> list[PagePart]:
    """The lines of parts on both sides of a gutter: column by column if these are prose, else row by row.

    What stands below the right column, after a blank, is no column if a line across both follows.
    """
    left = [part for part in parts if part.right <= gutter]
    right = [part for part in parts if part.right > gutter]
    if not (_is_prose(left) and _is_prose(right)):
        return _lines(parts)
    left.sort(key=lambda part: -part.base)
    lowest, end = min(part.base for part in right), len(left)
    if followed:
        apart = (n for n in range(1, end) if left[n - 1].base - left[n].base > 1.6 * left[n].height)
        end = next((n for n in apart if left[n].base < lowest - left[n].height), end)
    return ordered(left[:end]) + ordered(right) + _lines(left[end:])


def _is_prose(parts: Sequence[PagePart]) -> bool:
    """Whether lines look like those of a column: several words each, some going on with a sentence."""
    if len(parts) < 2:
        return False
    words = sum(len(_UNSPACED.findall(part.text)) / 2 or len(part.text.split()) for part in parts)
    going_on = sum(part.text[:1].isalpha() and not part.text[:1].isupper() for part in parts)
    return words >= _COLUMN_WORDS * len(parts) and going_on >= _COLUMN_CONTINUES * (len(parts) - 1)


def _lines(parts: Sequence[PagePart]) -> list[PagePart]:
    """One line for each row, cells with a bar between them."""
    lines = [_merged(row) for row in rows_of(parts)]
    if not lines:
        return []
    left, right = min(line.left for line in lines), max(line.right for line in lines)
    return [
        line._replace(full=line.right > right - 0.15 * (right - left) and len(lines) > 1) for line in lines
    ]


def joined(lines: Sequence[PagePart]) -> str:
    """The text of lines, with those of one sentence on one line and words cut at a line's end whole."""
    known = _whole_words(lines)
    pieces: list[str] = []
    for line, after in zip(lines, [*lines, None][1:], strict=True):
        if after is None:
            pieces.append(line.text)
        elif (hyphen := _HYPHEN.search(line.text)) and after.text[:1].isalnum():
            kept = hyphen["head"] is not None and _is_hyphenated(hyphen["head"], after.text, known)
            blank = " " if kept and _AND.match(after.text) else ""
            pieces.append(f"{line.text}{blank}" if kept else line.text[:-1])
        else:
            pieces.append(line.text + _between(line, after))
    return "".join(pieces)


def _whole_words(lines: Sequence[PagePart]) -> set[str]:
    """The words of lines, save those that a line's end cuts."""
    known: set[str] = set()
    cut = False
    for line in lines:
        words = _WORD.findall(line.text.lower())
        ends = _HYPHEN.search(line.text) is not None
        known.update(words[cut : len(words) - ends])
        cut = ends
    return known


def _is_hyphenated(head: str, after: str, known: set[str]) -> bool:
    """Whether the hyphen behind `head`, at the end of a line, belongs to the word."""
    tail = _FIRST_WORD.match(after)
    if tail is None or not head[-1].isalpha() or "-" in head or (tail[0][0].isupper() and not head.isupper()):
        return True
    begin = re.split(r"\W", head)[-1].lower()
    if _AND.match(after) and begin + tail[0].lower() not in known:
        return True
    whole, parted, both = begin + tail[0].lower(), f"{begin}-{tail[0].lower()}", {begin, tail[0].lower()}
    if parted in known or whole in known or whole in KNOWN:
        return parted in known and whole not in known
    return begin in _BEFORE_HYPHENS or both <= (known | KNOWN)


def _between(line: PagePart, after: PagePart) -> str:
    """What stands between two lines: a blank if a sentence goes on, else a line feed, two behind a page."""
    first, last = after.text[:1], line.text.split()[-1].lower() if line.text else ""
    apart = "\n\n" if line.last else "\n"
    alike = abs(line.height - after.height) < 0.15 * max(line.height, after.height)
    if not alike or BAR in line.text or BAR in after.text or _BULLET.match(after.text):
        return apart
    if _UNSPACED.search(line.text[-1:]) and _UNSPACED.search(first):
        return "" if line.full else apart
    unfinished = (
        last.endswith(",") or (len(last) > 1 and last in KNOWN) or (first.isalpha() and not first.isupper())
    )
    goes_on = unfinished and not _SENTENCE_END.search(line.text)
    return " " if goes_on or (line.full and len(line.text) >= _SHORT_LINE) else apart
