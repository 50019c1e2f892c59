"""Tags and entities of HTML in a text, read as a browser shows them."""

from __future__ import annotations

import bisect
import html
import re
from collections.abc import Iterator, Sequence

from factreasoner.text.citation_marks import NOT_SHOWN, nothing_cited

UNSEEN = "\u2060"
"""Replaces a character of a tag or an entity that shows nothing."""
_INLINE = (
    "a|abbr|antml:cite|b|bdi|bdo|big|cite|code|data|del|dfn|em|font|i|img|ins|kbd|label|mark|q|s|samp|small|span|strike|strong"
    "|sub|sup|time|tt|u|var|wbr"
)
_BLOCKS = (
    "address|article|aside|blockquote|body|br|caption|center|dd|details|div|dl|dt|figcaption|figure|footer|h[1-6]"
    "|head|header|hr|html|li|main|nav|ol|p|pre|section|summary|table|tbody|td|tfoot|th|thead|tr|ul"
)
_BARE = "compact|download|hidden|inert|itemscope|noshade|nowrap|open|reversed"
"""Attributes without a value."""
TAG = re.compile(
    rf"{NOT_SHOWN}|<!doctype\b[^<>]{{0,300}}>|<(?P<close>/)?(?:(?P<block>{_BLOCKS})|(?P<inline>{_INLINE}))"
    rf"(?:\s++(?:(?:(?:{_BARE})\b|[a-z_:@][-\w:.@]{{0,60}}\s*+=)[^<>]{{0,600}})?)?/?>",
    re.IGNORECASE | re.DOTALL,
)
"""What looks like a tag, or is not shown, as a comment; `Tags` leaves out that of `List<Address>`."""
ANCHOR = re.compile(
    r"""<a\s[^<>]{0,300}?\bhref\s*=\s*["']?(?P<url>[^\s"'<>]{1,600})["']?[^<>]{0,300}>"""
    r"(?P<inside>(?:(?!</?a\b).){1,600}?)</a>",
    re.IGNORECASE | re.DOTALL,
)
"""A link with its text."""
VOID = frozenset({"br", "hr", "img", "wbr"})
"""Tags that close at once."""
MAY_STAY_OPEN = frozenset({"li", "p", "dd", "dt", "td", "th", "tr", "tbody", "thead", "tfoot"})
"""Tags that end where their parent does, or the next of its kind begins."""
_BOLD = re.compile(
    r"(?<!\w)<(b|strong)>(?=\S)(?:(?!</?(?:b|strong)\b).){1,300}?(?<=\S)(?P<close></\1>)(?!\w)",
    re.IGNORECASE,
)
_ENTITY = re.compile(r"&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z][a-z0-9]{1,30});", re.IGNORECASE)
_RAISED = re.compile(r"[-\u2212+]?\d")
_NUMERATOR = re.compile(r"\d{1,3}</sup>\s?(?:/\s?<sub>|\u2044(?:<sub>)?)\d", re.IGNORECASE)
_WORD_BEFORE = re.compile(r"[^\W_]|[\w,] ")
_ENDS_SENTENCE = ("", *".!?…:>")
_SHOWN = {"li": "\n- ", "br": "\n", "pre": "\n```\n", "td": "|", "th": "|"} | {
    f"h{n}": "\n# " for n in range(1, 7)
}
_CLOSED = {"pre": "\n```\n", "td": "", "th": ""}
_RULED = "\n|-|\n"
"""Ends a row of column headers."""
_BORDER = "\n\n"
_Tag = re.Match[str]
_CELLS = ("td", "th")
_ROW_BEFORE = re.compile(r"(?:\n|\A)\|[^\n]*+\Z")


def without_tags(text: str) -> str:
    """The text as a browser shows it, in Markdown, each character at its place.

    Blank lines separate paragraphs and other blocks; items and headings have markers, rows of a table are
    lines of cells. What is in code, and a tag that is a word of its sentence, stays.
    """
    if "<" not in text and "&" not in text:
        return text
    bold = {place for match in _BOLD.finditer(text) for place in (match.start(), match.start("close"))}
    pieces: list[str] = []
    at, in_row = 0, False
    cells: set[str] = set()
    for match in sorted([*Tags(text).all, *_ENTITY.finditer(text)], key=re.Match.start):
        if match.start() < at:  # an entity within a tag or a comment
            continue
        is_tag = match[0][0] == "<"
        name = tag_name(match) if is_tag else ""
        shown = "**" if match.start() in bold else _shown(text, match, name) if is_tag else _said(match[0])
        between = text[at : match.start()]
        pieces.append(between.replace("\n", " ") if in_row else between)
        borders = is_tag and match["block"] and not (match["close"] and name in _CELLS)
        if name in ("tr", "table"):
            shown = _RULED if cells == {"th"} and match["close"] else shown
            in_row, cells = name == "tr" and not match["close"], set()
        elif borders and name in _CELLS:
            cells.add(name)
        elif borders and (in_row or _ROW_BEFORE.search(text, max(0, match.start() - 400), match.start())):
            shown = " "
        # Marks of bold type are next to their words.
        align = str.rjust if match[0].startswith("</") and not borders else str.ljust
        pieces.append(align(shown, len(match[0]), " " if borders else UNSEEN))
        at = match.end()
    return "".join([*pieces, text[at:]])


