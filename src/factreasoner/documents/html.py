"""The whole text of an HTML page, a line for each block and table row, superscripts as they are read."""

from __future__ import annotations

import html as entities
import re
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from lxml import etree, html

from factreasoner.documents.formulas import TABLES, linear
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
_LONGEST_REPEATED, _MOST_REPEATED = 300, 1_000_000
"""Characters of one cell that is repeated in other rows, and of all of them: a few bytes may span much."""
_MOST_HIDDEN, _LITTLE = 9, 200
"""How many times the shown text the hidden one may be; a shorter one counts as so many characters."""
_BAR = " | "
_MOST_COLUMNS, _MOST_SPANNED = 1_000, 65_534
_NOTED = re.compile(r"[^\W\d_]{3}\^(?:[a-z*†‡]|(?:n|nb|note) ?\d+|\(\d+\))")
"""The mark of a note behind a word, unlike "M^me", "1^er"."""
_DENOMINATOR = re.compile(r"\s?[/⁄](?:<sub>)?\d")
_POWER = re.compile(r"(?:.*\d|(?:.*\W)?[^\W\d])\^(?:[knpqx-z]|[-+−]?\w+(?:[-+−*/]\w+)+|[-+−][a-z])")
_OPERAND = r"(?:\d{1,3}(?:\.\d+)?[a-z]?|[^\W\d_]{1,2}\d?)"
_BRACKETED = re.compile(
    rf"[(\[](?:[-+−]{_OPERAND}|\d+[a-z]|[-+−]?{_OPERAND}(?:\s*[-+−*/·×]\s*{_OPERAND})+|(?<=(?<![^\W\d_])[^\W\d_]\()[a-z])"
    r"[)\]]\^[-+−]?(?:\d\d?|[a-z])$"
)
"""A power of a formula in brackets, unlike words in brackets with the mark of a note."""
_BLOCKS = word_set(
    "address article aside blockquote body br caption center dd desc details dialog dir div dl dt",
    "fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu",
    "nav ol optgroup option p pre search section select summary table tbody td text textarea tfoot th",
    "thead title tr ul xmp",
)
_LED = word_set("article blockquote div h1 h2 h3 h4 h5 h6 p pre section")
"""Blocks before whose first words the number of their item stands."""
_SKIPPED = word_set("audio canvas datalist iframe noembed noframes rp script style template video")
_UNSAID = ("del", "s", "strike", "annotation", "annotation-xml")
"""What is struck, and other forms of formulas in MathML."""
_STRUCK_PARTS = re.compile(r"<(del|s|strike)\b[^<>]*>((?:(?!</?\1\b).)*)</\1\s*>", re.IGNORECASE | re.DOTALL)
"""What is struck; it may begin in one element and end in another, and then is struck in each."""
_PARTED = re.compile("</a>.*<a>|button>")
"""Tags between two texts that are never parts of one word."""
_BETWEEN_TWO = re.compile(r"</\w+>.*<\w")
"""Tags between the texts of two elements."""
_MATHML: dict[str, str] = TABLES["mathml"]
TOO_DEEP = "elements nested more than 2,048 deep, and everything after them"
NO_TEXT = re.compile(
    r"\0|&#(?:0*(?:[0-8]|1[124-9]|2\d|3[01]|6553[45])|[xX]0*(?:[0-8bcef]|1[0-9a-f]|fff[ef]))(?![0-9a-fA-F]);?",
    re.IGNORECASE,
)
"""NUL, and references to characters that HTML has none of: one is enough to make the parser lose the page."""


