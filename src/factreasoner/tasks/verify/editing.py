"""Changing sentences of a text and leaving every other character where it is."""

from __future__ import annotations

import bisect
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from factreasoner.text.cutting import BLANKS
from factreasoner.text.sentences import newline_ended
from factreasoner.text.tags import MAY_STAY_OPEN, Tags, are_pair, is_whole, tag_name, without_tags

_MARKER = re.compile(
    r"[ \t>]*(?:[-*+–—·•‣◦▪▫●○■□]|\(?\d{1,3}[.)]|\(?[a-zA-Z]\)|#{1,6})?(?:[ \t]+\[[ xX]\])?[ \t]*"
)
_LINE_END = re.compile(r"[ \t]*(?:\n|\Z)")
_BLANK_LINE = re.compile(r"[ \t]*\n")
_MARK = re.compile(r"\*\*|__|(?P<light>~~|[*_])")
"""What opens or closes bold and emphasis."""
_NEW_BLOCK = re.compile(r"\n(?=[ \t]*\n|[ \t>]*(?:[-*+•]|\d{1,3}[.)]|#{1,6}|\|)[ \t])")
_NEXT = {"li": {"li"}, "dd": {"dd", "dt"}, "dt": {"dd", "dt"}}
"""Tags before which one that may stay open ends; a paragraph does before any block."""
_CELLS = ("td", "th")
_LIGHT = re.compile(
    r"(?<![\w*_~\\])(?P<mark>~~|[*_])(?=[^\s*_~])"
    r"(?:(?!\n[ \t]*\n).){1,600}?(?<=[^\s*_~])(?P=mark)(?![\w*_~])",
    re.DOTALL,
)
"""A stretch of emphasis, which one character marks, as of text struck out; an asterisk alone marks none."""
_REACH = 700


class Edit(NamedTuple):
    """`text[start:end]` becomes `after`; empty: the sentence is taken out."""

    start: int
    end: int
    after: str


class Edited(NamedTuple):
    """A text after some edits. `edits` are what was done in fact, in order, none overlapping."""

    text: str
    edits: tuple[Edit, ...]

    def placed(self) -> list[tuple[Edit, tuple[int, int]]]:
        """The edits that put something in, each with the span of it in the new text."""
        found, shift = [], 0
        for edit in self.edits:
            if edit.after:
                found.append((edit, (edit.start + shift, edit.start + shift + len(edit.after))))
            shift += len(edit.after) - (edit.end - edit.start)
        return found

    def moved(self, span: tuple[int, int]) -> tuple[int, int] | None:
        """Where a span of the text before is now; None where an edit touched it."""
        at = bisect.bisect_left([edit.end for edit in self.edits], span[0] + 1)
        if at < len(self.edits) and self.edits[at].start < span[1]:
            return None
        shift = sum(len(edit.after) - (edit.end - edit.start) for edit in self.edits[:at])
        return span[0] + shift, span[1] + shift

    def stands_for(self, span: tuple[int, int]) -> tuple[int, int]:
        """Where in the new text what a span of the text before became stands; empty where it was removed."""
        return self._now(span[0], begins=True), self._now(span[1], begins=False)

    def _now(self, place: int, *, begins: bool) -> int:
        """A place in the new text; within an edit, where what was put in begins or ends."""
        shift = 0
        for edit in self.edits:
            if edit.end <= place and (begins or edit.end < place):
                shift += len(edit.after) - (edit.end - edit.start)
            elif edit.start < place or (begins and edit.start == place):
                return edit.start + shift + (0 if begins else len(edit.after))
            else:
                break
        return place + shift


def edited(text: str, edits: Sequence[Edit]) -> Edited:
    """The text with sentences replaced and taken out.

    With a sentence go the blanks that parted it from the next one; with the last of a list item or paragraph
    its marker and lines. Bold, emphasis and tags of HTML that begin or end within it stay closed.
    """
    done: list[Edit] = []
    for edit in _cleared(newline_ended(text), sorted(edits)):
        done.append(edit._replace(start=max(edit.start, done[-1].end if done else 0)))
    pieces, at = [], 0
    for edit in done:
        pieces += [text[at : edit.start], edit.after]
        at = edit.end
    return Edited("".join([*pieces, text[at:]]), tuple(done))


