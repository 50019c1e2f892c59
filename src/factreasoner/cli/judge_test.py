"""`factreasoner doctor --judge-test`: a model is put to sixty facts, in every form and batch size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, get_args

from rich.table import Table

from factreasoner.choices import CallForm
from factreasoner.cli.console import Terminal, plain
from factreasoner.cli.terminal import say
from factreasoner.errors import ConfigError, LLMError
from factreasoner.judges.llm import LLMJudge
from factreasoner.judges.trial import BATCHES, TRUTHS, FormScores, TrialScores, advice, calls_of, judged
from factreasoner.llm.client import LiteLLMClient
from factreasoner.llm.usage import Meter
from factreasoner.metrics.intervals import wilson
from factreasoner.models import Usage
from factreasoner.settings import Config

POOR = 0.8
"""Accuracy below which a reasoning before each verdict is worth trying."""
GUESSED = 0.5
"""Accuracy that a judge must be shown to exceed: the best of a dozen attempts to guess comes near it."""


class _Attempt(NamedTuple):
    """One form and batch size, how it went and what it took; without scores, why there are none."""

    form: CallForm
    batch: int
    scores: TrialScores | None
    usage: Usage
    problem: str = ""


def try_judge(config: Config) -> bool:
    """Print the table and the advice; False where the model can't be used as a judge.

    Raises:
        ConfigError: no model, or a setting of it is wrong.
        BudgetError: the next call could exceed `max_cost`.
    """
    if config.model is None:
        raise ConfigError("--judge-test: it asks a language model; add --model NAME")
    if not config.mode.startswith("tfn"):
        raise ConfigError(
            f"--judge-test: mode {config.mode} can't tell silence from contradiction; take --mode tfn"
        )
    forms: tuple[CallForm, ...] = get_args(CallForm) if config.form == "auto" else (config.form,)
    calls = len(forms) * sum(calls_of(batch) for batch in BATCHES)
    say(f"60 facts, 12 passages, {len(forms)} forms, batches of 1, 8 and 32: {calls} calls or more", err=True)
    attempts = []
    for attempt in _attempts(config, forms):
        attempts.append(attempt)
        say(f"{attempt.form}, {attempt.batch} a call: {attempt.problem or 'done'}", err=True)
    console = Terminal()
    console.print(_table(attempts))
    for line in _findings(attempts):
        say(line)
    chosen = advice([FormScores(a.form, a.scores) for a in attempts if a.scores is not None])
    if chosen is None:
        say(_no_advice(attempts))
        return False
    right, asked = chosen.scores.right, chosen.scores.asked
    if (wilson(right, asked) or (0.0, 1.0))[0] <= GUESSED:
        say(
            f"This model can't be used as a judge in mode {config.mode}: {right} of {asked} right is hardly "
            "better than guessing. Try --mode tfn_reasoning, or another model."
        )
        return False
    mode = " --mode tfn_reasoning" if right < POOR * asked else ""
    batch = min(chosen.batch, 8) if mode else chosen.batch
    say(f"Advice: --form {chosen.form} --atoms-per-call {batch}{mode}")
    return True


def _attempts(config: Config, forms: Sequence[CallForm]) -> Iterator[_Attempt]:
    for form in forms:
        for batch in BATCHES:
            update = {"form": form, "atoms_per_call": batch}
            attempt = _attempt(config.model_copy(update=update), form, batch)
            yield attempt
            if attempt.scores is None:
                break


def _attempt(config: Config, form: CallForm, batch: int) -> _Attempt:
    meter = Meter()
    client = LiteLLMClient(config)
    try:
        with meter.stage("judge"):
            scores = judged(LLMJudge(client, config), batch, workers=config.concurrency)
    except (ConfigError, LLMError) as error:
        return _Attempt(form, batch, None, meter.total, str(error))
    finally:
        client.close()
    if not scores.answered:
        return _Attempt(form, batch, None, meter.total, scores.failures[0].message)
    return _Attempt(form, batch, scores, meter.total)


def _table(attempts: Sequence[_Attempt]) -> Table:
    """One row an attempt, 80 columns wide."""
    table = Table(box=None, pad_edge=False, padding=(0, 1))
    for heading in ("form, a call", "right [95 %]", "T", "C", "S", "open", "calls", "tokens", "cost"):
        table.add_column(heading, justify="left" if heading == "form, a call" else "right", no_wrap=True)
    for attempt in attempts:
        usage, scores = attempt.usage, attempt.scores
        shown = ("-", "-", "-", "-", "60") if scores is None else tuple(_shares(scores))
        table.add_row(
            f"{attempt.form} {attempt.batch}",
            *shown,
            str(usage.calls),
            f"{usage.prompt_tokens + usage.completion_tokens:,}",
            "?" if usage.cost is None else f"${usage.cost:.4f}",
        )
    return table


def _shares(scores: TrialScores) -> Iterator[str]:
    low, high = wilson(scores.right, scores.asked) or (0.0, 1.0)
    yield f"{scores.accuracy:.2f} [{low:.2f}, {high:.2f}]"
    for truth in TRUTHS:
        recall = scores.recall(truth)
        yield "-" if recall is None else f"{recall:.2f}"
    yield str(scores.unanswered)


def _findings(attempts: Sequence[_Attempt]) -> Iterator[str]:
    """What the numbers do not say, one line an attempt."""
    yield "right: share of all 60. T, C, S: share of the true, contradicted and silent ones called so."
    yield "open: facts without a verdict."
    for attempt in attempts:
        name, scores = f"{attempt.form}, {attempt.batch} a call", attempt.scores
        if scores is None:
            yield f"{name}: not usable: {plain(attempt.problem)}"
            continue
        if scores.blind:
            yield f"{name}: BLIND: nearly every answer is the same; it does not see the facts or the passage"
        mistakes = ", ".join(f"{kind} {count}" for kind, count in scores.wrong_kinds.items())
        if mistakes:
            yield f"{name}: wrong by kind: {mistakes}"
        if scores.brier is not None and scores.mean_probability is not None:
            share = scores.right / scores.answered
            constant = " (a constant: nothing to calibrate)" if scores.constant else ""
            yield (
                f"{name}: mean probability {scores.mean_probability:.2f} where {share:.2f} of the answers "
                f"are right, Brier {scores.brier:.3f}{constant}"
            )


def _no_advice(attempts: Sequence[_Attempt]) -> str:
    if any(attempt.scores is not None for attempt in attempts):
        return (
            "This model can't be used as a judge as it is served: its answers do not depend on the facts. "
            "Serve it with a chat template that has a place for tools, or try another model."
        )
    return "This model can't be used as a judge: no form of call was answered. See the reasons above."