def _said(entity: str) -> str:
    """The character that an entity stands for; one that stands for none stays."""
    said = html.unescape(entity)
    return " " if said.isspace() else said if len(said) == 1 and said.isprintable() else entity


class Tags:
    """The tags and comments of a text, in order, without those in code.

    One that opens behind a word and is never closed is not a tag, as in "List<Address>" and "the <p> tag".
    """

    def __init__(self, text: str) -> None:
        self.text = text
        apart = nothing_cited(text if "<" in text else "")
        found = [tag for tag in TAG.finditer(text) if not apart.hold(tag.start() - 1, tag.end() + 1)]
        closed = {opening.start() for opening, _ in _pairs(found)}
        words = {tag.start() for tag in found if tag.start() not in closed and self._is_word(tag)}
        sure = {tag["block"] for tag in found if not tag["close"] and tag.start() not in words}
        sure = {name for name in sure if name and name.lower() in MAY_STAY_OPEN}
        self.all = tuple(tag for tag in found if tag.start() not in words or tag["block"] in sure)
        self.pairs = tuple((opening.span(), closing.span()) for opening, closing in _pairs(self.all))
        """The places of tags that open an element, and of those that close it."""
        self._starts = {tag.start(): tag for tag in self.all}
        self._ends = {tag.end(): tag for tag in self.all}
        self._places = list(self._starts)

    def _is_word(self, tag: re.Match[str]) -> bool:
        """Whether a tag that none closes follows a word as if it were one."""
        if tag["close"] or is_whole(tag):
            return False
        return any(_WORD_BEFORE.fullmatch(self.text, tag.start() - n, tag.start()) for n in (1, 2))

    def holding(self, place: int) -> re.Match[str] | None:
        """The tag that contains the character at a place."""
        at = bisect.bisect_right(self._places, place) - 1
        return self.all[at] if at >= 0 and place < self.all[at].end() else None

    def wholly(self, start: int, end: int) -> tuple[int, int]:
        """A span, widened to the whole tags that it begins and ends in."""
        first, last = self.holding(start), self.holding(end - 1)
        return first.start() if first else start, last.end() if last else end

    def border(self, end: int, start: int) -> tuple[int, int]:
        """Where one span ends and the next starts, with the tags there that open or close in each."""
        while (tag := self._starts.get(start)) and tag["close"]:
            start = end = tag.end()
        while (tag := self._ends.get(end)) and not tag["close"] and not is_whole(tag):
            end = tag.start()
            start = end if start == tag.end() else start
        return end, start

    def before(self, place: int) -> re.Match[str] | None:
        """The tag that ends at a place, blanks aside."""
        while place and self.text[place - 1].isspace():
            place -= 1
        return self._ends.get(place)

    def behind(self, place: int) -> re.Match[str] | None:
        """The tag that begins at a place, blanks aside."""
        while self.text[place : place + 1].isspace():
            place += 1
        return self._starts.get(place)


def _pairs(tags: Sequence[_Tag]) -> Iterator[tuple[_Tag, _Tag]]:
    """Tags with those of the same name that close them; closing one ends what may stay open within it."""
    waiting: dict[str, list[_Tag]] = {}
    for tag in tags:
        if is_whole(tag):
            continue
        opened = waiting.setdefault(tag_name(tag), [])
        if not tag["close"]:
            opened.append(tag)
        elif opened:
            opening = opened.pop()
            yield opening, tag
            for name, inside in waiting.items():
                while name in MAY_STAY_OPEN and inside and inside[-1].start() > opening.start():
                    inside.pop()


def is_whole(tag: re.Match[str]) -> bool:
    """Whether nothing closes a tag: a comment, `<br>`, `<p/>`."""
    return tag_name(tag) in VOID | {""} or (not tag["close"] and tag[0].endswith("/>"))


def tag_name(tag: re.Match[str]) -> str:
    """The name of a tag in lower case; empty for a comment."""
    return (tag["block"] or tag["inline"] or "").lower()


def are_pair(opening: re.Match[str] | None, closing: re.Match[str] | None) -> bool:
    """Whether two tags open and close one element."""
    if opening is None or closing is None or opening["close"] or not closing["close"]:
        return False
    return tag_name(opening) == tag_name(closing)


def _shown(text: str, tag: re.Match[str], name: str) -> str:
    """What replaces a tag; a power stays one."""
    if name == "code":
        return "`"
    if name == "sup" and not tag["close"]:
        before, raised = text[tag.start() - 1 : tag.start()], text[tag.end() : tag.end() + 20]
        if before.isdigit() and _NUMERATOR.match(raised):
            return " "
        return "^" if before.isalnum() and _RAISED.match(raised) else ""
    if not name:
        before, behind = text[tag.start() - 1 : tag.start()], text[tag.end() : tag.end() + 1]
        beside = before in _ENDS_SENTENCE or before.isspace() or not behind or behind.isspace()
        return " " * len(tag[0]) if beside else ""
    if not tag["block"]:
        return ""
    return (_CLOSED if tag["close"] else _SHOWN).get(name, _BORDER)
