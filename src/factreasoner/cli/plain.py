"""Text of anyone's making, fit for a terminal."""

from __future__ import annotations

from rich.markup import escape


def one_line(text: str) -> str:
    """`text` on one line, without control characters."""
    printable = (c if c.isprintable() or c.isspace() else "\N{REPLACEMENT CHARACTER}" for c in text)
    return " ".join("".join(printable).split())


def plain(text: str, longest: int | None = None) -> str:
    """`text` on one line, without control characters and without any effect of its markup.

    A text longer than `longest` characters is cut between words.
    """
    line = one_line(text)
    if longest is not None and len(line) > longest:
        line = f"{line[:longest].rsplit(' ', 1)[0]} …"
    return escape(line)