def _cleared(text: str, edits: Sequence[Edit]) -> list[Edit]:
    """The edits, each removal with the blanks and lines that go with it; removals in a row as one."""
    runs: list[Edit] = []
    for edit in edits:
        if _adjoin(text, runs, edit, " \t"):
            runs[-1] = Edit(runs[-1].start, edit.end, "")
        else:
            runs.append(edit)
    found: list[Edit] = []
    lines: list[Edit] = []
    tags, read = Tags(text), without_tags(text)
    for edit in _emptied(tags, runs):
        whole = None if edit.after else _whole_lines(tags, edit)
        if whole is None:
            found.append(_replacement(tags, edit) if edit.after else _removal(tags, read, edit))
        elif _adjoin(text, lines, whole, None):
            lines[-1] = Edit(lines[-1].start, whole.end, "")
        else:
            lines.append(whole)
    said = len(text.rstrip())
    return sorted([*found, *(_without_gap(text, edit, said) for edit in lines)])


def _emptied(tags: Tags, runs: Sequence[Edit]) -> list[Edit]:
    """The edits, each removal with the tags that it would leave with nothing between them."""
    text = tags.text
    begins, ends = len(text) - len(text.lstrip()), len(text.rstrip())
    found: list[Edit] = []
    whole: list[Edit] = []
    for edit in runs:
        if edit.after or any(_stray(tags, edit.start, edit.end)):
            found.append(edit)
            continue
        wider = _with_tags(tags, edit, begins, ends)
        while _adjoin(text, whole, wider, None) and "<" in (text[wider.start], text[whole[-1].start]):
            wider = _with_tags(tags, Edit(whole.pop().start, wider.end, ""), begins, ends)
        whole.append(wider)
    return sorted([*found, *whole])


def _with_tags(tags: Tags, edit: Edit, begins: int, ends: int) -> Edit:
    """A removal with the tags around it, and the lines it ends in tags; those of cells stay in their row.

    `begins` and `ends` are where the text does, blanks aside.
    """
    while True:
        before, behind = tags.before(edit.start), tags.behind(edit.end)
        is_first = edit.start <= begins or (before is not None and before["block"] is not None)
        is_last = edit.end >= ends or (behind is not None and behind["block"] is not None)
        if before and behind and are_pair(before, behind) and tag_name(before) not in _CELLS:
            edit = Edit(before.start(), behind.end(), "")
        elif behind and tag_name(behind) == "br" and is_first:
            edit = Edit(edit.start, behind.end(), "")
        elif before and is_last and (tag_name(before) == "br" or _ends_before(tags, before, behind)):
            edit = Edit(before.start(), edit.end, "")
        else:
            return edit


def _ends_before(tags: Tags, opening: re.Match[str], behind: re.Match[str] | None) -> bool:
    """Whether a tag that nothing closes ends before the tag behind it, or with the text."""
    name = tag_name(opening)
    if opening["close"] or name not in MAY_STAY_OPEN or name in _CELLS or tags.is_closed(opening):
        return False
    if behind is None or behind["close"] or name == "p":
        return True
    return tag_name(behind) in _NEXT.get(name, {name})


def _adjoin(text: str, runs: Sequence[Edit], edit: Edit, blanks: str | None) -> bool:
    """Whether two removals follow each other with nothing but `blanks` between; None: any white space."""
    return bool(
        runs and not runs[-1].after and not edit.after and not text[runs[-1].end : edit.start].strip(blanks)
    )


class _Stray(NamedTuple):
    """Marks of a piece of text that close what is open before it, and that open what closes behind it."""

    closing: tuple[str, ...]
    opening: tuple[str, ...]


def _stray(tags: Tags, start: int, end: int) -> _Stray:
    """The marks in `text[start:end]` whose partners are outside of it, in order."""
    text = tags.text
    closing: list[str] = []
    opening: dict[int, str] = {}
    open_at: dict[str, list[int]] = {}
    roles = _light_marks(text, start, end) | _bold_marks(tags, start, end)
    for match in _marks(tags, start, end, roles):
        is_tag = match[0][0] == "<"
        name = tag_name(match) if is_tag else match[0]
        closes = match["close"] is not None if is_tag else roles[match.start()]
        if not closes:
            opening[match.start()] = match[0]
            open_at.setdefault(name, []).append(match.start())
        elif open_at.get(name):
            del opening[open_at[name].pop()]
        else:
            closing.append(match[0])
    return _Stray(tuple(closing), tuple(opening.values()))


