"""Citation marks in a text, by their form: positions and labels (docs/citations.md)."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

_MOST_IN_RANGE = 50
"""Maximum sources in a range; a wider one is not a citation."""
_WORD = (
    r"(?:sources?|refs?\.?|references?|documents?|docs?\.?|passages?|contexts?|citations?|cite|footnotes?"
    r"|quellen?|fu(?:ß|ss)noten?|fuentes?|fontes?|fonti|bron(?:nen)?|källa|källor|kilder?|źródł[oa]|источники?)"
)
LINKED = re.compile(
    r"(?P<outer>\[)?\[(?P<inside>[^\[\]\n]{1,120})\](?(outer)\])"
    r"(?:\((?P<url>(?:https?:|www\.|[/#])[^()\s]*(?:\([^()\s]*\)[^()\s]*)*)\))?"
)
_NESTED = re.compile(r"\[(?P<inside>[^\[\]\n]{0,60}(?:\[[^\[\]\n]{1,60}\][^\[\]\n]{0,60}){1,5})\]")
_ESCAPED = re.compile(r"\\\[(?P<inside>[^\[\]\\\n]{1,80})\\\]")
_PARENTHESIS = re.compile(
    rf"\((?:see\s+|from\s+)?(?P<inside>{_WORD}\s*[:#]?\s*[^()\n]{{1,80}})\)", re.IGNORECASE
)
_LENTICULAR = re.compile(r"【(?P<inside>[^【】\n†]{1,80})(?:†[^【】\n]*)?】")
RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹"
NUMBERED = r"\[{1,2}(?:\^|cite: ?)?\d{1,3}(?:(?:, ?|[-–;])\d{1,3})*\]{1,2}"
"""Numbers in brackets: "[1]", "[[2]]", "[^3]", "[4, 5]"."""
NOTE = r"\[\^(?P<name>[^\s\[\]]{1,60})\]:"
"""The start of a footnote's definition."""
ENTRY = rf"\[(?![ xX]\])\^?(?P<label>[^\[\]\n]{{1,60}})\](?P<colon>:)?|(?P<raised>[{RAISED}]{{1,3}})"
"""The start of an entry of a reference list, unless numbered as a list."""
_DASH = "⁻\u2010-\u2015\u2212-"
_SUPERSCRIPT = re.compile(
    rf"(?<![⁻⁺{RAISED}])(?!(?<!\S)[{RAISED}]+[A-Z]|(?<=\()[{RAISED}]+[A-Z])"
    rf"[{RAISED}]+(?:[,˒‚ \u2009{_DASH}]*[{RAISED}]+)*(?![⁺⁻])"
    r"|<sup(?:\s[^<>]{0,200})?>(?:<a\s[^<>]{0,300}>)?(?P<tag>[^<>\n]{1,40})(?:</a>)?</sup>"
)
_RUN = re.compile(rf"[{RAISED}]+")
_FOOTNOTE = re.compile(rf"^[ \t]*{NOTE}", re.MULTILINE)
NOT_SHOWN = (
    r"<!--(?:(?!<!--|-->).)*-->"
    r"|<(?P<unshown>head|script|style)\b[^<>]{0,600}>(?:(?!</?(?P=unshown)\b).)*</(?P=unshown)>"
)
"""Comments, and HTML elements that a page does not show."""
_APART = re.compile(
    r"^(?P<fence>```|~~~).*?(?:^(?P=fence)|\Z)|`[^`\n]+`|!\[(?:[^\[\]\n]|\[[^\[\]\n]*\])*\]\([^()\s]*\)"
    rf"|{NOT_SHOWN}"
    r"|<(?P<tag>pre|code)\b[^<>\n]*>(?:(?!<(?:pre|code)\b).)*?</(?P=tag)>",
    re.MULTILINE | re.DOTALL | re.IGNORECASE,
)
_MATHS = re.compile(
    r"\$\$(?P<shown>.{1,400}?)\$\$|(?<![\w$\\])\$(?=[^\s$])[^$\n]{0,200}?[\\^_{}=+<>][^$\n]{0,200}?(?<!\s)\$(?!\w)",
    re.DOTALL,
)
_PREFIX = re.compile(rf"\^|(?:see\s+)?{_WORD}\s*[:#]?\s*#?", re.IGNORECASE)
_NAME = re.compile(rf"(?:{_WORD}|web|search|result|chunk|snippet|page)[-_:]\d{{1,3}}")
"""The form of a source id: "doc-9", "web:9"; not "B2", "d5" or "mp3"."""
_LOCATOR = re.compile(
    r"[,:]?\s*(?:\bpp?\.?|\bS\.|\bpages?|\bch(?:\.|apters?)|\bsec(?:\.|tions?)|§§?)\s*\d+(?:\s*[-\u2010-\u2015]\s*\d+)?",
    re.IGNORECASE,
)
_NARROW = str.maketrans("［］，；،؛", "[],;,;")
_AND = (
    r"(?:and|or|as well as|plus|also|und|oder|sowie|et|ou|y|e|o|u|ed|i|oraz|lub|en|of|och|samt|og|ja|tai"
    r"|un|vai|ir|és|vagy|a|nebo|alebo|ili|și|şi|sau|ve|ile|veya|dan|serta|atau|và|hoặc|και|ή|и|или|та|і|й|або|да"
    r"|sekä|eller|و|أو|او|یا|اور|ו-?|או|और|तथा|एवं|व|या|এবং|ও|மற்றும்|และ|หรือ|და|և|和|与|與|跟|同|及|以及|或|や|と"
    r"|または|及び|および|및|와|과|또는|ainsi que|así como|a także|a také|а также|а також|precum și)"
)
_BETWEEN = re.compile(
    rf"\s*(?:[,;&˒‚]|\b(?:and|und|et|y|en|och|og)\b)\s*|(?<=\d)\s+{_AND}\s+(?=\d)|(?<=\d)[ \u2009]+(?=\d)"
)
_RANGE = re.compile(rf"\^?(\d{{1,3}})\s*[{_DASH}]\s*\^?(\d{{1,3}})")
_POWER = re.compile(
    r"(?:(?<!\b1\d\d)(?<!\b20\d)\d|(?<![^\W\d_])(?:[^\W\d_]|[cdmk]m|ft|in|mi|yd|kg|ha|nm|µm|sec|hr|Pa|Hz|[kMG]?pc"
    r"|[kMGT]?eV|sin|cos|tan|log|ln|exp|[α-ω][a-z])|[=+*/·×][ ]?[^\W\d_]{1,3})$"
)
"""Text before a power: a number, a variable, a unit, a function."""
_FORMULA = re.compile(
    r"(?:[^\W_]\((?!e?s\))[^()\s]{1,12}|\((?=[^()]*[+*/=^·×−])(?:\W|\d|(?<![^\W\d_])[^\W\d_])*[^\s()])\)$"
)
BROKEN = re.compile(
    r"\[\^?\d{1,3}(?:(?=[.;!?]\s+[^\W\d_a-z][^\W\d_])|(?=[\s.,;:!?]|$)(?![^\[\]\n]{0,40}\]))"
    r"|(?<=[^\W\d_.!?] )\d{1,3}\](?!\()"
)
_YEAR = r"(?:1[89]|20)\d\d[a-z]?"
AUTHOR_YEAR = re.compile(
    r"[(\[](?:see |cf\. )?(?:(?:v[ao]n|de[nr]?|d[iu]|l[ae]|al) ){0,2}"
    r"(?!Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[^\W\d_a-z][^\W\d_]*[’']?[^\W\d_]+"
    r"(?:[ ,&.-]{1,3}(?:et al|and|und|et|y|[^\W\d_a-z][^\W\d_]*)){0,6}"
    rf"[., ]{{1,3}}{_YEAR}(?:[,;:][^()\[\]\n]{{1,80}})?[)\]]"
    rf"|\[[A-Z][a-z]+\d\d(?:\d\d)?[a-z]?\]|[^\W\d_]+ et al\.? \({_YEAR}\)"
)
"""Possible author-year citations, which are not read: "(Smith & Lee, 2020)", "[Smith20]"."""
_NAMED = (
    r"(?:(?:(?:the|both|either|sources?|references?|refs?\.?|documents?|passages?|articles?|papers?) ){1,3})?"
)
_ASKS_FOR_NOUN = re.compile(
    r"\b(?:according to|per|"
    rf"(?:shown|stated|reported|described|noted|found|said|told|listed|given) (?:in|by))[ \t]*{_NAMED}$",
    re.IGNORECASE,
)
"""Words after which a citation is a noun of its sentence: "according to [1], ..."."""
_PREPOSITION = re.compile(rf"\b(?:at|in|by|from|of|with)[ \t]+{_NAMED}$", re.IGNORECASE)
_BEFORE_NOUN = re.compile(r"(?:\A|[\n.!?:;]|\b(?:in|by|per|to|as|from|see|and))[ \t]*\Z", re.IGNORECASE)
_CLAUSE_ENDS = re.compile(r"[ \t]*(?:[.,;:!?)]|$)", re.MULTILINE)
JOINT = re.compile(
    rf"[ \t]*(?:[,;、，；،؛]|(?:[,;،] ?)?(?:[&/+–—-]|{_AND}|to|see|cf\.|vgl\.)(?: also)?)?[ \t]*", re.I
)
"""Text between two marks that are read as one: "[1] and [2]"."""
_NEW_CLAUSE = re.compile(r".*(?:[;；]|, ?and).*", re.IGNORECASE)
_NUMBER = r"[-\u2212]?\d+(?:\.\d+)?"
_ROW = rf"\[\s*{_NUMBER}(?:\s*[,;]\s*{_NUMBER})+\s*\]"
_SERIES = re.compile(_ROW)
_MATRIX = re.compile(rf"\[\s*{_ROW}(?:\s*,\s*{_ROW})+\s*\]")
_USED = re.compile(r"\s*[-+*/]?=(?!=)|\(|\.[a-z_]+\(|\[0\]")
"""Text after an index: assignment, call or another index."""
_INDEXED = re.compile(
    r"(?:(?:^|(?<!\d)[^\w'’])[a-z]|\w_\w*[^\W_]|\b(?:arr|args|argv|buf|dp|idx|lst|mat|nums|vec))$"
)
"""A name before an index: not a word ("York's"), a unit ("828 m") or emphasis."""
_ASSIGNED = re.compile(r"(?:^|[\s(])[^\W\d]\w*\s*:?=\s*$")
_LINKING = r"(?:\s+(?:be|is|was|are|were|lies|distributed|of|from|in|on|over|to|into))"
_BEFORE_NUMBERS = re.compile(
    r"(?:\b(?:intervals?|CIs?|IQR|between|within|ranges?|list|array|tuple|vector|matrix|domain|scale|shape|sequence)"
    rf"{_LINKING}*\s*(?:\([^()\n]*\)\s*)?[:=]?"
    r"|\b(?:lies?|uniform(?:ly)?|integers?|values?|numbers?|points?|scores?|ratings?|probabilit(?:y|ies)|elements?"
    rf"|coordinates?|clipped|clamped|(?:re)?scaled|normali[sz]ed|restricted|for\s+\w+|(?-i:[b-z])){_LINKING}+"
    rf"|[\w)\]]\s+[+·*]\s|\w\(|[=∈∉∪∩⊂⊆×$])\s*(?:{_ROW}\s*(?:,\s*and|,|and|or|to|∪|∩|×)\s*)*$",
    re.IGNORECASE,
)
"""Text before rows of numbers, and rarely before citations."""


