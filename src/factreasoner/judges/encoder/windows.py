"""Windows over a passage that is too long for a classifier: whole sentences, with overlap."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise

from factreasoner.text.sentences import Span, sentences

OVERLAP = 4
"""A window begins with what ended the one before, up to one part in so many of its length."""


def windows(text: str, token_starts: Sequence[int], size: int) -> list[Span]:
    """Stretches of `text` of at most `size` tokens that together hold all of it; one where it fits.

    `token_starts` are the characters at which its tokens start. Borders are those of sentences; a sentence
    longer than a window is cut between tokens.
    """
    if len(token_starts) <= size:
        return [Span(0, len(text))]
    borders = _borders(text, token_starts, size)
    tokens = [bisect_left(token_starts, border) for border in borders]
    found = []
    first, last = 0, 0
    while last < len(borders) - 1:
        end = last + 1
        while end < len(borders) - 1 and tokens[end + 1] - tokens[first] <= size:
            end += 1
        last = end
        found.append(_trimmed(text, Span(borders[first], borders[last])))
        first = _next_first(tokens, first, last, size)
    return found


def _next_first(tokens: Sequence[int], first: int, last: int, size: int) -> int:
    """The border where the window after [first, last) begins: some of it again, and room for what follows."""
    start = last
    while start - 1 > first and tokens[last] - tokens[start - 1] <= size // OVERLAP:
        start -= 1
    while start < last < len(tokens) - 1 and tokens[last + 1] - tokens[start] > size:
        start += 1
    return start


def _borders(text: str, token_starts: Sequence[int], size: int) -> list[int]:
    """Where pieces of at most `size` tokens begin, and the end: sentences, and parts of overlong ones."""
    starts = [0, *(span.start for span in sentences(text)[1:]), len(text)]
    borders = []
    for start, end in pairwise(starts):
        low, high = bisect_left(token_starts, start), bisect_left(token_starts, end)
        borders.append(start)
        if high - low > size:
            step = max(1, size // OVERLAP)
            borders += [token_starts[at] for at in range(low + step, high, step)]
    return [*sorted(set(borders)), len(text)]


def _trimmed(text: str, span: Span) -> Span:
    inner = text[span.start : span.end]
    start = span.start + len(inner) - len(inner.lstrip())
    return Span(start, max(start, span.start + len(inner.rstrip())))
