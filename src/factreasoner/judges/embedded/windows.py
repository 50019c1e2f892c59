"""Where in a record's passages a claim is spoken of: weighted coverage by windows of whole sentences."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from factreasoner.judges.embedded.numbers import Number
from factreasoner.judges.embedded.text import Text, analyse
from factreasoner.text.stems import language_of

Array: TypeAlias = npt.NDArray[np.float64]
Indices: TypeAlias = npt.NDArray[np.intp]

WINDOW_SIZES = (1, 2, 3)
_FUNCTION_WEIGHT = 0.05
_RARE = 0.03
_PASSAGE_SHARE = 0.3
_CLAIM_SHARE = 0.7
_ASIDE_SHARE = 0.3
_ASKED_SHARE = 0.1
_LONGEST_QUESTION = 1000
_TELLING = 0.3
_PREFIX = 4
_LEAST_LIKENESS = 0.7
_LIKENESS_SHARE = 0.9
_LENGTH_PENALTY = 0.03
_NAME_SHARE = 0.7
_BLOCK = 256


class Window(NamedTuple):
    """Tokens [low, high) of a passage and the characters [start, end) they span."""

    low: int
    high: int
    start: int
    end: int


@dataclass(frozen=True, eq=False)
class PassageCoverage:
    """Shares of the weight of n claims found in P passages; every array has the shape (n, P).

    `whole` looks at the whole passage, `one` and `two` at its best window of that many sentences; `score`
    rates the best window of up to three, where names found anywhere in the passage count in part as found.
    That window begins with sentence `focus` of the passage and has `size` of them. `touches` says whether
    the passage has any telling word of the claim; function words tell nothing.
    """

    whole: Array
    one: Array
    two: Array
    score: Array
    focus: Indices
    size: Indices
    touches: npt.NDArray[np.bool_]

    @classmethod
    def joined(cls, blocks: Sequence[PassageCoverage]) -> PassageCoverage:
        """The coverage of several blocks of claims over the same passages, one block after the other."""
        names = [field.name for field in fields(cls)]
        return cls(**{name: np.concatenate([getattr(block, name) for block in blocks]) for name in names})


class Passages:
    """The passages of one record, indexed for window search.

    `background` holds the share of documents a stem is found in, for English; absent means rare. Where the
    passages are to answer a `question`, a claim says something by the words it adds to it: those it took over
    are in a wrong answer as well.
    """

    def __init__(self, raw_texts: Sequence[str], background: Mapping[str, float], question: str = "") -> None:
        self.language = language_of(raw_texts)
        # what is longer brings material along, whose words may well be all that an answer takes
        asked = question if len(question) <= _LONGEST_QUESTION else ""
        self._asked = frozenset(analyse(asked, self.language).stems)
        self.texts = [analyse(raw, self.language) for raw in raw_texts]
        self.row = {raw: index for index, raw in enumerate(raw_texts)}
        self._background = background if self.language == "english" else {}
        self._sentences_of: dict[str, list[int]] = defaultdict(list)
        self._frequency: Counter[str] = Counter()
        self._by_prefix: dict[str, list[str]] = defaultdict(list)
        self._figures: dict[str | frozenset[str], dict[Number, set[int]]] = defaultdict(dict)
        borders = [0]
        for text in self.texts:
            for number, sentence in enumerate(text.sentences):
                for term in set(text.stems[sentence.low : sentence.high]):
                    self._sentences_of[term].append(borders[-1] + number)
            self._index_figures(text, borders[-1])
            self._frequency.update(set(text.stems))
            # a passage without words keeps one empty sentence, so that every passage owns a window
            borders.append(borders[-1] + max(1, len(text.sentences)))
        self._borders = np.asarray(borders)
        for term in sorted(self._frequency):
            if len(term) >= _PREFIX:
                self._by_prefix[term[:_PREFIX]].append(term)

    def _index_figures(self, text: Text, row: int) -> None:
        """Where what figures there are stand: in which sentences, of which the text's first one is `row`."""
        firsts = [sentence.low for sentence in text.sentences]
        for number in text.numbers:
            sentence = bisect_right(firsts, number.place) - 1
            if sentence >= 0 and number.place < text.sentences[sentence].high:
                figure = number._replace(place=0, size=1, length=1)
                self._figures[number.measure].setdefault(figure, set()).add(row + sentence)

    def _saying(self, number: Number) -> list[int]:
        """The sentences with a figure that says a number, the same or another one."""
        alike = self._figures.get(number.measure, {})
        return sorted({row for other, rows in alike.items() if number.follows_from(other) for row in rows})

    def window(self, row: int, first: int, size: int) -> Window:
        """The window of `size` sentences from sentence `first` of passage `row`; empty without sentences."""
        parts = self.texts[row].sentences[first : first + size]
        return (
            Window(parts[0].low, parts[-1].high, parts[0].start, parts[-1].end)
            if parts
            else Window(0, 0, 0, 0)
        )

    def weight(self, term: str, content: bool) -> float:
        """How much a term tells: little for function words, less the more texts and passages have it."""
        if not content:
            return _FUNCTION_WEIGHT
        rare = _RARE / (_RARE + self._background.get(term, 0.0))
        return rare * (1.0 - _PASSAGE_SHARE * self._frequency[term] / (len(self.texts) + 4))

    def weights(self, claim: Text, topical: Mapping[str, float]) -> list[float]:
        """Weight of every token of `claim`; words of topic and question, and asides, count less."""
        return [
            self.weight(term, content)
            * topical[term]
            * (_ASIDE_SHARE if aside else 1.0)
            * (_ASKED_SHARE if term in self._asked else 1.0)
            for term, content, aside in zip(claim.stems, claim.content, claim.aside, strict=True)
        ]

    def cover(self, claims: Sequence[Text]) -> PassageCoverage:
        """Best windows for `claims` (n of them) in every passage, found for a block of claims at a time.

        What a block takes grows with its claims times their words; for all claims at once that would be the
        square of their number.
        """
        topical = topic_discount(claims)
        blocks = [
            self._cover_block(claims[first : first + _BLOCK], topical)
            for first in range(0, len(claims), _BLOCK)
        ]
        return blocks[0] if len(blocks) == 1 else PassageCoverage.joined(blocks)

    def _cover_block(self, claims: Sequence[Text], topical: Mapping[str, float]) -> PassageCoverage:
        vocabulary: dict[str, int] = {}
        for claim in claims:
            for term in claim.stems:
                vocabulary.setdefault(term, len(vocabulary))
        found = self._found(vocabulary)
        for claim in claims:
            for number in claim.numbers:
                # "about 300" has no word of "298", which says it, nor "in the 12th century" of "1143"
                rows = self._saying(number)
                for stem in claim.stems[number.place : number.place + number.length] if rows else ():
                    found[rows, vocabulary[stem]] = 1.0
        whole = (
            np.maximum.reduceat(found, self._borders[:-1], axis=0)
            if vocabulary
            else found[self._borders[:-1]]
        )
        return self._best(found, whole, self._weigh(claims, vocabulary, topical))

    def _found(self, vocabulary: Mapping[str, int]) -> Array:
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
                found.append((other, _LIKENESS_SHARE * likeness))
        return found

    def _weigh(
        self, claims: Sequence[Text], vocabulary: Mapping[str, int], topical: Mapping[str, float]
    ) -> tuple[Array, Array, Array]:
        """Shares of each claim's weight that its terms have, those of its names, and its telling terms."""
        weights = np.zeros((len(claims), len(vocabulary)))
        names, telling = np.zeros_like(weights), np.zeros_like(weights)
        for row, claim in enumerate(claims):
            alone = [
                self.weight(term, content) for term, content in zip(claim.stems, claim.content, strict=True)
            ]
            least = min(_TELLING, max(alone, default=0.0))
            for i, weight in enumerate(self.weights(claim, topical)):
                column = vocabulary[claim.stems[i]]
                weights[row, column] = max(weights[row, column], weight)
                if claim.names[i]:
                    names[row, column] = weights[row, column]
                telling[row, column] = claim.content[i] and alone[i] >= least
        total = np.maximum(weights.sum(axis=1, keepdims=True), 1e-12)
        return weights / total, names / total, telling

    def _best(self, found: Array, whole: Array, weighing: tuple[Array, Array, Array]) -> PassageCoverage:
        weights, names, telling = weighing
        starts = self._borders[:-1]
        owner = np.repeat(np.arange(len(starts)), np.diff(self._borders))
        credit = (names @ whole.T)[:, owner]
        score = np.full((len(weights), len(starts)), -np.inf)
        focus = np.zeros(score.shape, dtype=np.intp)
        best_size = np.ones(score.shape, dtype=np.intp)
        plain_best: list[Array] = []
        window = found
        for size in WINDOW_SIZES:
            if size > 1:
                window = _widened(window, found, owner, size)
            plain = weights @ window.T
            named = plain - names @ window.T + credit
            rated = _NAME_SHARE * named + (1 - _NAME_SHARE) * plain - _LENGTH_PENALTY * (size - 1)
            plain_best.append(np.maximum.reduceat(plain, starts, axis=1))
            for passage, (low, high) in enumerate(zip(starts, self._borders[1:], strict=True)):
                top = rated[:, low:high].argmax(axis=1)
                value = rated[np.arange(len(rated)), low + top]
                better = value > score[:, passage] + 1e-9
                score[better, passage] = value[better]
                focus[better, passage] = top[better]
                best_size[better, passage] = size
        return PassageCoverage(
            whole=weights @ whole.T,
            one=plain_best[0],
            two=plain_best[1],
            score=score,
            focus=focus,
            size=best_size,
            touches=telling @ (whole > 0).T > 0,
        )


def _widened(window: Array, found: Array, owner: Indices, size: int) -> Array:
    """Windows of `size` sentences from those of one sentence less; none reaches into the next passage."""
    wider = window.copy()
    reach = max(len(found) - size + 1, 0)
    inside = np.flatnonzero(owner[:reach] == owner[len(found) - reach :])
    wider[inside] = np.maximum(wider[inside], found[inside + size - 1])
    return wider


def topic_discount(claims: Sequence[Text]) -> dict[str, float]:
    """Factor by which each term counts less because other claims have it too: it names their topic."""
    frequency = Counter(term for claim in claims for term in set(claim.stems))
    others = max(len(claims) - 1, 3)
    return {term: 1.0 - _CLAIM_SHARE * (count - 1) / others for term, count in frequency.items()}