class Mark(NamedTuple):
    """A citation in `text[start:end]`, with the labels of what it cites."""

    start: int
    end: int
    labels: tuple[str, ...]


class Regions:
    """Parts of a text in any order, which may overlap."""

    def __init__(self, spans: Iterable[tuple[int, int]]) -> None:
        ordered = sorted(spans)
        self._starts = [start for start, _ in ordered]
        self._ends = list(accumulate((end for _, end in ordered), max))

    def hold(self, start: int, end: int) -> bool:
        """Whether one of the parts contains the characters [start, end)."""
        before = bisect_right(self._starts, start)
        return before > 0 and self._ends[before - 1] >= end


class Known:
    """Labels known to name a source: ids of sources, and other labels."""

    def __init__(self, ids: Collection[str] = (), labels: Collection[str] = ()) -> None:
        self.ids = frozenset(ids)
        self.labels = self.ids | frozenset(labels)
        self._forms = {re.sub(r"\d+", "0", name) for name in ids if not name.isnumeric()}

    def read(self, inside: str) -> list[str] | None:
        """The labels inside a mark; None if it is not a citation."""
        inside = inside.strip()
        if self._is_id(inside):
            return [inside]
        if inside.startswith("^") and inside[1:] in self.labels:
            return [inside[1:]]
        labels: list[str] = []
        for whole in filter(None, _BETWEEN.split(_LOCATOR.sub("", re.sub(r"[\[\]]", ",", inside)))):
            prefix = None if self._is_id(whole) else _PREFIX.match(whole)
            part = whole[prefix.end() :] if prefix else whole
            numbers = [part] if self._is_id(part) else _numbers(part)
            if numbers is None and not (self.ids and _NAME.fullmatch(whole)):
                return None
            labels += numbers or [whole]
        plausible = all(not n.isdigit() or n in self.ids or (n != "0" and len(n) < 4) for n in labels)
        return list(dict.fromkeys(labels)) if labels and plausible else None

    def _is_id(self, label: str) -> bool:
        """Whether a label is a source id, or has the form of one: "c9" beside "c0"."""
        return label in self.ids or re.sub(r"\d+", "0", label) in self._forms


