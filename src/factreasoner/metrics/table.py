"""One table of metrics per task: what each metric needs, how it is computed and averaged, how it is shown.

Result lines, summaries, comparisons, gates, tables and `factreasoner metrics` read these rows and
know no metric by name. To add a metric, add a row.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, Generic, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from factreasoner.metrics.samples import Claims, LabelledClaim, Sample, Sampling, Scored
from factreasoner.metrics.statistics import Bounds, Estimate, OfClaims, OfRecords, Statistic
from factreasoner.models import Usage
from factreasoner.models.wording import number_of

Place = Literal["line", "run", "evaluate", "groups", "compare"]
"""Where a metric is shown: a record's result line; the table at the end of a run, of `evaluate`, of its
groups, of `compare`. Summaries, JSON and CSV have all metrics."""

Better = Literal["higher", "lower"]
SHARE: Bounds = (0.0, 1.0)
COUNT: Bounds = (0.0, math.inf)
ARROWS: Mapping[Better | None, str] = {"higher": " ↑", "lower": " ↓", None: ""}


class Need(NamedTuple):
    """What a metric is computed from, in `words`.

    `missing` says what a data set without the metric lacks. `met` says whether a record has it, and with it
    the metric's field in its result line. `labels`: it needs human labels. `keys` are the keys of an input
    record without which no record has the metric.
    """

    words: str
    missing: Callable[[Sample], str]
    met: Callable[[Any], bool] = lambda record: True
    labels: bool = False
    keys: tuple[str, ...] = ()


@dataclass(frozen=True)
class Metric:
    """One row of a table.

    `shown` is its short name, in which `{k}` stands for the K of the run; `title` the longer one, by default
    the same; `field` its name in result lines, by default `name`. `tested`: `compare` tests whether a
    difference may be chance. `few`: it is unreliable below so many records. `usage`: it
    measures what a run takes, not what it finds.
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
        return self.average.statistic(sample, self.name)

    def text(self, value: float | None, *, signed: bool = False) -> str:
        """A value as it is shown; a dash for none."""
        if value is None:
            return "-"
        sign = "+" if signed else ""
        if self.percent:
            return f"{100 * value:{sign},.{self.decimals}f} %"
        return f"{value:{sign},.{self.decimals}f}"

    def mean_text(self, summary: Mapping[str, Any]) -> str:
        """The mean of a run with its 95 % interval, and of how many records it is where some have none."""
        found = summary["metrics"][self.name]
        text = self.text(found["value"])
        if found["interval_95"] is not None:
            low, high = found["interval_95"]
            text += f"  [{self.text(low)}, {self.text(high)}]"
        if found["value"] is not None:
            text = f"{text}  {of_fewer(found['records'], summary['records'])}".rstrip()
        return text

    def content(self) -> dict[str, Any]:
        """The row for JSON, without its function."""
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
        """The metric's short name, or with `room` its title, with the K it was computed with."""
        return (self.title if room and self.title else self.shown).format(k="K" if k is None else k)


class Table(Generic[Scored]):
    """The metrics of a task, by name in the order they are shown.

    `main` names the metric that a record has if it has any score. `claims` gives a record's labelled claims
    and the number of those that could not be judged. `given` says which of the keys that metrics need it has.
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
        """The metrics that would be shown there if records had certain keys, by these keys.

        `given` counts the records that have each key.
        """
        found: dict[tuple[str, ...], list[Metric]] = {}
        for metric in self.shown_in(place):
            if missing := tuple(key for key in metric.needs.keys if not given.get(key)):
                found.setdefault(missing, []).append(metric)
        return found

    def sampling(self) -> Sampling[Scored]:
        """Collects the records of the task into a sample."""
        functions = {m.name: m.average.function for m in self if isinstance(m.average, OfRecords)}
        return Sampling(functions, self.claims)

    def claims_of(self, record: Scored) -> Claims:
        """The labelled claims of one record."""
        sampling = Sampling({}, self.claims)
        sampling.add("", record)
        return sampling.sample().claims

    def line(self, record: Scored) -> dict[str, float | None]:
        """A record's metrics for its result line, without those whose need it does not meet."""
        claims = self.claims_of(record)
        return {
            metric.line_name: metric.average.function(record)
            if isinstance(metric.average, OfRecords)
            else number(metric.average.function(claims).value)
            for metric in self.shown_in("line")
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
        """Which metrics, of all or of those named, are unreliable for want of records, in words.

        None if there are enough records, or none of the metrics has a value.
        """
        count = int(self.has_score(sample).sum())
        wanted = self if names is None else (self[name] for name in names)
        few = [m for m in wanted if count < m.few and number(m.statistic(sample).value) is not None]
        if not few:
            return None
        shown, are = " and ".join(metric.shown for metric in few), "is" if len(few) == 1 else "are"
        return f"{number_of(count, 'record')}: below {max(m.few for m in few)}, {shown} {are} unreliable"


def certain(metric: Metric, line: Mapping[str, Any]) -> Bounds | None:
    """The range in which a record's metric surely is, from its result line.

    None if it has no value, or if sampling did not converge.
    """
    value = line[metric.line_name]
    if value is None or (line.get("solver") or {}).get("converged") is False:
        return None
    return possible(metric, line) if line["failures"] else (value, value)


def possible(metric: Metric, line: Mapping[str, Any]) -> Bounds:
    """The range of a record's metric over all outcomes of its failed judgements, from its result line."""
    if f"{metric.name}_low" in line:
        return line[f"{metric.name}_low"], line[f"{metric.name}_high"]
    low, high = line.get("bounds", {}).get(metric.name, metric.bounds)
    return low, high


def of_fewer(count: int, records: Mapping[str, int]) -> str:
    """ "(7 of 17 records)" if fewer have a score than were tried; else empty. `records` counts by status."""
    tried = records["ok"] + records["partial"] + records["failed"]
    return f"({count} of {tried} records)" if count < tried else ""


def number(value: float) -> float | None:
    """The value, or None for NaN and infinity, which no file may hold."""
    return value if math.isfinite(value) else None


CALLS = Need("nothing", lambda sample: "there is no record")
PRICE = Need("the price of calls", lambda sample: "unknown, because the price of a call is unknown")


def usage_metrics(usage_of: Callable[[Any], Usage]) -> tuple[Metric, ...]:
    """Calls, tokens and cost per record, for every task; `usage_of` gives what a scored record took."""

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
