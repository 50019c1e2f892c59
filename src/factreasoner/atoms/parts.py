"""Sentences cut before commas and words that begin a clause, so that a model says each part by itself."""

from __future__ import annotations

import re

_BORDER = re.compile(
    r"(?P<quoted>[\"“][^\"“”\n]{1,300}[\"”]|\([^()\n]{1,200}\)|\d[.,]\d|[A-Z][a-z]+ \d{1,2}, \d{4})"
    r"|[,;:]\s+(?P<link>(?:and|but|or|so|nor|yet|which|who|whose|where|while|whereas)\s+)?"
    r"|\s(?=(?:but|because|although|whereas|while|which|who)\s)"
)
_FEWEST_WORDS = 4
_OPENING_WORDS = 9
"""Words of a beginning that goes with what follows its comma: "In the European Union, new phones ..."."""


def cut(sentence: str) -> list[str]:
    """Parts of a sentence, in order; joined by blanks they are the sentence.

    Each has four words at least; the items of a list of short things stay together.
    """
    parts: list[str] = []
    start, listed = 0, False
    borders = [found for found in _BORDER.finditer(sentence) if not found["quoted"]]
    for number, found in enumerate(borders):
        at = found.start("link") if found["link"] else found.end()
        end = borders[number + 1].start() if number + 1 < len(borders) else len(sentence)
        before, after = len(sentence[start:at].split()), len(sentence[at:end].split())
        opens = not parts and not found["link"] and found[0].startswith(",") and before <= _OPENING_WORDS
        short = min(before, after) < _FEWEST_WORDS
        item = found[0].startswith(",") and after < _FEWEST_WORDS
        if short or opens or (listed and (found["link"] or "").strip() in ("and", "or")):
            listed = item
            continue
        parts.append(sentence[start:at].strip())
        start, listed = at, False
    return [*parts, sentence[start:].strip()]
