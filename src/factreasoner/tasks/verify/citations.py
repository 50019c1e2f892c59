"""What each sentence of a text cites: find markers and sentences, and match them."""

from __future__ import annotations

import bisect
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from types import MappingProxyType
from typing import Literal, NamedTuple

from factreasoner.atoms.plain_text import remove_marks
from factreasoner.models import Context
from factreasoner.tasks.verify.markers import UNREAD, Marker, Sources, find_markers, notes_on
from factreasoner.tasks.verify.result import Attribution
from factreasoner.text.citation_marks import (
    AUTHOR_YEAR,
    BROKEN,
    ENTRY,
    Regions,
    marks_as_words,
    uncitable_regions,
)
from factreasoner.text.sentences import Block, Span, block_sentences, blocks, newline_ended
from factreasoner.text.tags import UNSEEN, without_tags
from factreasoner.text.wraps import unwrapped

_REFERENCES = re.compile(
    r"^[ \t]*+(?:#{1,6}[ \t]*+)?(?:\*\*|__)?[ \t]*+"
    r"(?:references|sources?|citations|bibliography|footnotes|works cited)"
    r"[ \t]*+(?:\*\*|__)?:?[ \t]*+(?:\*\*|__)?[ \t]*+"
    r"(?P<own>(?:(?=(?P<mark>\[[^\[\]\n]{1,60}\](?:\([^()\s]*\))?|https?://\S+))(?P=mark)[ \t,;.]*)*)$",
    re.IGNORECASE | re.MULTILINE,
)
_ENTRY = re.compile(rf"^[ \t>*+-]*(?:{ENTRY}|(?P<number>\d{{1,3}})[.)])")
_URL = re.compile(r"https?://[^\s<>\[\]()\"]*[^\s<>\[\]()\".,;:!?'*_`]")


Place = tuple[int, int]
"""(start, end) of a sentence in its text."""


class CitingSentence(NamedTuple):
    """A sentence with the markers after its full stop, in `text[start:end]`.

    `words` is its position without these markers, `block` the number of its paragraph or list item. `cited`
    are context ids, `unknown` labels without a source.
    """

    start: int
    end: int
    words: Span
    block: int
    cited: tuple[str, ...]
    unknown: tuple[str, ...]
    by: Attribution
    markers: tuple[Marker, ...]
    is_code: bool = False

    @property
    def place(self) -> Place:
        """Its position in the text."""
        return self.start, self.end


