"""Citation marks in a text, by their form: where they stand, and the labels in them.

What a mark is:

- numbers or ids of sources in brackets, wide and escaped ones too: [1], [1, 2], [1; 2], [1-3], [^1], [c0],
  [1, p. 3], also nested ([[1]], [1, [2]]) or as a link ([1](https://...)), and in the form 【1†...】;
- numbers behind a word for a source, in parentheses or brackets: (Source 1), (see sources 1 and 2),
  (Source 1, Source 2);
- superscript digits, <sup>1</sup> too, unless they are a power, a unit's or an isotope's (m², 10³, x², ¹⁴C);
- author and year (`text.author_years`): (Klabnik 2019), (Smith & Lee, 2020; Wu et al. 2021a), [Smith20],
  and where the authors are words of the sentence: Smith et al. (2020).

No marks are: numbers of four digits or more and 0 (years, indices from 0), unless they are ids; what stands
in code, and pictures; indices, intervals, lists and matrices, as far as what stands around tells them
(`text.brackets`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from factreasoner.text.author_years import author_years, work_of_key, works_of
from factreasoner.text.brackets import MATRIX, reading_of

MOST_IN_RANGE = 50
"""Sources a range may name; a wider one is no citation."""
_WORD = (
    r"(?:sources?|refs?\.?|references?|documents?|docs?\.?|passages?|contexts?|citations?|footnotes?"
    r"|quellen?|fu(?:ß|ss)noten?|fuentes?|fontes?|fonti|bron(?:nen)?|källa|källor|kilder?|źródł[oa]|источники?)"
)
"""A word for a source, in English and in other languages."""
LINKED = re.compile(
    r"(?P<outer>\[)?\[(?P<inside>[^\[\]\n]{1,120})\](?(outer)\])"
    r"(?:\((?P<url>(?:https?:|www\.|[/#])[^()\s]*(?:\([^()\s]*\)[^()\s]*)*)\))?"
)
"""A bracket, with the link that follows it, if any."""
_NESTED = re.compile(r"\[(?P<inside>[^\[\]\n]{0,60}(?:\[[^\[\]\n]{1,60}\][^\[\]\n]{0,60}){1,5})\]")
_ESCAPED = re.compile(r"\\\[(?P<inside>[^\[\]\\\n]{1,80})\\\]")
_PARENTHESIS = re.compile(
    rf"\((?:see\s+|from\s+)?(?P<inside>{_WORD}\s*[:#]?\s*[^()\n]{{1,80}})\)", re.IGNORECASE
)
_LENTICULAR = re.compile(r"【(?P<inside>[^【】\n†]{1,80})(?:†[^【】\n]*)?】")
_RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_MOST_DIGITS = 3
_DASH = "⁻\u2010-\u2015\u2212-"
_SUPERSCRIPT = re.compile(
    rf"(?<![⁻⁺{_RAISED}])(?!(?<!\S)[{_RAISED}]+[A-Z]|(?<=\()[{_RAISED}]+[A-Z])"
    rf"[{_RAISED}]+(?:[,˒‚ \u2009{_DASH}]*[{_RAISED}]+)*(?![⁺⁻])"
    r"|<sup(?:\s[^<>]{0,200})?>(?:<a\s[^<>]{0,300}>)?(?P<tag>[^<>\n]{1,40})(?:</a>)?</sup>"
)
_RUN = re.compile(rf"([{_RAISED}]+)(?:[ \u2009]*[{_DASH}][ \u2009]*([{_RAISED}]+))?")
NOT_SHOWN = (
    r"<!--(?:(?!<!--|-->).)*+-->"
    r"|<(?P<unshown>head|script|style)\b[^<>]{0,600}>(?:(?!</?(?P=unshown)\b).)*+</(?P=unshown)>"
)
"""Comments, and elements of HTML that a page does not show."""
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
_LOCATOR = re.compile(
    r"[,:]?\s*(?:\bpp?\.?|\bpages?|\bch(?:\.|apters?)|\bsec(?:\.|tions?)|§§?)\s*\d+(?:\s*[-\u2010-\u2015]\s*\d+)?",
    re.IGNORECASE,
)
_DIGITS_OF = (0x660, 0x6F0, 0x966, 0x9E6, 0xE50, 0xFF10)
"""Where the digits of other scripts begin: Arabic, Persian, Devanagari, Bengali, Thai; wide ones."""
_NARROW = str.maketrans("［］，；،؛", "[],;,;") | {
    zero + digit: str(digit) for zero in _DIGITS_OF for digit in range(10)
}
_BETWEEN = re.compile(r"\s*(?:[,;&]|\b(?:and|und|et|y|en|och|og)\b)\s*")
_RANGE = re.compile(r"\^?(\d{1,3})\s*[-\u2010-\u2015\u2212]\s*\^?(\d{1,3})")
_POWER = re.compile(
    r"(?:(?<!\b1\d\d)(?<!\b20\d)\d|(?<![^\W\d_])(?:[^\W\d_]|[cdmk]m|ft|in|mi|yd|kg|ha|nm|µm|sec|hr|Pa|Hz|[kMG]?pc"
    r"|[kMGT]?eV|sin|cos|tan|log|ln|exp|[α-ω][a-z])|[=+*/·×][ ]?[^\W\d_]{1,3})$"
)
"""What stands before a power: a number, a letter for one, a unit, a function."""
_FORMULA = re.compile(
    r"(?:[^\W_]\((?!e?s\))[^()\s]{1,12}|\((?=[^()]*[+*/=^·×−])(?:\W|\d|(?<![^\W\d_])[^\W\d_])*[^\s()])\)$"
)
BROKEN = re.compile(
    r"\[\^?\d{1,3}(?:(?=[.;!?]\s+[^\W\d_a-z][^\W\d_])|(?=[\s.,;:!?]|$)(?![^\[\]\n]{0,40}\]))"
    r"|(?<=[^\W\d_.!?] )\d{1,3}\](?!\()"
)
ASKS_FOR_NOUN = re.compile(
    r"\b(?:according to|per|"
    r"(?:shown|stated|reported|described|noted|found|said|told|listed|given) (?:in|by))[ \t]*$",
    re.IGNORECASE,
)
"""Words behind which a citation is a noun of its sentence: "according to [1], ..."."""
_PREPOSITION = re.compile(r"\b(?:in|by|from|of|with)[ \t]+$", re.IGNORECASE)
_CLAUSE_ENDS = re.compile(r"[ \t]*(?:[.,;:!?)]|$)", re.MULTILINE)


class Mark(NamedTuple):
    """A citation in `text[start:end]`, with the labels of what it cites.

    `either`: it may be numbers that cite nothing. `narrative`: its authors are words of the sentence, as in
    "Smith et al. (2020) say"; it is `sure` where these can't be a title.
    """

    start: int
    end: int
    labels: tuple[str, ...]
    either: bool = False
    narrative: bool = False
    sure: bool = True


class Known:
    """What labels there are, as far as they are known: ids of sources, and other labels that name one."""

    def __init__(self, ids: Collection[str] = (), labels: Collection[str] = ()) -> None:
        self.ids = frozenset(ids)
        self._labels = self.ids | frozenset(labels)

    def names(self, label: str) -> bool:
        """Whether a label is known to name a source."""
        return label in self._labels

    def read(self, inside: str) -> list[str] | None:
        """The labels that the inside of a mark holds; None where it is no citation."""
        inside = inside.strip()
        if inside in self.ids:
            return [inside]
        labels: list[str] = []
        for whole in filter(None, _BETWEEN.split(_LOCATOR.sub("", re.sub(r"[\[\]]", ",", inside)))):
            prefix = None if whole in self.ids else _PREFIX.match(whole)
            part = whole[prefix.end() :] if prefix else whole
            numbers = _numbers(part)
            if part in self.ids:
                labels.append(part)
            elif numbers is None:
                return None
            else:
                labels += numbers
        plausible = all(label in self.ids or (label != "0" and len(label) < 4) for label in labels)
        return list(dict.fromkeys(labels)) if labels and plausible else None


NOTHING_KNOWN = Known()


def _numbers(part: str) -> list[str] | None:
    """The numbers that one part of a mark stands for; one that runs backwards is read forwards."""
    part = part.strip().removeprefix("^").removesuffix("^")
    if part.isdecimal() and part.isascii():
        return [str(int(part))]
    found = _RANGE.fullmatch(part)
    if found is None:
        return None
    low, high = sorted((int(found[1]), int(found[2])))
    return [str(n) for n in range(low, high + 1)] if low > 0 and high - low < MOST_IN_RANGE else None


def find_marks(text: str, known: Known = NOTHING_KNOWN) -> list[Mark]:
    """The citation marks in `text`, in order, none within another."""
    text = text.translate(_NARROW)
    apart = nothing_cited(text)
    found = [*_bracketed(text, known), *_raised(text, known), *_by_author(text)]
    marks: list[Mark] = []
    for mark in sorted(found, key=lambda m: (m.start, -m.end)):
        if not _within(mark.start, apart) and (not marks or mark.start >= marks[-1].end):
            marks.append(mark)
    return marks


def is_word(text: str, start: int, end: int) -> bool:
    """Whether a mark stands where a word of its sentence would: "as [1] says", "used in [2]."."""
    if ASKS_FOR_NOUN.search(text[max(0, start - 40) : start]):
        return True
    if _PREPOSITION.search(text[max(0, start - 10) : start]) and _CLAUSE_ENDS.match(text, end):
        return True
    after = re.match(r"[ \t]+(\S)", text[end : end + 8])
    before = text[max(0, start - 40) : start].rstrip(" \t")
    begins = (
        not before
        or before[-1] in "\n.!?:;"
        or re.search(r"\b(?:in|by|per|to|as|from|see|and)$", before[-8:], re.IGNORECASE)
    )
    return bool(begins and after and after[1].islower())


def nothing_cited(text: str) -> list[tuple[int, int]]:
    """Where nothing is a citation: code, mathematics and the like, and matrices."""
    return [match.span() for pattern in (_APART, _MATHS, MATRIX) for match in pattern.finditer(text)]


def _within(place: int, spans: Sequence[tuple[int, int]]) -> bool:
    return any(start <= place < end for start, end in spans)


def _bracketed(text: str, known: Known) -> Iterator[Mark]:
    for pattern in (LINKED, _NESTED, _ESCAPED, _PARENTHESIS, _LENTICULAR):
        for match in pattern.finditer(text):
            labels = known.read(match["inside"]) or []
            if not labels and pattern in (LINKED, _ESCAPED):
                labels = _keys(match["inside"])
            if not labels:
                continue
            linked = pattern is LINKED and match["url"] is not None
            reading = "citation" if linked else reading_of(text, *match.span())
            if reading != "numbers":
                yield Mark(*match.span(), tuple(labels), either=reading == "either")


def _keys(inside: str) -> list[str]:
    """The labels of works that a bracket cites by author and year: "Smith20, Lee21", "Smith et al., 2020"."""
    keys = [work_of_key(part) for part in re.split(r"[,;]", _LOCATOR.sub("", inside))]
    works = [key for key in keys if key is not None]
    return [work.label for work in (works if len(works) == len(keys) else works_of(inside))]


def _by_author(text: str) -> Iterator[Mark]:
    for cited in author_years(text):
        labels = tuple(dict.fromkeys(work.label for work in cited.works))
        yield Mark(
            cited.start, cited.end, labels, narrative=cited.narrative, sure=all(w.sure for w in cited.works)
        )


def _raised(text: str, known: Known) -> Iterator[Mark]:
    for match in _SUPERSCRIPT.finditer(text):
        before = text[max(0, match.start() - 40) : match.start()]
        if _POWER.search(before[-6:]) or _FORMULA.search(before):
            continue
        if match["tag"] is not None:
            labels = known.read(match["tag"].strip().strip("[]"))
        else:
            labels = [label for run in _RUN.finditer(match[0]) for label in _raised_numbers(run, known)]
        if labels and "0" not in labels:
            yield Mark(*match.span(), tuple(labels))


def _raised_numbers(run: re.Match[str], known: Known) -> list[str]:
    """The numbers of superscripts in a row, or of a range of them; those of a range too wide are its ends."""
    low, high = (_digits(part, known) if part else [] for part in run.groups())
    return (_numbers(f"{low[-1]}-{high[0]}") if high else None) or [*low, *high]


def _digits(run: str, known: Known) -> list[str]:
    """Superscripts in a row as one number, or as one each where only that names sources."""
    if len(run) > _MOST_DIGITS:
        return []
    digits = [str(_RAISED.index(character)) for character in run]
    number = str(int("".join(digits)))
    apart = not known.names(number) and all(known.names(digit) for digit in digits)
    return digits if apart else [number]
