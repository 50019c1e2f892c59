"""The lines of a text, and their kinds."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from factreasoner.text.citation_marks import NOTE, NUMBERED, RAISED
from factreasoner.text.language import SENTENCES

BlockKind = Literal["prose", "item", "heading", "table", "code", "note"]


@dataclass(eq=False, slots=True)
class TextLine:
    """A line with words at `text[start:end]`, after the marker of an item, heading or footnote.

    `words` is the position of the marker, after indent and quotation marks, whose number is `quoted`.
    `apart`: a blank line or rule precedes it. `within`: its number belongs to the sentence of the line
    before. A fenced code block is one line.
    """

    begin: int
    words: int
    start: int
    end: int
    kind: BlockKind
    marker: str
    quoted: int
    apart: bool = False
    bold: bool = False
    within: bool = False


_QUOTED = re.compile(r"[\s>]*+")
_MARKER = re.compile(
    rf"(?: (?P<note>{NOTE}) | (?P<raised>[{RAISED}]{{1,3}})(?=\s|[^\W\d_]{{2}})"
    r"""
      | (?P<heading>\#{1,6})(?=\s)
      | (?P<item>
          [-*+–—·](?:\s++\[[ xX]\])?(?=\s)
        | [•‣◦▪▫●○■□]
        | -(?=[^\W\d_])
        | \(?\d{1,3}[.)](?=\s|[^\W\d_])
        | \(?(?:[a-zA-Z]|[ivx]{2,4})\)(?=\s)
        | (?:[a-z]|[ivx]{2,4})\.(?=\s)
        | [\d一二三四五六七八九十]{1,3}、
        )
    )\s*+""",
    re.VERBOSE,
)
_UNDERLINE = re.compile(r"[\s>]*(?:=+|-+)")
_RULE = re.compile(r"[\s>]*(?:[-=_*~|:+]\s*)+")
_COLUMNS = re.compile(r"\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*")
"""The rule below a table header without a bar at the start of its rows."""
_RAISED = re.compile(rf"(?<=[^\s{RAISED}])[{RAISED}]{{1,3}}(?![{RAISED}])")
_FENCE = re.compile(r"[\s>]*+(?P<fence>`{3,}(?=[^`\n]*\Z)|~{3,})")
_ORDERS = {
    family: {name: n for n, name in enumerate(names.split(), 1)}
    for family, names in {
        "letters": "a b c d e f g h i j k l m n o p q r s t u v w x y z",
        "roman": "i ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi xvii xviii xix xx",
        "chinese": "一 二 三 四 五 六 七 八 九 十 十一 十二 十三 十四 十五 十六 十七 十八 十九 二十",
    }.items()
}
_NUMBERED = re.compile(r"(?<![.!?]\s)(?<!\S)\(?(\w{1,5})\.\Z")
_RATIO = re.compile(r"\d{1,2}:")
_WORD = re.compile(r"\w+")
_SENTENCE = re.compile(r"(?:[^\W\d_]{4}|\d)[.!?] (?=[^\W\d_a-z])")
_MANY = 10
CITED_HERE = "\u200b"
"""Replaces a citation that was removed beside a stop: the sentence ends there."""
_CLOSED = rf"""(?:["'”’»)\]*_`」』】）{CITED_HERE}]|[ ]?{NUMBERED}|[{RAISED}])*\Z"""
STOPPED = re.compile(rf"[.!?…。！？।॥؟۔။።។։᠃\u037e|]{_CLOSED}")
_PAUSED = re.compile(rf"[:：]{_CLOSED}")
_LISTED = re.compile(rf"[;；]{_CLOSED}")
_SHORTENED = re.compile(rf"(?:^|[\s(])(?P<word>[^\W\d_]|\d{{1,2}}|[^\W\d_][^\s({CITED_HERE}]{{0,12}})\.\Z")
_SHORT = frozenset().union(*(SENTENCES[kind] for kind in ("always_continue", "before_number", "may_end")))
_LOOK_BACK = 60
_BOLD_LINE = re.compile(r"(\*\*|__)[^*_]{1,120}\1:?")


@lru_cache(maxsize=64)
def lines(text: str) -> list[TextLine]:
    """The non-empty lines of `text`, in order; a fence is one."""
    found: list[TextLine] = []
    fence, fenced, apart, position = "", 0, False, 0
    raised = frozenset(_RAISED.findall(text))
    for raw in text.splitlines(keepends=True):
        start, position = position, position + len(raw)
        end = start + len(raw.rstrip())
        opened, depth = _FENCE.match(text[start:end]), raw[: len(raw) - len(raw.lstrip("> \t"))].count(">")
        fence = fence if depth >= fenced else ""
        if fence:
            found[-1].end = end if raw.strip() else found[-1].end
            closes = opened and opened["fence"].startswith(fence) and opened.end() == end - start
            fence = "" if closes and depth == fenced else fence
        elif opened:
            fence, fenced, at = opened["fence"], depth, start + opened.start("fence")
            found.append(TextLine(start, at, at, end, "code", "", depth, apart))
            apart = False
        elif _RULE.fullmatch(text, start, end) or not (line := _line(text, start, end, raised)):
            columns = "|" in raw and _COLUMNS.fullmatch(text, start, end)
            if found and not apart and columns and "|" in text[found[-1].start : found[-1].end]:
                found[-1].kind, found[-1].start = "table", found[-1].words
            elif found and not apart and _UNDERLINE.fullmatch(text, start, end) and _is_title(text, found):
                found[-1].kind = "heading"
            apart = True
        else:
            line.apart = apart
            above = found[-1].kind if found else ""
            between = text[found[-1].end if found else 0 : start].splitlines()[1:]
            if above == "table" and "|" in raw and all(map(str.strip, between)):
                line.kind, line.start = "table", line.words
            elif above == "note" and re.match(r"\t|\s{4}" if apart else r"\t|\s{2}", raw):
                line.kind = "note"
            found.append(line)
            apart = False
    _Numbers(text, found).part()
    return found


def _is_title(text: str, found: Sequence[TextLine]) -> bool:
    """Whether a rule below makes the last line a heading: a single line, not a sentence."""
    line, alone = found[-1], found[-1].apart or len(found) == 1 or found[-2].kind == "heading"
    return line.kind == "prose" and alone and line_end(text, line, listed=True) == "open"


def _line(text: str, start: int, end: int, raised: frozenset[str]) -> TextLine | None:
    """The line at text[start:end]; None if empty.

    One that begins with one of the digits `raised`, which follow other words, is a footnote.
    """
    quoted = _QUOTED.match(text, start, end)
    words = quoted.end() if quoted else start
    marker = _MARKER.match(text, words, end)
    marker = None if marker and marker["raised"] and marker["raised"] not in raised else marker
    at = marker.end() if marker else words
    if at >= end:
        return None
    depth = text.count(">", start, words)
    kind: BlockKind = "prose"
    if marker:
        kind = "heading" if marker["heading"] else "note" if marker["note"] or marker["raised"] else "item"
        return TextLine(start, words, at, end, kind, marker[0].strip(), depth)
    bold = _BOLD_LINE.fullmatch(text, at, end) is not None
    row = text[at] == "|" and "|" in text[at + 1 : end]
    kind = "table" if row else "heading" if bold else "prose"
    return TextLine(start, words, at, end, kind, "", depth, bold=bold)


def line_end(text: str, line: TextLine, *, listed: bool) -> Literal["stop", "pause", "open"]:
    """Whether a line ends with a stop, with a colon, or within a sentence.

    `listed`: an item follows, so that a semicolon counts as a colon.
    """
    wording = text[max(line.start, line.end - _LOOK_BACK) : line.end]
    if _PAUSED.search(wording) or (listed and _LISTED.search(wording)):
        return "pause"
    short = _SHORTENED.search(wording)
    if short and (len(word := short["word"]) < 3 or {word, word.lower()} & _SHORT):
        return "open"
    return "stop" if STOPPED.search(wording) else "open"


def is_cut(text: str, line: TextLine, *, before_number: bool = False) -> bool:
    """Whether a line ends with a word that can't end a sentence, such as "the", or in parentheses.

    `before_number`: a number follows, so that "was" and "part" do not end one either.
    """
    wording = text[line.start : line.end]
    last = wording.rsplit(maxsplit=1)[-1]
    if last in SENTENCES["never_last"] or wording.rfind("(") > wording.rfind(")"):
        return True
    return before_number and (
        last.lower() in SENTENCES["before_a_number"] or _RATIO.fullmatch(last) is not None
    )


class _Numbers:
    """Numbers and letters that may mark list items, each with its values.

    A line whose number belongs to no list is not an item: "The dose should be⏎40. Children get half."
    """

    def __init__(self, text: str, found: Sequence[TextLine]) -> None:
        self._text, self._found = text, found
        self._values = {i: values for i, line in enumerate(found) if (values := _values(line))}
        self._following: dict[int, int] = {}
        """The next item of the list that a line begins or goes on with."""
        self._repeated: set[int] = set()
        """Lines whose number comes again before the next number of its list."""
        self._behind_cut: set[int] = set()
        """Items of a list behind lines that end as if within a sentence."""
        nearest: dict[tuple[str, int, int], int] = {}
        for i, values in reversed(self._values.items()):
            for family, indent, value in values:
                first, again, after, before = (
                    nearest.get((family, indent, number), len(found))
                    for number in (1, value, value + 1, value - 1)
                )
                if min(after, again) == after < len(found):
                    self._following[i] = after
                elif value > 2 and before < min(again, first):
                    self._following[i] = before
                if again < min(after, first):
                    self._repeated.add(i)
            nearest.update(dict.fromkeys(values, i))

    def part(self) -> None:
        """Turn each line without a list into prose."""
        last: dict[tuple[str, int], int] = {}
        apart = False
        for i, line in enumerate(self._found):
            apart = apart or (line.kind == "prose" and line.apart)
            if not (values := self._values.get(i)):
                continue
            steps = {value - last.get((family, indent), value - 9) for family, indent, value in values}
            known = not {family for family, *_ in values}.isdisjoint(family for family, _ in last)
            if self._is_item(i, steps, known=known, apart=apart):
                apart = False
                last.update({(family, indent): value for family, indent, value in values})
            else:
                open_end = self._end_before(i) != "stop"
                line.within = open_end and (self._is_cut(i, loosely=True) or not self._is_first(i))
                line.kind = "note" if line.kind == "note" else "prose"
                line.marker, line.start = "", line.words

    def _is_item(self, i: int, steps: Set[int], *, known: bool, apart: bool) -> bool:
        """Whether the number of a line is an item's.

        `steps`: its difference from the number before it. `known`: numbered items precede. `apart`: a
        paragraph is between.
        """
        line, end = self._found[i], self._end_before(i)
        starts, first, follows = i in self._following, self._is_first(i), not steps.isdisjoint({1, -1})
        begins = starts and first and not self._are_alike(i, self._following[i])
        if self._is_cut(i):
            listed = begins or (follows and (starts or i - 1 in self._behind_cut))
            self._behind_cut.update({i} if listed else ())
            return listed
        if self._is_cut(i, loosely=True):
            return (follows and not apart) or begins
        if follows and not (end == "open" and i in self._repeated):
            return True
        if starts or first:
            item_above = i > 0 and self._found[i - 1].kind == "item"
            return starts or end != "open" or item_above
        word = _WORD.match(self._text, line.start, line.end)
        if end == "open" or (word and word[0] in SENTENCES["numbered_nouns"]):
            return False
        return known or (not self._is_beside(i) and any(value < _MANY for *_, value in self._values[i]))

    def _are_alike(self, i: int, following: int) -> bool:
        """Whether two items follow the same word, or the second follows a cut line."""
        lines = [self._found[n - 1] for n in (i, following) if n]
        last = {self._text[line.start : line.end].rsplit(maxsplit=1)[-1] for line in lines}
        return self._is_cut(following) or (len(lines) > len(last))

    def _is_first(self, i: int) -> bool:
        return any(value < 2 for *_, value in self._values[i])

    def _before(self, i: int) -> TextLine | None:
        """The line before, if a sentence may continue from it."""
        line = self._found[i - 1] if i else None
        return line if line and line.kind in ("prose", "item", "note") else None

    def _is_beside(self, i: int) -> bool:
        before, line = self._before(i), self._found[i]
        return before is not None and not line.apart and line.quoted == before.quoted

    def _end_before(self, i: int) -> Literal["stop", "pause", "open"]:
        return line_end(self._text, self._found[i - 1], listed=True) if self._is_beside(i) else "stop"

    def _is_cut(self, i: int, *, loosely: bool = False) -> bool:
        """Whether the line before ends within a sentence.

        `loosely`: also if its last word is often followed by a number.
        """
        before = self._before(i)
        if before is None:
            return False
        last = _NUMBERED.search(self._text, max(before.start, before.end - _LOOK_BACK), before.end)
        if last and last[1].lower() in SENTENCES["before_number"]:
            return True
        longer_words = _SENTENCE.search(self._text, before.start, before.end) is not None
        return is_cut(self._text, before, before_number=loosely) or (
            longer_words and self._end_before(i) == "open"
        )


def _values(line: TextLine) -> list[tuple[str, int, int]]:
    """The possible values of an item's number or letter, with its family and indent."""
    marker = line.marker.strip("().、").lower() if line.kind in ("item", "note") else ""
    indent = (line.words - line.begin) // 2  # Numbers may be flush right.
    if marker.isdecimal():
        return [("digits", indent, int(marker))]
    return [(family, indent, known[marker]) for family, known in _ORDERS.items() if marker in known]
