"""Sentences without a claim: questions, courtesies, refusals, remarks to the reader, sources.

The patterns are in `nonclaims.toml`.
"""

from __future__ import annotations

import re
import tomllib
from functools import lru_cache
from importlib import resources

from factreasoner.atoms.abstaining import is_aside, is_declining
from factreasoner.text.reasoning import blanked_reasoning
from factreasoner.text.sentences import sentences
from factreasoner.text.tags import without_tags

_LONGEST = 1000
_QUESTION = re.compile(r"[?？؟\u037e⸮]['\"”’»)\]*_`」』]*$")
_EMPHASIS = re.compile(r"[*`]+|(?<!\w)__?|__?(?!\w)")
_MARKS = " \t\n*_#>\"'“”‘’«»([{-–—"
_ADDRESS = re.compile(r"https?://\S+|www\.\S+|\bdoi:\s*\S+|\b10\.\d{4,}/\S+", re.IGNORECASE)
_CITED = re.compile(r"(?<!\])\((?:\[[^\[\]]*\]\()?(?:https?://|www\.)[^\s()]*\)+[.!?]?\Z")
"""An address in parentheses that ends a sentence: "Sleep improves memory (https://...)."."""
_FEW_WORDS = 6
_LINES = tomllib.loads((resources.files(__package__) / "nonclaims.toml").read_text(encoding="utf-8"))
_PATTERNS = {
    name: f"(?:{'|'.join(lines.splitlines())})".replace("'", "['’]") for name, lines in _LINES.items()
}
_OPENING = re.compile(rf"\W*(?:{_PATTERNS['opening']})+", re.IGNORECASE)
_COURTESY = re.compile(_PATTERNS["filler"], re.IGNORECASE)
_APOLOGY = re.compile(rf"\W*{_PATTERNS['apology']}\b", re.IGNORECASE)
_SOURCES_HEADING = re.compile(rf"[\W_]*(?:\d+\.? )?{_PATTERNS['sources']}[\W_]*", re.IGNORECASE)
_REPLY = re.compile(rf"{_PATTERNS['reply']}\W*", re.IGNORECASE)
_BEHIND = re.compile(rf"(?:[:;–—]| - )(?! *{_PATTERNS['courteous']}\b) *(?P<said>.+)", re.IGNORECASE)
"""Text after a courtesy that is not part of it: "Let me know soon: returns are free."."""
_FINITE = re.compile(rf"\b{_PATTERNS['finite']}\b")


def opening(sentence: str) -> int:
    """The length of an opening that only connects or remarks: "However, it is worth noting that"."""
    found = _OPENING.match(sentence[:_LONGEST])
    if found is None or found.end() == len(sentence) or " and that " in sentence[found.end() :]:
        return 0
    return found.end()


def is_question(sentence: str) -> bool:
    """Whether the sentence is a question, in any script."""
    return _QUESTION.search(sentence.rstrip()[-8:]) is not None


def is_filler(sentence: str) -> bool:
    """Whether the sentence is a remark about the conversation, or has no word.

    Greetings, offers and pointers ("See the table below.") are remarks. Advice is a claim, even after a
    courtesy.
    """
    text = _plain(sentence)
    if not any(character.isalnum() for character in text):
        return True
    behind = _BEHIND.search(text)
    adds = behind and _FINITE.search(behind["said"]) and not _COURTESY.match(behind["said"])
    return _COURTESY.match(text) is not None and not adds


def is_reply(sentence: str) -> bool:
    """Whether the sentence is a one-word answer: "Yes."."""
    return _REPLY.fullmatch(_EMPHASIS.sub("", _plain(sentence))) is not None


def is_abstaining(sentence: str) -> bool:
    """Whether the sentence declines to answer, in any language; not if a fact follows."""
    text = _EMPHASIS.sub("", _plain(sentence))
    return is_declining(text, lambda part: is_filler(part) or is_question(part))


def _plain(sentence: str) -> str:
    return " ".join(sentence[:_LONGEST].split()).strip(_MARKS)


@lru_cache(maxsize=256)
def is_abstention(response: str) -> bool:
    """Whether `response` is empty or declines to answer as a whole.

    Every sentence must decline, apologise, ask back or be a courtesy, and one must decline or apologise. A
    hedge followed by facts is not an abstention.
    """
    response = without_tags(blanked_reasoning(response))
    if not any(character.isalnum() for character in response):
        return True
    parts = [response[span.start : span.end] for span in sentences(response)]
    declining = [sentence for sentence in parts if is_abstaining(sentence) or _APOLOGY.match(sentence)]
    others = [sentence for sentence in parts if not is_abstaining(sentence)]
    return bool(declining) and all(is_filler(s) or is_question(s) or is_aside(_plain(s)) for s in others)


def is_reference_heading(line: str) -> bool:
    """Whether a heading or lead-in announces a list of sources."""
    return len(line) < 80 and _SOURCES_HEADING.fullmatch(line.strip()) is not None


def is_link(sentence: str) -> bool:
    """Whether a sentence or list item is little more than a URL."""
    rest = _ADDRESS.sub(" ", sentence)
    if rest == sentence or _FINITE.search(rest) or (":" not in rest and _CITED.search(sentence)):
        return False
    return len(re.findall(r"[^\W\d_]{2,}", rest)) <= _FEW_WORDS
