"""Send scores as events of OpenTelemetry's Logs API over OTLP, in batches.

The event names follow the semantic conventions for generative AI, which are still in development. Source:
OpenTelemetry, "Semantic conventions for generative AI events".
"""

from __future__ import annotations

import contextlib
import logging
import os
import re
import socket
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from opentelemetry._logs import LogRecord
from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.sdk._logs import ReadableLogRecord
from opentelemetry.sdk._logs.export import LogRecordExporter, LogRecordExportResult
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import NonRecordingSpan, SpanContext, TraceFlags, set_span_in_context

from factreasoner import __version__
from factreasoner.analysis.publishing import Place, Score
from factreasoner.errors import PublishError
from factreasoner.models.formatting import number_of

_TRACE, _SPAN = re.compile("(?!0+$)[0-9a-fA-F]{32}"), re.compile("[0-9a-fA-F]{16}")
_RETRIED = re.compile("^Transient error (.*) encountered.*", re.DOTALL)
AT_ONCE = 512
_SECONDS = 2.0
"""Seconds after which a collector counts as absent. The exporter retries a busy one for 10 s."""


class Otlp:
    """Sends events to a collector.

    Batches are exported directly, since a batch processor silently drops events when its queue is full. The
    URL may also come from OTEL_EXPORTER_OTLP_LOGS_ENDPOINT or OTEL_EXPORTER_OTLP_ENDPOINT.

    Raises PublishError: the collector is unreachable.
    """

    def __init__(self, url: str | None = None, exporter: LogRecordExporter | None = None) -> None:
        self.url = _endpoint(url)
        if exporter is None:
            _reach(self.url)
        self._exporter = exporter or OTLPLogExporter(endpoint=self.url)
        self._resource = Resource.create(
            {"service.name": os.environ.get("OTEL_SERVICE_NAME", "factreasoner")}
        )
        self._scope = InstrumentationScope("factreasoner", __version__)

    def lacks(self, score: Score) -> str | None:
        """Why a score can't be sent: its trace or span id is invalid. A score without a trace can be sent."""
        trace, span = score.place[:2]
        if not (trace or span) or _context(score.place):
            return None
        ids = f"trace_id {trace!r}, span_id {span!r}"
        return f"record {score.record}: {ids}: OTLP takes ids of 32 and 16 hexadecimal digits"

    def send(self, scores: Sequence[Score]) -> None:
        """Send a batch. Raises PublishError if the collector is down or rejects it."""
        now = time.time_ns()
        batch = [ReadableLogRecord(_event(score, now), self._resource, self._scope) for score in scores]
        with _logged() as logged:
            taken = self._exporter.export(batch) is LogRecordExportResult.SUCCESS
        if not taken:
            _reach(self.url)
            # The last message may say no more than that the time for tries is over.
            messages = [message for message in logged if "due to timeout" not in message]
            why = _RETRIED.sub(r"\1", messages[-1]) if messages else "it does not say why"
            raise PublishError(f"{self.url}: the collector rejected the whole batch: {why}")

    def close(self) -> None:
        """Close the exporter."""
        self._exporter.shutdown()  # type: ignore[no-untyped-call]


class Sent(NamedTuple):
    """How many scores were sent, of how many records; which could not be sent, and why.

    `unplaced` scores were sent without a trace or a span.
    """

    number: int
    records: int
    unplaced: int
    lacking: Counter[str]


def publish(scores: Iterable[Score], collector: Otlp) -> Sent:
    """Send all scores in batches, then close the collector.

    Raises PublishError: the collector is down; a note says how many scores were sent before.
    """
    rest = iter(scores)
    number, unplaced, records, lacking = 0, 0, set[str](), Counter[str]()
    with contextlib.closing(collector):
        while batch := list(islice(rest, AT_ONCE)):
            reasons = [
                f"record {score.record}: {wrong}" if (wrong := score.place.wrong) else collector.lacks(score)
                for score in batch
            ]
            ready = [score for score, reason in zip(batch, reasons, strict=True) if reason is None]
            lacking.update(filter(None, reasons))
            try:
                if ready:
                    collector.send(ready)
            except PublishError as error:
                if number:
                    text = f"{number_of(number, 'score')} were sent before. Sent again, each has the same key"
                    error.add_note(f"{text} (factreasoner.key).")
                raise
            number += len(ready)
            records.update(score.record for score in ready)
            unplaced += sum(1 for score in ready if not (score.place.trace or score.place.span))
    return Sent(number, len(records), unplaced, lacking)


def _reach(url: str) -> None:
    """Raise PublishError if nothing accepts a connection. A collector behind a proxy is not tried."""
    try:
        at = urlsplit(url)
        if not at.hostname or ({at.scheme, "all"} & getproxies().keys() and not proxy_bypass(at.hostname)):
            return
        port = at.port or (443 if at.scheme == "https" else 80)
        socket.create_connection((at.hostname, port), _SECONDS).close()
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise PublishError(
            f"{url}: no collector can be reached: {why}; is it running? `url` names another address"
        ) from error


@contextlib.contextmanager
def _logged() -> Iterator[list[str]]:
    """Collect what the exporter logs, retries included, and keep it out of other logs."""
    log, messages = logging.getLogger(OTLPLogExporter.__module__), list[str]()

    def keep(record: logging.LogRecord) -> bool:
        messages.append(record.getMessage())
        return False

    log.addFilter(keep)
    try:
        yield messages
    finally:
        log.removeFilter(keep)


def _endpoint(url: str | None) -> str:
    if url is None and (whole := os.environ.get("OTEL_EXPORTER_OTLP_LOGS_ENDPOINT")):
        return whole
    base = (url or os.environ.get("OTEL_EXPORTER_OTLP_ENDPOINT") or "http://localhost:4318").rstrip("/")
    return base if base.endswith("/v1/logs") else f"{base}/v1/logs"


def _event(score: Score, now: int) -> LogRecord:
    attributes = {
        "gen_ai.evaluation.name": score.name,
        "gen_ai.evaluation.score.value": score.value,
        "gen_ai.evaluation.score.label": score.label,
        "gen_ai.evaluation.explanation": score.explanation,
        "gen_ai.response.id": score.place.response,
        "error.type": score.error,
        "factreasoner.record": score.record,
        "factreasoner.key": score.key,
    }
    return LogRecord(
        timestamp=now,
        observed_timestamp=now,
        context=_context(score.place),
        event_name="gen_ai.evaluation.result",
        attributes={key: value for key, value in attributes.items() if value is not None},
    )


def _context(place: Place) -> Context:
    """A context with the scored span as the current one; empty if the span is unknown."""
    trace, span = place.trace or "", place.span or "0" * 16
    if not _TRACE.fullmatch(trace) or not _SPAN.fullmatch(span):
        return Context()
    known = SpanContext(
        int(trace, 16), int(span, 16), is_remote=True, trace_flags=TraceFlags(TraceFlags.SAMPLED)
    )
    return set_span_in_context(NonRecordingSpan(known), Context())
