"""`factreasoner publish`: a run's scores, sent to where the traces of its answers are kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

import typer

from factreasoner.cli.flags import RunDir, takes_flags
from factreasoner.report.terminal import say

if TYPE_CHECKING:
    from factreasoner.analysis.publish.scores import Backend

SHOWN = 5
"""Reasons that are shown."""


To = Literal["otlp", "langfuse", "phoenix"]
"""Where scores can be sent."""


class Chosen(NamedTuple):
    """What is sent, and how spans are found."""

    metric: Annotated[
        list[str] | None, typer.Option(help="Only this metric; repeatable. (default: all of a record)")
    ] = None
    claims: Annotated[bool, typer.Option("--claims", help="A score a claim too: P and label.")] = False
    texts: Annotated[
        bool, typer.Option("--texts", help="Explanations too, which quote answers and passages.")
    ] = False
    trace_key: Annotated[
        str | None,
        typer.Option(help="The key of a record that holds its traceparent, or the id of its trace."),
    ] = None
    skip: Annotated[
        int, typer.Option(min=0, help="Leave out the first N scores, which were sent before.")
    ] = 0


@takes_flags()
def publish(
    run_dir: RunDir,
    to: Annotated[To, typer.Option(help="What takes them; its keys are read from the environment.")],
    url: Annotated[
        str | None, typer.Option(help="Where it is. (default: as its own variables say, else as it installs)")
    ] = None,
    *,
    chosen: Chosen,
) -> None:
    """Send the scores of a finished run to where the traces of its answers are kept.

    A record names its span by traceparent, or by trace_id and span_id. Sent again, Langfuse and Phoenix
    replace what they have.
    """
    from factreasoner.analysis.publish.scores import Wanted, scores_of
    from factreasoner.analysis.publish.scores import publish as send
    from factreasoner.runs.finished import FinishedRun

    run = FinishedRun.of_any_task(run_dir)
    wanted = Wanted(tuple(chosen.metric or ()), chosen.claims, chosen.texts, chosen.trace_key)
    backend = _backend(to, url, by_model=run.config.model is not None)
    if run.unfinished:
        say(run.unfinished, err=True)
    sent = send(scores_of(run, wanted), backend, skip=chosen.skip)
    say(f"{_scores(sent.number)} of {len(run.ids):,} records sent to {backend.url}")
    for why, count in list(sent.lacking.items())[:SHOWN]:
        say(f"{_scores(count)} left out: {why}", err=True)
    if len(sent.lacking) > SHOWN:
        say(f"{_scores(sent.lacking.total())} left out", err=True)
    for reason in list(dict.fromkeys(sent.refused))[:SHOWN]:
        say(f"refused: {reason}", err=True)
    if sent.refused:
        say(f"{_scores(len(sent.refused))} refused", err=True)
    raise typer.Exit(3 if sent.refused or sent.lacking else 0)


def _scores(count: int) -> str:
    return f"{count:,} score{'s' * (count != 1)}"


def _backend(to: To, url: str | None, *, by_model: bool) -> Backend:
    from factreasoner.plugins.table import extras_named

    if to == "otlp":
        with extras_named():
            from factreasoner.analysis.publish.otlp import Otlp
        return Otlp(url)
    from factreasoner.analysis.publish.services import Langfuse, Phoenix

    return Langfuse(url) if to == "langfuse" else Phoenix(url, by_model=by_model)
