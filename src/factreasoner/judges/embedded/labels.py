"""Letters and numbers that tell things of one name apart: "Vitamin D", "Type 2", "Highway 9", "Henry IV".

They may be written otherwise: "World War II" is "World War 2", "World War Two" and "Second World War".

Under another label it is another thing: what is said of Vitamin D neither bears out nor denies what is said
of Vitamin K.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from factreasoner.judges.embedded.numbers import TIMES, UNITS_OF, Number
from factreasoner.text.lexicon import COMPARING, LABELLED, MONTHS, NUMBER_WORDS, RANKS

_NUMBER, _LETTER, _ROMAN = re.compile(r"\d+(?:\.\d+)*"), re.compile(r"[A-Z]"), re.compile(r"[IVX]+")
_DIGITS = {"I": 1, "V": 5, "X": 10}
_SPELT = {"one": "1"} | {word: f"{value:g}" for word, value in NUMBER_WORDS.items()}
_AGES = {"elder": "elder", "senior": "elder", "sr": "elder"} | {
    "younger": "younger",
    "junior": "younger",
    "jr": "younger",
}
_SHORTENED = frozenset({"no", "nr", "op", "vol", "ch", "fig"})
_JOINING = frozenset({"and", "or", "to"})
_WHERE = frozenset({"in", "at", "from", "for", "with", "on"})
_MANY = frozenset({"people", "men", "women", "children"})
_MEASURED = frozenset({*TIMES, *UNITS_OF, "calendar day", "percent", "time"})
_WRITTEN_APART, _WRITTEN_AS_ONE = frozenset({" ", "-", ""}), frozenset({"-", ""})


class Labelled(NamedTuple):
    """A label at token `place`, and the stem of the noun that it labels."""

    place: int
    noun: str
    label: str


class _Words(NamedTuple):
    """The tokens of a text as written, folded and stemmed; `gaps` are the characters before each."""

    written: Sequence[str]
    folded: Sequence[str]
    stems: Sequence[str]
    content: Sequence[bool]
    gaps: Sequence[str]

    def is_plural(self, place: int) -> bool:
        """Whether the token there may be a noun of which there are several."""
        if place >= len(self.folded) or self.gaps[place] != " ":
            return False
        return self.folded[place].endswith("s") or self.folded[place] in _MANY


def labels_in(
    written: Sequence[str],
    folded: Sequence[str],
    stems: Sequence[str],
    content: Sequence[bool],
    gaps: Sequence[str],
    numbers: Sequence[Number],
) -> Iterator[Labelled]:
    """The labels among the tokens of a text, in order."""
    words = _Words(written, folded, stems, content, gaps)
    kinds = {number.place: number.kind for number in numbers}
    last: Labelled | None = None
    for place, word in enumerate(written):
        label = _label(word) if place and (word[0].isupper() or word[0].isdigit()) else None
        ranked = _ranked(words, place)
        if ranked is not None:
            yield Labelled(place, stems[ranked], str(RANKS[folded[place]]))
        aged = _aged(words, place)
        if aged is not None:
            yield Labelled(place, stems[aged], _AGES[folded[place]])
        if label is None or kinds.get(place) in _MEASURED:
            continue
        if last is not None and _goes_on(words, last, place):
            last = Labelled(place, last.noun, label)
        elif _is_labelled(words, place) or _is_second(words, last, place):
            last = Labelled(place, stems[place - 1], label)
        else:
            continue
        yield last


def _label(word: str) -> str | None:
    """A token as a label, Roman numerals as numbers; None where it can be none."""
    if _ROMAN.fullmatch(word):
        values = [_DIGITS[sign] for sign in word]
        return str(sum(-one if one < max(values[n:]) else one for n, one in enumerate(values)))
    if _NUMBER.fullmatch(word) or _LETTER.fullmatch(word):
        return word
    return _SPELT.get(word.lower())


def _ranked(words: _Words, place: int) -> int | None:
    """The place of the noun that a capital ordinal labels: "Second World War", "Elizabeth the Second"."""
    if words.folded[place] not in RANKS or not words.written[place][0].isupper():
        return None
    last = place
    while last + 1 < len(words.written) and _is_capital(words, last + 1) and words.gaps[last + 1] == " ":
        last += 1
    if last > place:
        return last
    return _named_before(words, place)


def _named_before(words: _Words, place: int) -> int | None:
    """The place of the name before a "the" that stands before a token."""
    named = place > 1 and words.folded[place - 1] == "the" and _is_capital(words, place - 2)
    return place - 2 if named else None


def _aged(words: _Words, place: int) -> int | None:
    """The place of the name that tells father from son: "Pitt the Younger", "Pitt Jr."."""
    if words.folded[place] not in _AGES:
        return None
    if place and _is_capital(words, place - 1) and words.written[place][0].isupper():
        return place - 1
    return _named_before(words, place)


def _is_capital(words: _Words, place: int) -> bool:
    return words.content[place] and words.written[place][0].isupper()


def _goes_on(words: _Words, last: Labelled, place: int) -> bool:
    """Whether a token is one more label of the same noun: "Types 1 and 2", "Vitamins B, D and K"."""
    joined = words.folded[place - 1] in _JOINING and last.place == place - 2
    listed = words.gaps[place].strip() in (",", "/") and last.place == place - 1
    counts = words.written[place][0].isdigit() and words.is_plural(place + 1)
    return (joined or listed) and (not counts or words.folded[last.place - 1].endswith("s"))


def _is_labelled(words: _Words, place: int) -> bool:
    """Whether a token labels the word before it: a name, or a noun of which there are numbered ones."""
    noun, gap, label = words.folded[place - 1], words.gaps[place], words.written[place]
    listed = noun in LABELLED or noun.removesuffix("s") in LABELLED
    if gap == ". " and noun in _SHORTENED:
        return True
    if gap not in _WRITTEN_APART or noun in MONTHS or not noun[0].isalpha():
        return False
    if len(noun) == 1:
        # "A380" and "F-16", but no "A 380-metre tower"
        return gap in _WRITTEN_AS_ONE and words.written[place - 1].isupper() and label[0].isdigit()
    named = words.content[place - 1] and not words.written[place - 1].islower() and noun not in COMPARING
    if label[0].isdigit():
        counted = words.is_plural(place + 1) and (
            words.folded[place - 2] in _WHERE if place > 1 else noun.endswith("ly")
        )
        dashed = place + 1 < len(words.gaps) and words.gaps[place + 1] in ("-", "\u2013")
        return listed or (named and not counted and not (dashed and words.written[place + 1][0].isdigit()))
    if not listed and len(label) == 1 and _is_initial(words, place):
        return False
    signed = len(label) == 1 and not _ROMAN.fullmatch(label)
    return listed or (words.content[place - 1] if signed else named)


def _is_second(words: _Words, last: Labelled | None, place: int) -> bool:
    """Whether a figure stands behind a letter that is a label itself, and counts nothing: "Type U 27"."""
    behind = last is not None and last.place == place - 1 and len(words.folded[place - 1]) == 1
    return (
        behind
        and words.gaps[place] == " "
        and words.written[place].isdigit()
        and not words.is_plural(place + 1)
    )


def _is_initial(words: _Words, place: int) -> bool:
    """Whether a letter stands for a name between two: "John F. Kennedy", "Harry S Truman"."""
    following = words.written[place + 1][:1] if place + 1 < len(words.written) else ""
    gap = words.gaps[place + 1] if following else ""
    return words.written[place - 1][0].isupper() and gap in (" ", ". ", ".") and following.isupper()
