"""The cells of a table's row."""

from __future__ import annotations

import re
from itertools import pairwise

from factreasoner.language.sentences import Block, Span
from factreasoner.language.tags import UNSEEN

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
