"""The text of a PDF: words and their places by pdf-oxide, put in order by `pdf_layout`."""

from __future__ import annotations

import io
import json
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, groupby, pairwise
from operator import attrgetter
from statistics import median
from typing import Any, NamedTuple

import pdf_oxide

from factreasoner.documents import pdf_layout as layout
from factreasoner.documents.html import one_line, raised
from factreasoner.documents.page import Extracted
from factreasoner.documents.pdf_rows import PagePart, parts_of, rows_of, tables_of
from factreasoner.text.language import normalize_nfc

_LARGE, _SMALL = 1.2, 0.85
"""Heights of usual letters that make a drop cap, and of the letter before a superscript."""
_MARGIN, _MOST_ROWS, _SAME_PLACE = 0.12, 3, 3.0
"""Share of a page's height, and rows, in which headers and footers stand, and points they may move by."""
_NUMBERS = re.compile(r"\d+|\b[ivxlc]+\b", re.IGNORECASE)
_COUNTED = re.compile(r"(?<!\d)\d{1,5}(?!\d)")
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d")
_PAGE_NUMBER = re.compile(r"[^\w#]*#[^\w#]*")
_ACCENTS = dict(zip("¨´`ˆ˜ˇ˝¸", "\u0308\u0301\u0300\u0302\u0303\u030c\u030b\u0327", strict=True))
_UNKNOWN = "\ufffd"
_LIGATURES = re.compile("[\ufb00-\ufb06\U0001d400-\U0001d7ff]")


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
    except (OSError, RuntimeError):
        return Extracted("", dropped="damaged PDF")
    is_cut = b"%%EOF" not in data[-1024:]
    if not any(parts for parts, _ in read):
        return Extracted("", dropped="damaged PDF" if is_cut else "")
    partly = ["its end is missing"] * is_cut
    for number, (parts, height) in enumerate(read):
        body = " ".join(part.text for part in parts if _MARGIN * height < part.base < (1 - _MARGIN) * height)
        if not parts or (len(body.split()) < 6 and _is_scan(document, number)):
            partly.append(f"page {number + 1} has no text{' but a header, footer or stamp' * bool(parts)}")
    if (count := document.page_count()) > pages:
        partly.append(f"pages {pages + 1} to {count} were not read")
    lines, running = _lines_of(read)
    text = normalize_nfc("\n".join(filter(None, [layout.joined(lines), *running])))
    text, tables = tables_of(_LIGATURES.sub(lambda found: unicodedata.normalize("NFKC", found[0]), text))
    return Extracted(text, _title(data), partly=tuple(partly), tables=tuple(tables))


def _title(data: bytes) -> str:
    import pypdf  # pdf-oxide gives no title

    try:
        found = pypdf.PdfReader(io.BytesIO(data)).metadata
        return one_line(found.title if found else "")
    except Exception:  # noqa: BLE001 - AES without `cryptography`, or a damaged file; the text is there
        return ""


def _page(document: Any, number: int) -> tuple[list[PagePart], float]:
    """The parts of the lines of a page, and its height."""
    _, bottom, _, top = document[number].bbox
    found = document.extract_chars(number)
    letters = _letters(found, bottom)
    garbled = any(one.text == _UNKNOWN for one in letters)
    lines = document.extract_text_lines(number) if len(letters) < len(found) else ()
    turned = [word.text for line in lines for word in line.words if round(word.rotation_degrees) % 360]
    if garbled:
        letters = _spelled(letters, [_letters(word.chars, bottom) for word in document.extract_words(number)])
    parts = [part for row in rows_of(_words_of(letters)) for part in parts_of(row)]
    if turned:  # on its side, or a stamp: it has no place among the lines
        parts.append(PagePart(" ".join(turned), 0, 0, 0, 1))
    return parts, top - bottom


def _letters(characters: Iterable[Any], bottom: float) -> list[PagePart]:
    return [
        PagePart(c.char, c.origin_x, c.origin_x + c.advance_width, c.origin_y - bottom, c.font_size)
        for c in characters
        if not round(c.rotation_degrees) % 360
    ]


