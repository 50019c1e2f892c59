"""One table of metrics per task: the inputs, computation, averaging and display of each metric.

Result lines, summaries, comparisons, gates, tables and `factreasoner metrics` read these rows. To add a
metric, add a row.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, Generic, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from factreasoner.metrics.samples import Claims, LabelledClaim, Sample, Sampling, Scored
from factreasoner.metrics.statistics import Bounds, Estimate, OfClaims, OfRecords, Statistic
from factreasoner.models import Usage
from factreasoner.models.formatting import number_of

Place = Literal["line", "run", "evaluate", "groups", "compare"]
"""Where a metric is shown: a record's result line; the table at the end of a run, of `evaluate`, of its
groups, of `compare`. Summaries, JSON and CSV have all metrics."""
EVERYWHERE: tuple[Place, ...] = get_args(Place)

Better = Literal["higher", "lower"]
SHARE: Bounds = (0.0, 1.0)
COUNT: Bounds = (0.0, math.inf)
ARROWS: Mapping[Better | None, str] = {"higher": " ↑", "lower": " ↓", None: ""}


class Need(NamedTuple):
    """The input of a metric, described by `words`.

    `missing` says what a data set without the metric lacks. `met` says whether a record has the metric.
    `labels`: it needs human labels. `keys` are the input keys that it needs.
    """

    words: str
    missing: Callable[[Sample], str]
    met: Callable[[Any], bool] = lambda record: True
    labels: bool = False
    keys: tuple[str, ...] = ()


@dataclass(frozen=True)
class Metric:
    """One row of a table.

    `shown` is its short name, in which `{k}` stands for the run's K; `title` the longer one, by default the
    same; `field` its name in result lines, by default `name`. `tested`: `compare` tests its differences.
    `few`: the number of records below which it is unreliable. `usage`: it measures cost, not results.
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
        """The metric's name in result lines and summaries."""
        return self.field or self.name

    def statistic(self, sample: Sample) -> Statistic:
        """The metric of a sample, for any weights of its records."""
        return self.average.statistic(sample, self.name)

    def text(self, value: float | None, *, signed: bool = False) -> str:
        """A value as text; a dash for None."""
        if value is None:
            return "-"
        sign = "+" if signed else ""
        if self.percent:
            return f"{100 * value:{sign},.{self.decimals}f} %"
        return f"{value:{sign},.{self.decimals}f}"

    def mean_text(self, summary: Mapping[str, Any]) -> str:
        """A run's mean with its 95 % interval, and its number of records if some lack it."""
        found = summary["metrics"][self.name]
        text = self.text(found["value"])
        if found["interval_95"] is not None:
            low, high = found["interval_95"]
            text += f"  [{self.text(low)}, {self.text(high)}]"
        if found["value"] is not None:
            text = f"{text}  {partial_count(found['records'], summary['records'])}".rstrip()
        return text

    def content(self) -> dict[str, Any]:
        """The row as JSON, without its function."""
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
        """The metric's short name, or with `room` its title, with K filled in."""
        return (self.title if room and self.title else self.shown).format(k="K" if k is None else k)


