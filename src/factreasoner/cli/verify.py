"""`factreasoner verify`: does each cited source support the claims that cite it?"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from factreasoner.cli.flags import OF_RUN, argument, flag
from factreasoner.cli.mixups import refuse_file, refuse_text
from factreasoner.cli.running import TaskCommand
from factreasoner.errors import ConfigError
from factreasoner.files import make_folder_of
from factreasoner.models import Record
from factreasoner.pipeline.config import Config
from factreasoner.report.console import Terminal, plain
from factreasoner.web.settings import WebSettings

if TYPE_CHECKING:
    from factreasoner.tasks.verify.result import CitationScores, VerifyResult

PANELS = ("Assessor", "Verifier", "Model", "Judging", "Claims", "Calibration", "Scores")
UNUSED = (*OF_RUN, "mode", "premise")
OF_RECORDS = ("column_map", "limit", "skip_invalid", "report", "fresh")
QUOTE_LENGTH = 160
NAMED = 3
BEYOND = "sentences whose claims fail are rewritten and judged again"


class VerifyCommand(TaskCommand, panels=PANELS, without=UNUSED, also=WebSettings.model_fields):
    """Check each claim of an answer against the sources it cites, and correct the answer.

    Records go into a run folder; rerun the command to resume. With --text FILE --source FILE_OR_URL ...,
    show the claims and corrections of one text; --out then names the file for the corrected text.
    """

    data: Path | None = argument(
        "DATA", "Records as JSONL (one per line) or CSV, with 'contexts'; - for standard input.", None
    )
    text: str | None = flag("Verify this text; - for standard input.", metavar="FILE")
    source: list[str] | None = flag(
        "A source: the first is [1], the next [2], and so on; repeatable.", metavar="FILE_OR_URL"
    )
    prompt: str = flag("The question the text answers.", default="")

    def _execute(self) -> int:
        from factreasoner.tasks.verify.task import TASK

        if self.text is not None and self.data is not None:
            raise ConfigError("give records (DATA) or one text (--text), not both")
        if self.text is not None:
            self.continues = False
            if given := [f"--{name.replace('_', '-')}" for name in OF_RECORDS if getattr(self, name)]:
                raise ConfigError(f"{', '.join(given)}: for records (DATA); remove it with --text")
            return self._verify_text(self.text, self.source or [])
        if self.source or self.prompt:
            raise ConfigError("--source and --prompt go with one text: add --text FILE")
        if self.data is None:
            raise ConfigError("nothing to verify: give records, or --text FILE --source FILE_OR_URL")
        return self.run_task(TASK, self.data, BEYOND if self.config.rounds else "")

    def at_end(self, results: Iterable[VerifyResult]) -> None:
        """Name citations without a source in the first records that have some."""
        found = (
            () if self.as_json or self.quiet else (result for result in results if result.unknown_citations)
        )
        lines = [f"{_listed(r.unknown_citations)} ({plain(r.record_id)})" for r in islice(found, NAMED + 1)]
        if lines:
            more = "; and others in more records" if len(lines) > NAMED else ""
            Terminal().sentence(f"These citations name no source: {'; '.join(lines[:NAMED])}{more}.")

    def _verify_text(self, name: str, sources: list[str]) -> int:
        """Verify one text, show it, and write the corrected text; returns the exit code."""
        from factreasoner.cli.summary_tables import show_plan
        from factreasoner.pipeline.assembly import Calls
        from factreasoner.report.progress import one_answer
        from factreasoner.retrieval.sources import STANDARD_INPUT, read_sources, read_text
        from factreasoner.tasks.verify.task import TASK

        config, out = self.config, self.out
        refuse_text(name, "--text")
        for source in sources:
            refuse_text(source, "--source")
        refuse_file(self.prompt, "--prompt")
        if not sources:
            raise ConfigError("--text needs sources; add --source FILE_OR_URL, repeatable")
        if [name, *sources].count(STANDARD_INPUT) > 1:
            raise ConfigError("standard input (-) can be read only once: name a file for the other")
        read = filter(os.path.exists, (name, *sources))  # Path.exists raises for a long URL
        if out is not None and out.exists() and any(map(out.samefile, read)):
            raise ConfigError(f"{out}: is read here; choose another file for the corrected text with --out")
        worker, text = TASK.worker(config, Calls()), read_text(name)
        contexts = read_sources(sources, config)
        record = Record(id="text", response=text, prompt=self.prompt, contexts=contexts)
        if self.dry_run:
            show_plan(TASK, config, lambda: [record], BEYOND if config.rounds else "", as_json=self.as_json)
            return 0
        if out is not None:
            make_folder_of(out)
        with one_answer(quiet=self.quiet):
            result = worker.assess(record)
        if out is not None and result.corrected is not None:
            out.write_text(result.corrected, encoding="utf-8")
        content = result.model_dump(mode="json") | {"corrected": result.corrected}
        self.present(content, partial(_print_verified, result, config, out))
        return 0 if result.status == "ok" else 3


def _print_verified(result: VerifyResult, config: Config, out: Path | None) -> None:
    """Claims in text order, the changes as a diff, and the scores before and after."""
    from factreasoner.cli.claim_tables import judging_notice, print_claims, print_failures
    from factreasoner.tasks.verify.task import TASK

    console = Terminal()
    print_claims(console, TASK, result, QUOTE_LENGTH)
    for change in result.changes:
        console.print()
        sides = (("red", "-", change.before), ("green", "+", change.after))
        rows = [(f"[{colour}]{sign}", f"[{colour}]{plain(text)}") for colour, sign, text in sides if text]
        console.columns(("", ""), rows, show_header=False, collapse_padding=True)
    for line in _closing(result):
        console.print(line)
    print_failures(console, result)
    if out is not None and result.corrected is None:
        console.aside(f"{out} not written: the text could not be split into claims.", soft_wrap=True)
    elif out is not None:
        message = f"Wrote the {'corrected' if result.changes else 'unchanged'} text to {out}."
        console.aside(message, soft_wrap=True)
    if any(claim.label not in (None, "uncited", "unknown_source") for claim in result.claims):
        console.aside(judging_notice(config))


def _closing(result: VerifyResult) -> Iterator[str]:
    if result.claims:
        yield ""
        yield f"{'before: ' * bool(result.changes)}{_scores(result.before)}"
        if result.changes:
            yield f"after:  {_scores(result.after)}"
        if any(claim.fate == "flagged" for claim in result.claims):
            yield "Flagged sentences were left unchanged. Check them against the evidence above."
    if unknown := result.unknown_citations:
        yield f"These citations name no source: {_listed(unknown)}."
    for note in result.verified.notes if result.verified else ():
        yield f"[yellow]note[/yellow] {plain(note)}"


def _listed(labels: Sequence[str]) -> str:
    return ", ".join(map(plain, dict.fromkeys(labels)))


def _scores(scores: CitationScores) -> str:
    names = ("citation recall", "citation precision", "uncited")
    values = ("-" if value is None else f"{value:.3f}" for value in scores)
    return ", ".join(map(" ".join, zip(names, values, strict=True)))
