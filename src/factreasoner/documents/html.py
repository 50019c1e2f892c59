"""The whole text of an HTML page, a line for each block and table row, superscripts as they are read."""

from __future__ import annotations

import html as entities
import re
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from lxml import etree, html

from factreasoner.documents.html_styles import styled_elements
from factreasoner.documents.page import Extracted, TextTable
from factreasoner.text.citation_marks import find_marks
from factreasoner.text.language import normalize_nfc, word_set
from factreasoner.text.tags import UNSEEN, without_tags

if TYPE_CHECKING:
    from lxml.html import HtmlElement

_MARKS_OF_WORDS = word_set(
    "abbr b bdi bdo big cite dfn em font i ins kbd mark s samp small strong sub sup time tt u var wbr"
)
_PARTS = ("a", "span", "label", "data")
_BESIDE = 40
ABOVE = "data-above"
"""The attribute of a cell that goes on with the one above it, as office documents have it."""
_LONGEST_REPEATED = 300
_MOST_REPEATED = 1_000_000
"""Characters of one cell that is repeated in other rows, and of all of them: a few bytes may span much."""
_BAR = " | "
_MOST_COLUMNS = 1_000
_MOST_SPANNED = 65_534
_NOTED = re.compile(r"[^\W\d_]{3}\^(?:[a-z*†‡]|(?:n|nb|note) ?\d+|\(\d+\))")
"""The mark of a note behind a word, unlike "M^me", "1^er"."""
_POWER = re.compile(r"(?:.*\d|(?:.*\W)?[^\W\d])\^(?:[knpqx-z]|[-+−]?\w+(?:[-+−*/]\w+)+|[-+−][a-z])")
_OPERAND = r"(?:\d{1,3}(?:\.\d+)?[a-z]?|[^\W\d_]{1,2}\d?)"
_BRACKETED = re.compile(
    rf"[(\[](?:[-+−]{_OPERAND}|\d+[a-z]|[-+−]?{_OPERAND}(?:\s*[-+−*/·×]\s*{_OPERAND})+|(?<=(?<![^\W\d_])[^\W\d_]\()[a-z])"
    r"[)\]]\^[-+−]?(?:\d\d?|[a-z])$"
)
"""A power of a formula in brackets, unlike words in brackets with the mark of a note."""
_BLOCKS = frozenset(
    """address article aside blockquote body br caption center dd details dialog dir div dl dt fieldset
    desc figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol
    optgroup option p pre search section select summary table tbody td text textarea tfoot th thead title tr
    ul""".split()  # noqa: SIM905
)
_SKIPPED = frozenset({"script", "style", "template", "annotation", "annotation-xml", "rp"})
STRUCK = "//del | //s | //strike"
_STRUCK_PARTS = re.compile(r"<(del|s|strike)\b[^<>]*>((?:(?!</?\1\b).)*)</\1\s*>", re.IGNORECASE | re.DOTALL)
"""What is struck; it may begin in one element and end in another, and then is struck in each."""
_BETWEEN = {"mfrac": "/", "msup": "^"}
TOO_DEEP = "elements nested more than 2,048 deep, and everything after them"
NO_TEXT = re.compile(
    r"\0|&#(?:0*(?:[0-8]|1[124-9]|2\d|3[01]|6553[45])|[xX]0*(?:[0-8bcef]|1[0-9a-f]|fff[ef]))(?![0-9a-fA-F]);?",
    re.IGNORECASE,
)
"""NUL, and references to characters that HTML has none of: one is enough to make the parser lose the page."""


def whole_text(source: str) -> Extracted:
    """Text and title of an HTML page. Parts that are struck or hidden are left out.

    What stands behind its end, such as a second page, is read too; `partly` says that it is nested too deep.

    Raises ValueError or lxml.etree.LxmlError: it can't be parsed.
    """
    parser = html.HTMLParser(remove_comments=True, remove_pis=True, huge_tree=True, encoding="utf-8")
    try:
        source = _STRUCK_PARTS.sub(
            lambda part: "<s>" + re.sub("<[^<>]*>", r"</s>\g<0><s>", part[2]) + "</s>",
            NO_TEXT.sub(" ", source),
        )
        root = html.document_fromstring(source.encode("utf-8", "replace"), parser)
    except etree.ParserError:  # nothing but blanks and comments
        return Extracted("")
    for behind in list(root.itersiblings()):
        root.append(behind)
    unseen, above = styled_elements(root)
    for element in (*unseen, *root.xpath("//*[@hidden]"), *root.xpath(STRUCK)):
        if element.getparent() is not None:
            element.drop_tree()
    titles = (one_line("".join(found.itertext())) for found in root.xpath("//head/title | //h1"))
    title = next(filter(None, titles), "")
    for element in root.xpath("//head/title | //head/noscript"):  # HTML 5 without a body lands in the head
        element.drop_tree()
    for element in above:
        element.tag = "sup" if element.tag in (*_MARKS_OF_WORDS, *_PARTS) else element.tag
    write_superscripts(root)
    _write_formulas(root)
    cut = any(error.type_name == "ERR_RESOURCE_LIMIT" for error in parser.error_log)
    return _TextLines(root).text()._replace(title=title, partly=(TOO_DEEP,) * cut)