class Table(Generic[Scored]):
    """The metrics of a task, by name in display order.

    `main` names the metric of every record with any score. `claims` gives a record's labelled claims and the
    number of unjudged ones. `given` says which of the metrics' keys it has.
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

    def metrics_at(self, place: Place) -> list[Metric]:
        """The metrics shown at that place, in order."""
        return [metric for metric in self if place in metric.places]

    def lacking(self, place: Place, given: Mapping[str, int]) -> dict[tuple[str, ...], list[Metric]]:
        """Metrics that would be shown at that place if records had certain keys, by these keys.

        `given` counts the records with each key.
        """
        found: dict[tuple[str, ...], list[Metric]] = {}
        for metric in self.metrics_at(place):
            if missing := tuple(key for key in metric.needs.keys if not given.get(key)):
                found.setdefault(missing, []).append(metric)
        return found

    def sampling(self) -> Sampling[Scored]:
        """A collector of the task's records."""
        functions = {m.name: m.average.function for m in self if isinstance(m.average, OfRecords)}
        return Sampling(functions, self.claims)

    def claims_of(self, record: Scored) -> Claims:
        """The labelled claims of one record."""
        sampling = Sampling({}, self.claims)
        sampling.add("", record)
        return sampling.sample().claims

    def line(self, record: Scored) -> dict[str, float | None]:
        """A record's metrics for its result line, without those it has no input for."""
        claims = self.claims_of(record)
        return {
            metric.line_name: metric.average.function(record)
            if isinstance(metric.average, OfRecords)
            else finite_or_none(metric.average.function(claims).value)
            for metric in self.metrics_at("line")
            if metric.needs.met(record)
        }

    def has_score(self, sample: Sample) -> NDArray[np.bool_]:
        """Which records have a score, shape (records,)."""
        return ~np.isnan(sample.values[self.main])

    def scored(self, sample: Sample) -> Sample:
        """The records that have a score."""
        return sample.take(self.has_score(sample).nonzero()[0])

    def estimates(self, sample: Sample, names: Iterable[str] | None = None) -> dict[str, Estimate]:
        """Metrics of a sample, all or those named, with their intervals over records."""
        wanted = list(self) if names is None else [self[name] for name in names]
        known = (OfRecords, OfClaims) if len(sample.claims.p) else OfRecords
        found = [
            m.average.statistic(sample, m.name).estimate(m.bounds) if isinstance(m.average, known) else None
            for m in wanted
        ]
        return {
            metric.name: estimate or Estimate(None, None, metric.needs.missing(sample))
            for metric, estimate in zip(wanted, found, strict=True)
        }

    def few_records(self, sample: Sample, names: Iterable[str] | None = None) -> str | None:
        """Metrics (all, or those named) that are unreliable with so few records, as text.

        None with enough records, or without any value.
        """
        count = int(self.has_score(sample).sum())
        wanted = self if names is None else (self[name] for name in names)
        few = [m for m in wanted if count < m.few and finite_or_none(m.statistic(sample).value) is not None]
        if not few:
            return None
        shown, are = " and ".join(metric.shown for metric in few), "is" if len(few) == 1 else "are"
        return f"{number_of(count, 'record')}: below {max(m.few for m in few)}, {shown} {are} unreliable"


def certain_range(metric: Metric, line: Mapping[str, Any]) -> Bounds | None:
    """The range in which a record's metric certainly is, from its result line.

    None without a value, or if sampling did not converge.
    """
    value = line[metric.line_name]
    if value is None or (line.get("solver") or {}).get("converged") is False:
        return None
    return possible_range(metric, line) if line["failures"] else (value, value)


def possible_range(metric: Metric, line: Mapping[str, Any]) -> Bounds:
    """The range of a record's metric over all outcomes of its failed verdicts."""
    if f"{metric.name}_low" in line:
        return line[f"{metric.name}_low"], line[f"{metric.name}_high"]
    low, high = line.get("bounds", {}).get(metric.name, metric.bounds)
    return low, high


def partial_count(count: int, records: Mapping[str, int]) -> str:
    """ "(7 of 17 records)" if only some have a score; else empty. `records` counts by status."""
    tried = records["ok"] + records["partial"] + records["failed"]
    return f"({count} of {tried} records)" if count < tried else ""


def finite_or_none(value: float) -> float | None:
    """The value, or None for NaN and infinity, which JSON can't hold."""
    return value if math.isfinite(value) else None


CALLS = Need("nothing", lambda sample: "there is no record")
PRICE = Need("the price of calls", lambda sample: "unknown, because the price of a call is unknown")


def usage_metrics(usage_of: Callable[[Any], Usage]) -> tuple[Metric, ...]:
    """Calls, tokens and cost per record, for every task; `usage_of` gives a record's usage."""

    def averaged(function: Callable[[Usage], float | None]) -> OfRecords:
        return OfRecords(lambda record: function(usage_of(record)), all_or_none=True)

    # fmt: off
    return (
        Metric("calls", "calls", "model calls per record, cached ones included", CALLS,
               averaged(lambda usage: usage.calls + usage.cached_calls), better="lower", bounds=COUNT,
               decimals=1, places=("compare",), usage=True),
        Metric("tokens", "tokens", "prompt and completion tokens per record", CALLS,
               averaged(lambda usage: usage.prompt_tokens + usage.completion_tokens), better="lower",
               bounds=COUNT, decimals=0, places=("compare",), usage=True),
        Metric("cost", "cost", "US dollars per record", PRICE, averaged(lambda usage: usage.cost),
               better="lower", bounds=COUNT, decimals=4, places=("compare",), usage=True),
    )
    # fmt: on
