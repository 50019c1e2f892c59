"""One table of metrics a task: what each needs, how it is computed and averaged, and how it is shown.

Result lines, summaries, comparisons, gates, tables, figures and `factreasoner metrics` read these rows and
know no metric by name; adding a row is adding a metric.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, Generic, Literal, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from factreasoner.metrics.intervals import Bounds, Interval, NoInterval
from factreasoner.metrics.samples import Claims, LabelledClaim, Sample, SampleBuilder
from factreasoner.metrics.statistics import Statistic, mean_of_all, mean_of_known

Scored = TypeVar("Scored")
"""What a task knows of one record."""

Place = Literal["line", "run", "evaluate", "groups", "compare", "figure"]
"""Where a metric is shown: a record's result line; the table at the end of a run, of `evaluate`, of its
groups, of `compare`; the figure of `compare`. Summaries, JSON and CSV have all metrics."""

Better = Literal["higher", "lower"]
SHARE: Bounds = (0.0, 1.0)
COUNT: Bounds = (0.0, math.inf)
ARROWS: Mapping[Better | None, str] = {"higher": " ↑", "lower": " ↓", None: ""}


class Need(NamedTuple):
    """What a metric is computed from.

    `words` names it; `missing` says, of a data set without the metric, what it lacks; `met` says whether one
    record has it, and with it the metric's field in its result line. `labels`: people's labels are needed.
    `keys` are those of an input record without which no record has the metric.
    """

    words: str
    missing: Callable[[Sample], str]
    met: Callable[[Any], bool] = lambda record: True
    labels: bool = False
    keys: tuple[str, ...] = ()


@dataclass(frozen=True)
class OfRecords:
    """A metric of one record, averaged over records; None where a record does not have it.

    With `all_or_none` the mean is undefined when any record lacks the value: an unknown cost is not 0.
    """

    function: Callable[[Any], float | None]
    all_or_none: bool = False

    @property
    def words(self) -> str:
        """How the metric is averaged, in words for the list of metrics."""
        return "mean over all records" if self.all_or_none else "mean over the records that have it"


@dataclass(frozen=True)
class OfClaims:
    """A metric of all labelled claims of a data set together."""

    function: Callable[[Claims], Statistic]
    words: str = "over all labelled claims together"


@dataclass(frozen=True)
class Metric:
    """One row of a table.

    `shown` is its short name, in which `{k}` stands for the K of the run; `title` the one where there is
    room, by default the short one; `field` its name in result lines, by default its own. `tested`: a
    difference between two runs is worth a test of whether it may be chance. `few`: its value and interval
    are to be taken with care below so many records. `usage`: it is about what a run takes, not about what
    it finds.
    """

    name: str
    shown: str
    meaning: str
    needs: Need
    average: OfRecords | OfClaims
    _: KW_ONLY
    better: Better | None = None
    bounds: Bounds = SHARE
    decimals: int = 3
    percent: bool = False
    field: str = ""
    title: str = ""
    places: tuple[Place, ...] = ("line", "evaluate", "compare")
    tested: bool = False
    few: int = 0
    usage: bool = False

    @property
    def line_name(self) -> str:
        """The metric's name in result lines and among the means of a summary."""
        return self.field or self.name

    def statistic(self, sample: Sample) -> Statistic:
        """The metric of a sample, to be computed for any choice of its records."""
        if isinstance(self.average, OfClaims):
            return self.average.function(sample.claims)
        mean = mean_of_all if self.average.all_or_none else mean_of_known
        return mean(sample.values[self.name])

    def text(self, value: float | None, *, signed: bool = False) -> str:
        """A value as it is shown; a dash for none."""
        if value is None:
            return "-"
        sign = "+" if signed else ""
        if self.percent:
            return f"{100 * value:{sign},.{self.decimals}f} %"
        return f"{value:{sign},.{self.decimals}f}"

    def content(self) -> dict[str, Any]:
        """The row for JSON: all but its function."""
        return {
            "name": self.name,
            "shown": self.shown,
            "field": self.line_name if "line" in self.places else None,
            "meaning": self.meaning,
            "needs": self.needs.words,
            "averaged": self.average.words,
            "better": self.better,
            "bounds": [bound if math.isfinite(bound) else None for bound in self.bounds],
            "decimals": self.decimals,
            "percent": self.percent,
            "tested": self.tested,
        }

    def caption(self, k: int | str | None, *, room: bool = False) -> str:
        """The metric's short name, or where there is `room` its title, with the K it was computed with."""
        return (self.title if room and self.title else self.shown).format(k="K" if k is None else k)


class Estimate(NamedTuple):
    """A metric of a data set and its 95 % interval over records; `reason` says why either is None.

    `records` counts those that have a part in it: that have the value, or claims it is computed from.
    """

    value: float | None
    interval: Interval | None
    reason: str | None = None
    records: int = 0

    def content(self) -> dict[str, Any]:
        """The estimate as a JSON object: value, ends of the interval, why either is missing, records."""
        return {
            "value": self.value,
            "interval_95": self.interval,
            "reason": self.reason,
            "records": self.records,
        }