def whole_text(source: str, *, styled: bool = True) -> Extracted:
    """Text and title of an HTML page. Parts that are struck or hidden are left out.

    Styles that hide nearly all of it don't count: scripts show it. What stands behind its end, such as a
    second page, is read too; `partly` says that it is nested too deep.

    Raises ValueError or lxml.etree.LxmlError: it can't be parsed.
    """
    parser = html.HTMLParser(remove_comments=True, remove_pis=True, huge_tree=True, encoding="utf-8")
    try:
        source = NO_TEXT.sub(" ", source)
        source = _STRUCK_PARTS.sub(lambda part: "".join(re.findall("<[^<>!][^<>]*>", part[2])), source)
        root = html.document_fromstring(source.encode("utf-8", "replace"), parser)
    except etree.ParserError:  # nothing but blanks and comments
        return Extracted("")
    for behind in list(root.itersiblings()):
        root.append(behind)
    write_once(root)
    unseen, struck, above, lines = styled_elements(root)
    hidden = sum(len(element.text_content()) for element in unseen)
    for element in (*struck, *(unseen if styled else ()), *root.xpath("//*[@hidden]")):
        if element.getparent() is not None:
            element.drop_tree()
    titles = (one_line("".join(found.itertext())) for found in root.xpath("//head/title | //h1"))
    title = next(filter(None, titles), "")
    for element in root.xpath("//head/title | //head/noscript"):  # HTML 5 without a body lands in the head
        element.drop_tree()
    for tag, elements in (("sup", above), ("div", lines)):
        for element in elements:
            element.tag = tag if element.tag in (*_MARKS_OF_WORDS, *_PARTS) else element.tag
    write_superscripts(root)
    _write_numbers(root)
    cut = any(error.type_name == "ERR_RESOURCE_LIMIT" for error in parser.error_log)
    found = _TextLines(root).text()
    most = _MOST_HIDDEN * max(len(found.text), _LITTLE)
    if styled and hidden > most:  # of which styles and scripts may be a part
        shown = whole_text(source, styled=False)
        found = shown if len(shown.text) > most else found
    return found._replace(title=title, partly=(TOO_DEEP,) * cut)


def write_once(root: HtmlElement) -> None:
    """Take out what is struck, and write each formula once, on one line: 1/2, √(x), rows as 1 2; 3 4."""
    for element in root.xpath("//*[math][count(*)=1][not(text()[normalize-space()])]"):  # a picture shows it
        element.attrib.pop("style", None)
    for element in root.xpath("//*[count(*)=2][*/math]/*[@aria-hidden='true'][not(.//math)]"):
        element.drop_tree()
    etree.strip_elements(root, *_UNSAID, with_tail=False)
    for cell in root.iter("mtd", "mtr"):
        cell.tail = {"mtd": " ", "mtr": "; "}[cell.tag] if cell.getnext() is not None else None
    for element in reversed(list(root.iter("math", *_MATHML))):
        form, *names = _MATHML.get(element.tag, "row e").split()
        parts = element if 1 < len(names) == len(element) else [element]
        texts = (" ".join("".join(part.itertext()).split()) for part in parts)
        line = linear(form, dict(zip(names, texts, strict=False)))
        element[:] = []
        element.text = f" {line} " if element.tag == "mfrac" else line
    etree.strip_tags(root, "math")


def _write_numbers(root: HtmlElement) -> None:
    """Put the numbers of lists that say where they start before their items."""
    for listed in root.xpath("//ol[@start][not(@reversed or li/@value)][not(@type) or @type='1']"):
        for number, item in enumerate(listed.iterchildren("li"), _number(listed, "start")):
            first = item
            while len(first) and first[0].tag in _LED and not (first.text or "").strip():
                first = first[0]
            first.text = f"{number}. {first.text or ''}"


def one_line(title: object) -> str:
    """A title on one line, at most 300 characters; empty if it is no text."""
    return clean(title)[:300] if isinstance(title, str) else ""


def clean(text: str) -> str:
    """`text` on one line: composed characters (NFC), no signs without width, single blanks."""
    return " ".join(re.sub("[\u200b\u2060-\u2064\ufeff]", "", normalize_nfc(text)).split())


class _Cell(NamedTuple):
    text: str
    columns: int = 1
    rows: int = 1


