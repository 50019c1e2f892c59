"""Results as short HTML, which notebooks show in place of their `repr`."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import resources
from itertools import islice
from typing import Any, NamedTuple

from factreasoner.models.label_styles import COLOURS, look_of
from factreasoner.models.rows import REFERENCE, ClaimRow, Vocabulary, source_name
from factreasoner.models.verdicts import Failure

MOST_ROWS = 100


Shown = tuple[str, Iterable[ClaimRow], Iterable[Failure]]
"""A result's record id, claims and failures."""


class ChangedText(NamedTuple):
    """A sentence before and after correction."""

    before: str
    after: str


def notebook_html(
    title: str,
    results: Iterable[Shown],
    words: Vocabulary,
    *,
    named: bool = False,
    changes: Iterable[ChangedText] = (),
) -> str:
    """The claims of results as an HTML table with P, label and deciding quote, under `title`.

    All text is escaped. At most `MOST_ROWS` claims and failures are shown. `named`: each claim shows the id
    of its record.
    """
    from jinja2 import Environment, StrictUndefined

    found: list[ClaimRow] = []
    failures: list[str] = []
    for record_id, rows, failed in results:
        found += islice(rows, MOST_ROWS + 1 - len(found))
        whose = f"{record_id}: " if named else ""
        failures += (f"{whose}{f.stage} {f.item_id}: {f.message}" for f in failed)
        if len(found) > MOST_ROWS:
            break
    template = (resources.files(__package__) / "notebook.html").read_text(encoding="utf-8")
    environment = Environment(autoescape=True, undefined=StrictUndefined)
    return environment.from_string(template).render(
        title=title,
        words=words,
        rows=[_row(row, words) | {"record": row.record if named else ""} for row in found[:MOST_ROWS]],
        more=f"The other {words.claim}s are not shown." if len(found) > MOST_ROWS else "",
        failures=failures[:MOST_ROWS],
        changes=changes,
    )


def _row(row: ClaimRow, words: Vocabulary) -> dict[str, Any]:
    look = look_of(row, words.labels)
    return {
        "p": "" if row.p_true is None else f"{row.p_true:.3f}",
        "label": ", ".join((f"{look.mark} {look.word}", *row.cautions)),
        "colour": COLOURS[look.kind].light,
        "text": row.text,
        "source": "" if row.context is None else source_name(row.context, row.title or row.link),
        "of": f"of the {row.of}: " if row.of == REFERENCE else "",
        "quote": row.quote,
        "quote_mark": row.quote_mark,
        "note": row.note_beside_quote,
    }
