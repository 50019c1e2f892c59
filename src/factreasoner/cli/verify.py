"""`factreasoner verify`: does each cited source bear out the claims that cite it?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from factreasoner.cli.flags import takes_settings
from factreasoner.cli.options import DryRun, Profile, RunOptions, takes_groups
from factreasoner.cli.running import Job, carry_out, default_folder
from factreasoner.errors import ConfigError
from factreasoner.report.terminal import say_json

if TYPE_CHECKING:
    from factreasoner.settings import Config

PANELS = ("Assessor", "Verifier", "Model", "Retrieval", "Judging", "Claims", "Calibration", "Scores")
UNUSED = (
    *("assessor", "version", "fact_generator", "revise_given", "retriever"),
    *("query_builder", "summarizer", "retrieve_k", "retrieve_question", "search"),
    *("wikipedia_language", "wikipedia_url", "search_url", "fetch_text"),
    *("mode", "calls", "premise_tokens", "audit_share", "k", "gamma"),
    *("premise", "window_tokens"),
)
"""Settings of these panels that mean nothing here."""


class OneText(NamedTuple):
    """One text and its sources, in the place of records."""

    text: Annotated[
        str | None, typer.Option(metavar="FILE", help="Verify this text; - for standard input.")
    ] = None
    source: Annotated[
        list[str] | None,
        typer.Option(metavar="FILE_OR_URL", help="A source of it, [1], [2], ... in this order; repeatable."),
    ] = None
    prompt: Annotated[str, typer.Option(help="The question the text answers.")] = ""


@takes_settings(*PANELS, without=UNUSED)
@takes_groups
def verify(
    data: Annotated[
        Path | None,
        typer.Argument(metavar="DATA", help="Records, JSONL, one a line, with 'contexts'; - for stdin."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            *("--out", "-o"),
            help="Run folder (default: runs/<name of the file>-verify); with --text: "
            "the file the corrected text goes to.",
        ),
    ] = None,
    profile: Profile = None,
    dry_run: DryRun = False,
    *,
    one: OneText,
    running: RunOptions,
    settings: dict[str, Any],
) -> None:
    """Hold each claim of cited answers against the sources it cites, and correct the answers.

    Records are run into a folder, where the same command again resumes. One text with its sources
    (--text FILE --source FILE_OR_URL ...) is shown claim by claim, with its corrections.
    """
    from factreasoner.settings import load_settings
    from factreasoner.tasks.verify.task import TASK

    config = load_settings(profile, settings)
    if one.text is not None and data is not None:
        raise ConfigError("give records (DATA) or one text (--text), not both")
    if one.text is not None:
        raise typer.Exit(_verify_text(one, out, config, as_json=running.as_json))
    if one.source or one.prompt:
        raise ConfigError("--source and --prompt go with one text: add --text FILE")
    if data is None:
        raise ConfigError("nothing to verify: give records, or --text FILE --source FILE_OR_URL")
    job = Job(TASK, data, config, out or default_folder(data, TASK.name), running)
    beyond = "their sentences are rewritten and judged again"
    raise typer.Exit(carry_out(job, dry_run=dry_run, beyond=beyond))


def _verify_text(one: OneText, out: Path | None, config: Config, *, as_json: bool) -> int:
    """Verify one text, show it, and write it as corrected; returns the exit code."""
    from factreasoner.cli.verify_tables import print_verified
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
        print_verified(result, config, out)
    return 0 if result.status == "ok" else 3
