"""Bibliography entries and lists of links: they name sources and state nothing of the subject."""

from __future__ import annotations

import re

from factreasoner.text.lexicon import FUNCTION_WORDS, words

_HEADING = re.compile(
    r"\W*(?:\d+\.? )?(?:references?|bibliography|sources?|citations?|works cited|further reading|"
    r"external links|see also|footnotes|notes and references|literature|useful links|links)\W*",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"https?://\S+|www\.\S+|\bdoi:\s*\S+|\b10\.\d{4,}/\S+", re.IGNORECASE)
_VERB = re.compile(r"\b(?:is|are|was|were|has|have|had|can|will|would|did|does|do)\b")
_FINITE = re.compile(
    rf"{_VERB.pattern}|\b(?:[a-z]{{3,}}ed|became|began|came|fell|found|gave|got|grew|held|kept|knew|led|left|lost|made"
    r"|met|rose|said|sold|took|went|won|wrote)\b"
)
_SENTENCE = re.compile(r"[^\s.!?](?:[^.!?]|[.!?](?![\s\"”’)]))*[.!?]?[\"”’)]*")
_ABOUT = re.compile(r"(?:He|She|It|They|His|Her|Its|Their|This|These|Those|Each|Both)\b,? [a-z]")
"""How a sentence begins that goes on with what was named, and few titles do."""
_FEW_WORDS = 6

_CAPITALISED = r"[^\W\d_a-z][^\W\d_]+(?:[-’'][^\W\d_]+)*"
_PARTICLE = r"(?:van|von|der|den|de|del|della|di|da|du|la|le|ten|ter|bin|al)"
_SURNAME = rf"(?:{_PARTICLE}[ -]){{0,3}}(?:[^\W\d_][’'])?{_CAPITALISED}"
_INITIALS = r"(?:[^\W\d_a-z]\.[ -]?+){1,4}+"
_AUTHOR = (
    rf"(?:{_SURNAME}(?: {_CAPITALISED})?, (?:{_INITIALS}|{_CAPITALISED}(?: {_INITIALS})?)"  # Smith, J.
    rf"|{_INITIALS}{_SURNAME}"  # J. Smith
    rf"|{_SURNAME} [A-Z]{{1,3}}(?=[,.;]))"  # Smith JK
)
_LATER_AUTHOR = rf"(?:{_AUTHOR}|{_CAPITALISED} (?![A-Z]{{1,3}}[,.;])(?:{_INITIALS})?{_SURNAME})"
_AND = r"(?:,?\s*(?:&|and|und|et|y)\s+|[,;]\s*(?:(?:…|\.\.\.)\s*)?)"
_OTHERS = r"(?:,?\s*(?:et al\.?|and others|u\. ?a\.))"
_NUMBER = r"\W*(?:\[?\d{1,3}[\].)]?\s*)?"
_AUTHORS = (
    rf"{_NUMBER}{_AUTHOR}(?:{_AND}{_LATER_AUTHOR}){{0,30}}{_OTHERS}?\s?(?:\((?:[Ee]ds?\.?|Hrsg\.)\)\.?)?"
)
_LINKING = r"(?:of|for|the|and|on|in|&|für|der|des|und|de|del|la|et|y)"
_ORGANISATION = rf"{_CAPITALISED}(?: (?:{_LINKING} ){{0,3}}{_CAPITALISED}){{0,9}}"
_YEAR = r"(?:(?:1[5-9]|20)\d\d[a-z]?|n\. ?d\.|in press|forthcoming)"
_DATED = rf"[\s.,]*\(\s*{_YEAR}[^()]{{0,20}}\)"
_ENTRY = re.compile(
    rf"{_AUTHORS}(?:{_DATED}(?:[.:]|\s*$|(?P<runs_on>,?\s+)(?=[\"“‘'*_A-Z]))|[\s.,]*{_YEAR}[.:](?:\s|$))"
    rf"|{_NUMBER}{_SURNAME}(?:,? (?:&|and) {_SURNAME})?{_OTHERS}(?:{_DATED}|[\s.,]*{_YEAR})[.:](?:\s|$)"
    rf"|{_NUMBER}{_ORGANISATION}\.\s+\(\s*{_YEAR}[^()]{{0,20}}\)\."
    rf"|{_NUMBER}{_CAPITALISED} (?:{_INITIALS})?{_SURNAME}, [^()\n]{{3,200}}"
    rf"\([^()\n]{{2,60}}: [^()\n]{{2,60}}, {_YEAR}\)[^()\n]{{0,20}}$"
)
"""Authors and a year set off by stops, as no sentence goes on: "Smith, J., & Lee, K. (2020). Title"."""
_TITLED = re.compile(rf"{_AUTHORS}{_OTHERS}?(?:(?:[.:]\s+|(?<=\.\s))[\"“‘'*_]?(?=[^\W\d_a-z])|,\s+[\"“‘'*_])")
"""Authors and the beginning of a title; what is published where comes behind it."""
_DETAIL = r"\bvol\. ?\d|\bpp?\. ?\d+\s*[-–]\s*\d+|\bISBN\b|\barXiv:|\b\d+\s?\(\d+\)[,:]\s?\d+"
_PUBLISHED = re.compile(
    rf"{_DETAIL}|\bdoi\b|\bUniversity Press\b"
    r"|\b(?:19|20)\d\d;\s?\d|\bProceedings\b|\bProc\."
    r"|[,.] (?:1[5-9]|20)\d\d[a-z]?\.?\s*$|\((?:1[5-9]|20)\d\d[a-z]?\)\.?\s*$",
    re.IGNORECASE,
)
_PIECE = re.compile(
    rf"{_DETAIL}|\bet al\.?,? \(?(?:19|20)\d\d|\bRetrieved (?:from|on|[A-Z])|\bAccessed (?:on )?\d"
    r"|\bUniversity Press\b[.,]",
    re.IGNORECASE,
)
"""What a piece of an entry holds and few sentences do."""
_QUOTED = re.compile(r"[\"“][^\"“”\n]+[\"”]")
_WORD = re.compile(r"[^\W\d_]{2,}")
_OF_ENTRIES = FUNCTION_WORDS["english"] | words(
    "vol vols pp no nos ed eds edn edition rev et al doi arxiv isbn issn retrieved accessed available"
)
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


