"""What is said at the end of a round whose calls wait for a batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from factreasoner.cli.terminal import say

if TYPE_CHECKING:
    from factreasoner.llm.batches.files import Batch
    from factreasoner.runs.runner import RunReport

BATCH_WAITS = 5
"""Exit code where a batch waits for its results."""


def say_waiting(report: RunReport, waiting: Sequence[Batch]) -> None:
    """What waits, where its results go, and how to go on."""
    done, first = report.total - report.unfinished, waiting[0]
    lines = [f"{done} of {report.total} records are assessed; the others wait for answers to requests:"]
    for batch in waiting:
        state = batch.state
        lines.append(f"  {batch.requests_path}: {state['requests']:,} to {state['model']}")
    lines += [
        "Have each file answered by a batch service or an offline engine, put the results beside it as",
        f"  {first.results_path}",
        "and run the same command again: it goes on from there. With vLLM, for example:",
        f"  vllm run-batch -i {first.requests_path} -o {first.results_path} --model NAME",
    ]
    for line in lines:
        say(line, err=True)
