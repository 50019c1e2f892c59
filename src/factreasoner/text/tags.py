"""HTML marks within a text: `<br>`, `<sup>`, bold and the like, comments and entities."""

from __future__ import annotations

import html
import re

from factreasoner.text.citation_marks import NOT_SHOWN, uncitable_regions
from factreasoner.text.language import word_set

UNSEEN = "\u2060"
"""Replaces an invisible character of a tag or entity."""
_ALONE = frozenset({"br", "hr", "img", "wbr"})
_LINES = word_set("br hr p div ul ol li h1 h2 h3 h4 h5 h6 blockquote")
_WORDS = word_set("a b big cite code del em font i img ins kbd mark s small span strong sub sup u wbr")
_MARK = re.compile(
    rf"{NOT_SHOWN}|<(?P<close>/)?(?P<name>{'|'.join(sorted(_LINES | _WORDS, reverse=True))}|antml:cite)"
    r"(?:\s[^<>]{0,600})?/?>|&(?:\#\d{1,7}|\#x[0-9a-f]{1,6}|[a-z][a-z0-9]{1,30});",
    re.IGNORECASE | re.DOTALL,
)
"""A tag, hidden content, or an entity."""
_RAISED = re.compile(r"[-\u2212+]?\d")
_NUMERATOR = re.compile(r"\d{1,3}</sup>\s?(?:/\s?<sub>|\u2044(?:<sub>)?)\d", re.IGNORECASE)
_LONGEST_ROW = 2000


def without_tags(text: str) -> str:
    """The text with tags replaced by line breaks, list markers or nothing, positions unchanged.

    Tags in code, and unclosed ones ("the <p> tag"), stay.
    """
    if "<" not in text and "&" not in text:
        return text
    code, lowered = uncitable_regions(text if "<" in text else ""), text.lower()
    closed = _ALONE | {name for name in (*_LINES, *_WORDS, "antml:cite") if f"</{name}>" in lowered}

    def shown(mark: re.Match[str]) -> str:
        if mark[0].startswith("&"):
            return _character(mark[0]).ljust(len(mark[0]), UNSEEN)
        name = (mark["name"] or "").lower()
        if name and (name not in closed or code.hold(mark.start() - 1, mark.end() + 1)):
            return mark[0]
        if name in _LINES or not name:
            row = text[max(0, mark.start() - _LONGEST_ROW) : mark.start()].rpartition("\n")[2]
            line = "" if not name or row.startswith("|") else "\n- " if mark[0][:3] == "<li" else "\n"
            return line.ljust(len(mark[0]))
        return (_power(text, mark) if name == "sup" else "").ljust(len(mark[0]), UNSEEN)

    return _MARK.sub(shown, text)


def _character(entity: str) -> str:
    """The character of an entity; an unknown entity stays."""
    wording = html.unescape(entity)
    return " " if wording.isspace() else wording if len(wording) == 1 and wording.isprintable() else entity


def _power(text: str, tag: re.Match[str]) -> str:
    """The replacement of `<sup>`: powers stay powers, fractions are not powers."""
    before, raised = text[tag.start() - 1 : tag.start()], text[tag.end() : tag.end() + 20]
    if tag["close"] or not (before.isalnum() and _RAISED.match(raised)):
        return ""
    return " " if before.isdigit() and _NUMERATOR.match(raised) else "^"
