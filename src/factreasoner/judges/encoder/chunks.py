"""A passage in chunks, as a family of verifiers was trained and measured with them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from factreasoner.judges.encoder.adapter import Chunking
from factreasoner.text.sentences import Span, sentences

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
        words = len(passage.split())
        step = max(1, len(pieces) // (words // chunking.size + 1))
        groups = [pieces[n : n + step] for n in range(0, len(pieces), step)]
    else:
        count = {"tokens": tokens, "words": _words, "marks": _marks}[chunking.unit]
        groups = list(_filled(pieces, chunking.size, count))
    return [chunk for chunk in (_joined(group, chunking) for group in groups) if chunk.text]


def _filled(pieces: Sequence[Chunk], size: int, count: Callable[[str], int]) -> Iterator[list[Chunk]]:
    """Groups of pieces that hold at most `size` units together, or one piece."""
    group: list[Chunk] = []
    held = 0
    for piece in pieces:
        own = count(piece.text)
        if group and held + own > size:
            yield group
            group, held = [], 0
        group.append(piece)
        held += own
    if group:
        yield group


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
        borders = [0, *(span.start for span in sentences(line)[1:]), len(line)]
        for low, high in pairwise(borders):
            text = line[low:high].strip()
            if text:
                place = start + low + line[low:high].index(text)
                yield Chunk(Span(place, place + len(text)), text)
        start += len(line) + 1


def _words(text: str) -> int:
    return len(text.split())


def _marks(text: str) -> int:
    return len(_MARKS.findall(text))
