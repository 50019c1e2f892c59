"""Where in a record's passages a claim is spoken of: weighted coverage by windows of whole sentences."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from factreasoner.judges.overlap.words import Text, analyse
from factreasoner.text.language import language_of

Array: TypeAlias = npt.NDArray[np.float64]

WINDOW_SIZES = (1, 2, 3)
_FUNCTION_WEIGHT = 0.05
_PASSAGE_SHARE = 0.3
_CLAIM_SHARE = 0.7
_ASKED_SHARE = 0.1
_ASIDE_SHARE = 0.3
_LONGEST_QUESTION = 1000
_PREFIX = 4
_LEAST_LIKENESS = 0.7
_LENGTH_PENALTY = 0.03
_NAME_SHARE = 0.7
_BLOCK = 256


class Coverage(NamedTuple):
    """Shares of the weight of n claims found in P passages; every array has the shape (n, P).

    `whole` looks at the whole passage; `best` rates its best window of up to three sentences, where names
    found anywhere in the passage count in part as found. That window begins with sentence `first` of the
    passage and has `size` of them. `touches` says whether the passage has any content word of the claim.
    """

    whole: Array
    best: Array
    first: npt.NDArray[np.intp]
    size: npt.NDArray[np.intp]
    touches: npt.NDArray[np.bool_]


class Passages:
    """The passages of one record, indexed for window search.

    `common` holds the weight, below 1, of stems that many English texts have. Where the passages are to
    answer a `question`, a claim says something by the words it adds to it.
    """

    def __init__(self, raw_texts: Sequence[str], common: Mapping[str, float], question: str = "") -> None:
        self.language = language_of(raw_texts)
        self._common = common if self.language == "english" else {}
        # what is longer brings material along, whose words may well be all that an answer takes
        asked = question if len(question) <= _LONGEST_QUESTION else ""
        self._asked = frozenset(analyse(asked, self.language).stems)
        self.texts = [analyse(raw, self.language) for raw in raw_texts]
        # what is not told to be another language may be one that is not known
        self.is_english = [self.language == "english" and text.is_english() for text in self.texts]
        self.row = {raw: index for index, raw in enumerate(raw_texts)}
        self.stems = [frozenset(text.stems) for text in self.texts]
        self._frequency = Counter(term for stems in self.stems for term in stems)
        self._sentences_of: dict[str, list[int]] = defaultdict(list)
        self._by_prefix: dict[str, list[str]] = defaultdict(list)
        borders = [0]
        for text in self.texts:
            for number, sentence in enumerate(text.sentences, start=borders[-1]):
                for term in set(text.stems[sentence.low : sentence.high]):
                    self._sentences_of[term].append(number)
            # a passage without words keeps one empty sentence, so that every passage owns a window
            borders.append(borders[-1] + max(1, len(text.sentences)))
        self._borders = np.asarray(borders)
        for term in sorted(self._frequency):
            if len(term) >= _PREFIX:
                self._by_prefix[term[:_PREFIX]].append(term)

    def weights(self, claim: Text, topical: Counter[str], claims: int) -> list[float]:
        """Weight of every token of `claim`: little for function words and what names the topic.

        `topical` counts the claims that have a stem, of all `claims` judged together.
        """
        others = max(claims - 1, 3)
        passages = len(self.texts) + 4
        return [
            _FUNCTION_WEIGHT
            if not content
            else self._common.get(term, 1.0)
            * (1.0 - _PASSAGE_SHARE * self._frequency[term] / passages)
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
        weighing = np.zeros((len(claims), len(vocabulary)))
        names, telling = np.zeros_like(weighing), np.zeros_like(weighing)
        for row, claim in enumerate(claims):
            for i, term in enumerate(claim.stems):
                column = vocabulary[term]
                weighing[row, column] = max(weighing[row, column], weights[row][i])
                names[row, column] = max(names[row, column], claim.names[i])
                telling[row, column] = max(telling[row, column], claim.content[i])
        weighing /= np.maximum(weighing.sum(axis=1, keepdims=True), 1e-12)
        return self._best(self._found(vocabulary), weighing, weighing * names, telling)

    def _found(self, vocabulary: dict[str, int]) -> Array:
        """Likeness in [0, 1] of what each sentence has to each term: shape (sentences, terms)."""
        found = np.zeros((int(self._borders[-1]), len(vocabulary)))
        for term, column in vocabulary.items():
            for other, likeness in self._similar(term):
                rows = self._sentences_of[other]
                found[rows, column] = np.maximum(found[rows, column], likeness)
            found[self._sentences_of.get(term, []), column] = 1.0
        return found

    def _similar(self, term: str) -> list[tuple[str, float]]:
        """Terms of the passages that share a long beginning with `term`, with their likeness below 1."""
        if len(term) < _PREFIX or term[0].isdigit():
            return []
        found = []
        for other in self._by_prefix.get(term[:_PREFIX], ()):
            shared = _PREFIX
            while shared < min(len(term), len(other)) and term[shared] == other[shared]:
                shared += 1
            likeness = 2 * shared / (len(term) + len(other))
            if other != term and likeness >= _LEAST_LIKENESS:
                found.append((other, likeness))
        return found

    def _best(self, found: Array, weights: Array, names: Array, telling: Array) -> Coverage:
        starts = self._borders[:-1]
        owner = np.repeat(np.arange(len(starts)), np.diff(self._borders))
        whole = np.maximum.reduceat(found, starts, axis=0) if found.shape[1] else found[starts]
        credit = (names @ whole.T)[:, owner]
        best = np.full((len(weights), len(starts)), -np.inf)
        first, best_size = np.zeros(best.shape, dtype=np.intp), np.ones(best.shape, dtype=np.intp)
        window = found
        for size in WINDOW_SIZES:
            if size > 1:
                window = _widened(window, found, owner, size)
            plain = weights @ window.T
            rated = plain + _NAME_SHARE * (credit - names @ window.T) - _LENGTH_PENALTY * (size - 1)
            for passage, (low, high) in enumerate(zip(starts, self._borders[1:], strict=True)):
                top = rated[:, low:high].argmax(axis=1)
                value = rated[np.arange(len(rated)), low + top]
                better = value > best[:, passage] + 1e-9
                best[better, passage] = value[better]
                first[better, passage] = top[better]
                best_size[better, passage] = size
        touches = telling @ (whole > 0).T > 0
        return Coverage(weights @ whole.T, best, first, best_size, touches)


def _widened(window: Array, found: Array, owner: npt.NDArray[np.intp], size: int) -> Array:
    """Windows of `size` sentences from those of one sentence less; none reaches into the next passage."""
    wider = window.copy()
    reach = max(len(found) - size + 1, 0)
    inside = np.flatnonzero(owner[:reach] == owner[len(found) - reach :])
    wider[inside] = np.maximum(wider[inside], found[inside + size - 1])
    return wider
