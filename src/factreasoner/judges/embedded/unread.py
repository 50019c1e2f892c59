"""Whether a claim and a passage in another language than English may differ by a negation that is not read.

Denials are found in English alone. Elsewhere a claim is entailed only by sentences that negate as it does, as
far as the negations of their language or script are known; where none are, only by the very sentence.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from factreasoner.judges.embedded.pairing import Pairing, stands_alone
from factreasoner.judges.embedded.text import Text
from factreasoner.judges.embedded.windows import Window
from factreasoner.text.lexicon import NEGATING_SIGNS, NEGATING_WORDS

_MOST = 0.7
_LETTER = re.compile(r"[^\W\d_]")
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f\u1e00-\u1eff]")


def unread(claim: Text, weights: Sequence[float], passage: Text, window: Window, language: str) -> bool:
    """Whether no sentence with most of the claim is known to negate as the claim does."""
    if language == "english" and _is_latin(claim.raw):
        return False
    if stands_alone(claim.raw, passage.raw):
        return False
    parts = [part for part in passage.sentences if window.low <= part.low < window.high]
    near = [part for part in parts if Pairing(claim, weights, passage, part).share() >= _MOST] or parts
    own = _negates(claim, 0, len(claim.words))
    if _is_latin(claim.raw) and not own:
        # a negation of the passage is found, and what it reaches, as in English
        return False
    return own is None or all(_negates(passage, part.low, part.high) != own for part in near)


def _is_latin(raw: str) -> bool:
    letters = _LETTER.findall(raw)
    return 2 * len(_LATIN.findall(raw)) >= len(letters)


def _negates(text: Text, low: int, high: int) -> int | None:
    """How many negations the tokens have, in Latin script 1 at most; None in a script of unknown ones."""
    words = text.words[low:high]
    letters = "".join(words)
    if _is_latin(letters):
        return int(any(low <= j < high for j in text.negations))
    signs = next((signs for script, signs in NEGATING_SIGNS.items() if re.search(script, letters)), None)
    if signs is not None:
        return len(re.findall(signs, letters))
    known = next((known for script, known in NEGATING_WORDS.items() if re.search(script, letters)), None)
    return None if known is None else sum(word in known for word in words)
