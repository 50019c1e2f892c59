"""Lists of names as statements of their own: "films such as A, B and C" says "films such as A"."""

from __future__ import annotations

from collections.abc import Sequence

from factreasoner.stages.english import PARTICLES, Token
from factreasoner.stages.relatives import Piece

_SHORTEST_HEAD = 3
"""Tokens before the list: fewer are no clause."""


def listed(text: str, tokens: Sequence[Token], part: Piece) -> list[Piece]:
    """One piece an item where a clause ends in a list of names introduced as one, else `part`."""
    begin = _list_start(tokens, part)
    items = _items(tokens, begin, part.end) if begin else []
    if len(items) < 2:
        return [part]
    head = text[tokens[part.start].start : tokens[begin - 1].end]
    prefix = f"{part.prefix} {head}".strip()
    return [Piece(start, end, prefix) for start, end in items]


def _list_start(tokens: Sequence[Token], part: Piece) -> int:
    """Index of the first item after "such as", "including", "include" or "are:"; 0 when there is none."""
    for index in range(part.start + _SHORTEST_HEAD, part.end - 2):
        word, before = tokens[index].text, tokens[index - 1].text
        if (before, word) == ("such", "as") or word in ("including", "include", "includes", "included"):
            return index + 1
        if word == ":" and before in ("are", "were", "include", "includes", "including"):
            return index + 1
    return 0


def _items(tokens: Sequence[Token], start: int, end: int) -> list[tuple[int, int]]:
    """Token ranges of the items, or none when one of them is more than a name."""
    items: list[tuple[int, int]] = []
    last_and = False
    for index in range(start, end):
        token = tokens[index]
        if token.text in (",", "and") and index == start:
            last_and = token.text == "and"
            start = index + 1
        elif token.text == ",":
            items.append((start, index))
            start = index + 1
        elif token.text[-2:] in (',"', ",”"):
            # American style puts the comma inside the quotation.
            items.append((start, index + 1))
            start = index + 1
    if start < end:
        items += [(start, end)] if last_and else _parted(tokens, start, end)
    return items if all(_is_name(tokens[first:last]) for first, last in items) else []


def _parted(tokens: Sequence[Token], start: int, end: int) -> list[tuple[int, int]]:
    """The last two items of "A, B and C"; with more than one "and" it can't be told which parts them."""
    joints = [index for index in range(start + 1, end - 1) if tokens[index].text == "and"]
    if len(joints) != 1:
        return [(start, end)]
    return [(start, joints[0]), (joints[0] + 1, end)]


def _is_name(tokens: Sequence[Token]) -> bool:
    inner = [token for token in tokens if token.text[0] != "("]
    if not inner or inner[0].text[0].isdigit() or not (inner[0].named and inner[-1].named):
        return False
    return all(token.named or token.text in PARTICLES or token.text in ("and", "&", "-") for token in inner)
