"""A passage in chunks, as a family of verifiers was trained with them; windows over what is too long."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from factreasoner.judges.encoder.adapter import Chunking
from factreasoner.text.passages import runs_of
from factreasoner.text.sentences import Span, sentences

OVERLAP = 4
"""A window begins with what ended the one before, up to one part in so many of its length."""
_MARKS = re.compile(r"\w+|[^\w\s]")


class Chunk(NamedTuple):
    """A stretch of a passage, and the text that a verifier reads for it."""

    span: Span
    text: str


def chunks(passage: str, chunking: Chunking, tokens: Callable[[str], int]) -> list[Chunk]:
    """The chunks of a passage, in order; `tokens` counts those of a text.

    A sentence with more than `size` units is a chunk of its own.
    """
    pieces = [] if chunking.unit == "passage" else list(_pieces(passage, by_line=chunking.keep_lines))
    if not any(piece.text.strip() for piece in pieces):
        return [Chunk(Span(0, len(passage)), passage)]
    if chunking.unit == "shares":
        step = max(1, len(pieces) // (len(passage.split()) // chunking.size + 1))
        groups = [pieces[n : n + step] for n in range(0, len(pieces), step)]
    else:
        sizes = [_units(piece.text, chunking.unit, tokens) for piece in pieces]
        groups = [pieces[first:end] for first, end in runs_of(sizes, chunking.size)]
    return [chunk for chunk in (_joined(group, chunking) for group in groups) if chunk.text]


def _units(text: str, unit: str, tokens: Callable[[str], int]) -> int:
    if unit == "tokens":
        return tokens(text)
    return len(text.split() if unit == "words" else _MARKS.findall(text))


def _joined(group: Sequence[Chunk], chunking: Chunking) -> Chunk:
    text = chunking.joiner.join(piece.text for piece in group)
    if chunking.keep_lines:
        text = text.replace(f"{chunking.joiner}\n{chunking.joiner}", "\n")
    spans = [piece.span for piece in group if piece.text.strip()] or [group[0].span]
    return Chunk(Span(spans[0].start, spans[-1].end), text.strip())


def _pieces(passage: str, *, by_line: bool) -> Iterator[Chunk]:
    """Its sentences; `by_line`, none crosses a line's end, and each line's end is a piece of its own."""
    start = 0
    for line in passage.split("\n") if by_line else [passage]:
        if start:
            yield Chunk(Span(start - 1, start), "\n")
        for low, high in pairwise(_borders(line)):
            span = _trimmed(passage, start + low, start + high)
            if span.end > span.start:
                yield Chunk(span, passage[span.start : span.end])
        start += len(line) + 1


def windows(text: str, token_starts: Sequence[int], size: int) -> list[Span]:
    """Stretches of `text` of at most `size` tokens that together hold all of it; one where it fits.

    `token_starts` are the characters at which its tokens start. Windows are of whole sentences and overlap; a
    sentence longer than a window is cut between tokens.
    """
    if len(token_starts) <= size:
        return [Span(0, len(text))]
    borders = set(_borders(text))
    for start, end in pairwise(_borders(text)):
        low, high = bisect_left(token_starts, start), bisect_left(token_starts, end)
        if high - low > size:
            step = max(1, size // OVERLAP)
            borders.update(token_starts[low + step : high : step])
    ends = sorted(borders)
    sizes = [high - low for low, high in pairwise(bisect_left(token_starts, end) for end in ends)]
    return [_trimmed(text, ends[a], ends[b]) for a, b in runs_of(sizes, size, size // OVERLAP)]


def _borders(text: str) -> list[int]:
    """Where sentences begin, with what stands between them, and the end."""
    return [0, *(span.start for span in sentences(text)[1:]), len(text)]


def _trimmed(text: str, start: int, end: int) -> Span:
    """The characters [start, end) without the blanks around them."""
    inner = text[start:end]
    start += len(inner) - len(inner.lstrip())
    return Span(start, start + len(inner.strip()))
