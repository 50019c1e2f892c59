"""Tags and entities of HTML in a text, as its reader sees them: borders of lines and cells, or nothing."""

from __future__ import annotations

import bisect
import html
import re
from collections.abc import Iterator
from itertools import accumulate

from factreasoner.language.citation_marks import nothing_cited

UNSEEN = "\u2060"
"""Stands where a character of a tag or an entity stood that shows nothing."""
_INLINE = (
    "a|abbr|b|bdi|bdo|big|cite|code|data|del|dfn|em|font|i|img|ins|kbd|label|mark|q|s|samp|small|span|strike|strong"
    "|sub|sup|time|tt|u|var|wbr"
)
_BLOCKS = (
    "address|article|aside|blockquote|body|br|caption|center|dd|details|div|dl|dt|figcaption|figure|footer|h[1-6]"
    "|head|header|hr|html|li|main|nav|ol|p|pre|section|summary|table|tbody|td|tfoot|th|thead|tr|ul"
)
TAG = re.compile(
    rf"<(?P<close>/)?(?:(?P<block>{_BLOCKS})|(?P<inline>{_INLINE}))(?:\s[^<>]{{0,600}})?/?>"
    r"|<!--(?:(?!-->).){0,2000}-->",
    re.IGNORECASE | re.DOTALL,
)
"""A tag, or a comment. `List<String>` has none."""
ANCHOR = re.compile(
    r"""<a\s[^<>]{0,300}?\bhref\s*=\s*["']?(?P<url>[^\s"'<>]{1,600})["']?[^<>]{0,300}>"""
    r"(?P<inside>(?:(?!</?a\b).){1,600}?)</a>",
    re.IGNORECASE | re.DOTALL,
)
"""A link with its text."""
VOID = frozenset({"br", "hr", "img", "wbr"})
"""Tags that close at once."""
_BOLD = re.compile(
    r"(?<!\w)<(b|strong)>(?=\S)(?:(?!</?(?:b|strong)\b).){1,300}?(?<=\S)(?P<close></\1>)(?!\w)",
    re.IGNORECASE,
)
_ENTITY = re.compile(r"&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z][a-z0-9]{1,30});", re.IGNORECASE)
_WORD_BEFORE = re.compile(r"[\w,] ")
_SHOWN = {"li": "\n- ", "br": "\n", "pre": "\n```\n", "td": "|", "th": "|"} | {
    f"h{n}": "\n# " for n in range(1, 7)
}
_LONGEST = 640
_OF_ROWS = ("tr", "td", "th")
_CLOSED = {"pre": "\n```\n", "td": "", "th": ""}
_RULED = "\n|-|\n"
"""Ends a row of heads of columns."""
_BORDER = "\n\n"


def without_tags(text: str) -> str:
    """The text as its reader sees it in Markdown, each character at its place.

    Paragraphs and other blocks are parted by blank lines, items and headings have markers, rows of a table
    are lines of cells. What stands in code, and a tag that is a word of its sentence, stays.
    """
    if "<" not in text and "&" not in text:
        return text
    pieces: list[str] = []
    at, in_row = 0, False
    cells: set[str] = set()
    for match, name, stands in sorted(_replaced(text), key=lambda found: found[0].start()):
        between = text[at : match.start()]
        pieces.append(between.replace("\n", " ") if in_row else between)
        shown = stands
        if name in ("tr", "table"):
            shown = _RULED if cells == {"th"} and match["close"] else stands
            in_row, cells = name == "tr" and not match["close"], set()
        elif name in ("td", "th"):
            cells.add(name)
        elif name and (in_row or _line_before(text, match.start()).startswith("|")):
            shown = " "
        pieces.append(_filled(match, name, shown))
        at = match.end()
    return "".join([*pieces, text[at:]])


def _filled(match: re.Match[str], name: str, shown: str) -> str:
    """What stands for a tag, as long as it; the marks of words stand beside these."""
    length = match.end() - match.start()
    if match[0].startswith("</") and not name:
        return shown.rjust(length, UNSEEN)
    return shown.ljust(length, " " if name else UNSEEN)


def _replaced(text: str) -> Iterator[tuple[re.Match[str], str, str]]:
    """Tags and entities with the name of the block, if they begin or end one, and what stands for them."""
    apart = sorted(nothing_cited(text))
    starts = [start for start, _ in apart]
    ends = list(accumulate((end for _, end in apart), max))
    bold = {place for match in _BOLD.finditer(text) for place in (match.start(), match.start("close"))}
    closed = {tag_name(match) for match in TAG.finditer(text) if match["close"]}
    for match in TAG.finditer(text):
        name = tag_name(match)
        alone = name and not match["close"] and name not in closed | VOID
        if alone and _WORD_BEFORE.fullmatch(text, max(0, match.start() - 2), match.start()):
            continue
        before = bisect.bisect_left(starts, match.start())
        if not before or ends[before - 1] <= match.end():
            ends_cell = match["close"] and name in ("td", "th")
            shown = "**" if match.start() in bold else _shown(text, match, name)
            yield match, name if match["block"] and not ends_cell else "", shown
    for match in _ENTITY.finditer(text):
        said = html.unescape(match[0])
        if len(said) == 1 and (said.isprintable() or said.isspace()):
            yield match, "", " " if said.isspace() else said


def tag_name(tag: re.Match[str]) -> str:
    """The name of a tag in small letters; empty for a comment."""
    return (tag["block"] or tag["inline"] or "").lower()


def tag_before(text: str, place: int) -> re.Match[str] | None:
    """The tag that ends at a place, blanks aside."""
    while place and text[place - 1].isspace():
        place -= 1
    start = text.rfind("<", max(0, place - _LONGEST), place)
    return TAG.fullmatch(text, start, place) if start >= 0 else None


def tag_behind(text: str, place: int) -> re.Match[str] | None:
    """The tag that begins at a place, blanks aside."""
    while text[place : place + 1].isspace():
        place += 1
    return TAG.match(text, place)


def are_pair(opening: re.Match[str] | None, closing: re.Match[str] | None) -> bool:
    """Whether two tags are the beginning and the end of one thing."""
    if opening is None or closing is None or opening["close"] or not closing["close"]:
        return False
    return tag_name(opening) == tag_name(closing)


def _shown(text: str, tag: re.Match[str], name: str) -> str:
    """What stands for a tag; that of a power remains one."""
    if name == "code":
        return "`"
    if name == "sup" and not tag["close"]:
        raised = re.match(r"[-\u2212+]?\d", text[tag.end() : tag.end() + 2])
        return "^" if raised and text[tag.start() - 1 : tag.start()].isalnum() else ""
    if not tag["block"]:
        return ""
    return (_CLOSED if tag["close"] else _SHOWN).get(name, _BORDER)


def _line_before(text: str, place: int) -> str:
    start = text.rfind("\n", max(0, place - 400), place) + 1
    return text[max(start, place - 400) : place]
