"""Texts without the characters that act where they are shown, as on a terminal, or hide there."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

_SUSPECTS = re.compile("[^\n\t -~]")
is_plain = re.compile("[\n\t -~]*").fullmatch
"""Whether a text is of ASCII's own letters, digits and marks, so that nothing of it acts or hides."""
_ACTING = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Unicode's categories of what acts or hides: controls (C0, DEL, C1), marks of direction and other characters
without a shape, lone surrogates, separators of lines and paragraphs."""
_JOINERS = "\u200c\u200d"
"""Words of some languages and emoji need them."""


def visible(text: str) -> str:
    """`text` with each character that would act where it is shown, or hide, replaced by a mark."""
    return replaced(text, lambda _: "\N{REPLACEMENT CHARACTER}")


def replaced(text: str, mark: Callable[[str], str]) -> str:
    """`text` with `mark` of each such character in its place."""

    def shown(found: re.Match[str]) -> str:
        acts = unicodedata.category(found[0]) in _ACTING and found[0] not in _JOINERS
        return mark(found[0]) if acts else found[0]

    return _SUSPECTS.sub(shown, text)


def one_line(text: str, longest: int | None = None) -> str:
    """`text` on one line and visible; one longer than `longest` characters is cut between words."""
    line = visible(" ".join(text.split()))
    if longest is not None and len(line) > longest:
        return f"{line[:longest].rsplit(' ', 1)[0]} …"
    return line
