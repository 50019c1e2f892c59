"""Numbers in brackets that are no citation: an index, an interval, a list, a matrix; by what stands around.

A few words go before both, as in "values in [1, 3]": such a bracket is `either`, and the sources decide.
"""

from __future__ import annotations

import re
from typing import Literal

Reading = Literal["citation", "numbers", "either"]

_NUMBER = r"[-\u2212]?\d+(?:\.\d+)?"
_ROW = rf"\[\s*{_NUMBER}(?:\s*[,;]\s*{_NUMBER})+\s*\]"
_LABELS = re.compile(r"\[\s*[1-9]\d{0,2}(?:\s*[,;]\s*[1-9]\d{0,2})+\s*\]")
MATRIX = re.compile(rf"\[\s*{_ROW}(?:\s*,\s*{_ROW})+\s*\]")
"""Rows of two numbers and more in brackets of their own."""
_SERIES = re.compile(_ROW)
_USED = re.compile(r"\s*[-+*/]?=(?!=)|\(|\.[a-z_]+\(|\[0\]")
"""What stands behind an index alone: it is assigned to, called or indexed again."""
_NAME = re.compile(
    r"(?:(?:^|(?<!\d)[^\w'’])[a-z]|\w_\w*[^\W_]|\b(?:arr|args|argv|buf|dp|idx|lst|mat|nums|vec))$"
)
"""A name that an index is attached to, and no word of a sentence ("York's"), unit ("828 m") or emphasis."""
_ASSIGNED = re.compile(r"(?:^|[\s(])[a-z]\w*\s*:?=\s*$", re.IGNORECASE)
_CALL = re.compile(
    r"(?:\w[._]\w+|\b(?:all|any|len|list|max|mean|min|print|range|set|sorted|sum|tuple))\(\s*$"
)
_BEFORE_NUMBERS = re.compile(
    r"(?:\b(?:intervals?|CIs?|IQR)\b(?:\s*\([^()\n]*\))?\s*(?:(?:is|was|are|were|of|from)\s+)?[:=]?\s*"
    r"|\b(?:between|within)\s+|\b(?:lies?|uniform(?:ly)?(?: distributed)?)\s+(?:in|on|over)\s+|\$"
    r"|(?:=|∈|∉|\\in\b|∪|∩|⊂|⊆|×|[\w)\]][ \t]+[+·*][ \t])\s*"
    r"|(?:^|[\s(])(?!a\b)(?-i:[a-zα-ω])\d?\s+(?:(?:is|be|lies)\s+)?in\s+|\bintegers?\s+in\s+"
    r"|\b(?:in|within|over|on|from|outside|inside)\s+(?:the|a)\s+(?:(?:closed|full|whole)\s+)?range\s+"
    r"|\b(?:clipped|clamped|scaled|rescaled|normali[sz]ed|restricted)\s+(?:in)?to\s+)"
    rf"(?:{_ROW}\s*(?:,\s*and|,|and|or|to|∪|∩|×)\s*)*$",
    re.IGNORECASE,
)
"""What stands before numbers in a row and before no citation."""
_SERIES_WORD = re.compile(
    r"\b(?:list|array|tuple|vector|matrix|domain|scale|shape|sequence)\s+(?:of\s+)?$", re.IGNORECASE
)
"""What stands before both; where the sentence goes on behind the bracket, before numbers."""
_EITHER = re.compile(
    r"\b(?:values?|numbers?|points?|scores?|ratings?|probabilit(?:y|ies)|elements?|coordinates?)\s+in\s+$"
    r"|\branges?\s+(?:of\s+)?$",
    re.IGNORECASE,
)
_LOOP = re.compile(r"\bfor\s+\w+\s+in\s+$", re.IGNORECASE)
"""What stands before numbers where a colon stands behind them, and else before both."""
_GOES_ON = re.compile(r"[ \t]+\w")


def reading_of(text: str, start: int, end: int) -> Reading:
    """How `text[start:end]`, a bracket with labels that no link follows, is to be read."""
    before = text[max(0, start - 80) : start]
    if before[-1:].isalnum() or before[-1:] in ("_", ")"):
        return "numbers" if _USED.match(text, end) or _NAME.search(before) else "citation"
    if not _SERIES.fullmatch(text, start, end):
        return "numbers" if _ASSIGNED.search(before) else "citation"
    if _BEFORE_NUMBERS.search(before) or _CALL.search(before):
        return "numbers"
    if _SERIES_WORD.search(before):
        return "numbers" if _GOES_ON.match(text, end) else _if_labels(text, start, end)
    loop = _LOOP.search(before)
    if loop and text.startswith(":", end):
        return "numbers"
    return _if_labels(text, start, end) if loop or _EITHER.search(before) else "citation"


def _if_labels(text: str, start: int, end: int) -> Reading:
    return "either" if _LABELS.fullmatch(text, start, end) else "numbers"
