"""A run in rounds: as far as it goes, then a batch of the calls it stands at, then on with the results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from factreasoner.errors import BudgetError, ConfigError
from factreasoner.llm.batches.files import Batch
from factreasoner.llm.batches.folder import BatchFolder
from factreasoner.llm.batches.sender import counting
from factreasoner.llm.batches.service import BatchService
from factreasoner.runs.runner import RunReport
from factreasoner.runs.store import RunFolder
from factreasoner.settings import Config


class RoundsReport(NamedTuple):
    """How a run in rounds ended: its last round, the batches that it waits for, and those cancelled."""

    last: RunReport
    waiting: Sequence[Batch] = ()
    cancelled: Sequence[Batch] = ()


def run_in_rounds(
    run_round: Callable[[], RunReport],
    folder: RunFolder[Any],
    config: Config,
    told: Callable[[str], None],
) -> RoundsReport:
    """Go through the records with `run_round` until all are done, or until batches have to be waited for.

    Those of `files` are left to whoever runs the command, those of `openai` are waited for here. `told` gets
    a line on everything worth knowing.

    Raises:
        ConfigError: `max_cost` is set and no price is known; or the service refuses the key.
        RunError: a file of batches is damaged; or the service has failed, and the same command goes on.
    """
    batches = folder.batches
    while True:
        for note in batches.read(counting(config)):
            told(note)
        report = run_round()
        if report.stopped:
            batches.discard()
            return RoundsReport(report)
        try:
            waiting = _next_batches(batches, config, folder.spent)
        except BudgetError as error:
            return RoundsReport(report._replace(stopped=str(error)))
        if not waiting:
            batches.close()
            return RoundsReport(report)
        if config.batch == "files":
            return RoundsReport(report, waiting)
        if cancelled := BatchService(config).answer(waiting, told):
            return RoundsReport(report, cancelled=cancelled)


def run_at_once(
    run_round: Callable[[Config], RunReport],
    folder: RunFolder[Any],
    config: Config,
    told: Callable[[str], None],
) -> RunReport:
    """Go through the records with `run_round` and calls that are made at once.

    Where earlier commands left batches, what these came to is used first: a round with them finishes the
    records that need no more, and keeps every other answer in the cache, where there is one.

    Raises:
        RunError: a file of batches is damaged.
    """
    batches = folder.batches
    if not batches.open:
        return run_round(config)
    for note in batches.read(counting(config)):
        told(note)
    report = run_round(config.model_copy(update={"batch": "files", "executor": "threads"}))
    batches.discard()
    for number in sorted(batches.wanted):
        told(
            f"{Batch(batches.path, number).requests_path}: there are no results of it; what it asks is asked "
            "now, and its results will not be needed any more"
        )
    if not report.complete:
        report = run_round(config.model_copy())  # by a worker that knows what the batches cost
    if not report.stopped:
        batches.close()
    return report


def _next_batches(batches: BatchFolder, config: Config, spent: float) -> list[Batch]:
    """Write what was asked, where `max_cost` allows it; returns all batches to wait for."""
    if batches.drafted and config.max_cost is not None:
        most = batches.most_cost
        requests = batches.drafted
        if most is None or spent + most > config.max_cost:
            batches.discard()
        if most is None:
            raise ConfigError(
                f"max_cost: the price of {config.model} is not known, so no limit can be kept; run without "
                "--max-cost"
            )
        if spent + most > config.max_cost:
            raise BudgetError(
                f"max_cost {config.max_cost:g}: ${spent:.4f} are spent, and a batch of the next {requests:,} "
                f"requests could take it to ${spent + most:.4f}, so it was not written; raise --max-cost and "
                "run again to go on"
            )
    return batches.write()
