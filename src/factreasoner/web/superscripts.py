"""Superscripts of a page as text, and tags that cut no sentence."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

from lxml import etree

from factreasoner.text.citation_marks import find_marks
from factreasoner.text.tags import UNSEEN, without_tags

if TYPE_CHECKING:
    from lxml.html import HtmlElement

_MARKS_OF_WORDS = (
    *("abbr", "b", "bdi", "bdo", "big", "cite", "dfn", "em", "font", "i", "ins", "kbd", "mark", "s", "samp"),
    *("small", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr"),
)
PARTS = ("a", "span", "label", "data")
_BESIDE = 40


def write_superscripts(tree: HtmlElement) -> None:
    """Put superscripts into the text, and take off the tags that only mark words of it."""
    for element in tree.iter("sup"):
        inside = "".join(element.itertext()).strip()
        if inside and element.getparent() is not None:
            shown = raised(_text_before(element), inside, _text_behind(element))
            for child in list(element):
                element.remove(child)
            element.text = shown
    etree.strip_tags(tree, *_MARKS_OF_WORDS)


def raised(before: str, inside: str, behind: str) -> str:
    """A superscript as it is read: "[1]" that cites, "^6" of a power, "th".

    `before` and `inside` are texts; what is `behind` may have tags.
    """
    before, inside = html.escape(before, quote=False), html.escape(inside, quote=False)
    text = f"{before}<sup>{inside}</sup>"
    if any(mark.end == len(text) for mark in find_marks(text)):
        return f"[{inside.strip().strip('[]')}]"
    return without_tags(text + behind)[len(before) : len(text)].replace(UNSEEN, "")


def is_torn(tree: HtmlElement, text: str) -> bool:
    """Whether part of a sentence, such as a link, became a separate line of `text`."""
    lines = {line.strip() for line in text.splitlines()}
    return any(
        "".join(element.itertext()).strip() in lines
        and bool((element.tail or "").strip() or _text_before(element).strip())
        for element in tree.iter(*PARTS)
    )


def _text_before(element: HtmlElement) -> str:
    """The end of the text directly before an element, within its sentence as far as tags tell."""
    parent, before = element.getparent(), element.getprevious()
    if before is not None:
        return ((before.tail or "") or "".join(before.itertext()))[-_BESIDE:]
    if parent is None or parent.text or parent.tag not in (*_MARKS_OF_WORDS, *PARTS):
        return ((parent.text if parent is not None else None) or "")[-_BESIDE:]
    return _text_before(parent)


def _text_behind(element: HtmlElement) -> str:
    """The text behind an element, with the subscript that may follow it."""
    after = element.getnext()
    lowered = f"<sub>{after.text or ''}</sub>" if after is not None and after.tag == "sub" else ""
    return (element.tail or "")[:_BESIDE] + lowered
