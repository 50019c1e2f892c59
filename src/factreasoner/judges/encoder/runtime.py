"""Where a verifier runs: in this process, or on a server. One protocol for both."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from factreasoner.judges.encoder.adapter import Texts
from factreasoner.models import Label

Array: TypeAlias = npt.NDArray[np.float64]
_TOKEN = re.compile(r"\w{1,4}|[^\w\s]")


class Unscored(NamedTuple):
    """Why one text, or pair of texts, has no scores."""

    kind: str
    message: str


class Runtime(Protocol):
    """A loaded or served verifier; may be used from many threads.

    `labels` are what its outputs mean, in their order; `longest` is how many tokens a text or pair may have,
    special ones included; `identity` tells it from every other.
    """

    labels: tuple[Label, ...]
    longest: int
    identity: str

    def starts(self, text: str) -> Sequence[int]:
        """Where the tokens of a text start, special ones left out, in characters."""
        ...

    def taken(self, texts: Texts) -> int:
        """How many tokens the model reads for them, special ones included."""
        ...

    def scores(self, asked: Sequence[Texts]) -> list[Array | Unscored]:
        """P(label) for each: shape (tokens of the claim, labels) for a head a token, else (1, labels)."""
        ...


def estimated_starts(text: str) -> list[int]:
    """Where about a token starts, for a model whose tokenizer is elsewhere; rather too many than too few."""
    return [found.start() for found in _TOKEN.finditer(text)]


def softmax(outputs: Array) -> Array:
    """The softmax over the last axis."""
    powers: Array = np.exp(outputs - outputs.max(axis=-1, keepdims=True))
    shares: Array = powers / powers.sum(axis=-1, keepdims=True)
    return shares