class CitedText:
    """A text with the citations of its sentences.

    `plain` is the text without markers, reference lists and code; `original` maps its positions back. `notes`
    are on doubtful citations. `defined` maps labels to entries of a reference list outside the text.
    """

    def __init__(
        self, text: str, contexts: Sequence[Context], defined: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        self.text = text
        self.contexts = contexts
        lines = newline_ended(text)
        self._read = without_tags(lines)
        listed, entries = _references(self._read, lines)
        self._defined = {**defined, **entries}
        sources = self._sources = Sources(contexts, self._defined)
        markers = [
            m for m in find_markers(lines, sources) if not any(s.start <= m.start < s.end for s in listed)
        ]
        apart, code = Regions([*listed, *((m.start, m.end) for m in markers)]), uncitable_regions(lines)
        urls = (m for m in _URL.finditer(lines) if not apart.hold(*m.span()))
        self._links = [m for m in urls if not code.hold(*m.span())]
        words = marks_as_words(lines, [(m.start, m.end) for m in markers])
        gone = [m for m in markers if (m.start, m.end) not in words]
        around = [
            Span(*span)
            for m in gone
            if m.shown is not None
            for span in ((m.start, m.shown[0]), (m.shown[1], m.end))
        ]
        whole = [(m.start, m.end) for m in gone if m.shown is None]
        whole += [m.span() for m in UNREAD.finditer(lines) if not m["opens"]]
        read, places = remove_marks(self._read, whole, [*listed, *around])
        read = unwrapped(read, places)
        all_blocks = blocks(read)
        seen = [n for n, character in enumerate(read) if character != UNSEEN]
        self.plain, self._places = "".join(read[n] for n in seen), [places[n] for n in seen]
        self.sentences = self._sentences(markers, all_blocks, read, places)
        strange = [f"{m[0]!r} was not read as a citation: it leads to no source" for m in self._links[:1]]
        self.notes = (*notes_on(text, markers, sources), *strange)

    def like(self, text: str) -> CitedText:
        """Another text with the same meaning of labels."""
        return CitedText(text, self.contexts, self._defined)

    def label_of(self, source: str) -> str:
        """The text's name for a source: its id if cited so, else its number."""
        by_id = re.compile(rf"(?<!\w){re.escape(source)}(?!\w)")
        markers = (m for s in self.sentences for m in s.markers if source in m.sources)
        named = any(by_id.search(self.text, m.start, m.end) for m in markers)
        return source if named else self._sources.label_of(source)

    def words_of(self, sentence: CitingSentence) -> str:
        """A sentence without its markers."""
        first, last = (bisect.bisect_left(self._places, place) for place in sentence.words)
        return self.plain[first:last]

    def original(self, span: Span | tuple[int, int]) -> Span:
        """The position in the text of `plain[start:end]`."""
        start, end = span
        return Span(self._places[start], self._places[end - 1] + 1) if end > start else Span(0, 0)

    def sentence_at(self, span: Span | tuple[int, int]) -> CitingSentence | None:
        """The sentence with the largest share of a span of the text, if any."""
        shared = [(min(s.end, span[1]) - max(s.start, span[0]), -s.start, s) for s in self.sentences]
        best = max(shared, default=None, key=lambda found: found[:2])
        return best[2] if best is not None and best[0] > 0 else None

    def _sentences(
        self, markers: Sequence[Marker], all_blocks: Sequence[Block], read: str, places: Sequence[int]
    ) -> tuple[CitingSentence, ...]:
        """The sentences of the blocks of `read`, whose characters are at `places` in the text."""
        spans = list(self._spans(all_blocks, read, places))
        first = next((s.start for s, n, _ in spans if all_blocks[n].kind != "heading"), 0)
        above = any("\n" in self._read[m.end : first] for m in markers[:1])  # markers are on lines above
        owned = self._owned(markers, spans, above=above)
        starts = [span.start for span, *_ in spans]
        unread = [m.end() if m["opens"] else m.start() for m in UNREAD.finditer(self.text) if not m["begins"]]
        unread += [m.start() for m in (*self._links, *AUTHOR_YEAR.finditer(self.text))]
        marks = {bisect.bisect_right(starts, place) - 1 for place in unread}
        marked = [
            bool(own or n in marks or BROKEN.search(self._read, *spans[n][0])) for n, own in enumerate(owned)
        ]
        ends = _closing(spans, owned, marked)
        found = []
        for n, (span, block, is_code) in enumerate(spans):
            cites = owned[n] or ends.get(block, [])
            by: Attribution = "sentence" if owned[n] else "paragraph" if cites else "none"
            start = min([span.start, *(m.start for m in owned[n])])
            end = max([span.end, *(m.end for m in owned[n])])
            end = _with_closers(self.text, end, span, owned[n])
            end = min([end, *starts[n + 1 : n + 2]])
            kinds = _all(cites, "sources"), _all(cites, "unknown")
            found.append(CitingSentence(start, end, span, block, *kinds, by, tuple(owned[n]), is_code))
        return tuple(found)

    def _spans(
        self, all_blocks: Sequence[Block], read: str, places: Sequence[int]
    ) -> Iterator[tuple[Span, int, bool]]:
        """The positions of sentences, their block numbers, and whether they are code."""
        for number, block in enumerate(all_blocks):
            for start, end in block_sentences(read, block):
                yield Span(places[start], places[end - 1] + 1), number, block.kind == "code"

    def _owned(
        self, markers: Sequence[Marker], spans: Sequence[tuple[Span, int, bool]], *, above: bool
    ) -> list[list[Marker]]:
        """The markers of each sentence: those in it, and those beside it.

        Markers at the start of a line belong to the sentence after them.
        """
        owned: list[list[Marker]] = [[] for _ in spans]
        starts = [span.start for span, *_ in spans]
        led: set[int] = set()
        for marker in markers:
            place = marker.shown[0] if marker.shown else marker.start
            at = bisect.bisect_right(starts, place) - 1
            before = spans[at][0].end if at >= 0 else 0
            if at + 1 < len(spans) and before <= marker.start and marker.end <= starts[at + 1]:
                block = spans[at + 1][1]
                begins = "\n" in self._read[before : marker.start] or not before
                begins = begins and (above or "\n" not in self._read[marker.end : starts[at + 1]])
                if at < 0 or begins or owned[at + 1] or (block in led and spans[at][1] == block):
                    led.add(block)
                    at += 1
            if at >= 0:
                owned[at].append(marker)
        return owned


def _all(markers: Sequence[Marker], field: Literal["sources", "unknown"]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for marker in markers for name in getattr(marker, field)))


