"""What a person reads of a run that is only planned: calls, tokens and cost by stage."""

from __future__ import annotations

from typing import TYPE_CHECKING

from factreasoner.cli.running import Job
from factreasoner.judges.asking import MOST_FACTS
from factreasoner.judges.probe import as_probed, known_probe
from factreasoner.llm.ask import AN_ANSWER, IN_VAIN
from factreasoner.llm.transport import price
from factreasoner.report.console import Terminal, plain
from factreasoner.report.terminal import say_json
from factreasoner.runs.plan import RunPlan, StagePlan, plan, rehearsed
from factreasoner.settings import Config
from factreasoner.tasks.registry import FACTUALITY

if TYPE_CHECKING:
    from factreasoner.inputs.input import CheckedInput
    from factreasoner.runs.finished import PastRecords


def show_plan(job: Job, checked: CheckedInput | PastRecords, beyond: str) -> None:
    """Print what a run would take; `beyond` says what is asked about the claims that fail."""
    task, count, config = job.task, len(checked.ids), as_probed(job.config)
    of_atoms = task.name == FACTUALITY
    planned = plan(checked.records(), config) if of_atoms else rehearsed(task, checked.records(), config)
    if job.running.as_json:
        say_json(planned.content(count))
        return
    console = Terminal(soft_wrap=True, highlight=False)
    _print_plan(console, planned, job.config, count)
    if beyond and job.config.model:
        all_failed = rehearsed(task, checked.records(), config, borne_out=False)
        most, least = _total(all_failed), _total(planned)
        if (calls := most.calls - least.calls) > 0:
            prompt = most.prompt_tokens - least.prompt_tokens
            reply = most.completion_tokens - least.completion_tokens
            console.sentence(
                f"Calls beyond these, where no claim is borne out: up to {calls:,} with ~{prompt:,} prompt "
                f"and ~{reply:,} completion tokens ({beyond})."
            )


def _print_plan(console: Terminal, planned: RunPlan, config: Config, records: int) -> None:
    """Calls, tokens and cost by stage, searches, and calls at worst."""
    if planned.searches:
        console.sentence(f"{planned.searches:,} searches ({plain(config.retriever)})")
    if planned.pairs:
        console.sentence(
            f"{planned.pairs:,} pairs of passage and claim for the verifier, longer ones in chunks"
        )
    for part in planned.uncounted:
        console.sentence(f"Not counted: what {plain(part)} may ask; it has no method requests().")
    if not planned.stages:
        console.sentence(f"{records} records, no model calls.")
        return
    total = _total(planned)
    console.sentence(f"{records} records")
    head = ("stage", "calls", "prompt tokens", "completion tokens", "cost")
    console.columns(head, (_cells(stage, config) for stage in (*planned.stages, total)))
    if config.model is not None and config.plugin("judge") == "llm":
        console.sentence(_facts_per_call(config))
    console.sentence("Without re-asks and audits; answers that are cached already cost nothing.")
    if config.batch != "none":
        console.sentence("Cost is at the price of batches.")
    console.sentence(
        f"At worst, with a model whose replies are of little use, {total.most_calls:,} calls are paid: "
        f"{IN_VAIN} for a planned one in vain, and {AN_ANSWER} more for each answer it gives."
    )


def _total(planned: RunPlan) -> StagePlan:
    """All stages together."""
    counts = [stage[1:] for stage in planned.stages] or [(0, 0, 0, 0)]
    return StagePlan("total", *map(sum, zip(*counts, strict=True)))


def _cells(stage: StagePlan, config: Config) -> tuple[str, ...]:
    tokens = (stage.prompt_tokens, stage.completion_tokens)
    dollars = price(str(config.model), *tokens, batch=config.batch != "none")
    cost = "unknown" if dollars is None else f"~${dollars:.4f}"
    return (stage.stage, f"{stage.calls:,}", *(f"~{count:,}" for count in tokens), cost)


def _facts_per_call(config: Config) -> str:
    """How many facts a call are counted with, and why."""
    if config.atoms_per_call is not None or config.batch != "none":
        return f"Counted with {config.atoms_per_call or MOST_FACTS} atoms a call."
    if (found := known_probe(config)) is not None:
        return f"A probe of this model found: {found}."
    return (
        f"Counted with {MOST_FACTS} atoms a call. How many the model bears is not known yet: the run finds "
        "out with 4 calls, or some 50 for a model that bears few, and so does `factreasoner doctor`."
    )
