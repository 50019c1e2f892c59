"""Wrapped lines: which line breaks an editor inserted within sentences."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import groupby, pairwise

from factreasoner.text.language import SENTENCES
from factreasoner.text.lines import STOPPED, TextLine, is_cut, line_end, lines
from factreasoner.text.tags import UNSEEN, without_tags

_LABELLED = re.compile(r"[^\W\d_][^.:;!?\n]{0,40}[:：]\s")
_GOES_ON = "(,;"
_BLANKLESS = "\u3001-\u30ff\u3400-\u9fff\uf900-\ufaff\uff01-\uff65"
"""Chinese and Japanese, where a line may break after any letter."""
_FIRST_WORD = re.compile(rf"[{_BLANKLESS}][、。，．：；！？」』）】〉》］]*|[^\s{_BLANKLESS}]+")
_BLANKLESS_LETTER = re.compile(rf"[{_BLANKLESS}]")
_HYPHENATED = re.compile(r"[^\W\d_]-\Z")
_ALONE = frozenset({"and", "or", "to", "und", "oder", "bis", "et", "ou", "y", "o", "e", "en", "och", "og"})
_LEAST_WIDTH, _MOST_WIDTH = 20, 120
_LOOK_BACK = 60


@lru_cache(maxsize=64)
def displayed(text: str) -> str:
    """The text as displayed, without tags, one line per paragraph; positions unchanged."""
    return unwrapped(without_tags(text))


def unwrapped(text: str, places: Sequence[int] | None = None) -> str:
    """The text with spaces in place of line breaks within sentences, positions unchanged.

    Such a break comes where the next word would not fit in the paragraph's longest line. `places` gives the
    original position of each character, to measure lines before cuts.
    """
    if "\n" not in text.strip() and len(text.splitlines()) < 2:
        return text
    pieces, at = [], 0
    for line, following in _Wraps(text, places or range(len(text))).found():
        pieces += [text[at : line.end], _break_replacement(text, line, following)]
        at = following.words
    return "".join([*pieces, text[at:]])


def _break_replacement(text: str, line: TextLine, following: TextLine) -> str:
    """The replacement of a break: nothing after a hyphen, and between letters without spaces."""
    width, before = following.words - line.end, text[max(0, line.end - _LOOK_BACK) : line.end]
    beside = before[-1] + text[following.words]
    blankless = _BLANKLESS_LETTER.search(beside) or (beside.isdigit() and _BLANKLESS_LETTER.search(before))
    if blankless and not (STOPPED.search(before) or before.endswith("```")):
        return UNSEEN * width
    word = re.match(r"[\w-]*", text[following.words : following.words + _LOOK_BACK])
    if _HYPHENATED.search(before) and word and word[0][:1].isalpha() and word[0] not in _ALONE:
        return UNSEEN * width
    return " " * width


class _Wraps:
    """Finds lines that continue the line before."""

    def __init__(self, text: str, places: Sequence[int]) -> None:
        self.text = text
        self._places = places
        runs: list[list[TextLine]] = []
        for line in lines(text):
            if not runs or line.apart or "code" in (line.kind, runs[-1][-1].kind):
                runs.append([])
            runs[-1].append(line)
        self._runs = [_LineRun(self, run) for run in runs]
        self._widest = max((run.width for run in self._runs if run.is_model), default=0)

    def found(self) -> Iterator[tuple[TextLine, TextLine]]:
        """Each wrapped line, with the line that continues it."""
        for run in self._runs:
            yield from run.joined(self._widest)

    def width(self, line: TextLine) -> int:
        """The width of a line, without trailing spaces."""
        end = self.text.find("\n", line.end)
        if end < 0:
            return self._places[line.end - 1] - self._places[line.begin] + 1
        return self._places[end] - self._places[line.begin] - (end - line.end)

    def first_word(self, line: TextLine) -> str:
        """The word that would have to fit on the line before."""
        word = _FIRST_WORD.match(self.text, line.words, line.end)
        return word[0] if word else ""

    def is_long(self, line: TextLine) -> bool:
        """Whether a line has several words, so that one long word does not set its width."""
        wording = self.text[line.start : line.end]
        return line.kind in ("prose", "item", "note") and (
            " " in wording or "\u3001" <= wording[0] <= "\uff65"
        )

    def columns(self, line: TextLine) -> int:
        """The extra columns of a line beyond its letters: some are two columns wide."""
        return _wide(self.text[line.begin : line.end])

    def is_labelled(self, line: TextLine) -> bool:
        """Whether a line begins with a label and a colon."""
        return _LABELLED.match(self.text, line.start, line.end) is not None

    def is_broken(self, line: TextLine, following: TextLine) -> bool:
        """Whether two spaces end a line, a hard break in Markdown."""
        return self.text[line.end : following.begin].startswith("  ")


def _wide(text: str) -> int:
    return 0 if text.isascii() else sum(unicodedata.east_asian_width(letter) in "WF" for letter in text)


class _Break:
    """The border between two consecutive lines."""

    def __init__(self, wraps: _Wraps, line: TextLine, following: TextLine) -> None:
        self.line, self.following = line, following
        self.doubtful = bool(following.marker) or following.bold
        self.ends = line_end(wraps.text, line, listed=self.doubtful)
        first, begins = wraps.first_word(following), wraps.text[following.words]
        self.lower = not following.marker and (
            begins.islower() or is_cut(wraps.text, line, before_number=first.lstrip("*_")[:1].isdigit())
        )
        self.upper = begins.isupper()
        self.starts = first.rstrip(",") in SENTENCES["starters"]
        self.goes_on = following.within or (self.ends == "open" and (self.lower or begins in _GOES_ON))
        self.widths = (wraps.width(line), wraps.width(line) + wraps.columns(line))
        self.needed = [
            had + 1 + size
            for had, size in zip(self.widths, (len(first), len(first) + _wide(first)), strict=True)
        ]
        same_kind = line.kind in ("prose", "item", "note") or line.bold
        other = following.kind in ("table", "code") or (following.kind == "heading" and not following.bold)
        self.possible = same_kind and not other and following.quoted <= line.quoted
        self.parted = wraps.is_broken(line, following)
        self.labelled = wraps.is_labelled(following) and not self.lower
        self.kind = "label" if self.labelled and not following.marker else _sign(following)
        self.is_plain = self.ends == "open" and not self.doubtful
        self.comma = wraps.text[line.end - 1] in ",;"

    def is_full(self, widths: tuple[int, int]) -> bool:
        """Whether the next word does not fit in a line of this width, in letters or columns."""
        return any(needed > width for needed, width in zip(self.needed, widths, strict=True))


class _LineRun:
    """Lines without a blank line or rule between them."""

    def __init__(self, wraps: _Wraps, run: Sequence[TextLine]) -> None:
        self._wraps = wraps
        self._breaks = [_Break(wraps, *two) for two in pairwise(run)]
        self._has_labels = sum(wraps.is_labelled(line) for line in run) > 1
        cases = [wraps.text[line.start].isupper() for line in run if line.marker == run[0].marker]
        self._listed = {_sign(run[0])} if 2 * len(cases) > len(run) and len(set(cases)) == 1 else set()
        """The sign that most lines begin with, as the first does, before a capital or not: it marks items."""
        long = [line for line in run if wraps.is_long(line)]
        self.width = max((wraps.width(line) for line in long), default=0)
        self._columns = max((wraps.width(line) + wraps.columns(line) for line in long), default=0)
        full = [each for each in self._breaks if each.possible and each.is_full(self._widths())]
        self.is_wrapped = any(each.lower and each.ends == "open" for each in full)
        """Whether a full line ends within a sentence, as the small letter behind it shows."""
        self.is_model = self.is_wrapped and len(full) > 1
        """Whether the other lines of the text may be as wide."""

    def _widths(self) -> tuple[int, int]:
        return self.width, self._columns

    def joined(self, widest: int) -> Iterator[tuple[TextLine, TextLine]]:
        """The lines that continue the one before; `widest` is the width of other wrapped lines, or 0."""
        if not self.is_wrapped and widest > self.width:
            self.width, self._columns = widest, max(widest, self._columns)
        sure = self.is_wrapped or widest > 0
        full = [each.possible and each.is_full(self._widths()) for each in self._breaks]
        plain = [each for each, is_full in zip(self._breaks, full, strict=True) if is_full and each.is_plain]
        if not sure and not plain:
            full = [is_full and not each.doubtful for each, is_full in zip(self._breaks, full, strict=True)]
        pairs = list(zip(full, self._breaks, strict=True))
        firm = {each.kind for is_full, each in pairs if not (is_full and each.ends == "open")} | self._listed
        goes_on = False
        for continues, group in groupby(pairs, key=lambda pair: pair[0] or pair[1].goes_on):
            paragraph = list(group)
            wrapped = continues and (sure or self._reads_as_prose([each for _, each in paragraph], full))
            for is_full, each in paragraph:
                goes_on = (goes_on or not each.line.bold) and self._goes_on(
                    each, firm, wrapped and is_full, sure
                )
                if goes_on:
                    yield each.line, each.following

    def _goes_on(self, each: _Break, firm: set[str], wrapped: bool, sure: bool) -> bool:
        """Whether a line continues the one before."""
        labels = "label" in firm or (self._has_labels and not sure)
        if each.parted or not each.possible or (each.labelled and labels):
            return False
        if each.doubtful:
            return each.kind != "number" and wrapped and each.ends == "open" and each.kind not in firm - {""}
        if each.goes_on:
            return True
        if each.ends == "pause" or (each.ends == "open" and each.starts):
            return wrapped and sure
        return wrapped

    def _reads_as_prose(self, paragraph: Sequence[_Break], full: Sequence[bool]) -> bool:
        """Whether lines are one paragraph without lower-case evidence: not an address or verse.

        They have a typical wrapping width, the last one ends with a stop, another one does not, and only the
        first may be short.
        """
        opened = [each for each in paragraph if each.ends == "open"]
        early = [
            each
            for each, is_full in zip(self._breaks[1:], full[1:], strict=True)
            if each.ends == "open" and each.possible and not (is_full or each.goes_on or each.doubtful)
        ]
        if not opened or early or self._columns < _LEAST_WIDTH or self.width > _MOST_WIDTH:
            return False
        verse = len(opened) > 1 and all(each.upper for each in opened) and any(each.comma for each in opened)
        return not verse and line_end(self._wraps.text, paragraph[-1].following, listed=False) == "stop"


def _sign(line: TextLine) -> str:
    """The bullet that marks a line, or "number"."""
    return "number" if any(map(str.isalnum, line.marker)) else line.marker
