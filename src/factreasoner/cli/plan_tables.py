"""What a person reads of a run that is only planned: calls, tokens and cost by stage."""

from __future__ import annotations

from rich.table import Table

from factreasoner.cli.console import Terminal, plain
from factreasoner.llm.allowance import AN_ANSWER, IN_VAIN
from factreasoner.llm.litellm_provider import price
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
    console.sentence("Without re-asks and audits; answers that are cached already cost nothing.")
    if config.batch != "none":
        console.sentence("Cost is at the price of batches.")
    if more := _more_to_learn(config):
        console.sentence(
            f"Learning how an unknown model is asked takes 1 call more where {' and 1 where '.join(more)}."
        )
    console.sentence(
        f"At worst, with a model whose replies are of little use, {total.most_calls:,} calls are paid: "
        f"{IN_VAIN} for a planned one in vain, and {AN_ANSWER} more for each answer it gives."
    )


def _more_to_learn(config: Config) -> list[str]:
    """In which cases learning how the model is asked takes one call more."""
    more: list[str] = []
    if config.batch != "none":
        return more
    if config.form == "auto" and config.confidence in ("auto", "logprobs"):
        more.append("tool calls give no log-probabilities")
    if config.form in ("auto", "tool"):
        more.append("its server drops tools or reports no prompt tokens")
    return more