class _TextLines:
    """The lines of a tree. All that a row holds is on its line; `flat`, rows are like other blocks."""

    def __init__(self, root: HtmlElement, *, flat: bool = False) -> None:
        self.lines: list[str] = []
        self._flat = flat
        self._tables: list[tuple[int, int, int]] = []
        self._head, self._body = 0, False
        """The line behind the header rows of a table, and whether its other rows have begun."""
        self._pieces: list[str] = []
        self._passed = ""
        """The tags since the last text of a line."""
        self._spans: dict[int, _Cell] = {}
        """What of cells reaches into further rows, by column."""
        self._above: dict[int, str] = {}
        self._repeated = 0
        self._walk(root)
        self._end_line()

    def text(self) -> Extracted:
        """What was read."""
        starts = [0, *accumulate(len(line) + 1 for line in self.lines)]
        tables = (
            TextTable("\n".join(self.lines[first:head]), starts[head], starts[end] - 1)
            for first, head, end in self._tables
            if first < head < end and starts[head] - starts[first] <= 2 * _LONGEST_REPEATED
        )
        return Extracted("\n".join(self.lines), tables=tuple(tables))

    def _walk(self, root: HtmlElement) -> None:
        preformatted, first = 0, 0
        walk = etree.iterwalk(root, events=("start", "end"))
        for event, element in walk:
            name, starts = element.tag, event == "start"
            if name in _BLOCKS:
                self._end_line()
            if starts and (name in _SKIPPED or (name == "tr" and not self._flat)):
                walk.skip_subtree()
                if name == "tr":
                    self._read_row(element)
                continue
            if name == "table" and starts:
                first, self._head, self._body, self._spans, self._above = len(self.lines), 0, False, {}, {}
            elif name == "table":
                self._tables.append((first, self._head, len(self.lines)))
            elif name == "rt":
                self._pieces.append("(" if starts else ")")
            elif name == "pre":
                preformatted += 1 if starts else -1
            self._passed = f"{self._passed}<{'' if starts else '/'}{name}>"[-99:]
            text = (element.text if starts else element.tail) or ""
            if element is not root or starts:
                self._add(text, preformatted=bool(preformatted))

    def _add(self, text: str, *, preformatted: bool) -> None:
        """Add the text behind a tag, after a blank where no word goes on: "Home" and "About" of two links."""
        first, *others = text.split("\n") if preformatted else [text]
        if first:
            before = "".join(self._pieces[-1:])[-1:]
            meet = before.isalnum() and first[0].isalnum() and _PARTED.search(self._passed)
            apart = before.islower() and first[0].isupper() and _BETWEEN_TWO.search(self._passed)
            self._pieces += [" "] * bool(meet or apart) + [first]
            self._passed = ""
        for line in others:
            self._end_line()
            self._pieces.append(line)

    def _end_line(self) -> None:
        if line := clean("".join(self._pieces)):
            self.lines.append(line)
        self._pieces = []

    def _read_row(self, row: HtmlElement) -> None:
        found, texts = [], []
        walk = etree.iterwalk(row, events=("start", "end"))
        for event, inner in walk:
            if event == "end":
                texts += [inner.tail] * (inner is not row)
            elif inner.tag in ("td", "th"):
                found.append(inner)
                walk.skip_subtree()
            elif inner.tag in _SKIPPED:
                walk.skip_subtree()
            else:
                texts.append(inner.text)
        stray = clean(" ".join(filter(None, texts)))
        cells = [*map(_cell, reversed(found)), *[_Cell(stray)] * bool(stray)]
        line: list[str] = []
        column = 0
        while cells or column in self._spans:
            spanned = self._spans.pop(column, None)
            cell = spanned or cells.pop()
            text = cell.text if cell.rows else self._above.get(column, "")
            if spanned or not cell.rows:
                self._repeated += len(text) + len(_BAR)
                text = text if self._repeated <= _MOST_REPEATED else ""
            self._above[column] = text if len(text) <= _LONGEST_REPEATED else ""
            if cell.rows > 1 and self._repeated <= _MOST_REPEATED:
                self._spans[column] = _Cell(self._above[column], cell.columns, cell.rows - 1)
            line.append(text)
            column += cell.columns
        if any(line):
            self.lines.append(clean(_BAR.join(line)).rstrip(_BAR))
        is_header = row.getparent().tag == "thead" or not row.xpath("td")
        if not self._head or (is_header and not self._body):
            self._head = len(self.lines)
        self._body |= not is_header


def _cell(element: HtmlElement) -> _Cell:
    rows = 0 if ABOVE in element.attrib else _number(element, "rowspan") or _MOST_SPANNED
    text = " ".join(_TextLines(element, flat=True).lines)
    return _Cell(text, min(_number(element, "colspan") or 1, _MOST_COLUMNS), rows)


def _number(element: HtmlElement, attribute: str) -> int:
    value = element.get(attribute, "1").strip()
    return int(value[:6]) if value.isascii() and value.isdecimal() else 1


def write_superscripts(tree: HtmlElement) -> None:
    """Put superscripts into the text, and take off the tags that only mark words of it."""
    for element in tree.iter("sup"):
        inside = "".join(element.itertext()).strip()
        if inside and element.getparent() is not None:
            after = element.getnext()
            lowered = f"<sub>{after.text or ''}</sub>" if after is not None and after.tag == "sub" else ""
            shown = raised(_text_before(element), inside, (element.tail or "")[:_BESIDE] + lowered)
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
    marks = [] if _DENOMINATOR.match(behind) else find_marks(text)
    if any(mark.end == len(text) for mark in marks) or _NOTED.fullmatch(f"{before[-3:]}^{inside}"):
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