def _write_formulas(root: HtmlElement) -> None:
    """Put the signs of fractions and powers into the text of MathML: 1/2, x^(n+1)."""
    for element in reversed(list(root.iter(*_BETWEEN))):
        for part in element:
            inside = "".join(part.itertext())
            if not inside.strip().isalnum():
                part[:] = []
                part.text = f"({inside})"
        if len(element) > 1:
            element[0].tail = _BETWEEN[element.tag]


def one_line(title: object) -> str:
    """A title on one line, at most 300 characters; empty if it is no text."""
    return clean(title)[:300] if isinstance(title, str) else ""


def clean(text: str) -> str:
    """`text` on one line: composed characters (NFC), no soft hyphens, single blanks."""
    return " ".join(normalize_nfc(text).split())


class _Cell(NamedTuple):
    text: str
    columns: int = 1
    rows: int = 1


class _TextLines:
    """The lines of a tree. In a table, all that a row holds is on its line, tables in its cells included."""

    def __init__(self, root: HtmlElement) -> None:
        self._lines: list[str] = []
        self._tables: list[tuple[int, int, int]] = []
        self._head, self._body = 0, False
        """The line behind the header rows of a table, and whether its other rows have begun."""
        self._pieces: list[str] = []
        self._row: list[_Cell] = []
        self._rows = 0
        """Rows that the walk is in: a row, one of a table in its cell, and so on."""
        self._spans: dict[int, tuple[str | None, int]] = {}
        """The cells that reach into further rows, by column: text (None after the first column) and rows."""
        self._above: dict[int, str] = {}
        self._repeated = 0
        self._walk(root)
        self._end_line()

    def text(self) -> Extracted:
        """What was read."""
        starts = [0, *accumulate(len(line) + 1 for line in self._lines)]
        tables = (
            TextTable("\n".join(self._lines[first:head]), starts[head], starts[end] - 1)
            for first, head, end in self._tables
            if first < head < end and starts[head] - starts[first] <= 2 * _LONGEST_REPEATED
        )
        return Extracted("\n".join(self._lines), tables=tuple(tables))

    def _walk(self, root: HtmlElement) -> None:
        preformatted, first = 0, 0
        walk = etree.iterwalk(root, events=("start", "end"))
        for event, element in walk:
            name, starts = element.tag, event == "start"
            if starts and name in _SKIPPED:
                walk.skip_subtree()
                continue
            if name in _BLOCKS:
                self._border(element, starts=starts)
            if name == "table" and not self._rows:
                if starts:
                    first, self._spans, self._above, self._body = len(self._lines), {}, {}, False
                    self._head = 0
                else:
                    self._tables.append((first, self._head, len(self._lines)))
            elif name == "rt":
                self._pieces.append("(" if starts else ")")
            elif name == "pre":
                preformatted += 1 if starts else -1
            text = (element.text if starts else element.tail) or ""
            if element is not root or starts:
                self._add(text, preformatted=bool(preformatted))

    def _add(self, text: str, *, preformatted: bool) -> None:
        first, *others = text.split("\n") if preformatted and not self._rows else [text]
        self._pieces.append(first)
        for line in others:
            self._end_line()
            self._pieces.append(line)

    def _border(self, element: HtmlElement, *, starts: bool) -> None:
        """The start or the end of a block."""
        name = element.tag
        if name == "tr" and not starts and self._rows == 1:
            self._end_row()
            is_header = element.getparent().tag == "thead" or not element.xpath("td")
            if not self._head or (is_header and not self._body):
                self._head = len(self._lines)
            self._body |= not is_header
        elif name == "tr" and starts and not self._rows:
            self._end_line()
        elif name in ("td", "th") and self._rows == 1:
            self._end_cell(None if starts else element)
        elif self._rows:
            self._pieces.append(" ")
        else:
            self._end_line()
        self._rows += (name == "tr") * (1 if starts else -1)

    def _end_line(self) -> None:
        if line := self._taken():
            self._lines.append(line)

    def _taken(self) -> str:
        text, self._pieces = clean("".join(self._pieces)), []
        return text

    def _end_cell(self, cell: HtmlElement | None) -> None:
        """End a cell, or what stands in a row before its first cell or between two."""
        text = self._taken()
        if cell is not None:
            rows = 0 if ABOVE in cell.attrib else _number(cell, "rowspan")
            self._row.append(_Cell(text, min(_number(cell, "colspan"), _MOST_COLUMNS), rows))
        elif text:
            self._row.append(_Cell(text))

    def _end_row(self) -> None:
        self._end_cell(None)
        cells, self._row = self._row, []
        line: list[str] = []
        column = 0
        for cell in cells:
            column = self._spanned(line, column)
            repeated = len(cell.text) <= _LONGEST_REPEATED and self._repeated < _MOST_REPEATED
            text = cell.text if cell.rows else self._again(self._above.get(column, ""))
            for place in range(column, column + cell.columns):
                self._above[place] = text if place == column and repeated else ""
                if cell.rows > 1:
                    self._spans[place] = (self._above[place] if place == column else None, cell.rows - 1)
            line.append(text)
            column += cell.columns
        self._spanned(line, column)
        if any(line):
            self._lines.append(clean(_BAR.join(line)).rstrip(_BAR))

    def _spanned(self, line: list[str], column: int) -> int:
        """Add the cells of rows above that reach into this row from `column` on; the column behind them."""
        while column in self._spans:
            text, rows = self._spans.pop(column)
            if text is not None and self._repeated <= _MOST_REPEATED:
                line.append(self._again(text))
            if rows > 1:
                self._spans[column] = (text, rows - 1)
            column += 1
        return column

    def _again(self, text: str) -> str:
        self._repeated += len(text) + len(_BAR)
        return text if self._repeated <= _MOST_REPEATED else ""


