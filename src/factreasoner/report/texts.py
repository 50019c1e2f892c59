"""Texts on a page: passages cut around quotes, answers in pieces, and corrections.

Positions are in UTF-16 units, as in browsers.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from difflib import SequenceMatcher
from functools import partial
from itertools import chain, groupby, pairwise
from operator import itemgetter
from typing import Any

from factreasoner.models import Assessment, Result
from factreasoner.models.rows import ANSWER, REFERENCE
from factreasoner.tasks.verify.result import VerifyResult
from factreasoner.text.passages import Locator
from factreasoner.text.sentences import Span, joined_spans

WHOLE = 20_000
BEGINNING, AROUND = 4_000, 1_000
"""Characters kept of a long passage: at its start, and on both sides of each quote."""
FOLDED = 1_000_000
"""Maximum length of a quote that is searched ignoring case and spaces."""
MOST_WORDS = 2_000
_WORD = re.compile(r"\S+\s*|\s+")
_SENTENCE = re.compile(r"^\s+|\S.*?(?:[.!?…。！？](?=\s)|\n|$)\s*", re.DOTALL)
Stretch = tuple[bool, str, str]
"""Whether two texts agree there, and the text of each."""


class QuotedText:
    """A text with the positions of `quotes`, and the part shown on a page."""

    def __init__(self, text: str, quotes: Iterable[str]) -> None:
        find = Locator(text, Span(0, len(text)), ()).find if len(text) <= FOLDED else partial(verbatim, text)
        found = ((quote, find(quote)) for quote in dict.fromkeys(quotes))
        self._spans = {quote: span for quote, span in found if span}
        self._text = text
        self._kept = [Span(0, len(text))]
        if len(text) > WHOLE:
            around = (
                Span(max(0, start - AROUND), min(len(text), end + AROUND))
                for start, end in self._spans.values()
            )
            self._kept = joined_spans([Span(0, BEGINNING), *around])

    @property
    def is_cut(self) -> bool:
        """Whether some text is omitted."""
        return self._kept != [Span(0, len(self._text))]

    @property
    def shown(self) -> str:
        """The kept parts, with a note for each gap."""
        return "".join(part for part, _ in self._parts())

    def place(self, quote: str) -> tuple[int, int] | None:
        """A quote's position in `shown`, in UTF-16 units; None if not found."""
        if (span := self._spans.get(quote)) is None:
            return None
        before = 0
        for part, kept in self._parts():
            if kept.start <= span.start < kept.end:
                start = before + utf16(self._text[kept.start : span.start])
                return start, start + utf16(self._text[span.start : min(span.end, kept.end)])
            before += utf16(part)
        raise AssertionError("the text around a quote is kept")

    def _parts(self) -> Iterator[tuple[str, Span]]:
        ends = [*(span.start for span in self._kept[1:]), len(self._text)]
        for span, following in zip(self._kept, ends, strict=True):
            left_out = following - span.end
            note = f"\n[… {left_out:,} characters not shown …]\n" if left_out else ""
            yield self._text[span.start : span.end] + note, span


def verbatim(text: str, words: str) -> Span | None:
    """The exact positions of words in a text."""
    at = text.find(words) if words else -1
    return Span(at, at + len(words)) if at >= 0 else None


class Premises:
    """The texts that a record's claims were checked against, with positions of quotes.

    `against` names the record's own texts among them; `quotes` are (premise, quote).
    """

    def __init__(
        self, result: Result, against: Collection[str], quotes: Iterable[tuple[str | None, str | None]]
    ) -> None:
        of_each: dict[str | None, list[str]] = {}
        for premise, quote in quotes:
            if quote:
                of_each.setdefault(premise, []).append(quote)
        self._message = {message["id"]: message for message in _premises(result, against)}
        self._passages = {
            name: QuotedText(message["text"], of_each.get(name, ()))
            for name, message in self._message.items()
        }
        self.numbers = {name: number for number, name in enumerate(self._message)}
        """The place of each in `content`."""

    def place(self, premise: str | None, quote: str | None) -> dict[str, Any]:
        """The quote as an entry: its position if found, else its text."""
        if premise is None or not quote:
            return {}
        place = self._passages[premise].place(quote) if premise in self._passages else None
        return {"quote": quote} if place is None else {"at": place}

    def content(self) -> list[dict[str, Any]]:
        """The texts as JSON-like values, in order."""
        passages = zip(self._message.values(), self._passages.values(), strict=True)
        return [
            message | {"text": one.shown} | ({"cut": True} if one.is_cut else {}) for message, one in passages
        ]


