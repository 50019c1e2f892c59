"""Words of a page, by their places, put into lines, columns and sentences."""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Sequence
from functools import cache
from importlib import resources
from itertools import chain, groupby, pairwise
from statistics import median

from factreasoner.documents.pdf_rows import BAR, LIST_MARK, PagePart, closed_up, lines_of, rows_of
from factreasoner.text.language import FUNCTION_WORDS, is_foreign, stem

_FACING = 0.8
_MOST_GUTTERS = 40
_LONGEST_WORD = 200
_SHORT_LINE = 25
"""Characters of a line that is hardly cut because there is no more room in its column."""
_COLUMN_WORDS = 1.8
"""Words of two and more letters in a line of a column."""
_LEAST_PROSE, _USUAL_PROSE = 1, 3
"""Points by `_prose_of` of each of the columns beside one another, and of all on average."""
_BULLET = re.compile(rf"(?:{LIST_MARK.pattern}|[-–*])(?!\S)")
_NOTE = re.compile(r"(?:\W?(?:\d{1,2}|[a-z])[\])]|\d{1,2}\.?(?=\s)|[*†‡§¹²³⁴-⁹]+)\s*\S")
SENTENCE_END = re.compile(r"[.!?:;…。！？][\"'”’»)\]]*$")
_SENTENCE_BORDER = re.compile(r"[^\W\d_]{3}[.!?] (?=[^\W\d_a-z])")
_LETTERS = re.compile(r"[^\W\d_]{2,}")
_UNSPACED = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff]")
_FIRST_WORD = re.compile(rf"{_UNSPACED.pattern}|\S+|$")
_HYPHEN = re.compile(r"(?:(?P<head>[^\s\xad]*[^\W_])[-‐]|\S\xad)$")
KNOWN = frozenset[str]().union(*FUNCTION_WORDS.values())
_WORD = re.compile(r"[^\W\d_]+(?:[-‐][^\W\d_]+)*")
_INVERTED = frozenset({"il", "ils", "elle", "elles", "nous", "vous"})
_AND = re.compile(r"(?:and|or|und|oder|bzw)\b")
"""What stands behind a hyphen that is for a part of a word: "pre- and postwar"."""


def ordered(parts: Sequence[PagePart], *, prose: bool = False) -> list[PagePart]:
    """Lines in the order of reading, columns one after the other; short lines of `prose` may be full."""
    gutter = _gutter(parts, within=prose)
    if gutter is None:
        return _lines(parts, prose=prose)
    lines: list[PagePart] = []
    for across, rows in groupby(rows_of(parts), lambda row: any(p.left < gutter < p.right for p in row)):
        band = list(chain(*rows))
        lines += _lines(band) if across else _columns(band, gutter)
    return lines


def _gutter(parts: Sequence[PagePart], *, within: bool = False) -> float | None:
    """Where the blank between two columns is: the place that most parts face one another across, few cover.

    `within` a column fewer parts cover it than face.
    """
    starts, ends = sorted(part.left for part in parts), sorted(part.right for part in parts)
    covered = {
        place: bisect_left(starts, place) - bisect_left(ends, place)
        for place in sorted({round(part.right) + 1.0 for part in parts})
    }
    best, most = None, -len(parts)
    for place in sorted(covered, key=lambda place: covered[place])[:_MOST_GUTTERS]:
        lefts = sorted(part.base for part in parts if part.right <= place)
        facing = {round(part.base) for part in parts if part.left >= place and _faces(part, lefts)}
        if len(facing) >= max(2, 2 * within * covered[place]) and len(facing) - covered[place] > most:
            best, most = place, len(facing) - covered[place]
    return best


def _columns(parts: Sequence[PagePart], gutter: float) -> list[PagePart]:
    """The lines of parts on both sides of a gutter: column by column if these are prose, else row by row.

    Only lines beside others are judged. What stands below the right column, after a blank, is no column if
    it is no prose, such as a table.
    """
    left, right = [p for p in parts if p.right <= gutter], [p for p in parts if p.right > gutter]
    bases, others = sorted(part.base for part in right), sorted(part.base for part in left)
    lowest = next((low for low, above in pairwise(bases) if above - low < 4 * right[0].height), 0.0)
    below = [part for part in right if part.base < lowest]
    right = [part for part in right if part.base >= lowest]
    points = _prose_of([part for part in left if _faces(part, bases)])
    points += _prose_of([part for part in right if _faces(part, others)])
    if min(points) < _LEAST_PROSE or sum(points) < _USUAL_PROSE * len(points):
        return _lines(parts)
    apart = (n for n in range(1, len(left)) if left[n - 1].base - left[n].base > 1.6 * left[n].height)
    end = next((n for n in apart if left[n].base < lowest - left[n].height), len(left))
    tail = [*left[end:], *below]
    if min(_prose_of(tail)) >= _LEAST_PROSE:
        end, tail = len(left), below
    return with_notes(ordered(left[:end], prose=True)) + ordered(right, prose=True) + _lines(tail)