def _with_closers(text: str, end: int, words: Span, markers: Sequence[Marker]) -> int:
    """The end of a sentence with the brackets that close around its last markers."""
    if not markers or markers[-1].end <= words.end:
        return end
    opened = sum((c in "([") - (c in ")]") for c in text[words.end : end])
    while opened > 0 and end < len(text) and text[end] in ")]":
        end += 1
        opened -= 1
    return end


def _closing(
    spans: Sequence[tuple[Span, int, bool]], owned: Sequence[Sequence[Marker]], marked: Sequence[bool]
) -> dict[int, Sequence[Marker]]:
    """By block: the markers of its last sentence, if no other sentence has any."""
    found: dict[int, Sequence[Marker]] = {}
    for number, run in groupby(range(len(spans)), key=lambda n: spans[n][1]):
        members = list(run)
        if len(members) > 1 and owned[members[-1]] and not any(marked[n] for n in members[:-1]):
            found[number] = owned[members[-1]]
    return found


def _references(text: str, source: str) -> tuple[list[Span], dict[str, str]]:
    """The positions, and entries by label, of footnotes (`[^1]: ...`) and reference lists.

    These are below a heading for references, or at the end, with links. `text` is `source` without its tags,
    which may hold links.
    """
    text = text.replace(UNSEEN, " ")
    spans: list[Span] = []
    defined: dict[str, str] = {}
    lines = [Span(m.start(), m.end()) for m in re.finditer(r"[^\n]+", text) if m[0].strip()]
    headings = {match.start(): match["own"] for match in _REFERENCES.finditer(text)}
    entries = [(line, _ENTRY.match(text[line.start : line.end])) for line in lines]
    listed = len(entries)
    while listed and _is_linked(*entries[listed - 1], source):
        listed -= 1
    below = None
    for number, (line, entry) in enumerate(entries):
        own = next((own for start, own in headings.items() if line.start <= start < line.end), None)
        if own is not None:
            below = None if own else number  # "Sources: [1], [2]" has its sources in its own line
        elif below is not None and not (entry or _URL.search(source, *line)):
            below = None
        footnote = entry is not None and entry["colon"] is not None
        if own is None and below is None and not footnote and number < listed:
            continue
        spans.append(line)
        wording = source[line.start : line.end].strip()
        defined.setdefault(_label_of(entry).strip() or wording, wording)
    return spans, defined


def _label_of(entry: re.Match[str] | None) -> str:
    return (
        (entry["label"] or entry["number"] or unicodedata.normalize("NFKC", entry["raised"])) if entry else ""
    )


def _is_linked(line: Span, entry: re.Match[str] | None, source: str) -> bool:
    """Whether a line is an entry with a link and a label in brackets or superscript."""
    return entry is not None and not entry["number"] and _URL.search(source, *line) is not None
