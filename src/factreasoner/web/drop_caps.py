"""Drop caps of a PDF: a first letter over several lines, put before its word."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from statistics import median
from typing import Any

from factreasoner.web.pdf_layout import KNOWN, PagePart, rows_of

_LARGE = 1.7
"""Heights of the page's usual letters from which a letter is a drop cap."""
_BLANK = 0.2
"""Blank between two letters, in heights of the font, that ends a word."""


def words_beside(characters: Sequence[Any], bottom: float) -> list[PagePart] | None:
    """The words of a page with drop caps, these before their words; None for a page without any.

    pdf-oxide mixes up the words of the lines beside one, so they are put together from characters.
    """
    usual = median(one.font_size for one in characters)
    large = [one for one in characters if one.font_size > _LARGE * usual and one.char.isalpha()]
    bases = Counter(round(one.origin_y) for one in large)
    if not any(one.char.isupper() and bases[round(one.origin_y)] == 1 for one in large):
        return None
    cap, letters = list[PagePart](), list[PagePart]()
    for one in characters:
        is_cap = one.font_size > _LARGE * usual and not (one.char.islower() or one.char.isspace())
        (cap if is_cap else letters).append(_letter(one, bottom))
    words = [word for row in rows_of(letters) for word in _words(row)]
    for row in rows_of(cap):
        for initial in _words(row):
            _put(initial, words, usual)
    return words


def _letter(one: Any, bottom: float) -> PagePart:
    right = one.origin_x + one.advance_width
    return PagePart(one.char, one.origin_x, right, one.origin_y - bottom, one.font_size)


def _words(row: Sequence[PagePart]) -> Iterator[PagePart]:
    """The words of letters on one line: those between blanks."""
    number, before = 0, row[0]
    numbered = []
    for letter in row:
        number += letter.left - before.right > _BLANK * letter.height or letter.text.isspace()
        before = letter
        if not letter.text.isspace():
            numbered.append((number, letter))
    for _, group in groupby(numbered, lambda pair: pair[0]):
        letters = [letter for _, letter in group]
        text = "".join(letter.text for letter in letters)
        yield letters[0]._replace(text=text, right=letters[-1].right)


def _put(initial: PagePart, words: list[PagePart], usual: float) -> None:
    """Put an initial before the first word beside it that goes on with it; else among the words, as it is."""
    beside = [
        (n, word)
        for n, word in enumerate(words)
        if initial.base - 0.5 * usual < word.base < initial.base + initial.height
        and -0.2 * initial.height < word.left - initial.right < 0.5 * initial.height
    ]
    at, first = max(beside, key=lambda pair: pair[1].base, default=(0, None))
    if first is None or not (first.text[:1].islower() or first.text.isupper()):
        words.append(initial)
        return
    known = {word.text.strip(".,;:!?\"'”’").lower() for word in words if word is not first} | KNOWN
    letter, rest = initial.text[-1:].lower(), first.text.lower()
    apart = letter in KNOWN and letter + rest not in known and (rest in known or letter == "a")
    words[at] = first._replace(text=initial.text + " " * apart + first.text, left=initial.left)
