"""Printed summaries of a run of any task, finished or planned."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, get_args

from rich.markup import escape

from factreasoner.cli.claim_tables import better_judge, print_atoms_notice
from factreasoner.cli.score_tables import missing_inputs
from factreasoner.judges import CONSTANT_CONFIDENCE, judged_by
from factreasoner.judges.calibration import calibration_of
from factreasoner.judges.probe import cached_probe, with_probed_size
from factreasoner.llm.ask import AN_ANSWER, MOST_FACTS, MOST_WITHOUT_RESULT
from factreasoner.llm.transport import price
from factreasoner.metrics.factuality import FACTUALITY, GAMMA
from factreasoner.models import Record, Support, not_checked
from factreasoner.models.formatting import number_of
from factreasoner.models.results import LEAST_PROBE_CALLS, MOST_PROBE_CALLS, STATUSES
from factreasoner.pipeline.config import Config
from factreasoner.report.console import Terminal, error_text, plain
from factreasoner.report.terminal import print_json
from factreasoner.runs.finished import parser_of
from factreasoner.runs.manifest import searched_rows
from factreasoner.runs.plan import RunPlan, StagePlan, plan, refuse_misfit
from factreasoner.tasks.task import Task

CONFIDENCES = {
    "logprobs": "log-probabilities",
    "verbal": "stated by the model",
    "judges": "several judges",
    "unlisted": "not listed: neutral",
}
"""Sources of verdict probabilities; others are shown by name."""
GOLD_IN_ROW = 3
Rows = Iterator[tuple[str, str]]


def print_summary(task: Task[Any], summary: Mapping[str, Any], config: Config, folder: Path) -> None:
    """The final table of a run, its files, and a note on better judges."""
    rows = _atom_rows(summary, config) if task.has_graph else _claim_rows(task, summary, config)
    console = Terminal()
    console.columns(("", ""), [("judged by", escape(judged_by(config))), *rows], show_header=False)
    for message, count in summary["failures"]["messages"].items():
        first = summary["failures"]["first"][message]
        console.failed(f"{count:,} x {message} ({'first: ' * (count > 1)}{first})")
    console.aside(f"{folder / 'results.jsonl'}, summary.json", soft_wrap=True)
    if "atomizer" in summary["seconds"]["by_stage"]:
        lacking = f"{task.words.claim.capitalize()}s that the records lack"
        print_atoms_notice(console, config, parser_of(folder), lacking)
    if advice := better_judge(config):
        console.aside(advice)
    values = {name: found["value"] for name, found in summary["metrics"].items()}
    if isinstance(config.k, int) and values.get("retrieval_recall") is not None:
        console.print(f"Retrieval precision and recall cover the first {config.k} contexts (--k).")
    for sentence in task.conclude(values):
        console.print(plain(sentence))


def _atom_rows(summary: Mapping[str, Any], config: Config) -> Rows:
    """The rows of a run of `run`."""
    atoms = summary["atoms"]
    yield "records", _counted_records(summary)
    k = summary["k"] if summary["k"] is not None else summary["k_setting"]
    for metric in FACTUALITY.metrics_at("run"):
        if not metric.needs.labels and (metric.needs is not GAMMA or summary["gamma"] is not None):
            yield metric.caption(k, room=True), metric.mean_text(summary)
    labels = ", ".join(f"{atoms[label]:,} {label}" for label in get_args(Support))
    yield "atoms", f"{atoms['judged']:,} ({labels})"
    if atoms["disputed"]:
        them = "it" if atoms["disputed"] == 1 else "them"
        yield (
            "",
            f"{atoms['disputed']:,} disputed: one context supports {them} and another contradicts {them}",
        )
    if atoms["unjudged"] or atoms["partly_judged"]:
        yield "", f"{atoms['unjudged']:,} not judged and excluded, {atoms['partly_judged']:,} judged in part"
    yield from _evidence_rows(summary)
    if credibility := summary["credibility"]:
        unused = ", ".join(credibility["unused_domains"])
        yield (
            "credibility",
            f"{credibility['rated']} of {credibility['rated'] + credibility['unrated']} contexts rated by "
            f"{escape(credibility['file'])} or their record"
            + (f"; unused: {escape(unused)}" if unused else ""),
        )
    if calibration := summary["calibration"]:
        idle = "" if calibration_of(config).acts else ", which changes no probability"
        yield "calibrated", f"by {escape(calibration['file'])}{idle}"
    if summary["gold"] is not None:
        yield from _gold_rows(summary)
    yield "solver", _solver_row(summary["solver"])
    yield from _common_rows(summary, config, "answers" if summary["answers"] else "verdicts")


def _claim_rows(task: Task[Any], summary: Mapping[str, Any], config: Config) -> Rows:
    """The rows of a run of a claim task."""
    yield "records", _counted_records(summary)
    lacking = missing_inputs(task.table, "run", summary["given"])
    records = summary["records"]
    all_failed = 0 < records["failed"] == records["total"]
    if all_failed:
        yield "scores", "[red]none: every record failed[/red], see failures"
    for metric in task.table.metrics_at("run"):
        found = summary["metrics"][metric.name]
        if found["value"] is None and (all_failed or metric.needs.labels or metric.name in lacking.metrics):
            continue
        reason = f" ({escape(found['reason'])})" if found["value"] is None else ""
        yield metric.caption(None, room=True), metric.mean_text(summary) + reason
    yield from (("not scored", sentence) for sentence in lacking.sentences)
    if summary["few_records"] is not None and not all_failed:
        yield "", summary["few_records"]
    undecided = summary["undecided_claims"]
    if undecided["count"]:
        words = "claims lack a verdict that would decide them, and are excluded from shares"
        yield "undecided", f"[red]{undecided['count']:,}[/red] of {undecided['of']:,} {words}"
    yield from _common_rows(summary, config, "verdicts")


def _coherence_row(note: Mapping[str, Any]) -> str:
    """The number of contradicting pairs of claims, and the mean coherence."""
    pairs = note["self_contradictions"]
    mean = "unknown" if note["mean"] is None else f"{note['mean']:.3f}"
    left = note["unjudged_pairs"]
    unjudged = f"; {number_of(left, 'pair')} not judged" if left else ""
    word = "pair contradicts" if pairs == 1 else "pairs contradict"
    return f"{mean} ({pairs} {word} each other{unjudged})"


def _counted_records(summary: Mapping[str, Any]) -> str:
    """The number of records, by status."""
    records = summary["records"]
    counted = ", ".join(f"{records[s]:,} {s.replace('_', ' ')}" for s in STATUSES if records[s])
    return f"{records['total']:,} ({counted})" if counted else "0"


def _common_rows(summary: Mapping[str, Any], config: Config, judged: str) -> Rows:
    """The rows that end every task's table: `judged`, failures, usage."""
    if note := not_checked(summary["unchecked"] or {}, summary["num_sentences"] or 0):
        yield "not checked", note.replace(" not checked", "", 1)
    own = {"model": f"{config.plugin('judge')} judge", **CONFIDENCES}
    computed = config.judging_verifier is not None
    own["constant"] = "without judging" if computed else f"the constant {CONSTANT_CONFIDENCE:g}"
    counts = summary["confidences"].items()
    confidences = ", ".join(f"{count:,} {plain(own.get(name, name))}" for name, count in counts)
    if note := summary["coherence"]:
        yield "coherence", _coherence_row(note)
    yield judged, f"{sum(summary[judged].values()):,} (probabilities: {confidences or 'none'})"
    if lost := summary["citations"].get("absent"):
        quotes = sum(summary["citations"].values())
        yield "quotes", f"{lost:,} of {quotes:,} are missing or not in the context, and are dropped"
    if corrected := summary["corrected_verdicts"]:
        yield "corrected", f"{number_of(corrected, 'verdict')}, by a reader"
    yield from _judge_rows(summary)
    failures = summary["failures"]
    stages = ", ".join(f"{count:,} {stage}" for stage, count in failures["by_stage"].items())
    yield "failures", f"[red]{failures['total']:,}[/red] ({stages})" if failures["total"] else "0"
    yield from _usage_rows(summary["usage"])


