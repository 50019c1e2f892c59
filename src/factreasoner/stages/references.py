"""Bibliography entries and lists of links: they name sources and state nothing of the subject."""

from __future__ import annotations

import re

_HEADING = re.compile(
    r"\W*(?:\d+\.? )?(?:references?|bibliography|sources?|citations?|works cited|further reading|"
    r"external links|see also|footnotes|notes and references|literature|useful links|links)\W*",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"https?://\S+|www\.\S+|\bdoi:\s*\S+|\b10\.\d{4,}/\S+", re.IGNORECASE)
_AUTHORS = re.compile(
    r"""\W*(?:\[?\d{1,3}[\].)]?\s*)?
        [^\W\d_][\w’'-]+(?:\s[^\W\d_][\w’'-]+)?,\s(?:[^\W\d_]\.[\s-]?){1,3}      # Surname, A. B.
        (?:.{0,200}?)(?:\(\s*\d{4}[a-z]?[^)]{0,20}\)|\b(?:19|20)\d\d\b)""",
    re.VERBOSE | re.DOTALL,
)
_PUBLISHED = re.compile(
    r"\bet al\.?,? \(?(?:19|20)\d\d|\bRetrieved (?:from|on|[A-Z])|\bAccessed (?:on )?\d|\bvol\. \d"
    r"|\bpp?\. ?\d+\s*[-–]\s*\d+|\bISBN\b|\barXiv:|\bUniversity Press\b[.,]|\b\d+\s?\(\d+\)[,:]\s?\d+",
    re.IGNORECASE,
)
_VERB = re.compile(r"\b(?:is|are|was|were|has|have|had|can|will|would|did|does|do)\b")
_FEW_WORDS = 6
_LINK = re.compile(
    r"!?\[(?P<words>[^\[\]\n]{1,300})\]\([^()\s]+\)|<?(?:https?://|www\.)[^\s<>()*]*[^\s<>().,;!?*]>?"
)
_POINTS = re.compile(
    r"\W*(?:see|cf|via|from|source|link|visit|read|more|learn|check|find|official|website|homepage|available|"
    r"retrieved|accessed|https?|www|doi)\b",
    re.IGNORECASE,
)
_ONE_SENTENCE = re.compile(r"[^:.!?]*[.!?][^\w\s]*")
_LISTED = re.compile(rf"[*_>#+\s-]*(?:{_LINK.pattern})[*_]*\s*[-–—:|,(]")
"""A link and what it leads to, as an entry of a list has them."""


def is_reference_heading(line: str) -> bool:
    """Whether a heading or lead-in announces a list of sources."""
    return len(line) < 80 and _HEADING.fullmatch(line.strip()) is not None


def is_entry(block: str) -> bool:
    """Whether a line or paragraph is one bibliography entry, of several sentences as these go."""
    return _AUTHORS.match(block) is not None


def is_reference(sentence: str) -> bool:
    """Whether a sentence or list item is a bibliography entry, or hardly more than an address."""
    rest = _ADDRESS.sub(" ", sentence)
    if rest != sentence and _states(sentence):
        return False
    if rest != sentence and len(re.findall(r"[^\W\d_]{2,}", rest)) <= _FEW_WORDS and not _VERB.search(rest):
        return True
    return _PUBLISHED.search(sentence) is not None and not _VERB.search(rest)


def _states(sentence: str) -> bool:
    """Whether a link stands within what reads as a sentence: "It opened in 1932 (https://...)."."""
    sentence = sentence.strip()
    if _POINTS.match(sentence) or _LISTED.match(sentence):
        return False
    shown = _LINK.sub(lambda link: link["words"] or "", sentence)
    said, beside = (len(re.findall(r"\w+", text)) for text in (shown, _LINK.sub(" ", sentence)))
    whole = re.sub(r"(?<=\d)\.(?=\d)", "", shown)
    return said >= 3 and beside >= 2 and _ONE_SENTENCE.fullmatch(whole) is not None
