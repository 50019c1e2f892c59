"""Tables of atoms and other claims with label and evidence, of one response or of a run."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from rich.markup import escape
from rich.table import Column

from factreasoner.judges import judged_by
from factreasoner.judges.encoder.model_files import quality_sentence
from factreasoner.metrics.factuality import record_k, resolve_k
from factreasoner.models import Assessment, Result, factuality
from factreasoner.models.formatting import number_of
from factreasoner.models.rows import CONTEXTS, ClaimRow, main_rows
from factreasoner.pipeline.config import Config
from factreasoner.report.console import Terminal, label_cell, plain
from factreasoner.runs.store import RunFolder
from factreasoner.tasks.evidence_text import IN_PART, evidence_of, no_claims_reason
from factreasoner.tasks.factuality import TASK as FACTUALITY
from factreasoner.tasks.recall import FACTS
from factreasoner.tasks.task import Task
from factreasoner.tasks.verify.result import CITED
from factreasoner.text.parsing import describe_parser, install_command

QUOTE_LENGTH, LONG_QUOTE, CLAIM_LENGTH = 90, 300, 300
P_WIDTH, LABEL_WIDTH = 5, 14
ROWS_AT_ONCE = 500


def claim_cells(
    row: ClaimRow, task: Task[Any], longest: int = QUOTE_LENGTH, longest_claim: int | None = CLAIM_LENGTH
) -> tuple[str, str, str, str]:
    """P, label, text with fate, and evidence of a claim; quotes and text are cut to these lengths."""
    p_true = "" if row.p_true is None else f"{row.p_true:.3f}"
    fate = f" [yellow]({plain(row.fate)})[/yellow]" if row.fate not in ("", "kept") else ""
    wording = (
        f"[yellow]{part}[/]" if part == IN_PART else escape(part) for part in evidence_of(row, longest)
    )
    text = plain(row.text, longest_claim) + fate
    return p_true, label_cell(row, task.words.labels), text, "; ".join(wording)


def print_claims(console: Terminal, task: Task[Any], result: Result, longest: int = QUOTE_LENGTH) -> None:
    """Print the claims of one text with their strongest evidence, or a note."""
    if rows := [claim_cells(row, task, longest) for row in result.rows()]:
        console.columns((task.words.p, Column(no_wrap=True), task.words.claim, "evidence"), rows)
    elif not result.failures:
        console.print(f"No {task.words.claim}s: {no_claims_reason(result)}.")
    if result.not_checked:
        console.print(f"\n{number_of(len(rows), task.words.claim)}; {result.not_checked}")


def print_failures(console: Terminal, result: Result) -> None:
    """Print each failure on its own line."""
    for failure in result.failures:
        console.failed(f"failed {failure.stage} {failure.item_id}: {failure.message}")


def print_assessment(assessment: Assessment, config: Config) -> None:
    """Print one response, atom by atom, with its scores."""
    console = Terminal()
    print_claims(console, FACTUALITY, assessment)
    judged = len(assessment.p_true)
    k = None if config.k == "median" else record_k(config.k, resolve_k(config.k, [judged]), judged)
    scores = factuality(assessment, k)
    if scores.precision is not None:
        f1 = "" if scores.k is None else f"F1@{scores.k} {scores.f1_at_k:.3f}  "
        console.print(
            f"\nprecision {scores.precision:.3f}  {f1}E {scores.avg_entropy:.3f}  "
            f"{scores.num_supported_atoms} of {scores.num_atoms} atoms supported"
        )
    print_failures(console, assessment)
    if assessment.atoms:
        print_atoms_notice(console, config, describe_parser())
    if judged:
        console.aside(judging_notice(config))


def print_atoms_notice(console: Terminal, config: Config, parser: str | None, what: str = "Atoms") -> None:
    """Print how atoms (or `what`) were made, if not by a model or the record."""
    if not config.part("atomizer").parses:
        return
    made = f"made by parsing with {parser}" if parser else "whole sentences"
    better = "" if parser else f" To split sentences: {install_command()}"
    console.aside(f"{what} are {made} (docs/concepts.md).{better}")


def judging_notice(config: Config) -> str:
    """A note on the judge, and on what a better judge needs."""
    return f"Judged by: {judged_by(config)}. {better_judge(config)}".rstrip()


def better_judge(config: Config) -> str:
    """A note on the quality of the bundled judge and on better ones; empty for other judges."""
    if not (config.part("judge").classifies and config.is_bundled):
        return ""
    better = "--model NAME" if config.first_model is None else "--judge llm"
    return f"{quality_sentence()}. Before you rely on a score, use {better} or a verifier (docs/judges.md)."


def print_rows(rows: Iterable[ClaimRow], task: Task[Any], *, in_order: bool = False) -> int:
    """Print rows as they come, with a heading whenever the record or the checked text changes.

    With `in_order`, rows name their record themselves. Returns the number of rows.
    """
    console, counted = Terminal(), itertools.count()

    def part_of(row: ClaimRow) -> str:
        place = next(counted)
        return str(place // ROWS_AT_ONCE) if in_order else _heading(row, task)

    for heading, part in itertools.groupby(rows, key=part_of):
        if not in_order:
            console.print(f"[bold]{plain(heading)}[/bold]")
        names = ((row, f"{row.record} {row.claim}" if in_order else row.claim) for row in part)
        columns = (
            Column(task.words.p, width=max(len(task.words.p), P_WIDTH)),
            Column("", width=LABEL_WIDTH, no_wrap=True),
            task.words.claim,
        )
        console.columns(columns, (_cells(row, task, name, LONG_QUOTE, None) for row, name in names))
        console.print()
    return next(counted)


def print_worst(folder: RunFolder[Any], summary: Mapping[str, Any]) -> None:
    """Print the claims of a run to review first, each with its evidence; see `ReviewList`."""
    task, console = folder.task, Terminal()
    worst = summary[f"worst_{task.words.claim}s"]
    pairs = (summary["coherence"] or {}).get("pairs", ())
    if pairs:
        console.columns((Column("p", no_wrap=True), "the answer contradicts itself"), _pairs(folder, pairs))
        console.print()
    if not worst:
        return
    rows = []
    for item in worst:
        (result,) = folder.results([item["record"]])
        found = main_rows(list(result.rows()))
        row = replace(next(row for row in found if row.claim == item[task.words.claim]), fate="")
        record = row.record if summary["records"]["total"] > 1 else ""
        rows.append(_cells(row, task, record))
    most = summary[f"{task.words.claim}s_to_review"]
    more = f" ({len(worst)} of {most:,})" if most > len(worst) else ""
    heading = f"{task.words.claim}s to review first{more}"
    console.columns((Column(task.words.p, no_wrap=True), Column(no_wrap=True), heading), rows)
    console.print()


def _cells(
    row: ClaimRow,
    task: Task[Any],
    name: str,
    longest: int = QUOTE_LENGTH,
    longest_claim: int | None = CLAIM_LENGTH,
) -> tuple[str, str, str]:
    """P, label and text of a row under `name` if given, with its evidence on its own line."""
    p_true, label, text, evidence = claim_cells(row, task, longest, longest_claim)
    place = f"[dim]{plain(name)}:[/dim] " if name else ""
    wording = f"\n[dim]{evidence}[/dim]" if evidence else ""
    return p_true, label, f"{place}{text}{wording}"


def _pairs(folder: RunFolder[Any], pairs: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    """Both sentences of claims that contradict each other."""
    for pair in pairs:
        (result,) = folder.results([pair["record"]])
        texts = {row.claim: row.text for row in result.rows()}
        one, other = (plain(texts[claim], CLAIM_LENGTH) for claim in pair["atoms"])
        yield f"{pair['probability']:.3f}", f"[dim]{plain(pair['record'])}:[/dim] {one}\n{other}"


def _heading(row: ClaimRow, task: Task[Any]) -> str:
    """The record and, for claims, which they are and what they were checked against."""
    if task.words.claim == "atom":
        return row.record
    of = FACTS if row.of == FACTS else f"claims of the {row.of}"
    if row.label == "uncited":
        return f"{row.record}: {of} that cite nothing"
    plural = {CITED: "sources they cite", CONTEXTS: "contexts"}
    return f"{row.record}: {of}, checked against the {plural.get(row.against, row.against)}"
