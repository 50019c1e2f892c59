"""Edit sentences of a text without touching any other character."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from factreasoner.atoms.plain_text import BLANKS
from factreasoner.text.sentences import newline_ended

_MARKER = re.compile(
    r"[ \t>]*(?:[-*+–—·•‣◦▪▫●○■□]|\(?\d{1,3}[.)]|\(?[a-zA-Z]\)|#{1,6})?(?:[ \t]+\[[ xX]\])?[ \t]*"
)
_LINE_END = re.compile(r"[ \t]*(?:\n|\Z)")
_BLANK_LINE = re.compile(r"[ \t]*\n")
_EMPHASIS = re.compile(
    r"(?<![\w*_~\\])(?P<mark>\*\*|__|~~|[*_])(?=[^\s*_~])"
    r"(?:(?!\n[ \t]*\n|\n[ \t>]*(?:[-*+•]|\d{1,3}[.)]|#{1,6}|\|)[ \t]).){1,600}?"
    r"(?<=[^\s*_~])(?P<close>(?P=mark))(?![\w*_~])",
    re.DOTALL,
)
"""Bold, emphasised or struck-out words within a paragraph or list item."""

_REACH = 700

Pair = tuple[tuple[int, int], tuple[int, int]]
"""The spans of an opening mark and its closing mark."""


class Edit(NamedTuple):
    """`text[start:end]` becomes `after`; "" removes the sentence."""

    start: int
    end: int
    after: str


class Edited(NamedTuple):
    """A text after edits. `edits` are those applied, in order, without overlaps."""

    text: str
    edits: tuple[Edit, ...]

    def placed(self) -> list[tuple[Edit, tuple[int, int]]]:
        """The edits that insert text, each with its span in the new text."""
        return [(edit, self.replacement_span((edit.start, edit.end))) for edit in self.edits if edit.after]

    def moved(self, span: tuple[int, int]) -> tuple[int, int] | None:
        """The new position of a span of the old text; None if an edit touched it."""
        touched = any(edit.start < span[1] and span[0] < edit.end for edit in self.edits)
        return None if touched else self.replacement_span(span)

    def replacement_span(self, span: tuple[int, int]) -> tuple[int, int]:
        """The position in the new text of a span's replacement; empty if removed."""
        return self._now(span[0], begins=True), self._now(span[1], begins=False)

    def _now(self, place: int, *, begins: bool) -> int:
        """A position in the new text; within an edit, its start or end."""
        shift = 0
        for edit in self.edits:
            if edit.start > place or (edit.start == place and not begins):
                break
            if edit.end > place or (edit.end == place and not begins):
                return edit.start + shift + (0 if begins else len(edit.after))
            shift += len(edit.after) - (edit.end - edit.start)
        return place + shift


def edited(text: str, edits: Sequence[Edit]) -> Edited:
    """The text with sentences replaced and removed.

    A removed sentence takes the spaces before the next one with it; the last one of a list item or paragraph
    takes its marker and lines. Bold and emphasis that begin or end in it stay balanced.
    """
    done: list[Edit] = []
    for edit in _Editing(newline_ended(text)).cleared(sorted(edits)):
        done.append(edit._replace(start=max(edit.start, done[-1].end if done else 0)))
    pieces, at = [], 0
    for edit in done:
        pieces += [text[at : edit.start], edit.after]
        at = edit.end
    return Edited("".join([*pieces, text[at:]]), tuple(done))


class _Editing:
    """A text with its emphasis marks, for editing."""

    def __init__(self, text: str) -> None:
        self._text = text

    def cleared(self, edits: Sequence[Edit]) -> list[Edit]:
        """The edits, with the spaces and lines of each removal."""
        found: list[Edit] = []
        lines: list[Edit] = []
        for edit in self._joined(edits, " \t"):
            if edit.after:
                found.append(self._replacement(edit))
            elif (whole := self._whole_lines(edit)) is not None:
                lines.append(whole)
            else:
                found.append(self._removal(edit))
        return sorted([*found, *map(self._without_gap, self._joined(lines))])

    def _joined(self, edits: Sequence[Edit], blanks: str | None = None) -> list[Edit]:
        """The edits, with removals joined that only `blanks` separate; None: any white space."""
        found: list[Edit] = []
        for edit in edits:
            removals = found and not (found[-1].after or edit.after)
            if removals and not self._text[found[-1].end : edit.start].strip(blanks):
                found[-1] = Edit(found[-1].start, edit.end, "")
            else:
                found.append(edit)
        return found

    def _stray(self, edit: Edit) -> tuple[list[str], list[str]]:
        """Marks in a sentence that close earlier emphasis, and those that open later."""
        within = range(edit.start, edit.end)
        pairs = list(self._emphasised(edit))
        closing = [close for start, close in pairs if close[0] in within and start[0] not in within]
        opening = [start for start, close in pairs if start[0] in within and close[0] not in within]
        quoted = [[self._text[slice(*span)] for span in sorted(spans)] for spans in (closing, opening)]
        return quoted[0], quoted[1]

    def _emphasised(self, edit: Edit) -> Iterator[Pair]:
        """Marks of bold and emphasis in and around a sentence."""
        near = max(0, edit.start - _REACH), min(len(self._text), edit.end + _REACH)
        for match in _EMPHASIS.finditer(self._text, *near):
            yield match.span("mark"), match.span("close")

    def _whole_lines(self, edit: Edit) -> Edit | None:
        """The removal of lines with only the sentence and its list marker; None for other sentences."""
        line = self._text.rfind("\n", 0, edit.start) + 1
        rest = _LINE_END.match(self._text, edit.end)
        alone = rest is not None and _MARKER.fullmatch(self._text, line, edit.start)
        return Edit(line, rest.end(), "") if rest and alone and not any(self._stray(edit)) else None

    def _replacement(self, edit: Edit) -> Edit:
        """A new sentence with the unbalanced marks of the old one."""
        closing, opening = (
            "".join(mark for mark in marks if edit.after.count(mark) % 2 == 0) for marks in self._stray(edit)
        )
        pieces = (closing, edit.after, opening) if closing and opening else (opening, edit.after, closing)
        return edit._replace(after="".join(pieces))

    def _removal(self, edit: Edit) -> Edit:
        """The removal of a sentence among others on its line, with the spaces on one side.

        Closing marks stay after the sentence before, opening marks before the next one.
        """
        start, end = edit.start, edit.end
        closing, opening = map("".join, self._stray(edit))
        before = start
        while before and self._text[before - 1] in BLANKS:
            before -= 1
        if _LINE_END.match(self._text, end) is not None:
            return Edit(start if opening and not closing else before, end, closing + opening)
        while self._text[end : end + 1] in BLANKS:
            end += 1
        return Edit(before, end, f"{closing} {opening}") if closing else Edit(start, end, opening)

    def _without_gap(self, edit: Edit) -> Edit:
        """The removal of lines, with blank lines that would be doubled, or left at an end."""
        text, start, end = self._text, edit.start, edit.end
        above = text[text.rfind("\n", 0, max(0, start - 1)) + 1 : start]
        if not above.strip():
            while (blank := _BLANK_LINE.match(text, end)) is not None:
                end = blank.end()
        if text[end:].strip():
            return Edit(start, end, "")
        kept = len(text[:start].rstrip())
        ended = _LINE_END.match(text, kept) if kept and text.endswith("\n") else None
        return Edit(ended.end() if ended else kept, len(text), "")
