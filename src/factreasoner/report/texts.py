"""Texts as a page holds them: passages cut with the places of quotes, answers in pieces and corrected.

Places are in a browser's units.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

from factreasoner.atoms.alignment import Locator
from factreasoner.models import Assessment, TaskResult
from factreasoner.tasks.rows import ANSWER, REFERENCE
from factreasoner.tasks.verify.result import VerifyResult
from factreasoner.text.sentences import Span

WHOLE = 20_000
"""Characters up to which a passage is kept whole."""
BEGINNING, AROUND = 4_000, 1_000
"""Characters kept of a longer passage: of its beginning, and on both sides of each quote."""
FOLDED = 1_000_000
"""Characters up to which a quote that is not verbatim is searched for with case and blanks folded."""
MOST_WORDS = 4_000
"""Words that are compared one by one; of more, frequent ones are passed over."""
_WORD = re.compile(r"\s+|\S+")
_SENTENCE = re.compile(r"^\s+|\S.*?(?:[.!?…。！？](?=\s)|\n|$)\s*", re.DOTALL)
Stretch = tuple[bool, str, str]
"""Whether two texts are the same there, and what either has."""


class Passage:
    """A text in which quotes are located; `content` is what a page holds of it."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._locator = Locator(text, Span(0, len(text)), ())
        self._places: dict[str, Span | None] = {}

    def locate(self, quote: str) -> Span | None:
        """Where a quote stands; None where it is not found."""
        if quote not in self._places:
            self._places[quote] = self._find(quote)
        return self._places[quote]

    def _find(self, quote: str) -> Span | None:
        if len(self._text) <= FOLDED:
            return self._locator.find(quote)
        at = self._text.find(quote) if quote else -1
        return Span(at, at + len(quote)) if at >= 0 else None

    def cut(self) -> Cut:
        """What is kept of the text, with all that was located so far."""
        length = len(self._text)
        if length <= WHOLE:
            return Cut(self._text, (Span(0, length),))
        wanted = [Span(0, BEGINNING)]
        wanted += [
            Span(max(0, place.start - AROUND), min(length, place.end + AROUND))
            for place in self._places.values()
            if place is not None
        ]
        return Cut(self._text, tuple(_joined(wanted)))


class Cut(NamedTuple):
    """A text of which the parts `kept` are shown."""

    text: str
    kept: tuple[Span, ...]

    @property
    def is_cut(self) -> bool:
        """Whether some of the text is left out."""
        return self.kept != (Span(0, len(self.text)),)

    @property
    def shown(self) -> str:
        """The parts kept, with a note for each gap."""
        return "".join(self._pieces())

    def place(self, span: Span) -> tuple[int, int]:
        """Where a part of the text, which is kept, stands in `shown`, in UTF-16 units."""
        before = 0
        for (part, gap), kept in zip(self._parts(), self.kept, strict=True):
            if kept.start <= span.start < kept.end:
                start = before + utf16(self.text[kept.start : span.start])
                return start, start + utf16(self.text[span.start : min(span.end, kept.end)])
            before += utf16(part) + utf16(gap)
        raise ValueError("this part of the text is not kept")

    def _pieces(self) -> Iterable[str]:
        for part, gap in self._parts():
            yield part
            yield gap

    def _parts(self) -> Iterable[tuple[str, str]]:
        ends = [*(span.start for span in self.kept[1:]), len(self.text)]
        for span, following in zip(self.kept, ends, strict=True):
            left_out = following - span.end
            note = f"\n[… {left_out:,} characters left out of this report …]\n" if left_out else ""
            yield self.text[span.start : span.end], note


def _joined(spans: Sequence[Span]) -> Iterable[Span]:
    """The spans in order, those that touch made one."""
    current: Span | None = None
    for span in sorted(spans):
        if current is None:
            current = span
        elif span.start <= current.end:
            current = Span(current.start, max(current.end, span.end))
        else:
            yield current
            current = span
    if current is not None:
        yield current


class Premises:
    """What the claims of a record are held against, with the places of the quotes from them.

    `against` names texts of the record that are among them; `quotes` are (premise, quote).
    """

    def __init__(
        self, result: TaskResult, against: Collection[str], quotes: Iterable[tuple[str | None, str | None]]
    ) -> None:
        self._told = {told["id"]: told for told in _premises(result, against)}
        self._passages = {name: Passage(told["text"]) for name, told in self._told.items()}
        for premise, quote in quotes:
            if quote and premise in self._passages:
                self._passages[premise].locate(quote)
        self._cuts = {name: passage.cut() for name, passage in self._passages.items()}
        self.numbers = {name: number for number, name in enumerate(self._told)}
        """The place of each in `content`."""

    def place(self, premise: str | None, quote: str | None) -> dict[str, Any]:
        """The quote as an entry: its place where it is found, else its text."""
        if premise is None or not quote:
            return {}
        span = self._passages[premise].locate(quote) if premise in self._passages else None
        return {"quote": quote} if span is None else {"at": self._cuts[premise].place(span)}

    def content(self) -> list[dict[str, Any]]:
        """JSON-ready, in order."""
        shown = ((told, self._cuts[name]) for name, told in self._told.items())
        return [told | {"text": cut.shown} | ({"cut": True} if cut.is_cut else {}) for told, cut in shown]