def _marks(tags: Tags, start: int, end: int, roles: Mapping[int, bool]) -> list[re.Match[str]]:
    """Marks of bold and emphasis, and tags that are or want a partner, in `text[start:end]`, in order."""
    found = [
        tag
        for tag in tags.within(start, end)
        if not is_whole(tag) and (tag_name(tag) not in MAY_STAY_OPEN or tag["close"] or tags.is_closed(tag))
    ]
    found += [mark for mark in _MARK.finditer(tags.text, start, end) if mark.start() in roles]
    return sorted(found, key=re.Match.start)


def _light_marks(text: str, start: int, end: int) -> dict[int, bool]:
    """Where marks of emphasis stand in and around `text[start:end]`, and whether each closes."""
    found: dict[int, bool] = {}
    for match in _LIGHT.finditer(text, max(0, start - _REACH), min(len(text), end + _REACH)):
        found |= {match.start(): False, match.end() - len(match["mark"]): True}
    return found


def _bold_marks(tags: Tags, start: int, end: int) -> dict[int, bool]:
    """Where marks of bold stand in and around `text[start:end]`, and whether each closes."""
    found: dict[int, bool] = {}
    open_now = Counter[str]()
    near = max(0, start - _REACH)
    begins = max((m.end() for m in _NEW_BLOCK.finditer(tags.text, near, start)), default=near)
    for mark in _MARK.finditer(tags.text, begins, end):
        if mark["light"] or tags.holding(mark.start()):
            continue
        closes = open_now[mark[0]] > 0 and not tags.text[mark.start() - 1].isspace()
        if closes or tags.text[mark.end() : mark.end() + 1].strip():
            open_now[mark[0]] += -1 if closes else 1
            found[mark.start()] = closes
    return found


def _whole_lines(tags: Tags, edit: Edit) -> Edit | None:
    """The removal of lines that hold the sentence and its list marker alone; None for any other sentence."""
    text = tags.text
    line = text.rfind("\n", 0, edit.start) + 1
    rest = _LINE_END.match(text, edit.end)
    if rest is None or not _MARKER.fullmatch(text, line, edit.start):
        return None
    if any(_stray(tags, edit.start, edit.end)):
        return None
    return Edit(line, rest.end(), "")


def _replacement(tags: Tags, edit: Edit) -> Edit:
    """A new sentence with the marks that the old one opened or closed alone."""
    wanted = _stray(tags, edit.start, edit.end)
    own = _stray(Tags(edit.after), 0, len(edit.after))
    closing = "".join(mark for mark in wanted.closing if mark not in own.closing)
    opening = "".join(mark for mark in wanted.opening if mark not in own.opening)
    pieces = (closing, edit.after, opening) if closing and opening else (opening, edit.after, closing)
    return edit._replace(after="".join(pieces))


def _removal(tags: Tags, read: str, edit: Edit) -> Edit:
    """A sentence among others of its line taken out, with the blanks on one side of it.

    Marks that close stay behind the sentence before, those that open before the next one. `read` is the text
    without its tags, of which some end a line.
    """
    text, start, end = tags.text, edit.start, edit.end
    closing, opening = map("".join, _stray(tags, start, end))
    before = start
    while before and text[before - 1] in BLANKS:
        before -= 1
    if _LINE_END.match(read, end) is not None:
        return Edit(start if opening and not closing else before, end, closing + opening)
    while text[end : end + 1] in BLANKS:
        end += 1
    return Edit(before, end, f"{closing} {opening}") if closing else Edit(start, end, opening)


def _without_gap(text: str, edit: Edit, said: int) -> Edit:
    """Lines taken out so that no blank line stands beside another, at the beginning or at the end.

    The text ends at `said`, blanks aside.
    """
    start, end = edit.start, edit.end
    above = text[text.rfind("\n", 0, max(0, start - 1)) + 1 : start]
    if not above.strip():
        while (blank := _BLANK_LINE.match(text, end)) is not None:
            end = blank.end()
    if end < said:
        return Edit(start, end, "")
    kept = len(text[:start].rstrip())
    ended = _LINE_END.match(text, kept) if kept and text.endswith("\n") else None
    return Edit(ended.end() if ended else kept, len(text), "")
