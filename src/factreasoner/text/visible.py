"""Text without terminal control characters or invisible ones."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

_SUSPECTS = re.compile("[^\n\t -~]")
is_plain = re.compile("[\n\t -~]*").fullmatch
"""Whether a text has only printable ASCII characters."""
_ACTING = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Unicode's categories of controls (C0, DEL, C1), marks of direction and other invisible characters, lone
surrogates, and separators of lines and paragraphs."""
_MARK = "\N{REPLACEMENT CHARACTER}"
_BYTE = re.compile("[\udc80-\udcff]").match
_JOINERS = "\u200c\u200d"


def visible(text: str) -> str:
    """`text` with each control and invisible character replaced by a mark, odd bytes of names by codes."""
    return replaced(text, lambda sign: f"\\x{ord(sign) - 0xDC00:02x}" if _BYTE(sign) else _MARK)


def replaced(text: str, mark: Callable[[str], str]) -> str:
    """`text` with each control and invisible character c replaced by `mark(c)`."""

    def shown(found: re.Match[str]) -> str:
        acts = unicodedata.category(found[0]) in _ACTING and found[0] not in _JOINERS
        return mark(found[0]) if acts else found[0]

    return _SUSPECTS.sub(shown, text)


def one_line(text: str, longest: int | None = None) -> str:
    """`text`, visible and on one line; cut between words if longer than `longest` characters.

    If that would lose most of it, as in scripts without spaces, it is cut anywhere.
    """
    line = visible(" ".join(text.split()))
    if longest is not None and len(line) > longest:
        words = line[:longest].rsplit(" ", 1)[0]
        return f"{words if 2 * len(words) > longest else line[:longest]} …"
    return line
