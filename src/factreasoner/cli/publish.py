"""`factreasoner publish`: send a run's scores to the collector of its traces."""

from __future__ import annotations

from pathlib import Path

from factreasoner.cli.flags import RUN_DIR, Command, flag
from factreasoner.models.formatting import number_of
from factreasoner.plugins.table import extras_named
from factreasoner.report.terminal import print_text

SHOWN = 5


class PublishCommand(Command):
    """Send the scores of a run to the OpenTelemetry collector that receives the traces of its answers.

    A record names its span by traceparent, or by trace_id and span_id.
    """

    run_dir: Path = RUN_DIR
    url: str | None = flag(
        "URL of the collector. (default: OTEL_EXPORTER_OTLP_ENDPOINT, else http://localhost:4318)"
    )
    metric: list[str] | None = flag("Send only this metric; repeatable. (default: all of a record)")
    claims: bool = flag("Also send a score for each claim: P and label.")
    texts: bool = flag("Also send explanations, which quote answers and contexts.")
    trace_key: str | None = flag("The record's key for its traceparent or trace id.")

    def _execute(self) -> int:
        from factreasoner.analysis.publishing import Selection, scores_of
        from factreasoner.runs.finished import FinishedRun

        run = FinishedRun.of_any_task(self.run_dir)
        with extras_named():
            from factreasoner.analysis.otlp import Otlp, publish
        wanted = Selection(tuple(self.metric or ()), self.claims, self.texts, self.trace_key)
        collector = Otlp(self.url)
        self._note(run.unfinished)
        sent = publish(scores_of(run, wanted), collector)
        whose = f"of {number_of(sent.records, 'record')} sent to {collector.url}"
        print_text(f"{number_of(sent.number, 'score')} {whose}")
        if sent.unplaced:
            words = "sent without a trace: their records have none (traceparent, trace_id)"
            print_text(f"{number_of(sent.unplaced, 'score')} {words}", err=True)
        for why, count in list(sent.lacking.items())[:SHOWN]:
            print_text(f"{number_of(count, 'score')} not sent: {why}", err=True)
        if len(sent.lacking) > SHOWN:
            print_text(f"{number_of(sent.lacking.total(), 'score')} not sent", err=True)
        return 3 if sent.lacking else 0
