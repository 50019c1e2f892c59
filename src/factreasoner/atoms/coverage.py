"""Which sentences of a text its atoms cover, and why the others were not checked.

Every letter and digit of the text lies in the span of an atom or of an unchecked sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from factreasoner.atoms import nonclaims
from factreasoner.atoms.plain_text import plain
from factreasoner.models import Atom, Reason, Unchecked
from factreasoner.text.citation_marks import ENTRY, NOT_SHOWN, Regions
from factreasoner.text.reasoning import blanked_reasoning, reasoning_spans
from factreasoner.text.sentences import Block, Span, block_sentences, blocks
from factreasoner.text.tags import UNSEEN
from factreasoner.text.wraps import displayed

_ENTRY = re.compile(rf"\W*?(?:{ENTRY})\s*\S")
_HIDDEN = re.compile(NOT_SHOWN, re.IGNORECASE | re.DOTALL)
_STOPPED = re.compile(r"[.!?…。！？।؟۔]\W*\Z")
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f]|[^\W\d_]{4,}|\d+")
"""A content word: a number, a word of four letters, a character of a script without spaces."""
_OPENING_TAG = re.compile(r"<(?!/)")
_FEWEST_LOST = 3
"""So many uncovered words make an unchecked part of a sentence."""
_LONGEST_HEADING = 12


class Accounted(NamedTuple):
    """Atoms with spans, the unchecked sentences, and the number of sentences.

    An uncovered part of a sentence counts as a sentence.
    """

    atoms: tuple[Atom, ...]
    unchecked: tuple[Unchecked, ...]
    sentences: int


class _Unit(NamedTuple):
    """A sentence, table row or code block; `kind` is that of its block, "header" for a table header."""

    span: Span
    kind: str
    in_sources: bool = False


def accounted(text: str, atoms: Sequence[Atom]) -> Accounted:
    """Every sentence of `text` with its atoms, or with the reason why it has none.

    Words beside atoms, such as "However," and list markers, join the span of the next atom. An atom without a
    span gets that of its sentence.
    """
    return _Accounting(text, atoms).done()


class _Accounting:
    def __init__(self, text: str, atoms: Sequence[Atom]) -> None:
        self._source = text
        self._text = blanked_reasoning(text)
        self._shown = displayed(self._text)
        self._atoms = list(atoms)
        self._spans = [Span(*atom.span) if atom.span else None for atom in atoms]
        self._units = list(_units(self._text, self._shown))
        self._replies = {
            unit.span
            for before, unit in pairwise(self._units)
            if nonclaims.is_question(plain(self._shown, before.span).whole())
        }
        """The sentences behind a question."""
        self._wording = [_words(f"{atom.text} {atom.original or ''}") for atom in atoms]
        self._alike = {_alike(wording) for atom in atoms for wording in (atom.text, atom.original) if wording}
        """What was checked, in plain words: the atoms, and the sentences so far that have any."""

    def done(self) -> Accounted:
        """See `accounted`."""
        removed = reasoning_spans(self._source)
        found = [Unchecked(span=span, reason="removed reasoning") for span in removed]
        whole = [self._of_unit(unit) for unit in self._units]
        checked = sum(
            not parts or parts[0].span != unit.span for unit, parts in zip(self._units, whole, strict=True)
        )
        found += [rest for parts in whole for part in parts for rest in self._less(part, removed)]
        atoms = (
            atom if span == atom.span else atom.model_copy(update={"span": span})
            for atom, span in zip(self._atoms, self._spans, strict=True)
        )
        found.sort(key=lambda one: one.span)
        return Accounted(tuple(atoms), tuple(found), checked + len(found))

    def _less(self, part: Unchecked, removed: Sequence[Span]) -> Iterator[Unchecked]:
        """An unchecked part, without the reasoning in it."""
        start, end = part.span
        inside = [span for span in removed if start < span.end and span.start < end]
        for first, last in zip(
            [start, *(s.end for s in inside)], [*(s.start for s in inside), end], strict=True
        ):
            rest = self._source[first:last]
            if any(map(str.isalnum, rest)):
                begin = first + len(rest) - len(rest.lstrip())
                yield Unchecked(span=(begin, first + len(rest.rstrip())), reason=part.reason)

    def _of_unit(self, unit: _Unit) -> list[Unchecked]:
        """The unit if it has no atom, or its uncovered parts."""
        start, end = unit.span
        own = self._atoms_over(start, end)
        if not own:
            self._locate(unit)
            own = self._atoms_over(start, end)
        if not own:
            return [Unchecked(span=unit.span, reason=self._reason(unit))]
        self._alike.add(_alike(plain(self._shown, unit.span).whole()))
        covered = frozenset[str]().union(*(self._wording[n] for n in own))
        found: list[Unchecked] = []
        at = start
        for n in sorted(own, key=lambda n: self._spans[n] or unit.span):
            first, last = self._spans[n] or unit.span
            if first > at:
                found += self._between(Span(at, first), unit, covered)
            at = max(at, last)
        if at < end:
            found += self._between(Span(at, end), unit, covered)
        return found

    def _atoms_over(self, start: int, end: int) -> list[int]:
        """The atoms whose span overlaps a unit."""
        return [n for n, span in enumerate(self._spans) if span and span.start < end and start < span.end]

    def _locate(self, unit: _Unit) -> None:
        """Give the unit's span to atoms without one that share most of its words."""
        words = _words(plain(self._shown, unit.span).whole())
        for n, span in enumerate(self._spans):
            if span is None and words and len(words & self._wording[n]) > len(words) / 2:
                self._spans[n] = unit.span

    def _between(self, gap: Span, unit: _Unit, wording: frozenset[str]) -> list[Unchecked]:
        """Text beside the atoms of a unit: it joins the nearest atom, unless it counts as lost."""
        raw = self._text[gap.start : gap.end]
        if not any(map(str.isalnum, raw)):
            return []
        whole = plain(self._shown, gap).whole()
        lost = _words(whole) - wording
        is_opening = gap.start == unit.span.start and nonclaims.opening(whole + " x") >= len(whole.rstrip())
        if nonclaims.is_question(whole):
            reason: Reason = "question"
        elif len(lost) < _FEWEST_LOST or 2 * len(lost) < len(_words(whole)) or is_opening:
            self._widen(gap)
            return []
        else:
            reason = "not split"
        first = gap.start + len(raw) - len(raw.lstrip())
        return [Unchecked(span=(first, first + len(raw.strip())), reason=reason)]

    def _widen(self, gap: Span) -> None:
        """Add the gap to the atom that ends before it, or else to the one after it."""
        before = [n for n, span in enumerate(self._spans) if span and span.end == gap.start]
        behind = [n for n, span in enumerate(self._spans) if span and span.start == gap.end]
        end = gap.start + len(self._text[gap.start : gap.end].rstrip())
        if before:
            span = self._spans[before[-1]] or gap
            self._spans[before[-1]] = Span(span.start, end)
        elif behind:
            span = self._spans[behind[0]] or gap
            self._spans[behind[0]] = Span(gap.start, span.end)

    def _reason(self, unit: _Unit) -> Reason:
        """Why a unit has no atom."""
        wording = self._shown[unit.span.start : unit.span.end].replace(UNSEEN, "")
        whole = plain(self._shown, unit.span).whole()
        parts = (whole, whole.partition(":")[2] or whole)
        tests: tuple[tuple[Reason, bool], ...] = (
            ("not split", unit.span in self._replies and any(map(nonclaims.is_reply, parts))),
            ("code", unit.kind == "code"),
            ("references", unit.in_sources or unit.kind == "note" or nonclaims.is_reference_heading(whole)),
            ("references", nonclaims.is_link(wording) or _ENTRY.match(wording) is not None),
            ("heading", unit.kind in ("heading", "header") or whole.rstrip(" *_").endswith((":", "："))),
            ("question", nonclaims.is_question(whole)),
            ("abstention", nonclaims.is_abstaining(whole)),
            ("remark", any(map(nonclaims.is_filler, parts))),
            ("remark", nonclaims.is_abstention(self._source)),
            ("repeated", _alike(whole) in self._alike),
            ("heading", self._is_title(unit, whole)),
        )
        return next((reason for reason, holds in tests if holds), "not split")

    def _is_title(self, unit: _Unit, whole: str) -> bool:
        """Whether a unit is a few words without a stop, alone on their line."""
        if (
            not any(map(str.isalpha, whole))
            or len(whole.split()) > _LONGEST_HEADING
            or _STOPPED.search(whole)
        ):
            return False
        start = self._shown.rfind("\n", 0, unit.span.start) + 1
        end = self._shown.find("\n", unit.span.end)
        around = self._shown[start : unit.span.start] + self._shown[unit.span.end : end if end >= 0 else None]
        return not any(map(str.isalpha, around))


