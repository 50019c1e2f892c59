"""Citation markers in a text: where they stand, and which of a record's contexts they name.

What a marker is:

- numbers or ids of contexts in brackets, wide and escaped ones too: [1], [1, 2], [1; 2], [1-3], [^1], [c0],
  [1, p. 3], also nested ([[1]], [1, [2]]) or as a link ([1](https://...)), and in the form 【1†...】;
- numbers behind a word for a source, in parentheses or brackets: (Source 1), (see sources 1 and 2),
  (Source 1, Source 2);
- superscript digits, <sup>1</sup> too, unless they are a power or a unit's (m², 10³, x²);
- a link to the page of a context: in Markdown, in angle brackets, or bare.

A label names the context of that id, else the page that the answer's own list of references gives for it,
else the n-th context. What names none is unknown. No markers are: numbers of four digits or more and 0
(years, indices from 0), unless they are ids; what stands in code, and pictures; indices, intervals, lists and
matrices, as far as what stands around tells them (`language.brackets`); links to pages that no context has.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from factreasoner.language.brackets import MATRIX, reading_of
from factreasoner.language.links import page_of
from factreasoner.models import Context

MOST_IN_RANGE = 50
"""Sources a range may name; a wider one is no citation."""
_WORD = r"(?:sources?|refs?\.?|references?|documents?|docs?\.?|passages?|contexts?|citations?|footnotes?)"
_BRACKET = re.compile(
    r"(?P<outer>\[)?\[(?P<inside>[^\[\]\n]{1,120})\](?(outer)\])"
    r"(?:\((?P<url>(?:https?:|www\.|[/#])[^()\s]*(?:\([^()\s]*\)[^()\s]*)*)\))?"
)
_NESTED = re.compile(r"\[(?P<inside>[^\[\]\n]{0,60}(?:\[[^\[\]\n]{1,60}\][^\[\]\n]{0,60}){1,5})\]")
_ESCAPED = re.compile(r"\\\[(?P<inside>[^\[\]\\\n]{1,80})\\\]")
_PARENTHESIS = re.compile(
    rf"\((?:see\s+|from\s+)?(?P<inside>{_WORD}\s*[:#]?\s*[^()\n]{{1,80}})\)", re.IGNORECASE
)
_LENTICULAR = re.compile(r"【(?P<inside>[^【】\n†]{1,80})(?:†[^【】\n]*)?】")
_RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_DASH = "⁻\u2010-\u2015\u2212-"
_SUPERSCRIPT = re.compile(
    rf"(?<![⁻⁺{_RAISED}])[{_RAISED}]+(?:[,˒‚ \u2009{_DASH}]*[{_RAISED}]+)*"
    r"|<sup>(?P<tag>[^<>\n]{1,40})</sup>"
)
_RUN = re.compile(rf"([{_RAISED}]+)(?:[ \u2009]*[{_DASH}][ \u2009]*([{_RAISED}]+))?")
_URL = re.compile(r"<(?P<angled>https?://[^\s<>]+)>|(?P<bare>https?://[^\s<>\[\]\"”]+)")
_APART = re.compile(
    r"^(?P<fence>```|~~~).*?(?:^(?P=fence)|\Z)|`[^`\n]+`|!\[(?:[^\[\]\n]|\[[^\[\]\n]*\])*\]\([^()\s]*\)",
    re.MULTILINE | re.DOTALL,
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
_BETWEEN = re.compile(r"\s*(?:[,;&]|\band\b)\s*")
_RANGE = re.compile(r"\^?(\d{1,3})\s*[-\u2010-\u2015\u2212]\s*\^?(\d{1,3})")
_POWER = re.compile(
    r"(?:(?<!\b1\d\d)(?<!\b20\d)\d|(?<![^\W\d_])(?:[^\W\d_]|[cdmk]m|ft|in|mi|yd|kg|ha|nm|µm|sec|hr))$"
)
BROKEN = re.compile(r"\[\^?\d{1,3}(?=[\s.,;:!?]|$)(?![^\[\]\n]{0,40}\])|(?<=[^\W\d_.!?] )\d{1,3}\](?!\()")


class Marker(NamedTuple):
    """A citation in `text[start:end]`: the contexts it names, and labels that name none.

    `shown` is the part of it that reads as words of the sentence, as the text of a link does.
    """

    start: int
    end: int
    sources: tuple[str, ...]
    unknown: tuple[str, ...]
    shown: tuple[int, int] | None = None


class Sources:
    """What labels and links in a text stand for, given its contexts in their order.

    `defined` maps labels to links, as a list of references at the end of a text does.
    """

    def __init__(self, contexts: Sequence[Context], defined: Mapping[str, str] | None = None) -> None:
        self._ids = {context.id for context in contexts}
        self._pages = {page_of(c.link): c.id for c in reversed(contexts) if page_of(c.link)}
        self._numbered = {str(n): context.id for n, context in enumerate(contexts, start=1)}
        for label, link in (defined or {}).items():
            if page_of(link) in self._pages:
                self._numbered[label] = self._pages[page_of(link)]

    def of_label(self, label: str) -> str | None:
        """The id of the context that a label names; None for none."""
        return label if label in self._ids else self._numbered.get(label)

    def label_of(self, source: str) -> str:
        """The number by which labels name a context; its id where none does."""
        return next((label for label in self._numbered if self.of_label(label) == source), source)

    def of_link(self, link: str) -> str | None:
        """The id of the context whose page a link leads to; None for none."""
        return self._pages.get(page_of(link))

    def read(self, inside: str) -> list[str] | None:
        """The labels that the inside of a marker holds; None where it is no citation."""
        inside = inside.strip()
        if inside in self._ids:
            return [inside]
        labels: list[str] = []
        for whole in filter(None, _BETWEEN.split(_LOCATOR.sub("", re.sub(r"[\[\]]", ",", inside)))):
            prefix = None if whole in self._ids else _PREFIX.match(whole)
            part = whole[prefix.end() :] if prefix else whole
            numbers = _numbers(part)
            if part in self._ids:
                labels.append(part)
            elif numbers is None:
                return None
            else:
                labels += numbers
        plausible = all(label in self._ids or (label != "0" and len(label) < 4) for label in labels)
        return list(dict.fromkeys(labels)) if labels and plausible else None


def _numbers(part: str) -> list[str] | None:
    """The numbers that one part of a marker stands for; one that runs backwards is read forwards."""
    part = part.strip().removeprefix("^").removesuffix("^")
    if part.isdecimal() and part.isascii():
        return [str(int(part))]
    found = _RANGE.fullmatch(part)
    if found is None:
        return None
    low, high = sorted((int(found[1]), int(found[2])))
    return [str(n) for n in range(low, high + 1)] if low > 0 and high - low < MOST_IN_RANGE else None


def find_markers(text: str, sources: Sources) -> list[Marker]:
    """The citations in `text`, in order, none within another."""
    text = text.translate(_NARROW)
    apart = _apart(text)
    found = [*_bracketed(text, sources), *_raised(text, sources), *_links(text, sources)]
    markers: list[Marker] = []
    for marker in sorted(found, key=lambda m: (m.start, -m.end)):
        if not _within(marker.start, apart) and (not markers or marker.start >= markers[-1].end):
            markers.append(marker)
    return markers


def notes_on(text: str, markers: Sequence[Marker]) -> tuple[str, ...]:
    """What looks like a citation and was read otherwise, or may be something else, in words."""
    broken = (
        f"{piece!r} lacks a bracket and was not read as a citation" for piece in broken_markers(text, markers)
    )
    cited = {marker.start for marker in markers}
    apart = _apart(text)
    doubtful = (
        f"{match[0]!r} was read as a citation; it may be an interval or a list of numbers"
        if match.start() in cited
        else f"{match[0]!r} was read as numbers and not as a citation: not all of them name a source"
        for match in _BRACKET.finditer(text)
        if match["url"] is None
        and not _within(match.start(), apart)
        and reading_of(text, *match.span()) == "either"
    )
    return (*broken, *doubtful)


def _apart(text: str) -> list[tuple[int, int]]:
    """Where nothing is a citation: code, mathematics and the like, and matrices."""
    return [match.span() for pattern in (_APART, _MATHS, MATRIX) for match in pattern.finditer(text)]


def _within(place: int, spans: Sequence[tuple[int, int]]) -> bool:
    return any(start <= place < end for start, end in spans)


def broken_markers(text: str, markers: Sequence[Marker]) -> list[str]:
    """Pieces of the text that look like a citation of which a bracket is missing."""
    spans = [(m.start, m.end) for m in markers]
    return [match[0] for match in BROKEN.finditer(text) if not _within(match.start(), spans)]


def _bracketed(text: str, sources: Sources) -> Iterator[Marker]:
    for pattern in (_BRACKET, _NESTED, _ESCAPED, _PARENTHESIS, _LENTICULAR):
        for match in pattern.finditer(text):
            if pattern is _BRACKET and (marker := _link(match, sources)):
                yield marker
                continue
            labels = sources.read(match["inside"])
            if not labels:
                continue
            marker = _marker(match.start(), match.end(), labels, sources)
            linked = pattern is _BRACKET and match["url"] is not None
            reading = "citation" if linked else reading_of(text, *match.span())
            if reading == "citation" or (reading == "either" and not marker.unknown):
                yield marker


def _link(match: re.Match[str], sources: Sources) -> Marker | None:
    """A Markdown link to a context's page."""
    source = sources.of_link(match["url"]) if match["url"] else None
    if source is None:
        return None
    number = sources.read(match["inside"]) is not None
    return Marker(match.start(), match.end(), (source,), (), None if number else match.span("inside"))


