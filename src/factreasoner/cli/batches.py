"""What is said at the end of a round whose calls wait for a batch, or waited for one in vain."""

from __future__ import annotations

from typing import TYPE_CHECKING

from factreasoner.report.terminal import say

if TYPE_CHECKING:
    from collections.abc import Iterator

    from factreasoner.runs.batch_rounds import RoundsReport

BATCH_WAITS = 5
"""Exit code where a batch waits for its results, or was cancelled."""


def say_unanswered(ended: RoundsReport) -> None:
    """What waits or was cancelled, and how to go on."""
    total, unfinished = ended.last.total, ended.last.unfinished
    lines = _cancelled(ended) if ended.cancelled else _waiting(ended)
    say(
        f"{total - unfinished} of {total} records are assessed; the others wait for answers to requests:",
        err=True,
    )
    for line in lines:
        say(line, err=True)


def _waiting(ended: RoundsReport) -> Iterator[str]:
    for batch in ended.waiting:
        state = batch.state
        yield f"  {batch.requests_path}: {state['requests']:,} to {state['model']}"
    first = ended.waiting[0]
    yield "Have each file answered by a batch service or an offline engine, put the results beside it as"
    yield f"  {first.results_path}"
    yield "and run the same command again: it goes on from there. With vLLM, for example:"
    yield f"  vllm run-batch -i {first.requests_path} -o {first.results_path} --model NAME"


def _cancelled(ended: RoundsReport) -> Iterator[str]:
    for batch in ended.cancelled:
        state = batch.state
        asked = f"{state['requests']:,} to {state['model']}"
        yield f"  {batch.requests_path}: {asked}; its batch {state['batch_id']} was cancelled"
    yield "What was answered by then is kept. Run the same command again to have the rest answered by a new"
    yield "batch, or without --batch to have it answered at once."
