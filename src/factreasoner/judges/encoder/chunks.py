"""A verifier's input from a passage: chunks as in its training, and windows over long ones."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from factreasoner.judges.encoder.adapter import Adapter, Chunking
from factreasoner.judges.encoder.decision import Decision, VerifierQuestion, decide_claim, too_long
from factreasoner.judges.encoder.runtime import Array, Runtime, Unscored
from factreasoner.models import Premise
from factreasoner.text.passages import runs_of
from factreasoner.text.sentences import Span, sentences

OVERLAP = 4
"""A window overlaps the one before by up to this fraction of its length."""
LEAST_ROOM = 4
"""Minimum fraction of the model's tokens that a claim must leave to the passage."""
GRAIN = 32
"""Claim lengths are rounded up to this many tokens, so that most claims share windows."""
MARGIN = 8
"""Extra tokens that part of a passage may have on its own."""
_MARKS = re.compile(r"\w+|[^\w\s]")


class Chunk(NamedTuple):
    """A stretch of a passage, and the text that a verifier reads for it."""

    span: Span
    text: str


class Chunks:
    """Asks a verifier about a claim, or its sentences, with every chunk of a passage."""

    def __init__(self, adapter: Adapter, runtime: Runtime) -> None:
        self._adapter, self._runtime = adapter, runtime
        self._cutter = Cutter(adapter, runtime)

    def question(self, premise: Premise, claim: str) -> VerifierQuestion | Unscored:
        """The question, or why the claim can't be judged against the premise."""
        parts = self._parts(claim)
        cut = self._cutter.cut(premise.text, parts)
        if not cut:
            return too_long(self._runtime.longest)
        spans = [chunk.span for chunk in cut]

        def decide(scores: Sequence[Array]) -> Decision:
            rows = [scores[n : n + len(cut)] for n in range(0, len(scores), len(cut))]
            return decide_claim(rows, self._runtime.labels, spans, threshold=self._adapter.threshold)

        texts = (self._adapter.texts(chunk.text, part) for part in parts for chunk in cut)
        return VerifierQuestion(tuple(texts), decide)

    def _parts(self, claim: str) -> list[str]:
        """The parts of a claim to score: the whole, or its sentences."""
        if self._adapter.aggregate == "max":
            return [claim]
        return [claim[span.start : span.end] for span in sentences(claim)] or [claim]


class Cutter:
    """Cuts passages for one verifier without loss: over-long chunks are read in windows."""

    def __init__(self, adapter: Adapter, runtime: Runtime) -> None:
        self._longest = runtime.longest
        self._free = runtime.longest - runtime.taken(adapter.texts("", ""))
        self._margin = 0 if adapter.input == "pair" and adapter.template == "{passage}" else MARGIN
        self._starts = lru_cache(maxsize=64)(runtime.starts)
        self._chunks = lru_cache(maxsize=64)(
            lambda passage: chunks(passage, adapter.chunking, lambda text: len(runtime.starts(text)))
        )

    def cut(self, passage: str, parts: Sequence[str]) -> list[Chunk]:
        """The chunks to score with each part of a claim; none if it leaves too little room."""
        own = max(len(self._starts(part)) for part in parts)
        left, least = self._free - MARGIN, self._longest // LEAST_ROOM
        shared = left - -(-own // GRAIN) * GRAIN
        room = shared if shared >= least else left - own
        found: list[Chunk] = []
        for chunk in self._chunks(passage):
            if len(self._starts(chunk.text)) + own <= self._free - self._margin:
                found.append(chunk)
            elif room >= least:
                start, text = chunk.span.start, passage[chunk.span.start : chunk.span.end]
                for low, high in windows(text, self._starts(text), room):
                    found.append(Chunk(Span(start + low, start + high), text[low:high]))
            else:
                return []
        return found


def chunks(passage: str, chunking: Chunking, tokens: Callable[[str], int]) -> list[Chunk]:
    """The chunks of a passage, in order; `tokens` counts the tokens of a text.

    A sentence with more than `size` units is its own chunk.
    """
    pieces = [] if chunking.unit == "passage" else list(_pieces(passage, by_line=chunking.keep_lines))
    if not any(piece.text.strip() for piece in pieces):
        return [Chunk(Span(0, len(passage)), passage)]
    if chunking.unit == "shares":
        step = max(1, len(pieces) // (len(passage.split()) // chunking.size + 1))
        groups = [pieces[n : n + step] for n in range(0, len(pieces), step)]
    else:
        units: Callable[[str], int] = {
            "tokens": tokens,
            "words": lambda text: len(text.split()),
            "marks": lambda text: len(_MARKS.findall(text)),
        }[chunking.unit]
        runs = runs_of([units(piece.text) for piece in pieces], chunking.size)
        groups = [pieces[first:end] for first, end in runs]
    return [chunk for chunk in (_joined(group, chunking) for group in groups) if chunk.text]


def _joined(group: Sequence[Chunk], chunking: Chunking) -> Chunk:
    text = chunking.joiner.join(piece.text for piece in group)
    if chunking.keep_lines:
        text = text.replace(f"{chunking.joiner}\n{chunking.joiner}", "\n")
    spans = [piece.span for piece in group if piece.text.strip()] or [group[0].span]
    return Chunk(Span(spans[0].start, spans[-1].end), text.strip())


def _pieces(passage: str, *, by_line: bool) -> Iterator[Chunk]:
    """Its sentences; with `by_line`, line ends are separate pieces."""
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
    """Stretches of at most `size` tokens that together cover `text`.

    `token_starts` are the character positions of its tokens. Windows are whole sentences and overlap; a
    longer sentence is cut between tokens.
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
    """The starts of sentences, including the text before them, and the end."""
    return [0, *(span.start for span in sentences(text)[1:]), len(text)]


def _trimmed(text: str, start: int, end: int) -> Span:
    """The characters [start, end) without surrounding spaces."""
    inner = text[start:end]
    start += len(inner) - len(inner.lstrip())
    return Span(start, start + len(inner.strip()))
