"""Which texts of web pages are no evidence: notices, menus, bytes that are no text."""

from __future__ import annotations

import re
import unicodedata
from itertools import islice
from pathlib import Path

from factreasoner.text.sentences import sentences

_NOTICES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in Path(__file__).with_name("notices.txt").read_text(encoding="utf-8").splitlines()
)
_SHORT = 150
_LEFT = 20
_SENTENCE = 6
_SAMPLE = 20_000


def junk(text: str) -> str:
    """Why `text`, taken from a page, is not evidence; empty if it may be.

    The topic never counts: product names, copyright lines and "captcha" are fine in an article.

    - "no text": nothing but blanks;
    - "binary": over a tenth of the characters are controls or unassigned, or under 40 % letters and digits;
    - "no sentence": no line or sentence of six words (menus, lists of links); a character of a script
      without blanks between words counts as one;
    - "notice: ...": at most 20 words of such sentences beside those that tell the visitor to enable scripts
      or cookies, prove to be human, log in or turn back; or 150 words in all with two different notices.
    """
    sample = text[:_SAMPLE].strip()
    if not sample:
        return "no text"
    if _binary(sample):
        return "binary"
    parts = [sample[span.start : span.end] for span in sentences(sample)]
    lengths = [_words(part) for part in parts]
    lines = [(part, words) for part, words in zip(parts, lengths, strict=True) if words >= _SENTENCE]
    if not lines:
        return "no sentence"
    total = sum(words for _, words in lines)
    if total > 2 * _SHORT:
        return ""
    noticed = [(words, _notice(part)) for part, words in lines]
    found = list(dict.fromkeys(notice for _, notice in noticed if notice))
    rest = sum(words for words, notice in noticed if not notice)
    if found and (rest <= _LEFT or (total <= _SHORT and len(found) > 1)):
        return f"notice: {found[0]}"
    return ""


def _binary(sample: str) -> bool:
    categories = [unicodedata.category(character) for character in sample if not character.isspace()]
    bad = sum(category in ("Cc", "Cn", "Co", "Cs") for category in categories) + sample.count("\ufffd")
    letters = sum(category[0] in "LMN" for category in categories)
    return bad > 0.1 * len(categories) or letters < 0.4 * len(categories)


def _words(part: str) -> int:
    return sum(1 for _ in islice(re.finditer(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff]|\w+", part), 1000))


def _notice(part: str) -> str:
    """The words of the notice in a sentence; empty when it holds none."""
    matches = (pattern.search(part[:1000]) for pattern in _NOTICES)
    return next((match[0].lower() for match in matches if match), "")
