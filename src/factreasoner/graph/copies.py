"""Which texts are copies of one another, or hold one another.

Resemblance is the share of shingles (stretches of ten characters) that two texts have in common (Broder, "On
the resemblance and containment of documents", 1997). All pairs are counted exactly with a product of sparse
matrices.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from factreasoner.graph.pairs import normalised

RESEMBLANCE = 0.4
"""Texts that share this much are copies. In Factcheck-Bench, whose passages are cut from web pages, all pairs
from 0.38 to 1 are copies; below, some pages share only a template."""

SHINGLE = 10
_EDGES = ".,;:!?\"'()[]–—…“”‘’«»、。，；：！？（）「」"
"""Punctuation at the edges of words."""
_FACTOR = np.uint64(0x9E3779B97F4A7C15)


def copies(texts: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Positions of every two texts that resemble each other by `RESEMBLANCE`, the smaller one first."""
    import scipy.sparse

    shingles = [_shingles(normalised(text)) for text in texts]
    if len(texts) < 2:
        return
    known, columns = np.unique(np.concatenate(shingles), return_inverse=True)
    sizes = np.array([len(found) for found in shingles])
    starts = np.concatenate([[0], np.cumsum(sizes)])
    ones = np.ones(len(columns), dtype=np.int32)
    rows = scipy.sparse.csr_array((ones, columns, starts), shape=(len(texts), len(known)))
    shared = scipy.sparse.triu(rows @ rows.T, k=1).tocoo()
    either = sizes[shared.row] + sizes[shared.col] - shared.data
    alike = shared.data >= RESEMBLANCE * either
    yield from zip(shared.row[alike].tolist(), shared.col[alike].tolist(), strict=True)


def holds(text: str, other: str) -> bool:
    """Whether a text has all words of another in a row, whatever the punctuation between them."""
    whole, part = (_words(one) for one in (text, other))
    return part in whole and bool(re.search(rf"(?<![0-9a-z]){re.escape(part)}(?![0-9a-z])", whole))


def _words(text: str) -> str:
    return " ".join(filter(None, (word.strip(_EDGES) for word in normalised(text).split())))


def _shingles(text: str) -> npt.NDArray[np.uint64]:
    """Hashes of the different shingles of a text; one for a text no longer than a shingle."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32).astype(np.uint64)
    width = min(SHINGLE, len(codes))
    numbers = np.zeros(len(codes) - width + 1, dtype=np.uint64)
    for offset in range(width):
        # Wraps around at 2^64; of a million shingles no two different ones are likely to meet.
        numbers = numbers * _FACTOR + codes[offset : offset + len(numbers)] + np.uint64(1)
    return np.unique(numbers)
