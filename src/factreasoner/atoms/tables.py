"""The cells of a table's row, and what they say."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from factreasoner.atoms.plain_text import plain
from factreasoner.text.sentences import Block, Span
from factreasoner.text.tags import UNSEEN

_COLUMN = re.compile(r"(?<!\\)\|")


def cells(text: str, row: Block) -> list[Span]:
    """Where the cells of a table row stand, without the blanks around them."""
    end = max(row.start + 1, row.end - (text[row.end - 1] == "|"))
    borders = [row.start, *(match.start() for match in _COLUMN.finditer(text, row.start + 1, end)), end]
    found = []
    for left, right in pairwise(borders):
        cell = text[left + 1 : right].replace(UNSEEN, " ")
        start = right - len(cell.lstrip())
        found.append(Span(start, start + len(cell.strip())))
    return found


def whole_cell(cell: str) -> str:
    """The text of a cell as a reader sees it."""
    return plain(cell, Span(0, len(cell))).whole()


def said_of_row(
    texts: Sequence[str], spans: Sequence[Span], header: Sequence[str], row: Span
) -> Iterator[tuple[str, Span]]:
    """A table row as "column: cell; column: cell", with the place of each text.

    Each cell but the first, which says what the row is about, is a text of its own.
    """
    columns = [*header, *[""] * len(texts)]
    filled = [(name, cell, span) for name, cell, span in zip(columns, texts, spans, strict=False) if cell]
    said = [f"{name}: {cell}" if name else cell for name, cell, _ in filled]
    if not said:
        return
    if len(said) < 2 or not header or not texts[0]:
        yield "; ".join(said), row
        return
    for whole, (_, _, span) in zip(said[1:], filled[1:], strict=True):
        yield f"{said[0]}; {whole}", span if len(said) > 2 else row