def _faces(part: PagePart, bases: Sequence[float]) -> bool:
    """Whether one of the sorted `bases` of others is that of a part beside it."""
    at = bisect_left(bases, part.base - _FACING * part.height)
    return at < len(bases) and bases[at] <= part.base + _FACING * part.height


def _prose_of(parts: Sequence[PagePart]) -> list[int]:
    """Points of each column for prose or a list, not for cells of a table.

    A line of prose ends where the next word has no room, often within a sentence; a cell where its text does.
    """
    if len(parts) < 2:
        return [-1]
    if gutter := _gutter(parts, within=True):
        beside = [part for part in parts if part.right <= gutter], [p for p in parts if p.right > gutter]
        return _prose_of(beside[0]) + _prose_of(beside[1])
    lines = list(closed_up(parts))
    words = sum(len(_UNSPACED.findall(line.text)) / 2 or len(_LETTERS.findall(line.text)) for line in lines)
    if 2 * sum(_BULLET.match(line.text) is not None for line in lines) >= len(lines):
        return [_USUAL_PROSE]
    if words < _COLUMN_WORDS * len(lines):
        return [-1]
    edge = sorted(line.right for line in lines)[-1 - len(lines) // 10]
    points = 2 * sum(len(_SENTENCE_BORDER.findall(line.text)) for line in lines)
    for line, after in pairwise(lines):
        if line.base - after.base < 1.8 * line.height and not SENTENCE_END.search(line.text):
            points += _goes_on(line.text, after.text) + (-3 * _has_room(line, after, edge) or 1)
    return [points]


def _has_room(line: PagePart, after: PagePart, edge: float) -> bool:
    """Whether the first word of the line after has room before the right edge of the column."""
    letter = (after.right - after.left) / max(1, len(after.text))
    return line.right + letter * (1 + len(_FIRST_WORD.findall(after.text)[0])) < edge


def _goes_on(line: str, after: str) -> int:
    """Points for a sentence that goes on over two lines, by the words on both sides."""
    last, first = line.split()[-1].lower(), after.split()[0]
    ends = last[-1] in ",-" or (len(last) > 1 and last in KNOWN)
    begins = (first[0].isalpha() and not first[0].isupper()) or (after.isupper() and first.lower() in KNOWN)
    return 2 * ends + begins


def _lines(parts: Sequence[PagePart], *, prose: bool = False) -> list[PagePart]:
    """One line for each row, cells with a bar between them."""
    lines = lines_of(closed_up(parts, least=2 if prose else 4))
    if len(lines) < 2:
        return lines
    left, edge = min(line.left for line in lines), max(line.right for line in lines)
    for n, (line, after) in enumerate(zip(lines, [*lines[1:], None], strict=True)):
        is_open = not SENTENCE_END.search(line.text)
        is_wrapped = is_open and after is not None and not _has_room(line, after, edge)
        is_long = len(line.text) >= _SHORT_LINE or _UNSPACED.search(line.text[-1:]) or (prose and is_open)
        is_full = is_wrapped or line.right > edge - 0.15 * (edge - left)
        lines[n] = line._replace(full=bool(is_long) and is_full)
    return lines


def joined(lines: Sequence[PagePart]) -> str:
    """The text of lines, with those of one sentence on one line and words cut at a line's end whole.

    Asides stand behind the paragraph whose sentence they cut.
    """
    ends = _LineEnds([line.text for line in lines])
    text, waiting = "", list[PagePart]()
    before = edge = PagePart("", 0, 0, 0, 0)
    for line in [*lines, edge]:
        if line.aside:
            waiting.append(line._replace(aside=False))
            continue
        whole = ends.joined(before.text, line.text)
        between = _between(before, line) if whole is None else ""
        if waiting and ("\n" in between or SENTENCE_END.search(before.text)):
            between, waiting = f"\n{joined(waiting)}" + ("\n\n" if before.last else "\n"), []
        text += (whole or before.text) + between
        before = line
    return text.strip("\n")


def with_notes(lines: Sequence[PagePart]) -> list[PagePart]:
    """Lines of a page or column, footnotes as asides: in small letters, or behind a mark and a blank."""
    usual = median(line.height for line in lines) if lines else 0.0
    for n, (before, line) in enumerate(pairwise(lines), 1):
        small = line.height < 0.95 * min(usual, before.height)
        marked = before.base - line.base > 1.5 * line.height and _NOTE.match(line.text)
        below = all(
            after.base < one.base and after.height < 1.05 * line.height for one, after in pairwise(lines[n:])
        )
        if (small or marked) and below and 2 * line.base < lines[0].base + lines[-1].base:
            return [*lines[:n], *(line._replace(aside=True) for line in lines[n:])]
    return list(lines)


def are_alike(line: PagePart, other: PagePart) -> bool:
    """Whether two lines have letters of one size."""
    return abs(line.height - other.height) < 0.12 * max(line.height, other.height)


def _between(line: PagePart, after: PagePart) -> str:
    """What stands between two lines: a blank if a sentence goes on, else a line feed, two behind a page.

    A table goes on behind a page where the lines have as many cells, unless a header of names follows.
    """
    is_header = re.search(r"\d", line.text) and not re.search(r"\d", after.text)
    in_table = line.text.count(BAR) == after.text.count(BAR) > 0 and not is_header
    apart = "\n\n" if line.last and not in_table else "\n"
    if not are_alike(line, after) or BAR in line.text or BAR in after.text or _BULLET.match(after.text):
        return apart
    if _UNSPACED.search(line.text[-1:]) and _UNSPACED.match(after.text):
        return "" if line.full else apart
    goes_on = not SENTENCE_END.search(line.text) and _goes_on(line.text, after.text)
    return " " if goes_on or line.full else apart


@cache
def _english() -> frozenset[str]:
    """Some 20,000 English words: those that the tokenizer of the bundled judge does not cut."""
    file = resources.files("factreasoner").joinpath("judges/encoder/bundled/model/tokenizer.json")
    return frozenset(json.loads(file.read_text(encoding="utf-8"))["model"]["vocab"])


class _LineEnds:
    """Joins lines of one document; its other words show which hyphens belong to a word."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._known: set[str] = set()
        cut = False
        for line in lines:
            words = _WORD.findall(line.lower())
            ends = _HYPHEN.search(line, max(0, len(line) - _LONGEST_WORD)) is not None
            self._known.update(words[cut : len(words) - ends])
            cut = ends
        self._foreign = is_foreign(" ".join(lines[:50]))

    def joined(self, line: str, after: str) -> str | None:
        """A line as its text goes on with the one after; None if no hyphen ends it."""
        hyphen = _HYPHEN.search(line, max(0, len(line) - _LONGEST_WORD))
        if not hyphen or not after[:1].isalnum():
            return None
        if hyphen["head"] is None or not self._is_hyphenated(hyphen["head"], after):
            return line[:-1]
        return f"{line} " if _AND.match(after) else line

    def _is_hyphenated(self, head: str, after: str) -> bool:
        """Whether the hyphen behind `head`, at the end of a line, belongs to the word."""
        tail = re.match(r"[^\W\d_]+", after)
        piece = re.split(r"[\W\d_]", head)[-1]
        if tail is None or not piece or {tail[0].isupper(), tail[0][0].isupper()} != {piece.isupper()}:
            return True
        begin, end = piece.lower(), tail[0].lower()
        whole, parts, known = begin + end, {begin, end}, self._known
        if f"{begin}-{end}" in known or whole in known:
            return whole not in known
        if _AND.match(after) or min(len(begin), len(end)) == 1 or (self._foreign and end in _INVERTED):
            return True
        if whole in KNOWN if self._foreign else is_word(whole):
            return False
        several = "-" in head or after[tail.end() :].startswith("-")
        words = KNOWN if self._foreign else known | KNOWN | _english()
        return parts <= words or (several and not parts.isdisjoint(words))


def is_word(word: str) -> bool:
    """Whether a word in small letters is an English one, or a function word of any language."""
    return word in KNOWN or not _english().isdisjoint({word, stem(word, "english")})
