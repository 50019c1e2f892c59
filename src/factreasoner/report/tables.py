"""Tables for documents, in Markdown and CSV, and contents as JSON."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from factreasoner.text.visible import one_line

_ACTING = re.compile(
    r"[\\`*|<]|~(?=.*~)|\$(?=.*\$)|\](?=[(\[:])|(?<![^\W_])_|_(?![^\W_])|&(?=#?\w+;)|(?<!\w)@(?=\w)|#(?=\d)"
    r"|:(?=//)|(?<=www)\."
)
"""What marks up, is read as a formula, calls somebody, names an issue, or makes a link."""
_CALLING = "@#"


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]], flush: str = "lr") -> str:
    """A table; `flush` says which columns are flush left and right, its last letter of all others."""
    sides = flush.ljust(len(head), flush[-1])
    marks = ["---:" if side == "r" else "---" for side in sides]
    lines = [list(map(cell, head)), marks, *(list(map(cell, row)) for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def cell(text: str) -> str:
    """`text` on one line, as it is: nothing in it marks up, calls anybody or makes a link."""

    def coded(found: re.Match[str]) -> str:
        # A zero-width space behind it, since mentions are looked for once codes are characters again.
        return f"&#{ord(found[0])};" + ("&#8203;" if found[0] in _CALLING else "")

    return _ACTING.sub(coded, one_line(text))


def csv_text(rows: Iterable[Sequence[object]]) -> str:
    """Rows as a CSV file; empty where there is None."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue()


def json_text(content: Mapping[str, Any]) -> str:
    """A content as JSON; null where there is no number."""
    return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False, default=str)
