"""Cut long texts into passages, rank them for a claim (BM25), and locate parts."""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from functools import cached_property, lru_cache
from itertools import islice, pairwise
from operator import attrgetter
from typing import NamedTuple, TypeVar

from factreasoner.text.language import UNSPACED, ComparedWords, content, language_of, terms
from factreasoner.text.sentences import Span, sentences
from factreasoner.text.visible import one_line

T = TypeVar("T", bound=Hashable)

WORDS = 200
OVERLAP = 40
_CHUNK = re.compile(rf"[{UNSPACED}]|(?:(?![{UNSPACED}])\w){{1,100}}|\W{{100}}")
"""A word of a passage; longer ones count per hundred characters."""
_K1, _B = 1.2, 0.75
_RRF_K = 60
_WORD = re.compile(r"\w+")
_ALIKE = ("'’‘‚", '"“”„«»', "-–—−‐‑")
"""Equivalent quotation marks and dashes, for character classes."""
_LEAST_COVERAGE = 0.6
"""Minimum share of a part's words in the sentence that locates it."""
_MOST_WORDS = 400


class Passage(NamedTuple):
    """A part of a text, verbatim. `start` is the position of its first character."""

    text: str
    start: int


# The atoms of a record often share pages.
@lru_cache(maxsize=16)
def split_passages(text: str, *, words: int = WORDS, overlap: int = OVERLAP) -> tuple[Passage, ...]:
    """Passages of at most `words` words, each of whole sentences, in order.

    A passage repeats the last sentences of the one before, up to `overlap` words. A longer sentence is cut
    between words. In scripts without spaces (Chinese, Japanese, Thai), a character counts as a word, and so
    do a hundred characters without a space. Text between sentences (markers, spaces) is kept.
    """
    pieces: list[tuple[Span, int]] = []
    for span in sentences(text):
        starts = [found.start() for found in _CHUNK.finditer(text, span.start, span.end)]
        borders = [span.start, *starts[words::words], span.end]
        for number, (start, end) in enumerate(pairwise(borders)):
            pieces.append((Span(start, end), min(words, len(starts) - number * words)))
    runs = runs_of([size for _, size in pieces], words, overlap)
    return tuple(
        Passage(text[pieces[a][0].start : pieces[b - 1][0].end], pieces[a][0].start) for a, b in runs
    )


def runs_of(sizes: Sequence[int], most: int, overlap: int = 0) -> Iterator[tuple[int, int]]:
    """Runs [first, end) of pieces of at most `most` together, or of one larger piece.

    A run repeats the last pieces of the one before, up to `overlap`, if the next piece still fits.
    """
    first, end = 0, 0
    while end < len(sizes):
        held = sum(sizes[first:end])
        while end == first or (end < len(sizes) and held + sizes[end] <= most):
            held += sizes[end]
            end += 1
        yield first, end
        before, first, again = first, end, 0
        room = min(overlap, most - sizes[end]) if end < len(sizes) else 0
        while first - 1 > before and again + sizes[first - 1] <= room:
            first -= 1
            again += sizes[first]


def relevance(query: str, texts: Sequence[str]) -> list[float]:
    """BM25 score of each of `texts` for `query`, from their own term frequencies; 0 without a shared term.

    Function words of the query count only if it has no other words.

    Source: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), with the
    inverse document frequency kept positive, k1 = 1.2, b = 0.75.
    """
    language = language_of([query, *texts])
    counts = [_counted(text, language) for text in texts]
    wanted = set(terms(content(query, language), language))
    holding = Counter(term for count in counts for term in wanted & count.keys())
    idf = {term: math.log(1 + (len(texts) - holding[term] + 0.5) / (holding[term] + 0.5)) for term in holding}
    lengths = [count.total() for count in counts]
    mean = sum(lengths) / max(len(lengths), 1) or 1.0
    scores = []
    for count, length in zip(counts, lengths, strict=True):
        softening = _K1 * (1 - _B + _B * length / mean)
        scores.append(
            sum(idf[t] * count[t] * (_K1 + 1) / (count[t] + softening) for t in sorted(wanted & count.keys()))
        )
    return scores


@lru_cache(maxsize=2048)
def _counted(text: str, language: str) -> Counter[str]:
    return Counter(terms(text, language))


