"""Words of a page, by their places, put into rows and the cells of tables."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, groupby, pairwise
from operator import attrgetter
from statistics import median
from typing import NamedTuple

from factreasoner.documents.page import TextTable

_COLUMN_GAP, _UNWRITTEN_GAP = 0.62, 0.45
"""Blank within a line, in heights of its letters, from which the parts beside it may be columns or cells; the
second is for pages that write blanks between words, where it has none."""
_CELL_GAP, _ROW_STEP = 2.0, 3.5
"""Heights of letters that part cells, and tables."""
BAR = " | "
LIST_MARK = re.compile(r"[•◦▪‣·●○■□]|\(?(\d{1,2}|[a-zA-Z])[.)]")
_RIGHT_TO_LEFT = re.compile(r"[\u0590-\u08ff]")


class PagePart(NamedTuple):
    """Words that stand side by side, in points from the page's corner: a line of a column, or a cell.

    `full` says that the line goes to the right end of its column, `last` that it is the last of its page,
    `aside` that it may stand within a sentence, `apart` that a cell ends before it.
    """

    text: str
    left: float
    right: float
    base: float
    height: float
    full: bool = False
    last: bool = False
    aside: bool = False
    apart: bool = False

    def overlap(self, other: PagePart) -> float:
        """Points of a line over which both stand; 0 if none."""
        return max(0.0, min(self.right, other.right) - max(self.left, other.left))


def rows_of(parts: Iterable[PagePart]) -> Iterator[list[PagePart]]:
    """Parts that stand on one line, from the top of the page to its bottom, each row from the left."""
    row: list[PagePart] = []
    for part in sorted(parts, key=attrgetter("base"), reverse=True):
        if row and row[0].base - part.base > 0.5 * max(row[0].height, part.height):
            yield sorted(row, key=attrgetter("left"))
            row = []
        row.append(part)
    if row:
        yield sorted(row, key=attrgetter("left"))


def parts_of(row: Sequence[PagePart], *, spaced: bool = False) -> Iterator[PagePart]:
    """The words of a row joined, save across wide blanks that are not after the mark of a list's item."""
    beside, gap = [row[0]], _UNWRITTEN_GAP if spaced else _COLUMN_GAP
    for word in row[1:]:
        is_wide = word.apart or word.left - beside[-1].right > gap * max(beside[-1].height, word.height)
        texts = beside[0].text, word.text
        if is_wide and (len(beside) > 1 or [*map(bool, map(LIST_MARK.fullmatch, texts))] != [True, False]):
            yield _merged(beside)
            beside = []
        beside.append(word)
    yield _merged(beside)


def _merged(row: Sequence[PagePart]) -> PagePart:
    """Parts of one row as one, with a bar between those that are far apart."""
    if len(row) == 1:
        return row[0]
    height = max([part.height for part in row])
    gaps = [other.left - one.right for one, other in pairwise(row)]
    pieces = [part.text for part in row]
    if len("".join(pieces)) > len(row) or max(gaps) > 0.05 * height:  # no word of single letters
        spaced = min(0.2 * height, max(0.0, median(gaps)) + 0.1 * height)
        pieces = [row[0].text]
        for gap, (one, other) in zip(gaps, pairwise(row), strict=True):
            if len(one.text) == len(other.text) == 1:  # letters may be spaced, or raised
                close = gap < spaced
            else:
                close = gap < 0.05 * height and abs(one.base - other.base) < 0.1 * height
            pieces += ["" if close else BAR if gap > _CELL_GAP * height else " ", other.text]
    text = "".join(pieces)
    if not text.isascii() and 2 * sum(map(bool, map(_RIGHT_TO_LEFT.search, pieces))) > len(row):
        text = "".join(reversed(pieces))
    right = max([part.right for part in row])
    return PagePart(text, row[0].left, right, row[0].base, height, apart=row[0].apart)


def closed_up(parts: Iterable[PagePart], *, least: int = 2) -> Iterator[PagePart]:
    """Parts of a column; a line of `least` words that stand apart to fill it, evenly, becomes one part."""
    for row in rows_of(parts):
        gaps = [other.left - one.right for one, other in pairwise(row)] or [0.0]
        words = sum(" " not in part.text and part.text.strip(".,:;0123456789") != "" for part in row)
        if max(gaps) - min(gaps) < 0.15 * row[0].height and 2 * words > len(row) >= least:
            yield row[0]._replace(text=" ".join(part.text for part in row), right=row[-1].right)
        else:
            yield from row


