"""The last layer of the bundled judge: from the logits of a few windows, and shared words, to three P.

A softmax over (entailment, neutral, contradiction) whose two scores are sums of inputs with weights of a
fixed sign, fitted by layer.py on sources that the network was not trained on.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from factreasoner.text.language import shared
from windows import Window, content_words

Array = npt.NDArray[np.float64]
ENTAILMENT, NEUTRAL, CONTRADICTION = range(3)
"""The network's outputs."""
FOR_ENTAILMENT = {
    "entailment over neutral": 1,
    "entailment over contradiction": 1,
    "words in window": 1,
    "words in passage": 1,
    "names in window": 1,
    "numbers in window": 1,
    "numbers in passage": 1,
    "windows": -1,
}
"""An input of the score of entailment, and the sign of its weight."""
FOR_CONTRADICTION = {
    "contradiction over neutral": 1,
    "contradiction over entailment": 1,
    "best entailment": -1,
    "words in window": 1,
    "names in window": 1,
    "numbers missing": 1,
    "windows": -1,
}
"""An input of the score of contradiction, and the sign of its weight."""
SAME_THING = 0.8
"""A window contradicts only if its share is at least this fraction of the best window's."""
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_NAME = re.compile(r"(?<![.!?:] )(?<!\A)\b[A-ZÀ-Þ][\w’'-]+")
_LEXICON = Path(__file__).with_name("edits.toml").read_text(encoding="utf-8")
_COUNTED = {word: str(n) for n, word in enumerate(tomllib.loads(_LEXICON)["counts"].split())}
_WORD = re.compile(r"[a-z]+")


class Reading(NamedTuple):
    """What the last layer reads of a pair, and the windows that decide for entailment and contradiction."""

    entailing: Array
    contradicting: Array
    supports: Window
    contradicts: Window


@lru_cache(maxsize=2048)
def numbers(text: str) -> frozenset[str]:
    """The values of the numbers in a text, without separators; number words up to twenty."""
    found = {number.replace(",", "").rstrip("0").rstrip(".") if "." in number else number.replace(",", "")
             for number in _NUMBER.findall(text)}  # fmt: skip
    return frozenset(found | {_COUNTED[word] for word in _WORD.findall(text.lower()) if word in _COUNTED})


@lru_cache(maxsize=2048)
def names(text: str) -> frozenset[str]:
    """The names in a text, folded: capitalised words that do not begin a sentence."""
    return frozenset(name.casefold() for name in _NAME.findall(text))


def read(claim: str, passage: str, windows: Sequence[Window], logits: Array) -> Reading:
    """The inputs of a pair. `logits` (windows, 3): the network's outputs for each window, at least one."""
    said = logits - logits[:, [NEUTRAL]]
    best = int(np.argmax(logits[:, ENTAILMENT] - _others(logits, ENTAILMENT)))
    about = [n for n, window in enumerate(windows) if window.share >= SAME_THING * windows[0].share]
    worst = max(about, key=lambda n: float(logits[n, CONTRADICTION] - _others(logits[[n]], CONTRADICTION)[0]))
    mine, against = windows[best], windows[worst]
    wanted, figures = content_words(claim), numbers(claim)
    many = math.log(len(windows))
    entailing = [
        said[best, ENTAILMENT],
        logits[best, ENTAILMENT] - logits[best, CONTRADICTION],
        mine.share,
        shared(wanted, content_words(passage)) / max(len(wanted), 1),
        _share(names(claim), mine.text.casefold()),
        _part(figures, numbers(mine.text)),
        _part(figures, numbers(passage)),
        many,
    ]
    contradicting = [
        said[worst, CONTRADICTION],
        logits[worst, CONTRADICTION] - logits[worst, ENTAILMENT],
        float((logits[:, ENTAILMENT] - _others(logits, ENTAILMENT)).max()),
        against.share,
        _share(names(claim), against.text.casefold()),
        1.0 - _part(figures, numbers(against.text)),
        many,
    ]
    return Reading(np.array(entailing), np.array(contradicting), mine, against)


def _others(logits: Array, label: int) -> Array:
    """log of the summed exp of the other two outputs, by window."""
    kept = np.delete(logits, label, axis=1)
    found: Array = np.logaddexp(kept[:, 0], kept[:, 1])
    return found


def _share(wanted: frozenset[str], text: str) -> float:
    return sum(name in text for name in wanted) / len(wanted) if wanted else 1.0


def _part(wanted: frozenset[str], there: frozenset[str]) -> float:
    return len(wanted & there) / len(wanted) if wanted else 1.0


class Layer(NamedTuple):
    """Weights by input, in the order of FOR_ENTAILMENT and FOR_CONTRADICTION; the last of each is a bias."""

    entailing: Array
    contradicting: Array

    def probabilities(self, reading: Reading) -> tuple[float, float, float]:
        """P of entailment, neutral and contradiction; their sum is 1."""
        e = float(self.entailing[:-1] @ reading.entailing + self.entailing[-1])
        c = float(self.contradicting[:-1] @ reading.contradicting + self.contradicting[-1])
        top = max(e, c, 0.0)
        powers = math.exp(e - top), math.exp(-top), math.exp(c - top)
        total = sum(powers)
        return powers[0] / total, powers[1] / total, powers[2] / total
