"""The windows of a passage that the bundled judge reads with a claim."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from factreasoner.text.language import ComparedWords, count_shared
from factreasoner.text.sentences import Span, sentences

WORDS, SENTENCES = 75, 4
"""Maximum words and sentences of a window."""
MOST = 4
"""Maximum windows per claim."""
LEAST_SHARE = 0.2
"""Minimum share of a claim's content words in a window.

The best window has less for 1 % of the entailed pairs of Factcheck-Bench, 3 % of K-QA, 1.5 % of
WikiContradict and none of WiCE; and for 10 %, 14 %, 2 % and 6 % of the others.
"""
_WORD, _CAPITALISED = re.compile(r"\S+"), re.compile(r"\b[A-Z][\w’'-]*")
_PRONOUN = re.compile(r"(?:He|She|They|It|His|Her|Their|Its)\b")
_ENGLISH = ComparedWords("")


class Window(NamedTuple):
    """A part of a passage; `text` starts with the title; it has `share` of the claim's content words."""

    span: Span
    text: str
    share: float


@lru_cache(maxsize=2048)
def content_words(text: str) -> frozenset[str]:
    """The numbers and content-word stems of an English text."""
    return _ENGLISH.of(text)


@lru_cache(maxsize=256)
def windows(passage: str) -> tuple[Span, ...]:
    """Runs of at most SENTENCES sentences and WORDS words; each repeats the last sentence before it.

    A longer sentence is cut between words.
    """
    pieces = list(_pieces(passage))
    found: list[Span] = []
    first = 0
    while first < len(pieces):
        end, words = first + 1, pieces[first][1]
        while end < len(pieces) and end - first < SENTENCES and words + pieces[end][1] <= WORDS:
            words += pieces[end][1]
            end += 1
        found.append(Span(pieces[first][0].start, pieces[end - 1][0].end))
        if end == len(pieces):
            break
        again = end - 1
        fits = again > first and pieces[again][1] + pieces[end][1] <= WORDS
        first = again if fits else end
    return tuple(found)


def _pieces(passage: str) -> Iterator[tuple[Span, int]]:
    """The sentences of a passage, with their word counts."""
    for span in sentences(passage):
        words = list(_WORD.finditer(passage, span.start, span.end))
        for n in range(0, len(words), WORDS):
            part = words[n : n + WORDS]
            yield Span(part[0].start(), part[-1].end()), len(part)


def choose_windows(passage: str, claim: str, title: str = "") -> tuple[Window, ...]:
    """The windows that share most content words with the claim, at most MOST, best first.

    Windows with less than LEAST_SHARE, or with shared words only in the title, are excluded. For a claim
    without content words, the first ones are used.
    """
    wanted = content_words(claim)
    known = content_words(title) if title else frozenset()
    found = []
    for span in windows(passage):
        wording = passage[span.start : span.end]
        own = count_shared(wanted, content_words(wording))
        share = (
            count_shared(wanted, content_words(wording) | known) / len(wanted) if own else float(not wanted)
        )
        if share >= LEAST_SHARE:
            found.append(Window(span, with_title(wording, title), share))
    return tuple(sorted(found, key=lambda window: (-window.share, window.span))[:MOST])


def with_title(text: str, title: str) -> str:
    """The text on one line, starting with the title."""
    wording = " ".join(text.split())
    title = " ".join(title.split())
    return wording if not title or wording.startswith(title) else f"{title.rstrip('.')}. {wording}"


def nearest_sentence(passages: Sequence[str], claim: str, title: str = "") -> str | None:
    """The sentence nearest to a claim, in the best window; None if all share too few words."""
    if not content_words(claim):
        return None
    found = [(w, passage) for passage in passages for w in choose_windows(passage, claim, title)[:1]]
    if not found:
        return None
    window, passage = max(found, key=lambda one: one[0].share)
    return best_sentence(passage[window.span.start : window.span.end], claim)


def best_sentence(text: str, claim: str) -> str:
    """The first sentence of a text that shares most content words with a claim.

    A sentence that begins with a pronoun also has the claim's names from the sentences before it.
    """
    wording = ComparedWords(claim, text)
    wanted, named = wording.of(claim), wording.of(" ".join(_CAPITALISED.findall(claim)))
    shares: dict[str, int] = {}
    before: frozenset[str] = frozenset()
    for part in (text[span.start : span.end] for span in sentences(text)):
        own = wording.of(part)
        shares.setdefault(part, count_shared(wanted, own | before if _PRONOUN.match(part) else own))
        before |= named & own
    return max(shares, key=lambda part: shares[part], default=text)
