"""The elements that a page's own styles hide, strike or raise.

Rules whose selectors name siblings ("a + b"), `:hover` and the like, and those in at-rules that are not for a
wide screen (`@media print`), are ignored.
"""

from __future__ import annotations

import contextlib
import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

import cssselect
from lxml import etree

if TYPE_CHECKING:
    from lxml.html import HtmlElement

_RAISED, _STRUCK = "vertical-align", "text-decoration"
_LOOKS = {
    "display": "none",
    "visibility": "hidden|collapse",
    "font-size": r"[0.]+([a-z]+|%)?",
    _STRUCK: r".*\bline-through\b.*",
    _RAISED: r"super|\+?(0?\.[2-9]\d*em|[2-9]\d%)",
}
_LINES = ("block", "flex", "flow-root", "grid", "list-item", "table", "table-row")
_DECLARATION = re.compile(rf"(?:^|;)\s*({'|'.join(_LOOKS)})(?:-line)?\s*:([^;!]+)(!?)", re.IGNORECASE)
_NO_RULE = re.compile(
    r"/\*(?:.*?\*/|.*)|<!--|-->|@[^{};@]*(?:;|\{(?:[^{}]*\{[^{}]*\})*[^{}]*\})|(?<=[\"'])[^\"'\n]*(?=[\"']\s*;)",
    re.DOTALL,
)
_FEATURE = (
    r"\(\s*(?:min-width\s*:\s*(?:0|(?:\d{1,3}|1[012]\d\d)px|\d\d?(?:\.\d+)?r?em)|max-width\s*:\s*"
    r"(?:1[3-9]|[2-9]\d)\d\dpx|width\s*>=?\s*\d{1,3}px|[\w-]+\s*:\s*(?:light|landscape|hover|fine))\s*\)"
)
_MEDIUM = rf"(?:(?:only\s+)?(?:screen|all)|not\s+print|{_FEATURE})(?:\s*and\s*{_FEATURE})*"
_MEDIA = rf"\s*(?:[^{{}};]*,\s*)?{_MEDIUM}\s*(?:,[^{{}};]*)?"
_SHOWN = re.compile(rf"@(?:media\b{_MEDIA}|layer\b[^{{}};]*|supports(?!\s+not)[^{{}};]*)\{{", re.IGNORECASE)
_RULE = re.compile(r"(?<![^{}])([^{}]+)\{([^{}]*)")
_COMMA = re.compile(r",(?![^()]{0,99}\))")
_TO_XPATH = cssselect.HTMLTranslator()
_MOST_RULES = 2_000


def styled_elements(root: HtmlElement) -> tuple[list[HtmlElement], ...]:
    """The elements that a page's styles hide, strike, raise and put on lines of their own, save drop caps."""
    styles: dict[HtmlElement, dict[str, tuple[tuple[int, ...], str]]] = defaultdict(dict)
    inline = ((1,), "", root.xpath("//*[@style]"))
    for number, (weight, body, elements) in enumerate((*islice(_rules(root), _MOST_RULES), inline)):
        for element in elements:
            for name, value, mark in _DECLARATION.findall(body or element.get("style")):
                own, rank = styles[element], (bool(mark), *weight, number)
                if rank >= own.get(name.lower(), ((), ""))[0]:
                    own[name.lower()] = rank, value.strip().lower()

    def looks(element: HtmlElement, name: str) -> bool:
        again = element.iterdescendants() if name in ("visibility", "font-size") else ()  # shown if set anew
        value = re.fullmatch(_LOOKS[name], styles[element][name][1])
        return value is not None and not any(name in styles.get(inner, ()) for inner in again)

    shown = ("html", "body", "head")  # many hide their body until a script shows it
    found = {element: {name for name in styles[element] if looks(element, name)} for element in list(styles)}
    unseen = [one for one, names in found.items() if names - {_RAISED, _STRUCK} and one.tag not in shown]
    struck = [one for one, names in found.items() if _STRUCK in names and one.tag not in shown]
    display = {one: own["display"][1] for one, own in styles.items() if "display" in own}
    lines = [one for one in display if display[one] in _LINES and (len(one) or len(one.text or "") > 2)]
    lines = [one for one in lines if "inline" not in display.get(one.getparent(), "")]
    return unseen, struck, [one for one, names in found.items() if _RAISED in names], lines


def _rules(root: HtmlElement) -> Iterator[tuple[tuple[int, ...], str, list[HtmlElement]]]:
    """The rules of style elements for screens that may hide text: weights, declarations and elements."""
    for sheet in root.xpath("//style[not(ancestor::noscript)]"):
        if re.fullmatch(_MEDIA + "|", sheet.get("media", "").strip(), re.IGNORECASE):
            for selectors, body in _RULE.findall(_NO_RULE.sub(" ", _SHOWN.sub("", sheet.text or ""))):
                for selector in _COMMA.split(selectors) if _DECLARATION.search(body) else ():
                    with contextlib.suppress(SyntaxError, RuntimeError, ValueError, etree.XPathError):
                        for parsed in cssselect.parse(selector):
                            path = _TO_XPATH.selector_to_xpath(parsed)
                            if not (parsed.pseudo_element or "-sibling::" in path):  # which may take long
                                yield (0, *parsed.specificity()), body, root.xpath(path)