class Table(Generic[Scored]):
    """The metrics of a task, by name in the order they are shown.

    `main` names the metric that a record has if it has any score. `claims` gives a record's labelled claims
    and the number of those that could not be judged; `given`, which keys that metrics need it has.
    """

    def __init__(
        self,
        task: str,
        main: str,
        claims: Callable[[Scored], tuple[Sequence[LabelledClaim], int]],
        metrics: Sequence[Metric],
        given: Callable[[Scored], Iterable[str]] = lambda record: (),
    ) -> None:
        self.task = task
        self.main = main
        self.claims = claims
        self.given = given
        self.metrics = {metric.name: metric for metric in metrics}
        if len(self.metrics) < len(metrics) or main not in self.metrics:
            raise ValueError(f"the metrics of {task}: a name occurs twice, or {main!r} is not among them")

    def __getitem__(self, name: str) -> Metric:
        return self.metrics[name]

    def __contains__(self, name: object) -> bool:
        return name in self.metrics

    def __iter__(self) -> Iterator[Metric]:
        return iter(self.metrics.values())

    def shown_in(self, place: Place) -> list[Metric]:
        """The metrics that are shown there, in order."""
        return [metric for metric in self if place in metric.places]

    def lacking(self, place: Place, given: Mapping[str, int]) -> dict[tuple[str, ...], list[Metric]]:
        """The metrics that would be shown there if records had some keys, by these keys.

        `given` counts the records that have each key.
        """
        found: dict[tuple[str, ...], list[Metric]] = {}
        for metric in self.shown_in(place):
            if missing := tuple(key for key in metric.needs.keys if not given.get(key)):
                found.setdefault(missing, []).append(metric)
        return found

    def line(self, record: Scored) -> dict[str, float | None]:
        """A record's metrics for its result line; those are left out whose need it does not meet."""
        wanted = [metric for metric in self.shown_in("line") if metric.needs.met(record)]
        claims = self.claims_of(record)
        found: dict[str, float | None] = {}
        for metric in wanted:
            if isinstance(metric.average, OfRecords):
                found[metric.line_name] = metric.average.function(record)
            else:
                found[metric.line_name] = number(metric.average.function(claims).value)
        return found

    def claims_of(self, record: Scored) -> Claims:
        """The labelled claims of one record."""
        claims, _ = self.claims(record)
        p, said, gold = zip(*claims, strict=True) if claims else ((), (), ())
        return Claims(
            1,
            np.zeros(len(claims), dtype=np.int64),
            np.asarray(p, dtype=float),
            np.asarray(said, dtype=np.int64),
            np.asarray(gold, dtype=np.int64),
        )

    def has_score(self, sample: Sample) -> NDArray[np.bool_]:
        """Which records have a score, shape (records,)."""
        return ~np.isnan(sample.values[self.main])

    def scored(self, sample: Sample) -> Sample:
        """The records that have a score."""
        return sample.take(self.has_score(sample).nonzero()[0])

    def estimates(self, sample: Sample, names: Iterable[str] | None = None) -> dict[str, Estimate]:
        """Metrics of a sample, all or those named, with their intervals over records."""
        wanted = self if names is None else (self[name] for name in names)
        return {metric.name: estimate(metric, sample) for metric in wanted}

    def few_records(self, sample: Sample, names: Iterable[str] | None = None) -> str | None:
        """Which metrics, of all or of those named, are to be taken with care for want of records, in words.

        None where there are enough records, or none of the metrics has a value.
        """
        count = int(self.has_score(sample).sum())
        wanted = self if names is None else (self[name] for name in names)
        few = [m for m in wanted if count < m.few and number(m.statistic(sample).value) is not None]
        if not few:
            return None
        shown = " and ".join(metric.shown for metric in few)
        records = "1 record" if count == 1 else f"{count} records"
        return f"{records}: below {max(m.few for m in few)}, take {shown} and their intervals with care"


class Sampling(Generic[Scored]):
    """Collects the records of a task into a sample."""

    def __init__(self, table: Table[Scored]) -> None:
        self._table = table
        self._functions = {m.name: m.average.function for m in table if isinstance(m.average, OfRecords)}
        self._builder = SampleBuilder(self._functions)

    def add(self, record_id: str, record: Scored) -> None:
        """Count one record's values and labelled claims."""
        claims, left_out = self._table.claims(record)
        values = ((name, function(record)) for name, function in self._functions.items())
        self._builder.add(record_id, values, claims, left_out)

    def sample(self) -> Sample:
        """The records that were added so far, as a sample."""
        return self._builder.sample()


def estimate(metric: Metric, sample: Sample) -> Estimate:
    """A metric of a sample with its interval over records."""
    if isinstance(metric.average, OfClaims) and not len(sample.claims.p):
        return Estimate(None, None, metric.needs.missing(sample))
    statistic = metric.statistic(sample)
    value = number(statistic.value)
    if value is None:
        return Estimate(None, None, metric.needs.missing(sample))
    records = int(np.count_nonzero(statistic.present))
    found = statistic.interval(metric.bounds)
    if isinstance(found, NoInterval):
        return Estimate(value, None, f"no interval: {found.reason}", records)
    return Estimate(value, found, records=records)


def of_fewer(count: int, records: Mapping[str, int]) -> str:
    """ "(7 of 17 records)" where a score is of fewer than were tried; empty else. `records` by status."""
    tried = records["ok"] + records["partial"] + records["failed"]
    return f"({count} of {tried} records)" if count < tried else ""


def number(value: float) -> float | None:
    """The value where it is finite; None where it is NaN or infinite, which no file may hold."""
    return value if math.isfinite(value) else None