def _spelled(letters: Sequence[PagePart], words: Iterable[Sequence[PagePart]]) -> list[PagePart]:
    """Letters of a page; those of its words in lines where some are unknown, such as ligatures.

    In words, superscripts stand on the line: they get the height that they have on the page.
    """
    garbled = {round(one.base) for one in letters if one.text == _UNKNOWN}
    known = [word for word in words if not garbled.isdisjoint(round(one.base) for one in word)]
    usual = median([one.height for word in known for one in word] or [0.0])
    small = [one for one in letters if one.height < _SMALL * usual]
    found, moved = list[PagePart](), set[PagePart]()
    for word in known:
        found.append(word[0]._replace(text=" ", right=word[0].left))
        near = [one for one in small if 0.1 * usual < abs(one.base - word[0].base) < 0.6 * usual]
        for one in word:
            same = (own for own in near if own.text == one.text or abs(own.height - one.height) < 0.1)
            step, own = min(((abs(own.left - one.left), own) for own in same), default=(usual, one))
            own = own if step < 0.5 * usual else one
            moved.add(own)
            found.append(own._replace(text=own.text.replace(_UNKNOWN, one.text)))
    return found + [one for one in letters if round(one.base) not in garbled and one not in moved]


def _is_scan(document: Any, number: int) -> bool:
    """Whether a picture covers a page and is more of it than its text."""
    page = json.loads(document.classify_page(number))
    return bool(page["kind"] == "scanned" and page["signals"]["image_area_ratio"] > 0.7)


def _words_of(letters: Sequence[PagePart]) -> list[PagePart]:
    """The words of a page, drop caps before theirs."""
    usual = median(one.height for one in letters) if letters else 0.0
    blanks = Counter(round(one.right - one.left, 1) for one in letters if one.text.isspace())
    most = max(blanks.values(), default=0)  # where they differ in width, pdf-oxide makes some of them up
    spaced = most > max(0.8 * blanks.total(), len(letters) / 12)
    large = [one for one in letters if one.height > _LARGE * usual]
    others = _levelled([one for one in letters if one.height <= _LARGE * usual], usual)
    words = [word for row in rows_of(others) for word in _words_in(_accented(row), spaced=spaced)]
    for row in filter(None, (list(_words_in(row, spaced=spaced)) for row in rows_of(large))):
        for part in parts_of(row):
            _put(part, words, usual)
    return words


def _words_in(row: Sequence[PagePart], *, spaced: bool) -> Iterator[PagePart]:
    """The words in a row of letters, which a gap sets apart; `spaced`: its page has blanks between words."""
    line = ""
    for is_blank, letters in groupby(row, lambda one: one.text.isspace()):
        if not is_blank:
            first, *others = parts_of(_with_superscripts(list(letters), line), spaced=spaced)
            line += first.text + " "
            yield first
            yield from (other._replace(apart=True) for other in others)


def _accented(row: Sequence[PagePart]) -> list[PagePart]:
    """Letters of a row, each with the accent that is drawn over it, as TeX does."""
    found = list(row[:1])
    for one in row[1:]:
        mark, base = (one, found[-1]) if one.text in _ACCENTS else (found[-1], one)
        if mark.text in _ACCENTS and mark.overlap(base) > 0.5 * (mark.right - mark.left):
            found[-1] = base._replace(text=base.text.replace("ı", "i") + _ACCENTS[mark.text])
        else:
            found.append(one)
    return found


def _levelled(letters: Sequence[PagePart], usual: float) -> list[PagePart]:
    """Letters of a page, with superscripts just above the line that they belong to, and subscripts below."""
    small = [one for one in letters if one.height < _SMALL * usual]
    found = [one for one in letters if one.height >= _SMALL * usual]
    ends = defaultdict[int, list[tuple[PagePart, float]]](list)
    for one in found if small else ():
        ends[round(one.right)].append((one, one.base))
    for one in sorted(small, key=lambda one: one.left):
        base = one.base
        for other, line in chain(*(ends[round(one.left) + place] for place in (-1, 0, 1))):
            step = one.base - other.base
            if abs(step) < 0.1 * one.height:
                base = line
            elif one.height < _SMALL * other.height and abs(step) < 0.6 * other.height:
                base = line + (0.1 if step > 0 else -0.1)
        found.append(one._replace(base=base))
        ends[round(one.right)].append((one, base))
    return found


def _with_superscripts(letters: list[PagePart], line: str) -> list[PagePart]:
    """Letters of a word behind those of its line; small ones above it become 10^6, 1938[1]."""
    small = _SMALL * max([one.height for one in letters])
    found: list[PagePart] = []
    for is_small, run in groupby(letters, lambda one: one.height < small):
        some = list(run)
        before, inside = ("".join([one.text for one in part]) for part in (found, some))
        if is_small and before and some[0].base > found[-1].base:
            left, right = some[0].left, some[-1].right
            some = [found[-1]._replace(text=raised(line + before, inside, ""), left=left, right=right)]
        found += some
    return found


