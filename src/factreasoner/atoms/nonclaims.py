"""What states nothing to check: questions, courtesies, advice to the reader, refusals, remarks on the answer.

The patterns are in `nonclaims.txt` beside this file.
"""

from __future__ import annotations

import re
from importlib import resources

_LONGEST = 1000
"""Characters of a sentence that are looked at."""
_QUESTION = re.compile(r"[?？؟\u037e⸮]['\"”’»)\]*_`」』]*$")
_TURN = re.compile(r"[,;]? (?:but|however|although|though|yet)[ ,]+", re.IGNORECASE)
_MARKS = " \t\n*_#>\"'“”‘’«»([{-–—"


def _sections() -> dict[str, str]:
    """Section name -> one expression of all its lines."""
    lines: dict[str, list[str]] = {}
    section = ""
    text = (resources.files(__package__) / "nonclaims.txt").read_text(encoding="utf-8")
    for line in text.splitlines():
        if line.startswith("[") and line.endswith("]"):
            section = line[1:-1]
        elif line and not line.startswith("#"):
            lines.setdefault(section, []).append(line.replace("'", "['’]"))
    return {name: f"(?:{'|'.join(parts)})" for name, parts in lines.items()}


_PATTERNS = _sections()
_LEAD = rf"(?:{_PATTERNS['lead']}(?!\w)[ ,:;—–-]*(?:(?:but|that|and) )?)*+"
_ABSTAINING = re.compile(_LEAD + _PATTERNS["abstaining"], re.IGNORECASE)
_OPENING = re.compile(rf"\W*(?:{_PATTERNS['opening']})+", re.IGNORECASE)
_REMARK_INSIDE = re.compile(rf"[,;] (?:and|but|so) (?={_PATTERNS['opening']})", re.IGNORECASE)
_COURTESY = re.compile(_PATTERNS["filler"], re.IGNORECASE)
_ADVICE = re.compile(_PATTERNS["advice"], re.IGNORECASE)


def opening(sentence: str) -> int:
    """Characters at the beginning that only connect or remark: "However, it is worth noting that"."""
    found = _OPENING.match(sentence[:_LONGEST])
    if found is None or found.end() == len(sentence) or " and that " in sentence[found.end() :]:
        return 0
    return found.end()


def parts(sentence: str) -> list[tuple[int, int]]:
    """(start, end) of the parts of a sentence, set apart by remarks: "..., but keep in mind that ..."."""
    borders = [found.span() for found in _REMARK_INSIDE.finditer(sentence[:_LONGEST])]
    starts = [0, *(end for _, end in borders)]
    ends = [*(start for start, _ in borders), len(sentence)]
    return list(zip(starts, ends, strict=True))


def is_question(sentence: str) -> bool:
    """Whether the sentence ends as a question, in any script."""
    return _QUESTION.search(sentence.rstrip()[-8:]) is not None


def is_filler(sentence: str) -> bool:
    """Whether the sentence is a greeting, a courtesy, or advice to the reader of the answer."""
    return is_courtesy(sentence) or _ADVICE.match(_plain(sentence)) is not None


def is_courtesy(sentence: str) -> bool:
    """Whether the sentence is a greeting, an offer, or no word at all; advice is none."""
    text = _plain(sentence)
    return not any(character.isalnum() for character in text) or _COURTESY.match(text) is not None


def is_abstaining(sentence: str) -> bool:
    """Whether the sentence says that no answer is known or given; "I don't know, but he was ..." does not."""
    first, *others = _TURN.split(_plain(sentence))
    if _ABSTAINING.match(first) is None:
        return False
    return all(_ABSTAINING.match(part) or is_filler(part) or is_question(part) for part in others)


def _plain(sentence: str) -> str:
    return " ".join(sentence[:_LONGEST].split()).strip(_MARKS)
