"""The text of a PDF: words and their places by pdf-oxide, put in order by `pdf_layout`."""

from __future__ import annotations

import contextlib
import io
import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from statistics import median
from typing import Any

import pdf_oxide

from factreasoner.text.language import composed
from factreasoner.web.drop_caps import words_beside
from factreasoner.web.page import Extracted, TextTable
from factreasoner.web.pdf_layout import BAR, RIGHT_TO_LEFT, PagePart, joined, ordered, parts_of, rows_of
from factreasoner.web.superscripts import raised
from factreasoner.web.tree import one_line

_MARGIN = 0.12
"""Share of a page's height, at its top and bottom, in which headers and footers stand."""
_WIDE, _LETTER = 1.05, 0.6
"""In heights of its font: a step to the next letter that holds a blank, and the width of most letters."""
_PAGE_NUMBER = re.compile(r"[^\w#]*#[^\w#]*")
_NUMBERS = re.compile(r"\d+|\b[ivxlc]+\b", re.IGNORECASE)
_COUNTED = re.compile(r"\d{1,5}")
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d")
_POWER = re.compile(r"\d[-−]?\d")
_LIGATURES = re.compile("[\ufb00-\ufb06]")


def pdf_text(data: bytes, pages: int) -> Extracted:
    """Text of the first `pages` pages and the title of a PDF; `partly` names pages without text
    and those that are not read.

    Columns are read one after the other. Lines that pages repeat at their top or bottom are read once, last.
    """
    try:
        document = pdf_oxide.PdfDocument.from_bytes(data)
        if not document.authenticate(""):
            return Extracted("", dropped="encrypted PDF")
        read = [_page(document, number) for number in range(min(document.page_count(), pages))]
    except Exception:  # noqa: BLE001 - what pdf-oxide raises for damaged files is of no one kind
        return Extracted("", dropped="damaged PDF")
    if not any(parts for parts, _ in read):
        return Extracted("")
    partly = [f"page {number} has no text" for number, (parts, _) in enumerate(read, 1) if not parts]
    if (count := document.page_count()) > pages:
        partly.append(f"pages {pages + 1} to {count} were not read")
    bodies, running = _without_running_lines(read)
    lines: list[PagePart] = []
    for body in filter(None, bodies):
        *others, last = ordered(body)
        lines += [*others, last._replace(last=True)]
    text = composed("\n".join(filter(None, [joined(lines), *running])))
    text = _LIGATURES.sub(lambda found: unicodedata.normalize("NFKC", found[0]), text)
    return Extracted(text, _title(data), partly=tuple(partly), tables=tuple(_tables(text)))


def _tables(text: str) -> Iterator[TextTable]:
    """Runs of three and more lines of as many cells, the first of which may be a header."""
    start = 0
    for bars, lines in groupby(text.split("\n"), lambda line: line.count(BAR)):
        rows = list(lines)
        end = start + sum(len(row) + 1 for row in rows)
        if bars and len(rows) > 2:
            yield TextTable(rows[0], start + len(rows[0]) + 1, end - 1)
        start = end


def _title(data: bytes) -> str:
    import pypdf  # pdf-oxide gives no title

    with contextlib.suppress(Exception):
        found = pypdf.PdfReader(io.BytesIO(data)).metadata
        return one_line(found.title if found else "")
    return ""


def _page(document: Any, number: int) -> tuple[list[PagePart], float]:
    """The parts of the lines of a page, and its height."""
    _, bottom, _, top = document.page_media_box(number)
    upright: list[Any] = []
    turned: list[str] = []
    for word in document.extract_words(number):
        if round(word.rotation_degrees) % 360:
            turned.append(word.text)
        else:
            upright.append(word)
    characters = document.extract_chars(number)
    words = words_beside(characters, bottom) if characters and not turned else None
    if words is None:
        words = [piece for word in upright for piece in _pieces(word, bottom)]
    parts = [part for row in rows_of(words) for part in parts_of(row)]
    if turned:  # a watermark, or a page that lies on its side: it has no place among the lines
        parts.append(PagePart(" ".join(turned), 0, 0, 0, 1))
    return parts, top - bottom