def _numbers(part: str) -> list[str] | None:
    """The numbers of one part of a mark; a reversed range is read forwards."""
    part = part.strip().removeprefix("^").removesuffix("^")
    if re.fullmatch(r"\d{1,9}", part):
        return [str(int(part))]
    found = _RANGE.fullmatch(part)
    if found is None:
        return None
    low, high = sorted((int(found[1]), int(found[2])))
    return [str(n) for n in range(low, high + 1)] if low > 0 and high - low < _MOST_IN_RANGE else None


def find_marks(text: str, known: Known | None = None) -> list[Mark]:
    """The citation marks in `text`, in order, none within another."""
    text = text.translate(_NARROW)
    names = {match["name"] for match in _FOOTNOTE.finditer(text)}
    known = Known(known.ids, known.labels | names) if known else Known(labels=names)
    apart = uncitable_regions(text)
    found = [*_bracketed(text, known), *_raised(text, known)]
    marks: list[Mark] = []
    for mark in sorted(found, key=lambda m: (m.start, -m.end)):
        if not apart.hold(mark.start, mark.start + 1) and (not marks or mark.start >= marks[-1].end):
            marks.append(mark)
    return marks


def is_word(text: str, start: int, end: int) -> bool:
    """Whether a mark is used as a word of its sentence: "as [1] says", "used in [2]."."""
    if _ASKS_FOR_NOUN.search(text[max(0, start - 40) : start]):
        return True
    if _PREPOSITION.search(text[max(0, start - 10) : start]) and _CLAUSE_ENDS.match(text, end):
        return True
    after = re.match(r"[ \t]+(\S)", text[end : end + 8])
    begins = _BEFORE_NOUN.search(text[max(0, start - 40) : start])
    return bool(begins and after and after[1].islower())


