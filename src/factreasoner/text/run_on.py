"""Lists and code that run on in one paragraph: "...: 1. First. 2. Second.", "... - First. - Second."."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

_NUMBER = re.compile(r"""(?:^|(?<=[.:;!?)\]"”’»。：；]))\s*+\(?(\d{1,2})[.)]\s++(?=\S)""")
_DASH = re.compile(r"""(?:^|(?<=[.:;!?])|(?<=[.:;!?][)\]"”’]))\s*+(?<!\S)[-–—•*]\s++(?=[^\W\d_a-z]|\*\*)""")
_FENCE = re.compile(r"```[^`]++```")


class Part(NamedTuple):
    """The characters [start, end) of a text, trimmed; no `kind` where it is what the whole paragraph is."""

    start: int
    end: int
    kind: Literal["item", "code"] | None


def run_on(text: str, start: int, end: int, *, numbered: bool) -> Iterator[Part]:
    """The items and the code within `text[start:end]`, and what stands between; `numbered` items, too."""
    for fence in _FENCE.finditer(text, start, end):
        yield from _items(text, start, fence.start(), numbered=numbered)
        yield Part(*fence.span(), "code")
        start = fence.end()
    yield from _items(text, start, end, numbered=numbered)


def _items(text: str, start: int, end: int, *, numbered: bool) -> Iterator[Part]:
    # a slice, because "^" and the look-behinds are to see the paragraph's start as a start
    content = text[start:end]
    items: list[re.Match[str]] = []
    for match in _NUMBER.finditer(content) if numbered else ():
        if int(match[1]) == len(items) + 1:
            items.append(match)
    if len(items) < 2:
        items = list(_DASH.finditer(content))
    starts = [0, *(item.end() for item in items)]
    ends = [*(item.start() for item in items), len(content)]
    for n, (first, last) in enumerate(zip(starts, ends, strict=True)):
        body = content[first:last]
        if body.strip():
            low = start + first + len(body) - len(body.lstrip())
            yield Part(low, low + len(body.strip()), "item" if n else None)