def best(query: str, texts: Sequence[str], k: int) -> list[int]:
    """Positions of the `k` texts most relevant to `query`, best first; only with a shared term."""
    scores = relevance(query, texts)
    return sorted((i for i, score in enumerate(scores) if score > 0), key=lambda i: -scores[i])[:k]


def excerpt(text: str, claim: str, longest: int) -> str:
    """`text` on one line; if longer than `longest` characters, the part most relevant to `claim`.

    If the claim has a number, numbers of the text count three times.
    """
    line = one_line(text)
    if len(line) <= longest:
        return line
    wording, numbered = ComparedWords(claim, line), any(map(str.isdigit, claim))
    wanted = wording.of(claim)
    words = [Span(*match.span()) for match in re.finditer(r"\S+", line)]
    message = [
        3 if numbered and any(map(str.isdigit, word)) else len(wording.of(word) & wanted)
        for word in (line[start:end] for start, end in words)
    ]
    ends = [bisect_right(words, start + longest, key=attrgetter("end")) for start, _ in words]
    totals = [sum(message[first:end]) for first, end in enumerate(ends)]
    last = begin = max(range(ends.index(ends[-1]) + 1), key=lambda first: (totals[first], first))
    while begin and totals[begin - 1] == totals[last]:
        begin -= 1
    first = (begin + last) // 2 if begin else 0
    shown = line[words[first].start : words[max(ends[first], first + 1) - 1].end][:longest]
    return f"{'… ' * (first > 0)}{shown}{' …' * (ends[first] < len(words))}"


def fused(rankings: Iterable[Sequence[T]]) -> list[T]:
    """Reciprocal rank fusion: by the sum of 1 / (60 + rank), best first, ties in order of appearance.

    Source: Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and individual rank
    learning methods" (2009).
    """
    scores = defaultdict[T, float](float)
    for ranking in rankings:
        for rank, item in enumerate(ranking, start=1):
            scores[item] += 1 / (_RRF_K + rank)
    return sorted(scores, key=lambda item: -scores[item])


class Locator:
    """Finds parts in `text[span.start:span.end]`, whose sentences are `sentences`."""

    def __init__(self, text: str, span: Span, sentences: Sequence[Span]) -> None:
        self._text = text
        self._span = span
        self._sentences = sentences

    def find(self, part: str, after: int = 0) -> Span | None:
        """The position of `part`: verbatim, else ignoring case, spaces and quotation marks, else by words.

        Of several equal positions the first from `after` on is preferred. Cost is linear in the span, plus a
        word alignment with the best sentence.
        """
        part = part.strip()
        if not part:
            return None
        for form in (re.compile(re.escape(part)), _in_any_form(part)):
            for start in (max(after, self._span.start), self._span.start):
                if found := form.search(self._text, start, self._span.end):
                    return Span(*found.span())
        return self._by_words(part)

    @cached_property
    def _words(self) -> list[Counter[str]]:
        return [Counter(word for word, _ in self._words_of(span)) for span in self._sentences]

    def _words_of(self, span: Span) -> list[tuple[str, Span]]:
        found = islice(_WORD.finditer(self._text, span.start, span.end), _MOST_WORDS)
        return [(match[0].casefold(), Span(match.start(), match.end())) for match in found]

    def _by_words(self, part: str) -> Span | None:
        wanted = [word.casefold() for word in _WORD.findall(part)][:_MOST_WORDS]
        if not wanted or not self._sentences:
            return None
        bag = Counter(wanted)
        shared = [(bag & words).total() for words in self._words]
        best = max(range(len(shared)), key=shared.__getitem__)
        if shared[best] < _LEAST_COVERAGE * len(wanted):
            return None
        there = self._words_of(self._sentences[best])
        matcher = SequenceMatcher(None, wanted, [word for word, _ in there], autojunk=False)
        matched = [block for block in matcher.get_matching_blocks() if block.size]
        last = matched[-1].b + matched[-1].size - 1
        return Span(there[matched[0].b][1].start, there[last][1].end)


def _in_any_form(part: str) -> re.Pattern[str]:
    """A pattern for a part that ignores case, spaces, quotation marks and dashes."""
    form = re.escape(" ".join(part.split())).replace(r"\ ", r"\s++")
    for alike in _ALIKE:
        form = re.sub(rf"\\?[{alike}]", f"[{alike}]", form)
    return re.compile(form, re.IGNORECASE)
