"""The last layer of the bundled judge: from the logits of a few windows, and shared words, to P.

A softmax over (entailment, neutral, contradiction). Neutral scores 0. The other scores are the logit relative
to neutral, divided by a temperature, plus two word features with weights of fixed sign and a bias. All are
fitted on sources that the network never saw (training/layer.py).
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, Self

import numpy as np

from factreasoner.judges.encoder.bundled.windows import Window, content_words
from factreasoner.judges.encoder.runtime import Array
from factreasoner.text.language import count_shared

ENTAILMENT, NEUTRAL, CONTRADICTION = range(3)
INPUTS = {"words in window": 1, "words missing": -1}
"""Features besides the logits -> the sign of their weight.

The first is the share of the claim's content words in the deciding window. The second, the missing share
times the log of the number of windows, concerns long passages, where a window may match by chance. For
entailment, words are missing from the whole passage; for contradiction, from the window.
"""
NUMBER_MISSING = 0.3
"""The factor on P(entailment) if the passage lacks a number of the claim; the rest goes to neutral.

On eight labelled sets, such pairs are entailed a third as often as others. Below a half, such a claim is
never entailed.
"""
SAME_THING = 0.8
"""A window contradicts only if its share is at least this fraction of the best window's."""
_FIGURE, _WORD = re.compile(r"\d+(?:[.,]\d+)*"), re.compile(r"[a-z]+")
_COUNTS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen twenty"
)
_RANKS = "first second third fourth fifth sixth seventh eighth ninth tenth"
_VALUES = {word: str(n) for n, word in enumerate(_COUNTS.split())}
_VALUES |= {word: str(n) for n, word in enumerate(_RANKS.split(), start=1)}
_VALUES |= {"hundred": "100", "thousand": "1000", "million": "1000000"}


class Reading(NamedTuple):
    """The last layer's input for a pair, and the deciding windows.

    `entailing` and `contradicting`: the logit relative to neutral, then INPUTS. `lacks_number`: a number of
    the claim is not in the passage.
    """

    entailing: Array
    contradicting: Array
    supports: Window
    contradicts: Window
    lacks_number: bool = False


def read(claim: str, passage: str, windows: Sequence[Window], logits: Array) -> Reading:
    """The features of a pair. `logits` (windows, 3): the network's outputs per window, at least one."""
    best = int(np.argmax(_over_others(logits, ENTAILMENT)))
    about = [n for n, window in enumerate(windows) if window.share >= SAME_THING * windows[0].share]
    worst = about[int(np.argmax(_over_others(logits[about], CONTRADICTION)))]
    wanted = content_words(claim)
    missing = 1.0 - count_shared(wanted, content_words(passage)) / max(len(wanted), 1)
    many = math.log(len(windows))
    over = logits - logits[:, [NEUTRAL]]
    mine, against = windows[best], windows[worst]
    return Reading(
        np.array([over[best, ENTAILMENT], mine.share, missing * many]),
        np.array([over[worst, CONTRADICTION], against.share, (1.0 - against.share) * many]),
        mine,
        against,
        not digit_numbers(claim) <= digit_numbers(passage) | _counts(passage),
    )


@lru_cache(maxsize=2048)
def digit_numbers(text: str) -> frozenset[str]:
    """The values of numbers in digits, without separators: 1,200.50 is 1200.5."""
    found = (figure.replace(",", "") for figure in _FIGURE.findall(text))
    return frozenset(f.rstrip("0").rstrip(".") if "." in f else f for f in found)


@lru_cache(maxsize=2048)
def _counts(text: str) -> frozenset[str]:
    """The values of number words: up to twenty, ordinals up to tenth, powers of ten."""
    return frozenset(_VALUES[word] for word in _WORD.findall(text.lower()) if word in _VALUES)


def _over_others(logits: Array, label: int) -> Array:
    """Log-odds of a label, by window."""
    others = np.delete(logits, label, axis=1)
    found: Array = logits[:, label] - np.logaddexp(others[:, 0], others[:, 1])
    return found


class Layer(NamedTuple):
    """Weights of the logit and of INPUTS, and a bias (4,): for entailment, and for contradiction."""

    entailing: Array
    contradicting: Array

    @classmethod
    def of(cls, weights: Mapping[str, Any]) -> Self:
        """The layer from JSON.

        Raises KeyError, TypeError, ValueError: a weight is missing or not a number.
        """
        slope = 1.0 / float(weights["temperature"])
        sides = (weights["entailment"], weights["contradiction"])
        return cls(*(np.array([slope, *(float(side[k]) for k in (*INPUTS, "bias"))]) for side in sides))

    def weights(self) -> dict[str, Any]:
        """The layer as JSON."""
        sides = {"entailment": self.entailing, "contradiction": self.contradicting}
        rows = {name: dict(zip((*INPUTS, "bias"), side[1:].round(4).tolist(), strict=True))
                for name, side in sides.items()}  # fmt: skip
        return {"temperature": round(1.0 / float(self.entailing[0]), 4)} | rows

    def probabilities(self, reading: Reading) -> tuple[float, float, float]:
        """P of entailment, neutral and contradiction; they add up to 1."""
        e = float(self.entailing[:-1] @ reading.entailing + self.entailing[-1])
        c = float(self.contradicting[:-1] @ reading.contradicting + self.contradicting[-1])
        top = max(e, c, 0.0)
        powers = math.exp(e - top), math.exp(-top), math.exp(c - top)
        total = sum(powers)
        p, q = powers[0] / total, powers[2] / total
        p *= NUMBER_MISSING if reading.lacks_number else 1.0
        return p, 1.0 - p - q, q