def _raised(text: str, sources: Sources) -> Iterator[Marker]:
    for match in _SUPERSCRIPT.finditer(text):
        if match["tag"] is None and _POWER.search(text[max(0, match.start() - 6) : match.start()]):
            continue
        if match["tag"] is not None:
            labels = sources.read(match["tag"].strip().strip("[]"))
        else:
            labels = [label for run in _RUN.finditer(match[0]) for label in _raised_numbers(run, sources)]
        if labels and "0" not in labels:
            yield _marker(match.start(), match.end(), labels, sources)


def _raised_numbers(run: re.Match[str], sources: Sources) -> list[str]:
    """The numbers of superscripts in a row, or of a range of them; those of a range too wide are its ends."""
    low, high = (_digits(part, sources) if part else [] for part in run.groups())
    return (_numbers(f"{low[-1]}-{high[0]}") if high else None) or [*low, *high]


def _digits(run: str, sources: Sources) -> list[str]:
    """Superscripts in a row as one number, or as one each where only that names sources."""
    digits = [str(_RAISED.index(character)) for character in run]
    number = str(int("".join(digits)))
    apart = sources.of_label(number) is None and all(sources.of_label(digit) for digit in digits)
    return digits if apart else [number]


def _links(text: str, sources: Sources) -> Iterator[Marker]:
    for match in _URL.finditer(text):
        url = match["angled"] or match["bare"].rstrip(".,;:!?'*_")
        while url.endswith(")") and url.count(")") > url.count("("):
            url = url[:-1].rstrip(".,;:!?'*_")
        source = sources.of_link(url)
        if source is not None:
            end = match.end() if match["angled"] else match.start() + len(url)
            yield Marker(match.start(), end, (source,), ())


def _marker(start: int, end: int, labels: Sequence[str], sources: Sources) -> Marker:
    known = [source for label in labels if (source := sources.of_label(label)) is not None]
    unknown = [label for label in labels if sources.of_label(label) is None]
    return Marker(start, end, tuple(dict.fromkeys(known)), tuple(unknown))
