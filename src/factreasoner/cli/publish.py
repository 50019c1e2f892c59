"""`factreasoner publish`: a run's scores, sent to where the traces of its answers are kept."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

from factreasoner.cli.flags import RUN_DIR, Command, flag
from factreasoner.report.terminal import say

if TYPE_CHECKING:
    from factreasoner.analysis.publishing import Backend

SHOWN = 5
"""Reasons that are shown."""


To = Literal["otlp", "langfuse", "phoenix"]
"""Where scores can be sent."""


class Publish(Command):
    """Send the scores of a run to the service that keeps the traces of its answers.

    A record names its span by traceparent, or by trace_id and span_id. If scores are sent again, Langfuse and
    Phoenix replace the old ones.
    """

    run_dir: Path = RUN_DIR
    to: To = flag("Where to send them; its keys are read from the environment.", default=...)
    url: str | None = flag("Its URL. (default: from its own variables, else that of a standard installation)")
    metric: list[str] | None = flag("Only this metric; repeatable. (default: all of a record)")
    claims: bool = flag("Also send a score for each claim: P and label.")
    texts: bool = flag("Also send explanations, which quote answers and passages.")
    trace_key: str | None = flag("The record's key for its traceparent or trace id.")
    skip: int = flag("Leave out the first N scores, which were sent before.", default=0, min=0)

    def _execute(self) -> int:
        from factreasoner.analysis.publishing import Wanted, publish, scores_of
        from factreasoner.models.wording import number_of
        from factreasoner.runs.finished import FinishedRun

        run = FinishedRun.of_any_task(self.run_dir)
        wanted = Wanted(tuple(self.metric or ()), self.claims, self.texts, self.trace_key)
        backend = _backend(self.to, self.url, by_model=run.config.model is not None)
        self._note(run.unfinished)
        sent = publish(scores_of(run, wanted), backend, skip=self.skip)
        # Which records a refusal concerns is not known.
        whose = "" if sent.refused else f" of {number_of(sent.records, 'record')}"
        say(f"{number_of(sent.number, 'score')}{whose} sent to {backend.url}")
        if sent.unplaced:
            said = "sent without a trace: their records have none (traceparent, trace_id)"
            say(f"{number_of(sent.unplaced, 'score')} {said}", err=True)
        for why, count in list(sent.lacking.items())[:SHOWN]:
            say(f"{number_of(count, 'score')} left out: {why}", err=True)
        if len(sent.lacking) > SHOWN:
            say(f"{number_of(sent.lacking.total(), 'score')} left out", err=True)
        for reason in list(dict.fromkeys(sent.refused))[:SHOWN]:
            say(f"refused: {reason}", err=True)
        if sent.refused:
            say(f"{number_of(len(sent.refused), 'score')} refused", err=True)
        return 3 if sent.refused or sent.lacking else 0


def _backend(to: To, url: str | None, *, by_model: bool) -> Backend:
    from factreasoner.plugins.table import extras_named

    if to == "otlp":
        with extras_named():
            from factreasoner.analysis.otlp import Otlp
        return Otlp(url)
    from factreasoner.analysis.services import Langfuse, Phoenix

    return Langfuse(url) if to == "langfuse" else Phoenix(url, by_model=by_model)