def entry_length(block: str) -> int:
    """How much of a line or paragraph is one bibliography entry, of several sentences as these go; or 0.

    What reads as a sentence behind the date is none of the entry: "A. Lincoln, 1861. He became president."
    """
    found = _ENTRY.match(block)
    if found is None:
        titled = _TITLED.match(block)
        whole = titled is not None and _PUBLISHED.search(block, titled.end()) is not None
        return len(block) if whole else 0
    rest = [(part.start(), part[0]) for part in _SENTENCE.finditer(block, found.end())]
    if found["runs_on"] and rest and _PUBLISHED.search(block, found.end()) is None and _is_finite(rest[0][1]):
        return 0
    stated = [start for start, said in rest if _ABOUT.match(said)]
    stated += [start for start, said in rest[-1:] if _is_finite(said)]
    return min(stated, default=len(block))


def _is_finite(sentence: str) -> bool:
    return _FINITE.search(_QUOTED.sub(" ", sentence)) is not None


def is_reference(sentence: str) -> bool:
    """Whether a sentence or list item is a bibliography entry, a piece of one, or hardly more than a link.

    A sentence that cites ("... (Smith et al., 2020).") says something beside: it has words in lower case
    that are no function words, as its verb is.
    """
    rest = _ADDRESS.sub(" ", sentence)
    if rest != sentence and _states(sentence):
        return False
    if rest != sentence and len(_WORD.findall(rest)) <= _FEW_WORDS and not _VERB.search(rest):
        return True
    return entry_length(sentence) == len(sentence) or (
        _PIECE.search(sentence) is not None and not _says(rest)
    )


def _states(sentence: str) -> bool:
    """Whether a link stands within what reads as a sentence: "It opened in 1932 (https://...)."."""
    sentence = sentence.strip()
    if _POINTS.match(sentence) or _LISTED.match(sentence):
        return False
    shown = _LINK.sub(lambda link: link["words"] or "", sentence)
    said, beside = (len(re.findall(r"\w+", text)) for text in (shown, _LINK.sub(" ", sentence)))
    whole = re.sub(r"(?<=\d)\.(?=\d)|(?<=\bal)\.", "", shown)
    return said >= 3 and beside >= 2 and _ONE_SENTENCE.fullmatch(whole) is not None


def _says(piece: str) -> bool:
    unquoted = _WORD.findall(_QUOTED.sub(" ", piece))
    return any(not word[0].isupper() and word.lower() not in _OF_ENTRIES for word in unquoted)
