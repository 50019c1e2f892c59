"""`factreasoner verify`: does each cited source support the claims that cite it?"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer
from rich.table import Table

from factreasoner.cli.flags import RunOptions, Target, takes_flags
from factreasoner.cli.running import Job, carry_out
from factreasoner.errors import ConfigError
from factreasoner.report.console import Terminal, plain
from factreasoner.report.terminal import say_json

if TYPE_CHECKING:
    from factreasoner.settings import Config
    from factreasoner.tasks.verify.result import Scores, VerifyResult

PANELS = ("Assessor", "Verifier", "Model", "Retrieval", "Judging", "Claims", "Calibration", "Scores")
UNUSED = (
    *("assessor", "version", "fact_generator", "revise_given", "retriever"),
    *("query_builder", "summarizer", "retrieve_k", "retrieve_question", "search"),
    *("wikipedia_language", "wikipedia_url", "search_url", "fetch_text"),
    *("mode", "calls", "premise_tokens", "audit_share", "k", "gamma"),
    *("premise", "window_tokens"),
)
"""Settings of these panels that mean nothing here."""
QUOTE_LENGTH = 160


class OneText(NamedTuple):
    """One text and its sources, instead of records."""

    text: Annotated[
        str | None, typer.Option(metavar="FILE", help="Verify this text; - for standard input.")
    ] = None
    source: Annotated[
        list[str] | None,
        typer.Option(metavar="FILE_OR_URL", help="A source of it, [1], [2], ... in this order; repeatable."),
    ] = None
    prompt: Annotated[str, typer.Option(help="The question the text answers.")] = ""


@takes_flags(*PANELS, without=UNUSED)
def verify(
    data: Annotated[
        Path | None,
        typer.Argument(metavar="DATA", help="Records, JSONL, one a line, with 'contexts'; - for stdin."),
    ] = None,
    *,
    one: OneText,
    target: Target,
    running: RunOptions,
    settings: dict[str, Any],
) -> None:
    """Hold each claim of cited answers against the sources it cites, and correct the answers.

    Records are run into a folder, where the same command again resumes. One text with its sources
    (--text FILE --source FILE_OR_URL ...) is shown claim by claim, with its corrections; --out is then the
    file that the corrected text goes to.
    """
    from factreasoner.settings import load_settings
    from factreasoner.tasks.verify.task import TASK

    if one.text is not None and data is not None:
        raise ConfigError("give records (DATA) or one text (--text), not both")
    if one.text is not None:
        config = load_settings(target.profile, settings)
        raise typer.Exit(_verify_text(one, target.out, config, as_json=running.as_json))
    if one.source or one.prompt:
        raise ConfigError("--source and --prompt go with one text: add --text FILE")
    if data is None:
        raise ConfigError("nothing to verify: give records, or --text FILE --source FILE_OR_URL")
    job = Job.of(TASK, data, target, running, settings)
    beyond = "their sentences are rewritten and judged again"
    raise typer.Exit(carry_out(job, dry_run=target.dry_run, beyond=beyond))


def _verify_text(one: OneText, out: Path | None, config: Config, *, as_json: bool) -> int:
    """Verify one text, show it, and write it as corrected; returns the exit code."""
    from factreasoner.models import Record
    from factreasoner.pipeline.assembly import Calls
    from factreasoner.retrieval.sources import STANDARD_INPUT, read_sources, read_text
    from factreasoner.tasks.verify.task import TASK

    names = one.source or []
    if not names:
        raise ConfigError("a text is verified against its sources: add --source FILE_OR_URL, repeatable")
    if [one.text, *names].count(STANDARD_INPUT) > 1:
        raise ConfigError("standard input (-) can be read once: name a file for the other")
    if out is not None and out.is_dir():
        raise ConfigError(f"{out}: a folder; with --text, --out is the file the corrected text goes to")
    worker = TASK.worker(config, Calls())
    text = read_text(str(one.text))
    record = Record(id="text", response=text, prompt=one.prompt, contexts=read_sources(names, config))
    result = worker.assess(record)
    if out is not None and result.corrected is not None:
        out.write_text(result.corrected, encoding="utf-8")
    if as_json:
        say_json(result.model_dump(mode="json") | {"corrected": result.corrected})
    else:
        _print_verified(result, config, out)
    return 0 if result.status == "ok" else 3


def _print_verified(result: VerifyResult, config: Config, out: Path | None) -> None:
    """Claims in the order of the text, the changes as a diff, and the scores before and after."""
    from factreasoner.cli.claim_tables import judging_notice, print_claims, print_failures
    from factreasoner.tasks.verify.task import TASK

    console = Terminal()
    print_claims(console, TASK, result, QUOTE_LENGTH)
    for change in result.changes:
        console.print()
        for why in change.why:
            console.print(f"[dim]{plain(why)}[/dim]")
        sides = Table.grid(padding=(0, 1))
        sides.add_row("[red]-[/red]", f"[red]{plain(change.before)}[/red]")
        if change.after:
            sides.add_row("[green]+[/green]", f"[green]{plain(change.after)}[/green]")
        console.print(sides)
    for line in _closing(result):
        console.print(line)
    print_failures(console, result)
    if out is not None and result.corrected is not None:
        told = f"{out}: the text{' as corrected' if result.changes else ', unchanged'}"
        console.aside(told, soft_wrap=True)
    console.aside(judging_notice(config))


def _closing(result: VerifyResult) -> Iterator[str]:
    from factreasoner.tasks.verify.result import scored_verify

    scored = scored_verify(result)
    if result.claims:
        yield ""
        yield f"citation recall, precision, uncited: {_scores(scored.before)}"
        if result.changes:
            yield f"as corrected:                        {_scores(scored.after)}"
        if any(claim.fate == "flagged" for claim in result.claims):
            yield "Flagged claims stay in the text; see why above."
    for note in result.verified.notes if result.verified else ():
        yield f"[yellow]note[/yellow] {plain(note)}"


def _scores(scores: Scores) -> str:
    return ", ".join("-" if value is None else f"{value:.3f}" for value in scores)