def _judge_rows(summary: Mapping[str, Any]) -> Rows:
    """The results of each ensemble judge, their agreement, and judges of their own answers."""
    if judges := summary["judges"]:
        for name, scores in judges["scores"].items():
            metric, found = next(iter(scores.items()))
            value = plain(f"none ({found['reason']})") if found["value"] is None else f"{found['value']:.3f}"
            yield f"by {plain(name)} alone", f"{metric} {value}"
        alpha = "undefined: all verdicts are alike" if judges["alpha"] is None else f"{judges['alpha']:.3f}"
        yield "agreement", f"Krippendorff's alpha {alpha} ({judges['pairs']:,} pairs)"
    for model, count in summary["self_preference"].items():
        note = f"{plain(model)} judges {number_of(count, 'answer')} of its own; models prefer their own"
        yield "", f"[yellow]{note}[/yellow]"


def _evidence_rows(summary: Mapping[str, Any]) -> Rows:
    if bare := summary["without_contexts"]:
        of = summary["records"]["total"]
        yield ("no context", f"in {bare} of {of} records, so all their atoms are unverified")
    if summary["dropped_contexts"]:
        yield "dropped", f"contexts found irrelevant: {summary['dropped_contexts']:,}"
    if between := summary.get("context_verdicts"):
        related = f"{between - summary['context_relations']:,} of them neutral"
        note = related if summary["context_relations"] else "all neutral: the scores are those of --version 2"
        yield "contexts", f"{between:,} judged between them, {note}"
    if unread := summary.get("unread_pages"):
        pages = "page, its snippet" if unread == 1 else "pages, snippets"
        yield "unread", f"{unread:,} {pages} used; rerun to retry"
    for row in searched_rows(summary.get("searched", {})):
        yield "searched", escape(row)
    if (once := summary["independence"])["records"]:
        left_out = f"relations removed: {once['relations_left_out']:,}"
        yield "evidence", f"counted once; shared sources: {once['shared_sources']:,}, {left_out}"