def _alike(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold()))


def _units(text: str, read: str) -> Iterator[_Unit]:
    """The sentences of a text without reasoning; `read` is the text without its tags.

    Together they hold all letters and digits; text that only cites joins the sentence beside it.
    """
    found: list[_Unit] = []
    in_sources = False
    all_blocks = blocks(read)
    for block, following in zip(all_blocks, [*all_blocks[1:], None], strict=False):
        spans = list(block_sentences(read, block))
        heads = len(spans) == 1 and nonclaims.is_reference_heading(plain(read, spans[0]).whole())
        if heads or block.kind == "heading":
            in_sources = heads
        kind = "header" if _is_header(read, block, following) else block.kind
        found += [_Unit(span, kind, in_sources) for span in spans if _informs(read, span)]

    hidden = (
        match.span()
        for match in _HIDDEN.finditer(text)
        if not read[slice(*match.span())].strip(f"{UNSEEN} \n")
    )
    within = Regions(unit.span for unit in found)
    found += [_Unit(Span(*span), "code") for span in hidden if not within.hold(*span)]
    yield from _together(text, sorted(found))


def _informs(text: str, span: Span) -> bool:
    """Whether a sentence has a letter or digit besides its citations."""
    return any(map(str.isalnum, text[slice(*span)])) and any(map(str.isalnum, plain(text, span).whole()))


