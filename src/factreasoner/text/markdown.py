"""Safe Markdown tables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from factreasoner.text.visible import one_line

_ACTING = re.compile(
    r"[\\`*|<]|~(?=.*~)|\$(?=.*\$)|\](?=[(\[:])|(?<![^\W_])_|_(?![^\W_])|&(?=#?\w+;)|(?<!\w)@(?=\w)|#(?=\d)"
    r"|:(?=//)|(?<=www)\."
)
"""Characters that format, start formulas, mention users or issues, or make links."""
_CALLING = "@#"


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]], flush: str = "lr") -> str:
    """A table; `flush` gives the alignment of columns, its last letter of all others."""
    return "\n".join(markdown_lines(head, rows, flush))


def markdown_lines(head: Sequence[str], rows: Iterable[Sequence[str]], flush: str = "lr") -> Iterator[str]:
    """The lines of such a table, one at a time."""
    sides = flush.ljust(len(head), flush[-1])
    marks = ["---:" if side == "r" else "---" for side in sides]
    for line in chain([map(cell, head), marks], (map(cell, row) for row in rows)):
        yield f"| {' | '.join(line)} |"


def cell(text: str) -> str:
    """`text` on one line, escaped."""

    def coded(found: re.Match[str]) -> str:
        # A zero-width space behind it, since mentions are looked for once codes are characters again.
        return f"&#{ord(found[0])};" + ("&#8203;" if found[0] in _CALLING else "")

    return _ACTING.sub(coded, one_line(text))
