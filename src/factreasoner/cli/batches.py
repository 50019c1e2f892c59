"""What is said at the end of a round whose calls wait for a batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from factreasoner.cli.terminal import one_line, say

if TYPE_CHECKING:
    from factreasoner.llm.batches.folder import Batch
    from factreasoner.runs.runner import RunReport

BATCH_WAITS = 5
"""Exit code where a batch waits for its results."""


def say_waiting(report: RunReport, waiting: Sequence[Batch]) -> None:
    """What waits, where its results go, and how to go on."""
    done = report.total - report.unfinished
    say(
        f"{done} of {report.total} records are assessed; the others wait for answers to these requests:",
        err=True,
    )
    for batch in waiting:
        state = batch.state
        say(one_line(f"  {batch.requests_path}: {state['requests']:,} to {state['model']}"), err=True)
    first = waiting[0]
    say(
        one_line(
            f"Have each file answered by a batch service or an offline engine, put the results beside it "
            f"({first.results_path}), and run the same command again: it goes on from there. With vLLM: "
            f"vllm run-batch -i {first.requests_path} -o {first.results_path} --model NAME"
        ),
        err=True,
    )