def _premises(result: Result, against: Collection[str]) -> Iterator[dict[str, Any]]:
    outcome = result.outcome if isinstance(result, Assessment) else None
    p_true = outcome.marginals.p_true if outcome and outcome.marginals else {}
    origin = (outcome.prior_from if outcome else None) or {}
    nodes = outcome.graph.nodes if outcome and outcome.graph else ()
    priors = {node.id: (round(node.prior, 4), origin[node.id]) for node in nodes if node.id in origin}
    for context in getattr(result, "contexts", None) or ():
        known = {"link": context.link, "note": context.dropped or context.note, "source": context.source}
        known |= {"summary": context.summary}
        numbers = {"p": p_true.get(context.id), "prior": priors.get(context.id)}
        known = {key: value for key, value in known.items() if value} | present(numbers)
        yield {"id": context.id, "title": context.title, "text": context.text, **known}
    for name, text in ((ANSWER, result.response), (REFERENCE, getattr(result, "reference", None) or "")):
        if name in against:
            yield {"id": name, "title": f"the {name}", "text": text}
    for name in getattr(result, "together", {}):
        yield {"id": name, "title": "all contexts together", "text": ""}


def present(content: Mapping[str, Any]) -> dict[str, Any]:
    """The content without None and empty strings."""
    return {key: value for key, value in content.items() if value not in (None, "")}


def utf16(text: str) -> int:
    """The length of a text in UTF-16 units."""
    return len(text) if text.isascii() else len(text) + sum(character > "\uffff" for character in text)


def segments(text: str, places: Iterable[tuple[int, Span]]) -> list[list[Any]]:
    """A text in pieces, each with the numbers of the spans over it: [[piece, [numbers]], ...]."""
    placed = [(number, span) for number, span in places if 0 <= span.start < span.end <= len(text)]
    borders = sorted({0, len(text), *(edge for _, span in placed for edge in span)})
    opening: dict[int, list[int]] = {}
    closing: dict[int, list[int]] = {}
    for number, span in placed:
        opening.setdefault(span.start, []).append(number)
        closing.setdefault(span.end, []).append(number)
    over: list[int] = []
    found: list[list[Any]] = []
    for start, end in pairwise(borders):
        over = [number for number in over if number not in closing.get(start, ())]
        over += opening.get(start, [])
        found.append([text[start:end], sorted(over)])
    return found


def corrected(result: VerifyResult) -> dict[str, Any] | None:
    """Both texts in pieces [kind, text] (same, del or ins), and why each sentence was changed."""
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
    """Differences by sentence, and by word in runs of equally many sentences."""
    one, other = _SENTENCE.findall(old), _SENTENCE.findall(new)
    # In long texts the matcher passes over frequent sentences; equal beginnings and ends are cut off first.
    shortest = min(len(one), len(other))
    begin = next((n for n in range(shortest) if one[n] != other[n]), shortest)
    end = next((n for n in range(shortest - begin) if one[-1 - n] != other[-1 - n]), shortest - begin)
    yield from _reworded("".join(one[:begin]), "".join(one[:begin]))
    tail = "".join(one[len(one) - end :])
    one, other = one[begin : len(one) - end], other[begin : len(other) - end]
    for tag, a, b, c, d in SequenceMatcher(None, one, other).get_opcodes():
        if tag == "equal" or b - a != d - c:
            yield from _reworded("".join(one[a:b]), "".join(other[c:d]))
        else:
            yield from chain.from_iterable(map(_reworded, one[a:b], other[c:d]))
    yield from _reworded(tail, tail)


def _reworded(old: str, new: str) -> Iterator[Stretch]:
    """Stretches of words that are equal or not. Long texts are not compared."""
    one, other = _WORD.findall(old), _WORD.findall(new)
    if old == new or max(len(one), len(other)) > MOST_WORDS:
        yield old == new, old, new
        return
    matcher = SequenceMatcher(None, one, other, autojunk=False)
    for tag, a, b, c, d in matcher.get_opcodes():
        yield tag == "equal", "".join(one[a:b]), "".join(other[c:d])
