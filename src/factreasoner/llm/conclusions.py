"""The allowed value that a text answers with, though a model may think aloud around it.

Contradictory or retracted answers count as none, and the call is retried.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from factreasoner.llm.responses import matching_value
from factreasoner.text.reasoning import blanked_reasoning

_DRAFT = (
    r"(?:draft|tentative(?:ly)?|provisional(?:ly)?|preliminary|placeholder|unconfirmed|examples?|samples?|guess|not\W+final"
    r"|to\W+be\W+(?:confirmed|checked|revised)|(?:first|initial|previous|rough|wrong|old)\W+(?:\w+\W+)?"
    r"(?:answer|verdict|guess|thought|impression|version|attempt|try|output|response|draft|pass)"
    r"|entwurf|vorläufig|beispiel|brouillon|provisoire|exemple|borrador|ejemplo|bozza|provvisori[oa]|esempio"
    r"|rascunho|exemplo|voorlopig|voorbeeld|черновик|предварительно|пример"
    r"|草稿|初稿|初步|暂定|暫定|示例|例如?|下書き|仮|초안|임시|예시|مسودة|مثال)"
)
_RETRACTED = re.compile(
    rf"""
    (?:\A|[.!?…:;,\n*(（。！，—–-])\W{{0,8}}(?:
        (?:but\ |oh,?\ |so\ |and\ |please\ )?
        (?:wait|hold\ on|oops|sorry|my\ bad|never\ ?mind|on\ (?:second|closer|further|re)\W?\w+
          |(?:scratch|strike|cancel|delete|discard|forget|disregard|ignore)\ (?:that|this|it|all|everything
            |(?:the|my)\ (?:above|previous|first|last|answer))
          |i\ (?:take\ (?:that|it|this)\ back|retract|withdraw)
          |let\ me\ (?:re|double|think|check|look|correct)
          |warte|moment|korrektur|entschuldigung|attende[zs]|pardon|espera|perdón|corrección|aspetta|scusa|correzione|espere
          |correção|wacht|correctie|подожди(?:те)?|стоп|исправление|поправка|корректировка)\b
        |等等|等一下|更正|修正|不对|不對|抱歉|待って|訂正|いや|잠깐|정정|انتظر|تصحيح
        |(?:but\ )?(?:(?:this|that|it)\ (?:is|was)\ )?(?:just\ |only\ |still\ )*(?:an?\ |my\ |the\ )?{_DRAFT}
          (?:\ (?:answer|verdict))?\W*(?:[)\]）.,;!\n]|\Z)
    )
    |(?:\A|[.!?…:\n*—–-])\W{{0,8}}(?:but\ |oh,?\ |so\ |and\ )?
        (?:(?:h+m+|no,|nein,|non,|actually|correction)(?!\w)
          |(?:edit|update|erratum|version|revision)(?:\ ?\d+)?\ *:)
    |\b(?:my\ mistake|i\ was\ wrong|i\ made\ an?\ |i\ misread|at\ first\ glance|reconsider
        |i\ (?:must|need\ to|should)\ correct|not\ my\ (?:final\ )?answer
        |ich\ habe\ mich|je\ me\ trompe|mi\ sbaglio|ho\ sbagliato
        |me\ equivoqué|я\ ошиб)
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""Phrases that follow or retract a first thought."""
_ANNOUNCED = re.compile(
    rf"(?:(?:{_DRAFT}|for instance|such as|e\.g\.)(?: of \w+ \w+)?"
    r"(?:\W+(?:answer|verdict|output|response|json))?"
    r"|(?:\A|[.!?\n])\W*not|\b(?:answer|verdict|it|this|that|output|response|i)"
    r"(?: (?:is|was|can?|could|would|should|must|do|does))?(?: ?not|n[’']t)(?: (?:be|say|the following))*"
    r"|\brather than|\binstead of)[^\w.!?]*(?:`{3}\w*\s*)?\Z",
    re.IGNORECASE,
)
"""Phrases that announce a draft, an example or a non-answer."""
_STRUCK = re.compile(r"~~(?:(?!~~|\n\n).){1,600}~~|<(del|strike)>.{0,600}?</\1>", re.IGNORECASE | re.DOTALL)
FINAL = re.compile(
    r"^[^\w\n]*(?:here (?:is|are) )?(?:the |my )?"
    r"(?:final|corrected|revised|updated|improved|answer|output)\b",
    re.IGNORECASE | re.MULTILINE,
)
"""Starts of a line that replaces everything above."""
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

_LONGEST_NOTICE = 80
"""Maximum distance of an announcement before an answer, in characters."""


class Answer(NamedTuple):
    """An allowed value, and its position in the text."""

    value: str
    start: int


def without_drafts(text: str) -> str:
    """The text with reasoning and struck text blanked, and `<answer>` replaced by "answer:"."""
    left = _STRUCK.sub(lambda struck: " " * len(struck[0]), blanked_reasoning(text))
    for tag in _ANSWER_TAG.finditer(text):
        begin = _VISIBLE.search(text, tag.end())
        if begin and left[begin.start()] == begin[0]:
            left = f"{left[: tag.start()]}{'answer:'.ljust(len(tag[0]))}{left[tag.end() :]}"
    return left


def answer_in(text: str, allowed: Sequence[str]) -> Answer | None:
    """The one allowed value that `text` answers with; None if there is none, or several.

    It begins or ends the text, or follows a label ("Answer: True"). The first letters of a value suffice if
    the text is a single word, or begins with at least three of them.
    """
    first = beginning(text, allowed)
    found = [*([first] if first else []), *_declared(text, allowed)]
    if not found or len({answer.value for answer in found}) > 1:
        return None
    last = max(found, key=lambda answer: answer.start)
    end = min(answer.start for answer in found) + len(last.value)
    return None if not last.value or is_retracted(text, last.value, end, allowed) else last


def retracts(behind: str) -> bool:
    """Whether the text after an answer calls it a draft or a mistake."""
    return _RETRACTED.search(behind) is not None


def announces_draft(before: str) -> bool:
    """Whether a text ends by announcing a draft, an example or a non-answer."""
    return _ANNOUNCED.search(before[-_LONGEST_NOTICE:]) is not None


def is_retracted(text: str, value: str, end: int, allowed: Sequence[str]) -> bool:
    """Whether the text after `end` gives another value, or retracts this one."""
    if re.match(r"[^\w\n]*\?", text[end:]) or retracts(text[end:]):
        return True
    for wording in _patterns(tuple(allowed))[1].finditer(text, end):
        before = text[max(0, wording.start() - 40) : wording.start()]
        named = next(one for one in allowed if one.casefold() == " ".join(wording[0].casefold().split()))
        negated = bool(_NEGATED.search(before))
        meant = negated or wording[0] in (*allowed, named.upper()) or _LINKED.search(before)
        if meant and (named == value) == negated:
            return True
    return False


def beginning(text: str, allowed: Sequence[str]) -> Answer | None:
    """The allowed value, or its first letters, at the start of `text`; empty if another follows."""
    words = list(re.finditer(r"\w+", text))
    initials = [word[0].casefold() for word in words[:20]]
    if not initials:
        return None
    if len(initials) == 1:
        value = matching_value(initials[0], allowed)
        return Answer(value, words[0].start()) if value else None
    parts = {value: value.casefold().split() for value in allowed}
    for value, whole in parts.items():
        begun = " ".join(initials[: len(whole)])
        if begun == " ".join(whole) or (len(begun) >= 3 and value.casefold().startswith(begun)):
            rest = initials[len(whole) :]
            others = (other == rest[: len(other)] for other in parts.values() if other != whole)
            several = rest[:1] == ["or"] or any(others)
            return Answer("" if several else value, words[0].start())
    return None


def _declared(text: str, allowed: Sequence[str]) -> Iterator[Answer]:
    """The values after a label or in a box, or alone on the last line."""
    for wording in _patterns(tuple(allowed))[0].finditer(text):
        if announces_draft(text[: wording.start()]):
            continue
        value = next(
            one for one in allowed if one.casefold() == " ".join(wording["value"].casefold().split())
        )
        yield Answer(value, wording.start("value"))


@lru_cache(maxsize=32)
def _patterns(allowed: tuple[str, ...]) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Patterns of declared values, and of mentioned ones."""
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