def _premises(result: TaskResult, against: Collection[str]) -> Iterator[dict[str, Any]]:
    outcome = result.outcome if isinstance(result, Assessment) else None
    p_true = outcome.marginals.p_true if outcome and outcome.marginals else {}
    origin = (outcome.prior_from if outcome else None) or {}
    nodes = outcome.graph.nodes if outcome and outcome.graph else ()
    priors = {node.id: (round(node.prior, 4), origin[node.id]) for node in nodes if node.id in origin}
    for context in getattr(result, "contexts", None) or ():
        told = {"link": context.link, "note": context.dropped or context.note, "source": context.source}
        told |= {"summary": context.summary}
        numbers = {"p": p_true.get(context.id), "prior": priors.get(context.id)}
        told = {key: value for key, value in told.items() if value} | present(numbers)
        yield {"id": context.id, "title": context.title, "text": context.text, **told}
    for name, text in ((ANSWER, result.response), (REFERENCE, getattr(result, "reference", None) or "")):
        if name in against:
            yield {"id": name, "title": f"the {name}", "text": text}
    for name in getattr(result, "together", {}):
        yield {"id": name, "title": "all passages together", "text": ""}


def present(content: Mapping[str, Any]) -> dict[str, Any]:
    """What is there to say: no None, and no empty text."""
    return {key: value for key, value in content.items() if value not in (None, "")}


def utf16(text: str) -> int:
    """The length of a text in a browser's units, of which characters beyond U+FFFF take two."""
    return len(text) if text.isascii() else len(text) + sum(character > "\uffff" for character in text)


def segments(text: str, places: Iterable[tuple[int, Span]]) -> list[list[Any]]:
    """A text in pieces, each with the numbers of what lies over it: [[piece, [numbers]], ...]."""
    placed = [(number, span) for number, span in places if 0 <= span.start < span.end <= len(text)]
    borders = sorted({0, len(text), *(edge for _, span in placed for edge in span)})
    opening: dict[int, list[int]] = {}
    closing: dict[int, list[int]] = {}
    for number, span in placed:
        opening.setdefault(span.start, []).append(number)
        closing.setdefault(span.end, []).append(number)
    over: list[int] = []
    found: list[list[Any]] = []
    for start, end in itertools.pairwise(borders):
        over = [number for number in over if number not in closing.get(start, ())]
        over += opening.get(start, [])
        found.append([text[start:end], sorted(over)])
    return found


def corrected(result: VerifyResult) -> dict[str, Any] | None:
    """Both texts in pieces [kind, text], kind being same, del or ins, and why each sentence was changed."""
    if result.corrected is None:
        return None
    before: list[tuple[str, str]] = []
    after: list[tuple[str, str]] = []
    for same, stretches in groupby(_differences(result.response, result.corrected), key=itemgetter(0)):
        old, new = ("".join(parts) for parts in list(zip(*stretches, strict=True))[1:])
        before += [("same" if same else "del", old)] * bool(old)
        after += [("same" if same else "ins", new)] * bool(new)
    changes = [change.model_dump(include={"before", "after", "why"}) for change in result.changes]
    return {"before": before, "after": after, "changes": changes}


def _differences(old: str, new: str) -> Iterator[Stretch]:
    """By whole sentences, and word by word where sentences were rewritten."""
    for same, one, other in _compared(_SENTENCE.findall(old), _SENTENCE.findall(new)):
        if one and other and not same:
            yield from _compared(_WORD.findall(one), _WORD.findall(other))
        else:
            yield same, one, other


def _compared(old: Sequence[str], new: Sequence[str]) -> Iterator[Stretch]:
    """Stretches of both lists of words that are the same, or not; blanks between changes belong to these."""
    shortest = min(len(old), len(new))
    begin = next((n for n in range(shortest) if old[n] != new[n]), shortest)
    end = next((n for n in range(shortest - begin) if old[-1 - n] != new[-1 - n]), shortest - begin)
    one, other = old[begin : len(old) - end], new[begin : len(new) - end]
    yield True, "".join(old[:begin]), "".join(new[:begin])
    # Frequent words are only looked for where there are few of them: in long texts that takes minutes.
    matcher = SequenceMatcher(None, one, other, autojunk=max(len(one), len(other)) > MOST_WORDS)
    opcodes = matcher.get_opcodes()
    for place, (tag, a, b, c, d) in enumerate(opcodes):
        stretch = "".join(one[a:b])
        between = stretch.isspace() and 0 < place < len(opcodes) - 1
        yield tag == "equal" and not between, stretch, "".join(other[c:d])
    yield True, "".join(old[len(old) - end :]), "".join(new[len(new) - end :])
