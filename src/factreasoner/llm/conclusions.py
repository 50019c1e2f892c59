"""Which allowed value a text answers with, where a model may think aloud before it or go on behind it.

Differing answers are none, and neither is one that the text takes back: the model is asked again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from factreasoner.llm.responses import named_by
from factreasoner.text.reasoning import blanked_reasoning

RETRACTION = re.compile(
    r"(?:\A|[.!?…:\n*—–-])\W{0,8}(?:but |oh,? |so |and )?(?:wait|hold on|h+m+|no,|oops|actually"
    r"|correction|sorry|on (?:second|closer|further|re)\W?\w+|scratch that"
    r"|let me (?:re|double|think|check|look|correct))\b"
    r"|\b(?:my mistake|i was wrong|i made an? |at first glance|i (?:must|need to|should) correct|reconsider)",
    re.IGNORECASE,
)
"""What follows a first thought, or says that it was one."""
FINAL = re.compile(
    r"^[^\w\n]*(?:here (?:is|are) )?(?:the |my )?"
    r"(?:final|corrected|revised|updated|improved|answer|output)\b",
    re.IGNORECASE | re.MULTILINE,
)
"""Begins a line that announces what replaces all above."""
_LABEL = (
    r"(?<!\w)(?<!draft )(?<!initial )(?<!first )(?<!tentative )(?<!possible )(?<!previous )(?<!wrong )"
    r"(?:answer|verdict|conclusion|decision|judge?ment|response|output|result|final|label)\b"
)
_ANSWER_TAG = re.compile(r"<(?:final_?)?answer>", re.IGNORECASE)
_VISIBLE = re.compile(r"\S")
_NEGATED = re.compile(
    r"(?:\bnot|n[’']t|\bnever|\bnor|\bthan|\bcannot be|\bneither)(?:\s+\w+)?\W*\Z", re.IGNORECASE
)
_LINKED = re.compile(
    r"(?:\b(?:is|are|was|were|be|been|as|to|so|thus|hence|therefore|it|say|answer)|[’']s|[:=→>])"
    r"(?:\s+(?:actually|indeed|really|in fact|clearly|definitely))?[^\w\n]*\Z",
    re.IGNORECASE,
)


class Answer(NamedTuple):
    """An allowed value, and where the text says it."""

    value: str
    start: int


def without_drafts(text: str) -> str:
    """The text with blanks in the place of reasoning, and "answer:" in that of `<answer>`."""
    left = blanked_reasoning(text)
    for tag in _ANSWER_TAG.finditer(text):
        begin = _VISIBLE.search(text, tag.end())
        if begin and left[begin.start()] == begin[0]:
            left = f"{left[: tag.start()]}{'answer:'.ljust(len(tag[0]))}{left[tag.end() :]}"
    return left


def answer_in(text: str, allowed: Sequence[str]) -> Answer | None:
    """The one allowed value that `text` answers with; None if there is none, or several.

    It begins or ends the text, or stands behind a label ("Answer: True"). The first letters of a value will
    do where the text is a single word, or begins with at least three of them.
    """
    first = beginning(text, allowed)
    found = [*([first] if first else []), *_declared(text, allowed)]
    if not found or len({answer.value for answer in found}) > 1:
        return None
    last = max(found, key=lambda answer: answer.start)
    end = min(answer.start for answer in found) + len(last.value)
    return None if not last.value or is_taken_back(text, last.value, end, allowed) else last


def is_taken_back(text: str, value: str, end: int, allowed: Sequence[str]) -> bool:
    """Whether the text behind `end` says something other than `value`, or that this was a first thought."""
    if re.match(r"[^\w\n]*\?", text[end:]) or RETRACTION.search(text, end):
        return True
    for said in _patterns(tuple(allowed))[1].finditer(text, end):
        before = text[max(0, said.start() - 40) : said.start()]
        named = next(one for one in allowed if one.casefold() == " ".join(said[0].casefold().split()))
        negated = bool(_NEGATED.search(before))
        meant = negated or said[0] in (*allowed, named.upper()) or _LINKED.search(before)
        if meant and (named == value) == negated:
            return True
    return False


def beginning(text: str, allowed: Sequence[str]) -> Answer | None:
    """The allowed value with which `text` begins, or its first letters; an empty one if another follows."""
    words = list(re.finditer(r"\w+", text))
    said = [word[0].casefold() for word in words[:20]]
    if not said:
        return None
    if len(said) == 1:
        value = named_by(said[0], allowed)
        return Answer(value, words[0].start()) if value else None
    parts = {value: value.casefold().split() for value in allowed}
    for value, whole in parts.items():
        begun = " ".join(said[: len(whole)])
        if begun == " ".join(whole) or (len(begun) >= 3 and value.casefold().startswith(begun)):
            rest = said[len(whole) :]
            others = (other == rest[: len(other)] for other in parts.values() if other != whole)
            several = rest[:1] == ["or"] or any(others)
            return Answer("" if several else value, words[0].start())
    return None


def _declared(text: str, allowed: Sequence[str]) -> Iterator[Answer]:
    """The values that stand behind a label or in a box, or alone on the last line."""
    for said in _patterns(tuple(allowed))[0].finditer(text):
        value = next(one for one in allowed if one.casefold() == " ".join(said["value"].casefold().split()))
        yield Answer(value, said.start("value"))


@lru_cache(maxsize=32)
def _patterns(allowed: tuple[str, ...]) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Declared values, and mentioned ones."""
    longest = sorted(allowed, key=len, reverse=True)
    value = "|".join(r"\s+".join(map(re.escape, one.split())) for one in longest)
    alone = rf"(?!\W*(?:or\W+)?(?:{value})\b)(?![^\w\n]*\?)"
    declared = (
        rf"(?:{_LABEL}(?:[^\w\n]|\s+is\b|\s+must be\b|\n(?=\W{{0,12}}(?:{value})[^\w\n]*$)){{1,12}}"
        rf"|\\boxed\s*\{{\s*(?:\\\w+\s*\{{\s*)?|^[^\w\n]*(?=(?:{value})\W*\Z))"
        rf"(?P<value>{value})\b{alone}"
    )
    flags = re.IGNORECASE | re.MULTILINE
    return re.compile(declared, flags), re.compile(rf"\b(?:{value})\b", flags)