def lines_of(parts: Iterable[PagePart]) -> list[PagePart]:
    """One line for each row of parts. In a table, a bar is before every cell but the first, empty or not.

    A table begins and ends with rows of several parts, or of one that is in one column behind the first.
    """
    lines: list[PagePart] = []
    rows = list(rows_of(parts))
    far = [row[0].base - after[0].base > _ROW_STEP * after[0].height for row, after in pairwise(rows)]
    ends = [n for n, is_far in enumerate(far, 1) if is_far]
    for run in (rows[start:end] for start, end in pairwise([0, *ends, len(rows)])):
        several = [number for number, row in enumerate(run) if len(row) > 1]
        columns = _columns_of(run[several[0] : several[-1] + 1]) if len(several) > 1 else []
        for number, row in enumerate(run):
            below = [n for n, column in enumerate(columns) if row[0].overlap(column)]
            is_cell = len(below) == 1 and below[0] > 0
            inside = len(columns) > 1 and (several[0] <= number <= several[-1] or is_cell)
            lines.append(_cells(row, columns) if inside else _merged(row))
    return lines


def _columns_of(rows: Sequence[Sequence[PagePart]]) -> list[PagePart]:
    """The columns of a table: places that parts of more rows cover than are blank between two parts.

    A part that covers none of them has a column of its own. Columns side by side are one if no row has
    parts in both: numbers are often not below the name of their column.
    """
    first, last = min(row[0].left for row in rows), max(row[-1].right for row in rows)
    unit = max(1.0, (last - first) / 1_000)  # of one point, in a bounded number
    covered, blank = Counter[int](), Counter[int]()
    for row in rows:
        spans = ((int((part.left - first) / unit), int((part.right - first) / unit)) for part in row)
        here = {place for start, end in spans for place in range(start, end + 1)}
        covered.update(here)
        blank.update(set(range(min(here), max(here))) - here)
    solid = [n for n in sorted(covered) if covered[n] >= blank[n]]
    ends = [n for n, (one, other) in enumerate(pairwise(solid), 1) if other > one + 1]
    found = [
        PagePart("", first + solid[start] * unit, first + (solid[end - 1] + 1) * unit, 0, 0)
        for start, end in pairwise([0, *ends, len(solid)])
    ]
    for row in rows:
        found += [part for part in row if not any(map(part.overlap, found))]
    found.sort(key=lambda column: column.left)
    held = [{_column_of(part, found) for part in row} for row in rows]
    for n in range(len(found) - 1, 0, -1):
        if not any({n - 1, n} <= row for row in held):
            found[n - 1 : n + 1] = [found[n - 1]._replace(right=max(found[n - 1].right, found[n].right))]
            held = [row | {n - 1} if n in row else row for row in held]
    return found


def _cells(row: Sequence[PagePart], columns: Sequence[PagePart]) -> PagePart:
    """The line of a row of a table."""
    inside: list[list[PagePart]] = [[] for _ in columns]
    for part in row:
        inside[_column_of(part, columns)].append(part)
    texts = [_merged(parts).text if parts else "" for parts in inside]
    return _merged(row)._replace(text=BAR.join(texts))


def _column_of(part: PagePart, columns: Sequence[PagePart]) -> int:
    """The number of the column that a part stands in, or is the nearest to."""
    near = [(part.overlap(one), -abs(part.left + part.right - one.left - one.right)) for one in columns]
    return near.index(max(near))


def tables_of(text: str) -> tuple[str, list[TextTable]]:
    """A text without bars at the ends of its lines, and its tables: as many cells in three rows and more."""
    lines = text.split("\n")
    bars = [line.count(BAR) for line in lines]
    lines = [" ".join(line.split()).rstrip(BAR) if BAR in line else line for line in lines]
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    tables = []
    for cells, group in groupby(range(len(lines)), lambda n: bars[n]):
        rows = list(group)
        if cells and len(rows) > 2:
            tables.append(TextTable(lines[rows[0]], starts[rows[1]], starts[rows[-1] + 1] - 1))
    return "\n".join(lines), tables
