"""What is measured on a (passage, claim) pair: weighted coverage by windows of whole sentences, and more."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from math import log1p
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from factreasoner.judges.overlap.words import Span, Text, analyse
from factreasoner.text.language import common_prefix, language_of

Array: TypeAlias = npt.NDArray[np.float64]

MEASURES = ("whole_passage", "company", "names_missing", "names", "numbers_missing")
_OF_WORDS = 2
"""The first column that is measured claim by claim."""
_USUAL_COVER, _USUAL_WEIGHT = 0.6, 2
_WINDOW_SIZES = (1, 2, 3)
_LENGTH_PENALTY = 0.03
_FUNCTION_WEIGHT = 0.05
_CLAIM_SHARE, _ASKED_SHARE, _ASIDE_SHARE = 0.7, 0.1, 0.3
_LONGEST_QUESTION = 1000
_PREFIX = 4
_LEAST_LIKENESS = 0.7
_BLOCK = 256


class Coverage(NamedTuple):
    """Shares of the weight of n claims found in P passages; every array has the shape (n, P).

    `whole` looks at the whole passage; `best` rates its best window of up to three sentences, the `size`
    sentences from its `first`. `touches`: the passage has a content word of the claim.
    """

    whole: Array
    best: Array
    first: npt.NDArray[np.intp]
    size: npt.NDArray[np.intp]
    touches: npt.NDArray[np.bool_]


class Passages:
    """The passages of one record, indexed for window search.

    `common` holds the weight, below 1, of stems that many English texts have. Words of the `question` that
    the passages answer weigh little in a claim.
    """

    def __init__(self, raw_texts: Sequence[str], common: Mapping[str, float], question: str = "") -> None:
        self.language = language_of(raw_texts)
        self._common = common if self.language == "english" else {}
        # A longer question brings material along, whose words may be all that an answer uses.
        asked = question if len(question) <= _LONGEST_QUESTION else ""
        self._asked = frozenset(analyse(asked, self.language).stems)
        self.texts = [analyse(raw, self.language) for raw in raw_texts]
        # A language without a list of function words counts as English, too.
        self.is_english = [self.language == "english" and text.is_english() for text in self.texts]
        self.row = {raw: index for index, raw in enumerate(raw_texts)}
        self.stems = [frozenset(text.stems) for text in self.texts]
        self._sentences_of: dict[str, list[int]] = defaultdict(list)
        self._by_prefix: dict[str, list[str]] = defaultdict(list)
        borders = [0]
        for text in self.texts:
            for number, sentence in enumerate(text.sentences, start=borders[-1]):
                for term in set(text.stems[sentence.low : sentence.high]):
                    self._sentences_of[term].append(number)
            # A passage without words keeps one empty sentence, so that every passage has a window.
            borders.append(borders[-1] + max(1, len(text.sentences)))
        self._borders = np.asarray(borders)
        for term in sorted(self._sentences_of):
            if len(term) >= _PREFIX and not term[0].isdigit():
                self._by_prefix[term[:_PREFIX]].append(term)

    def weights(self, claim: Text, topical: Counter[str], claims: int) -> list[float]:
        """Weight of every token of `claim`: little for function words and what names the topic.

        `topical` counts the claims that have a stem, of all `claims` judged together.
        """
        others = max(claims - 1, 3)
        return [
            _FUNCTION_WEIGHT
            if not content
            else self._common.get(term, 1.0)
            * (1.0 - _CLAIM_SHARE * (topical[term] - 1) / others)
            * (_ASKED_SHARE if term in self._asked else 1.0)
            * (_ASIDE_SHARE if aside else 1.0)
            for term, content, aside in zip(claim.stems, claim.content, claim.aside, strict=True)
        ]

    def cover(self, claims: Sequence[Text], weights: Sequence[Sequence[float]]) -> Coverage:
        """Best windows for `claims` (n of them) in every passage, found for a block of claims at a time."""
        blocks = [
            self._cover_block(claims[low : low + _BLOCK], weights[low : low + _BLOCK])
            for low in range(0, len(claims), _BLOCK)
        ]
        return Coverage(*(np.concatenate(parts) for parts in zip(*blocks, strict=True)))

    def _cover_block(self, claims: Sequence[Text], weights: Sequence[Sequence[float]]) -> Coverage:
        vocabulary = {term: n for n, term in enumerate(dict.fromkeys(t for c in claims for t in c.stems))}
        weighing, content = np.zeros((2, len(claims), len(vocabulary)))
        for row, claim in enumerate(claims):
            columns = [vocabulary[term] for term in claim.stems]
            np.maximum.at(weighing[row], columns, weights[row])
            np.maximum.at(content[row], columns, claim.content)
        weighing /= np.maximum(weighing.sum(axis=1, keepdims=True), 1e-12)
        return self._best(self._found(vocabulary), weighing, content)

    def _found(self, vocabulary: Mapping[str, int]) -> Array:
        """Likeness in [0, 1] of what each sentence has to each term: shape (sentences, terms)."""
        found = np.zeros((int(self._borders[-1]), len(vocabulary)))
        for term, column in vocabulary.items():
            for other in self._by_prefix.get(term[:_PREFIX], [term]):
                shared = len(term) if other == term else common_prefix(term, other)
                likeness = 2 * shared / (len(term) + len(other))
                if likeness >= _LEAST_LIKENESS:
                    rows = self._sentences_of.get(other, [])
                    found[rows, column] = np.maximum(found[rows, column], likeness)
        return found

    def _best(self, found: Array, weights: Array, content: Array) -> Coverage:
        starts = self._borders[:-1]
        owner = np.repeat(np.arange(len(starts)), np.diff(self._borders))
        whole = np.maximum.reduceat(found, starts, axis=0) if found.shape[1] else found[starts]
        best = np.full((len(weights), len(starts)), -np.inf)
        first, best_size = np.zeros(best.shape, dtype=np.intp), np.ones(best.shape, dtype=np.intp)
        window = found
        for size in _WINDOW_SIZES:
            if size > 1:  # one sentence more, but none of the next passage
                reach = max(len(found) - size + 1, 0)
                inside = np.flatnonzero(owner[:reach] == owner[len(found) - reach :])
                window = window.copy()
                window[inside] = np.maximum(window[inside], found[inside + size - 1])
            rated = weights @ window.T - _LENGTH_PENALTY * (size - 1)
            for passage, (low, high) in enumerate(zip(starts, self._borders[1:], strict=True)):
                top = rated[:, low:high].argmax(axis=1)
                value = rated[np.arange(len(rated)), low + top]
                better = value > best[:, passage] + 1e-9
                best[better, passage] = value[better]
                first[better, passage] = top[better]
                best_size[better, passage] = size
        touches = content @ (whole > 0).T > 0
        return Coverage(weights @ whole.T, best, first, best_size, touches)


class Measured:
    """Claims (n of them) that were judged together, against the passages of a record (P of them).

    `near`, of shape (n, P), rates how well each passage covers each claim; `touches`: it has a content word
    of the claim. `foreign` marks claims that are the beginning of another passage.
    """

    def __init__(self, passages: Passages, raw_claims: Sequence[str]) -> None:
        self.passages, self.claims = passages, [analyse(raw, passages.language) for raw in raw_claims]
        topical = Counter(term for claim in self.claims for term in set(claim.stems))
        self.weights = [passages.weights(claim, topical, len(self.claims)) for claim in self.claims]
        self._coverage = passages.cover(self.claims, self.weights)
        self.near, self.touches = self._coverage.best, self._coverage.touches
        self.foreign = np.array(
            [[bool(c.raw) and text.raw.startswith(c.raw) for text in passages.texts] for c in self.claims]
        )

    def window(self, n: int, row: int) -> Span:
        """The window of passage `row` that covers claim n best; empty where the passage has no words."""
        first, size = int(self._coverage.first[n, row]), int(self._coverage.size[n, row])
        parts = self.passages.texts[row].sentences[first : first + size]
        if not parts:
            return Span(0, 0, 0, 0)
        return Span(parts[0].low, parts[-1].high, parts[0].start, parts[-1].end)

    def values(self, row: int) -> Array:
        """Every measure of every claim against passage `row`: shape (n, len(MEASURES))."""
        cover = self._coverage
        values = np.zeros((len(self.claims), len(MEASURES)))
        others = np.delete(np.where(self.foreign, 0.0, cover.best), row, axis=1)
        overall = np.maximum(cover.best[:, row], others.max(axis=1, initial=0.0))
        values[:, 0] = cover.whole[:, row]
        # How well the passages cover the other claims, drawn to the usual where these are few.
        usual = _USUAL_WEIGHT * _USUAL_COVER
        values[:, 1] = (overall.sum() - overall + usual) / (len(self.claims) - 1 + _USUAL_WEIGHT)
        for n in np.flatnonzero(cover.touches[:, row]):
            claim, text = self.claims[n], self.passages.texts[row]
            marked = zip(claim.stems, self.weights[n], claim.names, strict=True)
            names = {stem: weight for stem, weight, is_name in marked if is_name}
            missing = sum(weight for name, weight in names.items() if name not in self.passages.stems[row])
            numbers = sum(not number.is_said(text.numbers) for number in claim.numbers)
            values[n, _OF_WORDS:] = log1p(missing), log1p(sum(names.values())), log1p(numbers)
        return values
