"""The elements that a page's own styles hide, strike or raise.

Selectors are names, classes, ids, attributes, `:not` of these, and these inside each other ("td.old > span").
Rules with others, such as `:hover`, and those in at-rules not for a wide screen (`@media print`) are ignored.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

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
_INHERITED = ("visibility", "font-size")
"""Properties that an element inside may set anew, which is then shown."""
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
_RULE = re.compile(r"([^{}]+)\{([^{}]*)")
_NAME = r"(?:\\[^\"]|[\w-])+"
_PART = re.compile(rf"([#.])({_NAME})|\[([a-zA-Z][\w-]*)(?:=[\"']?([^\"'\]\s]*)[\"']?)?\]|:not\(([^():,]+)\)")
_STEP = rf"(?=\S)(?:\*|[a-zA-Z][\w-]*)?(?:{_PART.pattern})*"
_SELECTOR = re.compile(rf"{_STEP}(?:(?:\s*>\s*|\s+){_STEP})*")
_MOST_RULES = 1_000


def styled_elements(root: HtmlElement) -> tuple[list[HtmlElement], list[HtmlElement], list[HtmlElement]]:
    """The elements of a page that its style elements and attributes hide, those they strike, and raise."""
    styles: dict[HtmlElement, dict[str, tuple[tuple[int, ...], str]]] = defaultdict(dict)
    for number, (path, body) in enumerate((*islice(_rules(root), _MOST_RULES), ("//*[@style]", ""))):
        ids = path.count("@id=")
        weight = (not body, ids, path.count("[") - ids, len(re.findall(r"/\w", path)), number)
        for element in root.xpath(path):
            for name, value, mark in _DECLARATION.findall(body or element.get("style")):
                own, rank = styles[element], (bool(mark), *weight)
                if rank >= own.get(name.lower(), ((), ""))[0]:
                    own[name.lower()] = rank, value.strip().lower()

    def looks(element: HtmlElement, name: str) -> bool:
        again = element.iterdescendants() if name in _INHERITED else ()
        value = re.fullmatch(_LOOKS[name], styles[element][name][1])
        return value is not None and not any(name in styles.get(inner, ()) for inner in again)

    shown = ("html", "body", "head")  # many hide their body until a script shows it
    found = {element: {name for name in styles[element] if looks(element, name)} for element in list(styles)}
    unseen = [one for one, names in found.items() if names - {_RAISED, _STRUCK} and one.tag not in shown]
    struck = [one for one, names in found.items() if _STRUCK in names and one.tag not in shown]
    return unseen, struck, [one for one, names in found.items() if _RAISED in names]


def _rules(root: HtmlElement) -> Iterator[tuple[str, str]]:
    """The rules of style elements for screens that may hide text: an XPath and the declarations of each."""
    for sheet in root.xpath("//style[not(ancestor::noscript)]"):
        if re.fullmatch(_MEDIA + "|", sheet.get("media", "").strip(), re.IGNORECASE):
            for selectors, body in _RULE.findall(_NO_RULE.sub(" ", _SHOWN.sub("", sheet.text or ""))):
                paths = map(_path, selectors.split(",")) if _DECLARATION.search(body) else ()
                yield from ((path, body) for path in paths if path)


def _path(selector: str) -> str:
    """A selector as XPath; empty if it has other parts."""
    if not _SELECTOR.fullmatch(selector := selector.strip()):
        return ""
    pieces = re.split(r"(\s*>\s*|\s+)", selector)
    path = ""
    for relation, step in zip(["", *pieces[1::2]], pieces[::2], strict=True):
        name = re.match(r"[\w-]*", step)
        path += ("/" if relation.strip() else "//") + ((name and name[0].lower()) or "*")
        for sign, given, key, value, other in _PART.findall(step):
            plain = given.replace("\\", "")
            spaced = f'[contains(concat(" ",normalize-space(@class)," ")," {plain} ")]'
            equal = f'[@{key}="{value}"]' if value else f"[@{key}]"
            equal = f"[not(self::{_path(other)[2:] or '*'})]" if other else equal
            path += f'[@id="{plain}"]' if sign == "#" else spaced if sign else equal
    return path
