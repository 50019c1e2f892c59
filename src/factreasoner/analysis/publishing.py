"""A run as scores: one per record and metric, each with its span and a stable key."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from factreasoner.errors import ConfigError
from factreasoner.metrics.table import Metric
from factreasoner.models import Result
from factreasoner.models.rows import ClaimRow
from factreasoner.plugins.table import nearest
from factreasoner.runs.finished import FinishedRun

NAMES = "factreasoner."
"""Prefix of all score names."""
UNKNOWN = "_OTHER"
"""OpenTelemetry's error type for unnamed errors."""
MOST_CHARACTERS = 2000
_TRACEPARENT = re.compile(
    r"[0-9a-f]{2}-(?!0+-)([0-9a-f]{32})-(?!0+-)([0-9a-f]{16})-[0-9a-f]{2}", re.IGNORECASE
)
_RESPONSE_KEYS = ("response_id", "gen_ai.response.id")


class Place(NamedTuple):
    """What a score is about: the ids of a trace, a span and a response, as strings.

    `wrong` describes invalid ids in the record.
    """

    trace: str | None = None
    span: str | None = None
    response: str | None = None
    wrong: str | None = None


class Score(NamedTuple):
    """One score: a `value`, or an `error` with the type of the failure.

    `key` is stable: the same score of the same judge always has the same key. `label` is that of a claim.
    """

    record: str
    name: str
    key: str
    place: Place
    value: float | None
    error: str | None = None
    label: str | None = None
    explanation: str | None = None


class Selection(NamedTuple):
    """What to publish: `metrics` by name or all computed ones; claims; explanations with quotes."""

    metrics: tuple[str, ...] = ()
    claims: bool = False
    texts: bool = False
    trace_key: str | None = None


def scores_of(run: FinishedRun[Any], wanted: Selection) -> Iterator[Score]:
    """The scores of a run in the order of its results, read one record at a time.

    Raises ConfigError: no such metric.
    """
    metrics = _metrics(run, wanted.metrics)
    tally = run.tally(run.config)
    for result in run.results():
        yield from _of_record(run, result, tally.add(result), metrics, wanted)


def _of_record(
    run: FinishedRun[Any],
    result: Result,
    line: Mapping[str, Any],
    metrics: Sequence[Metric],
    wanted: Selection,
) -> Iterator[Score]:
    place = place_of(result.metadata, wanted.trace_key)
    task, judge = run.task, str(run.config.first_model or run.config.judge)

    def score(name: str, value: float | None, claim: str = "", **summary: str | None) -> Score:
        parts = (task.name, judge, result.record_id, name, claim, *map(str, place[:3]))
        key = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]
        return Score(result.record_id, NAMES + name, key, place, value, **summary)

    if result.status == "failed":
        failure = next(iter(result.failures), None)
        report = failure.message if failure and wanted.texts else None
        yield score(
            metrics[0].name, None, error=failure.error_type if failure else UNKNOWN, explanation=report
        )
        return
    rows = list(result.rows())
    words = "\n".join(_claim_text(row) for row in rows if row.label != "supported")[:MOST_CHARACTERS]
    for metric in metrics:
        if (value := line.get(metric.line_name)) is not None:
            yield score(metric.name, value, explanation=words or None if wanted.texts else None)
    lost = {failure.item_id.rpartition("->")[2]: failure.error_type for failure in result.failures}
    for row in rows if wanted.claims else ():
        yield score(
            task.words.claim,
            row.p_true,
            f"{row.claim} {row.of} {row.against}",
            error=lost.get(row.claim, UNKNOWN) if row.p_true is None else None,
            label=row.label,
            explanation=_claim_text(row) if wanted.texts else None,
        )


def _metrics(run: FinishedRun[Any], names: Sequence[str]) -> list[Metric]:
    known = {metric.name: metric for metric in run.task.table.metrics_at("line")}
    for name in names:
        if name not in known:
            raise ConfigError(
                f"`metric={name!r}`: records have none of that name; {nearest(name, list(known))}"
            )
    return [known[name] for name in names or known]


def _claim_text(row: ClaimRow) -> str:
    """A claim with the evidence that decides its label."""
    reason = f"{row.quote_mark}{row.quote}" if row.quote else row.note
    return f"{row.label or 'not judged'}: {row.text}{f' [{reason}]' if reason else ''}"[:MOST_CHARACTERS]


def place_of(metadata: Mapping[str, Any], trace_key: str | None = None) -> Place:
    """The ids in a record's metadata: `traceparent`, or `trace_id` and `span_id`; `response_id`.

    `trace_key` names a key that holds a traceparent or a trace id.
    """
    own = _text(metadata.get(trace_key or "traceparent"))
    response = next((_text(metadata[key]) for key in _RESPONSE_KEYS if key in metadata), None)
    if found := _TRACEPARENT.fullmatch(own or ""):
        return Place(found[1].lower(), found[2].lower(), response)
    if own and not trace_key:
        wrong = f"traceparent {own[:80]!r} is not valid: write 00-TRACE-SPAN-01, 32 and 16 hexadecimal digits"
        return Place(response=response, wrong=wrong)
    trace = own if trace_key else _text(metadata.get("trace_id"))
    return Place(trace, _text(metadata.get("span_id")), response)


def _text(value: object) -> str | None:
    return str(value).strip().removeprefix("0x") or None if value is not None else None
