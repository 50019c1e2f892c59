"""An answer beside its corrected text, with what differs marked word by word."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Any

from factreasoner.tasks.verify.result import VerifyResult

MOST_WORDS = 4_000
"""Words and blanks that are compared one by one; longer texts are compared by lines and sentences."""
ENDS = ".!?…。！？"
"""Characters that end a sentence."""
_WORD = re.compile(r"\s+|\S+")
_SENTENCE = re.compile(r"\s+|\S.*?(?:[.!?](?=\s)|\n|$)", re.DOTALL)
Piece = tuple[str, str]


def corrected(result: VerifyResult) -> dict[str, Any] | None:
    """Both texts in pieces [kind, text], kind being same, del or ins, and why each sentence was changed."""
    if result.corrected is None:
        return None
    before, after = _differences(result.response, result.corrected)
    return {
        "before": before,
        "after": after,
        "changes": [
            {"before": change.before, "after": change.after, "why": list(change.why)}
            for change in result.changes
        ],
    }


def _differences(one: str, other: str) -> tuple[list[Piece], list[Piece]]:
    parts = [_WORD.findall(one), _WORD.findall(other)]
    if max(map(len, parts)) > MOST_WORDS:
        parts = [_SENTENCE.findall(one), _SENTENCE.findall(other)]
    before: list[Piece] = []
    after: list[Piece] = []
    for same, old, new in _runs(*parts):
        if same:
            before.append(("same", old))
            after.append(("same", new))
        else:
            before += [("del", old)] * bool(old)
            after += [("ins", new)] * bool(new)
    return before, after


def _stretches(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[bool, str, str]]:
    """Likewise, as the comparison finds them; what was removed or added is whole sentences if it can be."""
    opcodes = _opcodes(old, new)
    slid = 0
    for place, (same, a, b, c, d) in enumerate(opcodes):
        before, slid = slid, 0
        if not same:
            yield False, "".join(old[a + before : b + before]), "".join(new[c + before : d + before])
            slid = before
            continue
        if place + 2 < len(opcodes):
            (_, first, last, other, end), (_, start, stop, _, _) = opcodes[place + 1 : place + 3]
            room = (b - a - before, stop - start)
            if other == end:
                slid = _slide(old, first, last, room)
            elif first == last:
                slid = _slide(new, other, end, room)
        yield True, "".join(old[a + before : b + slid]), "".join(new[c + before : d + slid])


def _opcodes(old: Sequence[str], new: Sequence[str]) -> list[tuple[bool, int, int, int, int]]:
    """Whether old[a:b] and new[c:d] are the same, with all four; the last ones are, and may be empty."""
    shortest = min(len(old), len(new))
    begin = next((n for n in range(shortest) if old[n] != new[n]), shortest)
    end = next((n for n in range(shortest - begin) if old[-1 - n] != new[-1 - n]), shortest - begin)
    one, other = old[begin : len(old) - end], new[begin : len(new) - end]
    # Frequent words are only looked for where there are few of them: in long texts that takes minutes.
    matcher = SequenceMatcher(None, one, other, autojunk=max(len(one), len(other)) > MOST_WORDS)
    between = [
        (tag == "equal", a + begin, b + begin, c + begin, d + begin)
        for tag, a, b, c, d in matcher.get_opcodes()
    ]
    last = (True, len(old) - end, len(old), len(new) - end, len(new))
    return [(True, 0, begin, 0, begin), *between, last]


def _slide(tokens: Sequence[str], start: int, end: int, room: tuple[int, int]) -> int:
    """By how much tokens[start:end] may move, as the text reads the same, to begin where a sentence does.

    `room` is how many tokens before it and behind it are the same in both texts.
    """
    left = 0
    while left < min(room[0], start) and tokens[start - 1 - left] == tokens[end - 1 - left]:
        left += 1
    right = 0
    while right < room[1] and tokens[start + right] == tokens[end + right]:
        right += 1
    found = (shift for shift in range(-left, right + 1) if _begins(tokens, start + shift))
    return min(found, key=abs, default=0)


def _begins(tokens: Sequence[str], place: int) -> bool:
    """Whether a sentence or a line begins there."""
    if place == 0:
        return True
    blank = tokens[place - 1]
    return blank.isspace() and ("\n" in blank or tokens[place - 2][-1] in ENDS if place > 1 else True)


def _runs(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[bool, str, str]]:
    """Stretches of both texts that are the same, or not; mere blanks between changes belong to them."""
    changed: tuple[str, str] | None = None
    held = ""
    for same, here, there in _stretches(old, new):
        if not here and not there:
            continue
        if not same:
            first, second = changed or ("", "")
            changed = first + held + here, second + held + there
            held = ""
        elif changed is not None and here.isspace():
            held = here
        else:
            if changed is not None:
                yield (False, *changed)
                changed = None
            yield True, held + here, held + there
            held = ""
    if changed is not None:
        yield (False, *changed)
    if held:
        yield True, held, held