def marks_as_words(text: str, marks: Sequence[tuple[int, int]]) -> set[tuple[int, int]]:
    """Those of the ordered `marks` that are words of their sentence, joined ones as one."""
    found: set[tuple[int, int]] = set()
    first = 0
    for last, (start, end) in enumerate(marks):
        joint = text[end : marks[last + 1][0]] if last + 1 < len(marks) else None
        if joint is not None and JOINT.fullmatch(joint.replace("*", "")):
            continue
        joined = marks[first : last + 1]
        if is_word(text, joined[0][0], end):
            found.update(joined)
        elif len(joined) == 2 and _NEW_CLAUSE.fullmatch(text[joined[0][1] : start]):
            found.update(joined[1:] if is_word(text, start, end) else ())
        first = last + 1
    return found


def uncitable_regions(text: str) -> Regions:
    """Regions without citations: code, mathematics and the like, and matrices."""
    return Regions(match.span() for pattern in (_APART, _MATHS, _MATRIX) for match in pattern.finditer(text))


def may_be_numbers(text: str, start: int, end: int) -> bool:
    """Whether a bracket may be an interval or a list: a citation only if all labels are known."""
    openers = _BEFORE_NUMBERS if _SERIES.fullmatch(text, start, end) else _ASSIGNED
    return openers.search(text[max(0, start - 80) : start]) is not None


def _is_index(text: str, start: int, end: int) -> bool:
    """Whether a bracket is an index of the name before it: "rows[2](x)", not "York's[1]"."""
    before = text[max(0, start - 80) : start]
    glued = before[-1:].isalnum() or before[-1:] in ("_", ")")
    return glued and bool(_USED.match(text, end) or _INDEXED.search(before))


def _bracketed(text: str, known: Known) -> Iterator[Mark]:
    for pattern in (LINKED, _NESTED, _ESCAPED, _PARENTHESIS, _LENTICULAR):
        for match in pattern.finditer(text):
            labels = known.read(match["inside"])
            if not labels:
                continue
            linked = pattern is LINKED and match["url"] is not None
            sure = known.labels.issuperset(labels) or not may_be_numbers(text, *match.span())
            if linked or (sure and not _is_index(text, *match.span())):
                yield Mark(*match.span(), tuple(labels))


def _raised(text: str, known: Known) -> Iterator[Mark]:
    for match in _SUPERSCRIPT.finditer(text):
        before = text[max(0, match.start() - 40) : match.start()]
        if _POWER.search(before[-6:]) or _FORMULA.search(before):
            continue
        if labels := known.read(match["tag"] or _RUN.sub(lambda run: _lowered(run[0], known), match[0])):
            yield Mark(*match.span(), tuple(labels))


def _lowered(run: str, known: Known) -> str:
    """Adjacent superscripts as one number, or separately if only that names sources."""
    digits = [str(RAISED.index(character)) for character in run]
    number = "".join(digits)
    return ",".join(digits) if number not in known.labels and known.labels.issuperset(digits) else number