def _usage_rows(spending: Mapping[str, Any]) -> Rows:
    usage, cost, spent = spending["total"], spending["total"]["cost"], spending["spent"]
    if not (usage["calls"] or usage["cached_calls"]):
        return
    cached = f"; {usage['cached_calls']:,} more from the cache" * bool(usage["cached_calls"])
    yield "calls", f"{usage['calls']:,} in the last attempt of each record{cached}"
    prompt = f"{usage['prompt_tokens']:,} prompt"
    if prefix := usage.get("cached_tokens", 0):
        prompt += f" ({prefix / usage['prompt_tokens']:.0%} from the prefix cache)"
    yield "tokens", f"{prompt}, {usage['completion_tokens']:,} completion"
    if cost is None or spent is None:
        yield "cost", "unknown"
    else:
        more = f"; ${spent:.4f} with interrupted and repeated attempts" if spent - cost > 5e-5 else ""
        yield "cost", f"${cost:.4f}{more}"


def _gold_rows(summary: Mapping[str, Any]) -> Rows:
    found = [(m, summary["metrics"][m.name]["value"]) for m in FACTUALITY.metrics_at("run") if m.needs.labels]
    shown = [
        f"{metric.caption(None, room=True)} {metric.text(value)}"
        for metric, value in found
        if value is not None
    ]
    for place in range(0, len(shown), GOLD_IN_ROW):
        yield "" if place else "against gold", "  ".join(shown[place : place + GOLD_IN_ROW])
    if summary["gold"]["few_records"] is not None:
        yield "", summary["gold"]["few_records"]


def _solver_row(solver: Mapping[str, Any]) -> str:
    parts = [", ".join(f"{name} on {count}" for name, count in solver["records"].items()) or "-"]
    if solver["largest_width"] is not None:
        parts.append(f"largest width {solver['largest_width']}")
    if solver["largest_stderr"] is not None:
        parts.append(f"largest standard error {error_text(solver['largest_stderr'])}")
    if solver["not_converged"]:
        remedy = "run `score` with a larger --solver-seconds; it calls no model"
        parts.append(f"[yellow]not converged on {solver['not_converged']}: {remedy}[/yellow]")
    return "; ".join(parts)


def show_plan(
    task: Task[Any],
    config: Config,
    records: Callable[[], Iterable[Record]],
    beyond: str = "",
    *,
    as_json: bool,
) -> None:
    """Print the cost of a run; `beyond` describes the extra calls for unsupported claims.

    Raises ConfigError, MissingExtraError: as the task's worker does.
    """
    refuse_misfit(config, task)
    planned = plan(records(), with_probed_size(config), task)
    if as_json:
        print_json(planned.content())
        return
    console = Terminal(soft_wrap=True)
    _print_plan(console, planned, config)
    if beyond and planned.stages:
        console.sentence(f"Not counted: {beyond}.")


def _print_plan(console: Terminal, planned: RunPlan, config: Config) -> None:
    """Calls, tokens and cost by stage, searches, and the worst case."""
    if planned.searches:
        console.sentence(f"{planned.searches:,} searches ({plain(config.retriever)})")
    if planned.pairs:
        console.sentence(
            f"{number_of(planned.pairs, 'pair')} of context and claim for the verifier (long ones are split)"
        )
    counted = number_of(planned.records, "record")
    if not planned.stages:
        console.sentence(f"{counted}, no model calls.")
        return
    total = planned.total
    console.sentence(counted)
    head = ("stage", "calls", "prompt tokens", "completion tokens", "cost")
    console.columns(head, (_cells(stage, config) for stage in (*planned.stages, total)))
    if config.first_model is not None and config.part("judge").prompts:
        console.sentence(_facts_per_call(config))
    console.sentence("Repeated calls are not counted; cached answers cost nothing.")
    if config.batch != "none":
        console.sentence("Costs are at batch prices.")
    console.sentence(
        f"Worst case, if most replies are unusable: {total.most_calls:,} paid calls "
        f"({MOST_WITHOUT_RESULT} per planned call plus {AN_ANSWER} per answer)."
    )


def _cells(stage: StagePlan, config: Config) -> tuple[str, ...]:
    tokens = (stage.prompt_tokens, stage.completion_tokens)
    dollars = price(str(config.first_model), *tokens, batch=config.batch != "none")
    cost = "unknown" if dollars is None else f"~${dollars:.4f}"
    return (stage.stage, f"{stage.calls:,}", *(f"~{count:,}" for count in tokens), cost)


def _facts_per_call(config: Config) -> str:
    """The assumed number of facts per call, and why."""
    if config.atoms_per_call is not None or config.batch != "none":
        size = config.atoms_per_call or MOST_FACTS
        return f"Assumes {number_of(size, 'atom')} per call."
    if (found := cached_probe(config)) is not None:
        return f"A probe of this model found: {found}."
    return (
        f"Assumes {MOST_FACTS} atoms per call. The run measures what the model can handle first "
        f"({LEAST_PROBE_CALLS} calls; up to {MOST_PROBE_CALLS} for a weak model). `factreasoner doctor` does "
        "the same."
    )