def _put(initial: PagePart, words: list[PagePart], usual: float) -> None:
    """Put an initial before the first word beside it that goes on with it; else among the words, as it is."""
    beside = [
        word
        for word in words
        if initial.base - 0.5 * usual < word.base < initial.base + initial.height
        and -0.2 * initial.height < word.left - initial.right < 0.5 * initial.height
    ]
    first = max(beside, key=attrgetter("base"), default=initial)
    begin = first.text.split()[0]
    if beside and len(initial.text) < 3 and (begin[:1].islower() or begin.isupper()):
        words.remove(first)
        apart = initial.text in ("A", "À") and not layout.is_word(f"{initial.text}{begin}".lower())
        initial = first._replace(text=initial.text + " " * apart + first.text, left=initial.left)
    words.append(initial)


class _Edge(NamedTuple):
    """A row at an edge; `apart` if a blank or its font sets it off, `is_text` if it reads as a sentence."""

    top: bool
    place: float
    row: list[PagePart]
    text: str
    key: str
    is_text: bool
    apart: bool


def _lines_of(pages: Sequence[tuple[list[PagePart], float]]) -> tuple[list[PagePart], list[str]]:
    """Lines of pages (words, height) in the order of reading, and headers and footers that pages repeat.

    These are given once, or each if they differ by more than the number of the page. Other headers, footers
    and footnotes are asides.
    """
    edges = [list(_edges_of(*page)) for page in pages]
    lines, running, seen = list[PagePart](), list[str](), set[str]()
    for number, (parts, _) in enumerate(pages):
        near = list(chain(*edges[max(0, number - 2) : number], *edges[number + 1 : number + 3]))
        body, cutting = list(parts), {True: list[PagePart](), False: list[PagePart]()}
        for edge in edges[number]:
            beside = [o for o in near if o.top == edge.top and abs(o.place - edge.place) < _SAME_PLACE]
            rest = [part for part in body if part not in edge.row]
            if any(other.key == edge.key and (edge.apart or other.apart) for other in beside):
                text, forms, body = edge.text, _forms(edge.text, number), rest
                is_number = _PAGE_NUMBER.fullmatch(edge.key) and not _YEAR.search(text)
                running += [text] if seen.isdisjoint(forms) and not is_number else []
                seen |= forms
            elif rest and edge.apart and not edge.is_text and any(other.apart for other in beside):
                body = rest
                cutting[edge.top] += edge.row
        found = layout.with_notes(layout.ordered(body))
        for n in [n for n, line in enumerate(found) if not line.aside][-1:]:
            found[n] = found[n]._replace(last=True)
        above, below = ([one._replace(aside=True) for one in layout.ordered(cutting[top])] for top in cutting)
        lines += above + found + below
    return lines, running


def _edges_of(parts: Sequence[PagePart], height: float) -> Iterator[_Edge]:
    """Rows in the margins of a page, outermost first, without those of tables."""
    rows = list(rows_of(parts))
    steps = [one[0].base - other[0].base for one, other in pairwise(rows)]
    usual = median(steps) if len(steps) > 1 else 0.0
    for top, outer, gaps in ((True, rows, steps), (False, rows[::-1], steps[::-1])):
        found: list[_Edge] = []
        for row, gap, after in zip(outer[:_MOST_ROWS], [*gaps, 0.0], [*outer[1:], []], strict=False):
            place, high = height - row[0].base if top else row[0].base, row[0].height
            cells = sum(any(map(one.overlap, after)) for one in row)
            if place > _MARGIN * height or (gap < 2.5 * high and min(cells, len(after)) > 1):
                break
            text = " ".join(part.text for part in row)
            ends = layout.SENTENCE_END.search(text) is not None
            least = 3 * high if top and ends else max(1.2 * usual, 1.5 * high)
            is_set_off = bool(after) and not layout.are_alike(row[0], after[0])
            apart = len(rows) == 1 or gap > min(least, 3 * high) or is_set_off
            found = [one._replace(apart=one.apart or apart) for one in found]
            is_text = ends or len(text) > 60 or text[:1].islower()
            found.append(_Edge(top, place, row, text, _NUMBERS.sub("#", text), is_text, apart))
        yield from found


def _forms(text: str, number: int) -> set[str]:
    """A line of a page, and how it would be on the first page if one of its numbers counts the pages."""
    counted = [found for found in _COUNTED.finditer(text) if not _YEAR.fullmatch(found[0])]
    return {text} | {f"{text[: n.start()]}#{int(n[0]) - number}{text[n.end() :]}" for n in counted}