def _is_header(text: str, block: Block, following: Block | None) -> bool:
    if block.kind != "table" or following is None or following.kind != "table":
        return False
    return "-" in text[block.end : following.start]


def _together(text: str, found: Sequence[_Unit]) -> Iterator[_Unit]:
    """The units, widened to the letters and digits between them: list markers, tags, numbers.

    Those on a unit's first line, or from a tag opening there, join that unit; others join the one before.
    """
    places = [0, *(unit.span.end for unit in found)]
    starts, ends = [unit.span.start for unit in found], [unit.span.end for unit in found]
    if not found:
        body = text.strip()
        if any(map(str.isalnum, body)):
            yield _Unit(Span(start := text.index(body), start + len(body)), "prose")
        return
    for n, begin in enumerate(places):
        stop = starts[n] if n < len(found) else len(text)
        if begin >= stop:
            continue
        tag, line = _OPENING_TAG.search(text, begin, stop), text.rfind("\n", begin, stop)
        border = line if line >= 0 else tag.start() if tag else begin
        same = begin if n == 0 else border if n < len(found) else stop
        for first, last, behind in ((begin, same, False), (same, stop, True)):
            part = text[first:last]
            if any(map(str.isalnum, part)):
                if behind and n < len(found):
                    starts[n] = first + len(part) - len(part.lstrip())
                else:
                    ends[n - 1] = first + len(part.rstrip())
    for unit, start, end in zip(found, starts, ends, strict=True):
        yield unit._replace(span=Span(start, end))
