"""A run as short Markdown for a pull request or issue, with all text escaped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from factreasoner.models.formatting import number_of
from factreasoner.models.label_styles import CAUTIONS, look_of
from factreasoner.models.rows import ClaimRow, main_rows, source_name
from factreasoner.report.run_content import RunContent
from factreasoner.runs.finished import FinishedRun
from factreasoner.tasks.evidence_text import WithoutClaims
from factreasoner.text.markdown import cell, markdown_table
from factreasoner.text.visible import one_line

MOST_CLAIMS = 10
LONGEST = 240


def markdown(run: FinishedRun[Any]) -> str:
    """Counts, scores, the judge, and the claims to review first with their evidence."""
    overview = RunContent(run)
    without = WithoutClaims()
    for result in run.results():
        if not overview.add(result).rows:
            without.add(result)
    content = overview.content(run.path.name)
    scores = [score for score in content["scores"] if score["main"] and not score["labels"]]
    ends = [f"({' to '.join(score['interval'])})" if score["interval"] else "" for score in scores]
    parts = [
        f"**{content['headline']}**",
        "; ".join(
            " ".join(filter(None, (one["name"], one["value"], end, one["fewer"])))
            for one, end in zip(scores, ends, strict=True)
        ),
        f"Judged by: {cell(content['judged_by'])}.",
        cell(without.summary(run.task.words.claim)),
        cell(run.unfinished or ""),
        cell(number_of(content["failures"]["total"], "failure")) if content["failures"]["total"] else "",
    ]
    if shown := content["first"][:MOST_CLAIMS]:
        of = f"{len(shown)} of {content['to_look_at']:,} {run.task.words.claim}s to review"
        rows = [_cells(row, run) for row in _rows(run, shown)]
        parts.append(markdown_table([run.task.words.p, "label", of, "evidence"], rows, "rlll"))
    return "\n\n".join(filter(None, parts))


def _rows(run: FinishedRun[Any], wanted: Iterable[tuple[int, str]]) -> Iterator[ClaimRow]:
    for number, claim in wanted:
        (result,) = run.results([run.ids[number]])
        yield next(row for row in main_rows(list(result.rows())) if row.claim == claim)


def _cells(row: ClaimRow, run: FinishedRun[Any]) -> list[str]:
    look = look_of(row, run.task.words.labels)
    words = [f"{look.mark} {look.word}", *(CAUTIONS[caution].word for caution in row.cautions)]
    place = f"{row.record}: " if len(run.ids) > 1 else ""
    source = source_name(row.context, row.title or row.link) if row.context else ""
    quote = f'{row.quote_mark}"{one_line(row.quote, LONGEST)}"' if row.quote else ""
    evidence = filter(None, (quote, source, one_line(row.note_beside_quote, LONGEST)))
    p_true = "" if row.p_true is None else f"{row.p_true:.3f}"
    return [p_true, ", ".join(words), f"{place}{one_line(row.text, LONGEST)}", "; ".join(evidence)]