def _pieces(word: Any, bottom: float) -> Iterator[PagePart]:
    """A word, cut where its letters stand far apart: pdf-oxide joins words across narrow columns."""
    left, base, width, height = word.bbox
    text, characters = word.text, word.chars
    cuts = [0]
    if len(characters) == len(text) and (text.isascii() or not RIGHT_TO_LEFT.search(text)):
        steps = [other.origin_x - one.origin_x for one, other in pairwise(characters)]
        cuts += [place for place, step in enumerate(steps, 1) if step > _WIDE * height]
        if len(cuts) > 1 + len(text) / 4:  # the letters of the word are set apart
            cuts = [0]
    if len(cuts) == 1:
        if len(characters) == len(text) and _POWER.search(text):
            text = _with_superscripts(characters)
        yield PagePart(text, left, left + width, base - bottom, height)
        return
    for first, end in zip(cuts, [*cuts[1:], len(characters)], strict=True):
        last = characters[end - 1]
        yield PagePart(
            "".join(c.char for c in characters[first:end]),
            characters[first].origin_x,
            last.origin_x + min(last.advance_width, _LETTER * height),  # its advance reaches to the next
            base - bottom,
            height,
        )


def _with_superscripts(characters: Sequence[Any]) -> str:
    """A word in which small digits behind others are written as they are read: 10^6, 1938[1]."""
    largest = max(one.font_size for one in characters)
    text = ""
    for small, run in groupby(characters, lambda one: one.font_size < 0.8 * largest):
        inside = "".join(one.char for one in run)
        text += raised(text, inside, "") if small and _POWER.match(text[-1:] + inside) else inside
    return text


def _without_running_lines(
    pages: Sequence[tuple[list[PagePart], float]],
) -> tuple[list[list[PagePart]], list[str]]:
    """The pages without the headers and footers that a page nearby repeats, and these, each once.

    Those that differ by more than the number of the page are each kept.
    """
    edges = [dict(_edgerows_of(parts, height)) for parts, height in pages]
    running: dict[str, list[tuple[int, str]]] = {}
    bodies = []
    for number, (parts, _) in enumerate(pages):
        near = set[tuple[bool, str]]().union(
            *(edges[n] for n in range(max(0, number - 2), min(len(pages), number + 3)) if n != number)
        )
        gone: list[PagePart] = []
        for key, row in edges[number].items():
            if key in near:
                gone += row
                found = number, " ".join(part.text for part in row)
                seen = running.setdefault(key[1], [])
                if not seen or not _differ_by_page(seen[-1], found):
                    seen.append(found)
        bodies.append([part for part in parts if part not in gone])
    lines = dict.fromkeys(line for seen in running.values() for _, line in seen)
    return bodies, [line for line in lines if not _is_page_number(line)]


def _differ_by_page(one: tuple[int, str], other: tuple[int, str]) -> bool:
    """Whether lines of two pages are the same save for a number that counts the pages."""
    pairs = zip(_NUMBERS.findall(one[1]), _NUMBERS.findall(other[1]), strict=False)
    turned = [(a, b) for a, b in pairs if a != b]
    if len(turned) != 1:
        return not turned
    a, b = turned[0]
    counted = _COUNTED.fullmatch(a) and _COUNTED.fullmatch(b) and int(b) - int(a) == other[0] - one[0]
    return bool(counted) and not _YEAR.fullmatch(a)


def _is_page_number(line: str) -> bool:
    return bool(_PAGE_NUMBER.fullmatch(_NUMBERS.sub("#", line))) and not _YEAR.search(line)


def _edgerows_of(
    parts: Sequence[PagePart], height: float
) -> Iterator[tuple[tuple[bool, str], list[PagePart]]]:
    """Rows in the margins of a page, outermost first, by what they are recognised by on other pages.

    Numbers may differ from page to page if a blank sets the row apart from the text.
    """
    rows = list(rows_of(parts))
    bases = [row[0].base for row in rows]
    usual = median(one - other for one, other in pairwise(bases)) if len(rows) > 2 else 0.0
    for top in (True, False):
        for place in range(min(3, len(rows))):
            row, after = (
                (rows[place], bases[place + 1 :][:1]) if top else (rows[-1 - place], bases[-2 - place :][:1])
            )
            base = row[0].base
            if base < (1 - _MARGIN) * height if top else base > _MARGIN * height:
                break
            text = " ".join(part.text for part in row)
            apart = not after or abs(base - after[0]) > min(
                max(1.25 * usual, 1.5 * row[0].height), 3 * row[0].height
            )
            yield (top, _NUMBERS.sub("#", text) if apart else text), row
