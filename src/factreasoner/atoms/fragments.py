"""Text without its own verb: labels, list items after a lead-in, names after a colon, table rows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from factreasoner.atoms.nonclaims import is_filler, opening
from factreasoner.atoms.plain_text import Plain, plain
from factreasoner.text.parsing import Word
from factreasoner.text.sentences import Block, Span
from factreasoner.text.tags import UNSEEN

LONGEST_LABEL = 10
"""Maximum words of a label before a colon, of a heading, and of an item's name."""
FINITE = re.compile(r"\b(?:is|are|was|were|has|have|had|can|will|would|may|does|did|includes?)\b")
_LABEL = re.compile(
    r"""(?P<label>["“*`\w](?:[^.:;!?()\n]|\([^()\n]{1,40}\)){0,80}?["”*`]*)
        (?:\s*:(?![^\[\]\n]*\])[*_\u2060]*|\s+[-–—])\s+(?=["“(*\u2060\w])""",
    re.VERBOSE,
)
_ENUMERATION = re.compile(
    r"(?P<before>[^.,:;]{3,80} )(?P<verb>are|were|include|included): (?=[^\W\d_a-z][^.;:]*,)"
)
_ITEM = re.compile(r"(?P<name>[^\W\d_a-z][^,.;]*?)(?:, and |, |\.?\Z)")
_CELL = re.compile(r"(?:\|(?!\Z)|\A(?!\|))((?:[^|]|(?<=\\)\|)*)")
"""A cell behind a bar, unless that ends its row, or at the start of a row without outer bars."""

_LONGEST_LEAD = 200
_POINTING = re.compile(r"(?:they|these|those|this|it) (?:are|is|was|were)\s*:\Z", re.IGNORECASE)
"""A lead-in that says nothing about its items: "They are:"."""
_TO = r"to|can|may|might|could|will|(?:helps?|lets?) (?:you|users|people|us|them|\w+s)"
_ON = rf"includ(?:e[sd]?|ing)|such as|when|if|{_TO}"
GOES_ON = re.compile(rf"(?P<before>.*\b(?:{_ON}))(?: the following)?\s*:\Z", re.DOTALL)
"""A lead-in whose items continue it: "Symptoms include:", "The gate opens when:"."""


def leading_label(text: str, start: int, end: int, *, item: bool) -> re.Match[str] | None:
    """The leading words of text[start:end] that are a label, with their colon or dash.

    A dash ends a label only in a list item and after bold type ("The flight London - Paris" has none).
    """
    found = _LABEL.match(text, start, end)
    return found if found and (item or ":" in found[0] or "*" in found[0]) else None


def enumerated(read: Plain) -> Iterator[tuple[str, Span]]:
    """ "The winners are: A, B and C" as one sentence per item, if every item is a name."""
    found = None if read.asides else _ENUMERATION.match(read.text)
    items = list(_ITEM.finditer(read.text, found.end())) if found else []
    if found is None or len(items) < 3 or any(len(item[0].split()) > LONGEST_LABEL for item in items):
        return
    if [*(item.start() for item in items), len(read.text)] != [found.end(), *(item.end() for item in items)]:
        return
    verb = {"are": "include", "were": "included"}.get(found["verb"], found["verb"])
    for item in items:
        words = read.shown(*item.span("name"))
        yield (
            _as_sentence(f"{read.shown(*found.span('before'))}{verb} {words}"),
            read.span(*item.span("name")),
        )


def capitalised(text: str) -> str:
    """The text with an initial capital; a name such as "iPhone" stays."""
    first = text.split(maxsplit=1)[0] if text.strip() else ""
    return text if any(letter.isupper() for letter in first[1:]) else text[:1].title() + text[1:]


def lowered(text: str) -> str:
    """The text without its initial capital."""
    return text[:1].lower() + text[1:]


def _as_sentence(text: str) -> str:
    return capitalised(text).rstrip(" ,;") + ("" if text.endswith((".", "!", "?")) else ".")


class _Lead(NamedTuple):
    """A lead-in and the position of its first item; an outer item or another marker ends it."""

    text: str
    indent: int
    marker: str


class Leads:
    """The lead-ins and headings in force while a text is read; lists may be nested."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._open: list[_Lead] = []

    def of(self, block: Block) -> str:
        """The lead-in of an item, with its colon; empty for none. Any other block ends all lists."""
        if block.kind != "item":
            self._open = []
            return ""
        indent, marker = self._place(block)
        while self._open and (indent, marker) != self._open[-1][1:] and indent <= self._open[-1].indent:
            self._open.pop()
        return self._open[-1].text if self._open else ""

    def is_above(self, item: Block, following: Block) -> bool:
        """Whether an item contains the next one: less indented, or a number before a bullet."""
        here, after = self._place(item), self._place(following)
        return after[0] > here[0] or (after[0] == here[0] and here[1] == "number" != after[1])

    def add(self, words: str, item: Block) -> None:
        """Open the list that `item` begins; its lead-in ends with a colon."""
        useful = words[opening(words) :]
        says = not _POINTING.match(useful) and (GOES_ON.match(useful) or not is_filler(useful))
        kept = capitalised(useful) if says and len(useful) <= _LONGEST_LEAD else ""
        self._open.append(_Lead(kept, *self._place(item)))

    def _place(self, item: Block) -> tuple[int, str]:
        """The indent of an item's line, and its kind of marker."""
        line = self._text.rfind("\n", 0, item.start) + 1
        before = self._text[line : item.start].replace(UNSEEN, " ")
        marker = before.strip()
        kind = "number" if any(c.isalnum() for c in marker) else marker
        return len(before) - len(before.lstrip()), kind


def below(lead: str, whole: str, first: Word | None) -> str:
    """An item with its lead-in: "Symptoms include fever.", "Causes of cough: Smoking".

    `first` is its first word, which loses its capital in a sentence unless it is a name.
    """
    goes_on = GOES_ON.match(lead)
    if goes_on is None:
        return f"{lead} {whole}".strip(" ;,")
    if first is not None and first.pos != "PROPN" and not first.entity and first.text[1:].islower():
        whole = lowered(whole)
    return _as_sentence(f"{goes_on['before']} {whole}")


def cells(text: str, row: Block) -> list[tuple[str, Span]]:
    """The cells of a table row and their positions, without surrounding spaces."""
    found = []
    for bordered in _CELL.finditer(text[row.start : row.end]):
        cell = bordered[1].replace(UNSEEN, " ")
        start = row.start + bordered.end() - len(cell.lstrip())
        span = Span(start, start + len(cell.strip()))
        words = plain(text[span.start : span.end], Span(0, span.end - span.start)).whole()
        found.append((words.replace("\\|", "|"), span))
    return found


def row_text(
    row: Sequence[tuple[str, Span]], header: Sequence[str], place: Span
) -> Iterator[tuple[str, Span]]:
    """A table row as "column: cell; column: cell", with the position of each text.

    Each cell but the first, which names the row's subject, is a text of its own.
    """
    columns = [*header, *[""] * len(row)]
    filled = [(name, cell, span) for name, (cell, span) in zip(columns, row, strict=False) if cell]
    words = [f"{name}: {cell}" if name else cell for name, cell, _ in filled]
    if not words:
        return
    if len(words) < 2 or not header or not row[0][0]:
        yield "; ".join(words), place
        return
    for text, (_, _, span) in zip(words[1:], filled[1:], strict=True):
        yield f"{words[0]}; {text}", span if len(words) > 2 else place
