"""What a person reads of a run that is only planned: calls, tokens and cost by stage."""

from __future__ import annotations

from rich.table import Table

from factreasoner.llm.ask import AN_ANSWER, IN_VAIN
from factreasoner.llm.transport import price
from factreasoner.report.console import Terminal, plain
from factreasoner.runs.plan import RunPlan, StagePlan
from factreasoner.settings import Config


def print_plan(planned: RunPlan, config: Config, records: int) -> None:
    """Print what a run would take: calls, tokens and cost by stage, searches, and calls at worst."""
    console = Terminal(soft_wrap=True, highlight=False)
    stages = planned.stages
    if planned.searches:
        console.sentence(f"{planned.searches:,} searches ({plain(config.retriever)})")
    if planned.pairs:
        console.sentence(
            f"{planned.pairs:,} pairs of passage and claim for the verifier, longer ones in chunks"
        )
    for part in planned.uncounted:
        console.sentence(f"Not counted: what {plain(part)} may ask; it has no method requests().")
    if not stages:
        console.sentence(f"{records} records, no model calls.")
        return
    table = Table("stage", "calls", "prompt tokens", "completion tokens", "cost", box=None, pad_edge=False)
    total = StagePlan(
        "total",
        sum(stage.calls for stage in stages),
        sum(stage.prompt_tokens for stage in stages),
        sum(stage.completion_tokens for stage in stages),
        sum(stage.most_calls for stage in stages),
    )
    for stage in (*stages, total):
        dollars = price(
            str(config.model), stage.prompt_tokens, stage.completion_tokens, batch=config.batch != "none"
        )
        cost = "unknown" if dollars is None else f"~${dollars:.4f}"
        tokens = (f"~{stage.prompt_tokens:,}", f"~{stage.completion_tokens:,}")
        table.add_row(stage.stage, f"{stage.calls:,}", *tokens, cost)
    console.sentence(f"{records} records")
    console.print(table)
    if config.model is not None and config.plugin("judge") == "llm":
        console.sentence(_facts_per_call(config))
    console.sentence("Without re-asks and audits; answers that are cached already cost nothing.")
    if config.batch != "none":
        console.sentence("Cost is at the price of batches.")
    console.sentence(
        f"At worst, with a model whose replies are of little use, {total.most_calls:,} calls are paid: "
        f"{IN_VAIN} for a planned one in vain, and {AN_ANSWER} more for each answer it gives."
    )


def _facts_per_call(config: Config) -> str:
    """How many facts a call are counted with, and why."""
    from factreasoner.judges.probe import MOST_FACTS, known_probe

    if config.atoms_per_call is not None or config.batch != "none":
        return f"Counted with {config.atoms_per_call or MOST_FACTS} atoms a call."
    found = known_probe(config)
    if found is not None:
        return f"A probe of this model found: {found}."
    return (
        f"Counted with {MOST_FACTS} atoms a call. How many the model bears is not known yet: the run finds "
        "out with 4 calls, or some 50 for a model that bears few, and so does `factreasoner doctor`."
    )
