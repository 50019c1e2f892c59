"""A data set as arrays, from which every metric can be computed for any subset of records."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence
from typing import Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from factreasoner.models import P_DIGITS

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Scored = TypeVar("Scored")


class LabelledClaim(NamedTuple):
    """A judged claim with a human label: P(true), the predicted class and the right one.

    Classes are numbers; 0 is the positive class.
    """

    p_true: float
    predicted: int
    gold: int


class Claims(NamedTuple):
    """Labelled claims of a data set; arrays of shape (claims,).

    `record` is the index of a claim's record, out of `num_records`.
    """

    num_records: int
    record: Ints
    p: Floats
    predicted: Ints
    gold: Ints

    @classmethod
    def of(
        cls,
        p: Sequence[float] | Floats,
        hits: Sequence[bool] | Sequence[int] | Floats,
        record: Sequence[int] | Ints | None = None,
    ) -> Claims:
        """Claims from their probabilities and whether each is true.

        `record` numbers each claim's record, with gaps allowed; by default there is one record.
        """
        rounded = np.round(np.asarray(p, dtype=float), P_DIGITS)
        place = np.zeros(len(rounded), dtype=np.int64) if record is None else np.asarray(record, np.int64)
        gold = np.where(np.asarray(hits, dtype=float) > 0, 0, 1)
        predicted = np.where(rounded > 0.5, 0, 1)
        return cls(int(place.max(initial=0)) + 1, place, rounded, predicted, gold)

    @property
    def hits(self) -> Floats:
        """1 for each claim whose right class is positive, else 0."""
        return np.asarray(self.gold == 0, dtype=float)

    @property
    def by_record(self) -> Ints:
        """The number of labelled claims per record, shape (records,)."""
        return np.bincount(self.record, minlength=self.num_records)

    def sums(self, columns: Floats | NDArray[np.bool_]) -> Floats:
        """Sums over each record's claims: columns of shape (columns, claims) -> (records, columns)."""
        sums = [np.bincount(self.record, weights=row, minlength=self.num_records) for row in columns]
        return np.stack(sums, axis=1)


class Sample(NamedTuple):
    """Records in order, with their values.

    `values[name]` has shape (records,), NaN if missing. `left_out` counts unjudged labelled claims per
    record.
    """

    ids: Sequence[str]
    values: Mapping[str, Floats]
    left_out: Ints
    claims: Claims

    def take(self, records: Sequence[int] | Ints) -> Sample:
        """The records at these positions, each at most once, in this order."""
        chosen = np.asarray(records, dtype=np.int64)
        place = np.full(len(self.ids), -1, dtype=np.int64)
        place[chosen] = np.arange(len(chosen))
        _, record, p, predicted, gold = self.claims
        kept = place[record] >= 0
        return Sample(
            ids=tuple(self.ids[i] for i in chosen),
            values={name: values[chosen] for name, values in self.values.items()},
            left_out=self.left_out[chosen],
            claims=Claims(len(chosen), place[record[kept]], p[kept], predicted[kept], gold[kept]),
        )

    def followed_by(self, other: Sample) -> Sample:
        """These records, then those of `other`."""
        mine, theirs = self.claims, other.claims
        return Sample(
            ids=(*self.ids, *other.ids),
            values={name: np.concatenate([self.values[name], other.values[name]]) for name in self.values},
            left_out=np.concatenate([self.left_out, other.left_out]),
            claims=Claims(
                mine.num_records + theirs.num_records,
                np.concatenate([mine.record, theirs.record + mine.num_records]),
                *(np.concatenate(pair) for pair in zip(mine[2:], theirs[2:], strict=True)),
            ),
        )


class Sampling(Generic[Scored]):
    """Collects records into a sample; needs about 200 bytes per record, and 10 per labelled claim.

    `functions` compute the values of a record, None if missing. `claims` gives its labelled claims and the
    number of unjudged ones.
    """

    def __init__(
        self,
        functions: Mapping[str, Callable[[Scored], float | None]],
        claims: Callable[[Scored], tuple[Sequence[LabelledClaim], int]],
    ) -> None:
        self._functions = functions
        self._claims = claims
        self._ids: list[str] = []
        self._values = {name: array("d") for name in functions}
        self._left_out = array("q")
        self._count = array("q")
        self._p = array("d")
        self._predicted = array("b")
        self._gold = array("b")

    def add(self, record_id: str, record: Scored) -> None:
        """Add one record's values and labelled claims."""
        claims, left_out = self._claims(record)
        self._ids.append(record_id)
        for name, function in self._functions.items():
            value = function(record)
            self._values[name].append(np.nan if value is None else value)
        self._left_out.append(left_out)
        self._count.append(len(claims))
        for p_true, predicted, gold in claims:
            self._p.append(round(p_true, P_DIGITS))
            self._predicted.append(predicted)
            self._gold.append(gold)

    def sample(self) -> Sample:
        """The sample of the records so far."""
        return Sample(
            ids=tuple(self._ids),
            values={name: np.array(values) for name, values in self._values.items()},
            left_out=np.array(self._left_out),
            claims=Claims(
                len(self._ids),
                np.repeat(np.arange(len(self._ids)), np.array(self._count)),
                np.array(self._p),
                np.array(self._predicted, dtype=np.int64),
                np.array(self._gold, dtype=np.int64),
            ),
        )