def _number(cell: HtmlElement, attribute: str) -> int:
    value = cell.get(attribute, "1").strip()
    number = int(value[:6]) if value.isascii() and value.isdecimal() else 1
    return number or _MOST_SPANNED


def write_superscripts(tree: HtmlElement) -> None:
    """Put superscripts into the text, and take off the tags that only mark words of it."""
    for element in tree.iter("sup"):
        inside = "".join(element.itertext()).strip()
        if inside and element.getparent() is not None:
            shown = raised(_text_before(element), inside, _text_behind(element))
            element[:] = []
            element.text = shown
    etree.strip_tags(tree, *_MARKS_OF_WORDS)


def raised(before: str, inside: str, behind: str) -> str:
    """A superscript as it is read: "[1]" that cites, "^6" of a power, "th".

    `before` and `inside` are texts; what is `behind` may have tags.
    """
    before, inside = entities.escape(before, quote=False), entities.escape(inside, quote=False)
    text = f"{before}<sup>{inside}</sup>"
    if _BRACKETED.search(f"{before}^{inside}"):
        return f"^{inside}"
    if any(mark.end == len(text) for mark in find_marks(text)) or _NOTED.fullmatch(f"{before[-3:]}^{inside}"):
        return f"[{inside.strip().strip('[]()')}]"
    if _POWER.fullmatch(f"{before[-2:]}^{inside}"):
        return f"^({inside})" if len(inside) > 1 else f"^{inside}"
    return without_tags(text + behind)[len(before) : len(text)].replace(UNSEEN, "")


def _text_before(element: HtmlElement) -> str:
    """The end of the text directly before an element, within its sentence as far as tags tell."""
    text = ""
    while len(text) < _BESIDE and element.tag not in _BLOCKS and (parent := element.getparent()) is not None:
        before = element.getprevious()
        inside = "" if before is None or before.tag in _BLOCKS else "".join(before.itertext())
        if before is not None and before.tag == "sub" and not (text or before.tail):
            inside = f" {inside}"  # the base alone: a power of x with an index is one of the index
        text = inside + ((parent.text if before is None else before.tail) or "") + text
        element = parent if before is None else before
    return text[-_BESIDE:]


def _text_behind(element: HtmlElement) -> str:
    """The text behind an element, with the subscript that may follow it."""
    after = element.getnext()
    lowered = f"<sub>{after.text or ''}</sub>" if after is not None and after.tag == "sub" else ""
    return (element.tail or "")[:_BESIDE] + lowered
