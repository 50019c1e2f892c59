"""The page's content for one record of one run: texts, claims and evidence."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from operator import attrgetter
from typing import Any, NamedTuple

from factreasoner.errors import FactReasonerError
from factreasoner.explanations.explain import explain
from factreasoner.explanations.models import Effect
from factreasoner.metrics.table import COUNT, Table
from factreasoner.models import Assessment, Result, Verdict
from factreasoner.models.rows import ANSWER, ClaimRow, by_claim, grouped, main_rows
from factreasoner.report.texts import Premises, corrected, present, segments, verbatim
from factreasoner.runs.finished import FinishedRun
from factreasoner.tasks.verify.result import VerifyResult
from factreasoner.text.passages import Locator
from factreasoner.text.sentences import Span, sentences

PLACED_ATOMS = 2_000
"""Maximum atoms of a report whose position is searched by words."""
MOST_PAIRS = 6_000
"""Atom-context pairs after which no further effects are computed: a few seconds."""
SECONDS = 5.0
Effects = Mapping[str, Mapping[str, Effect]]
"""P(true) of an atom without a context, by the ids of both."""


class ReportedResult(NamedTuple):
    """A result with its line of results.jsonl and its claims as rows."""

    result: Result
    line: Mapping[str, Any]
    rows: tuple[ClaimRow, ...]

    @property
    def main_rows(self) -> list[ClaimRow]:
        """See :func:`main_rows`."""
        return main_rows(self.rows)


class RecordWriter:
    """Makes the content of a run's records, with limits on slow computations."""

    def __init__(self, run: FinishedRun[Any]) -> None:
        self._run = run
        seconds = min(SECONDS, run.config.solver_seconds)
        self._config = run.config.model_copy(update={"solver_seconds": seconds})
        self._placed = 0
        self._pairs = 0

    def content(self, scored: ReportedResult) -> dict[str, Any]:
        """The content as JSON-like values; positions are in UTF-16 units."""
        result, rows, verdicts = scored.result, scored.rows, self._run.task.verdicts(scored.result)
        quotes = [(row.context, row.quote) for row in rows]
        quotes += [(verdict.context_id, verdict.quote) for verdict in verdicts]
        premises = Premises(result, {row.against for row in rows}, quotes)
        effects, not_computed = self._effects(result)
        by_id, rows_of = by_claim(verdicts), grouped(rows, attrgetter("claim"))
        claims = [_claim(own, by_id.get(i, ()), premises, effects.get(i, {})) for i, own in rows_of.items()]
        pairs = result.coherence.self_contradictions if result.coherence else ()
        return {
            "status": result.status,
            "not_checked": result.not_checked,
            "unchecked": [[result.response[slice(*p.span)], p.reason] for p in result.unchecked or ()],
            "model": result.model,
            "scores": _scores(self._run.task.table, scored.line),
            "answer": segments(result.response, self._located(rows_of, result)),
            "premises": premises.content(),
            "claims": claims,
            "not_computed": not_computed,
            "failures": [[f["stage"], f["item_id"], f["message"]] for f in scored.line["failures"]],
            "corrected": corrected(result) if isinstance(result, VerifyResult) else None,
            "reference": getattr(result, "reference", None),
            "coherence": None if result.coherence is None else result.coherence.score,
            "self_contradictions": [[*pair.atoms, round(pair.probability, 4)] for pair in pairs],
            "between": _between(verdicts, premises),
            **_graph(result),
        }

    def _effects(self, result: Result) -> tuple[Effects, str]:
        """The effects of contexts on a result's atoms, and why some are missing."""
        if not isinstance(result, Assessment) or result.outcome is None or result.outcome.graph is None:
            return {}, ""
        if self._pairs >= MOST_PAIRS:
            command = ["factreasoner", "explain", str(self._run.source), "--record", result.record_id]
            return {}, f"the report is too large. Run: {shlex.join(command)}"
        self._pairs += len(result.atoms) * len(result.contexts)
        try:
            atoms = explain(result, self._config).atoms
        except FactReasonerError as error:
            return {}, str(error)
        found = {atom.atom_id: {effect.context_id: effect for effect in atom.effects} for atom in atoms}
        return found, next((atom.not_computed for atom in atoms if atom.not_computed), "")

    def _located(
        self, grouped: Mapping[str, Sequence[ClaimRow]], result: Result
    ) -> Iterable[tuple[int, Span]]:
        """Positions of claims in the answer: their spans, else where their words occur.

        Facts are located where the answer is quoted for them.
        """
        text = result.response
        unplaced = [rows[0] for rows in grouped.values() if rows[0].of == ANSWER and rows[0].start is None]
        self._placed += len(unplaced)
        thorough = unplaced and self._placed <= PLACED_ATOMS
        locator = Locator(text, Span(0, len(text)), sentences(text) if thorough else ())
        for number, rows in enumerate(grouped.values()):
            row = rows[0]
            if row.of == ANSWER and row.start is not None and row.end is not None:
                yield number, Span(row.start, row.end)
                continue
            if row.of == ANSWER:
                wordings = [row.original, row.text]
            else:
                wordings = [row.quote if row.context == ANSWER else None]
            find = locator.find if thorough or row.of != ANSWER else partial(verbatim, text)
            found = next((place for words in wordings if words and (place := find(words))), None)
            if found is not None:
                yield number, found


def _claim(
    rows: Sequence[ClaimRow], verdicts: Iterable[Verdict], premises: Premises, effects: Mapping[str, Effect]
) -> dict[str, Any]:
    first = rows[0]
    message = {
        "id": first.claim,
        "of": first.of,
        "text": first.text,
        "original": first.original if first.original != first.text else None,
        "gold": first.gold,
        "fate": first.fate,
    }
    held = [_claim_content(row, premises) for row in rows]
    return present(message) | {"rows": held, "evidence": [_entry(v, premises, effects) for v in verdicts]}


def _claim_content(row: ClaimRow, premises: Premises) -> dict[str, Any]:
    message = {
        "against": row.against,
        "label": row.label,
        "p": row.p_true,
        "judged": row.judged if row.judged != "fully" else None,
        "marks": list(row.cautions) or None,
        "nearest": row.quote_by == "nearest" or None,
        "note": row.note_beside_quote,
        "premise": premises.numbers.get(row.context or ""),
    }
    return present(message) | premises.place(row.context, row.quote)


def _entry(verdict: Verdict, premises: Premises, effects: Mapping[str, Effect]) -> dict[str, Any]:
    """A verdict; empty fields are omitted, since most verdicts are neutral."""
    effect = effects.get(verdict.context_id)
    message = {
        "premise": premises.numbers.get(verdict.context_id),
        "label": verdict.label,
        "p": round(verdict.probability, 4),
        **premises.place(verdict.context_id, verdict.quote),
        "nearest": verdict.quote_by == "nearest" or None,
        "corrected": verdict.confidence == "corrected" or None,
        "note": verdict.note,
        "without": round(effect.p_without, 6) if effect else None,
        "votes": [[vote.judge, vote.label, round(vote.probability, 4)] for vote in verdict.votes] or None,
        "rests_on": list(verdict.rests_on) or None,
    }
    return present(message)


def _between(verdicts: Sequence[Verdict], premises: Premises) -> list[dict[str, Any]]:
    """Verdicts between premises, with both directions if either is not neutral."""
    numbers = premises.numbers
    found = [verdict for verdict in verdicts if numbers.keys() >= {*verdict.pair}]
    speaking = {frozenset(v.pair) for v in found if v.label != "neutral"}
    return [
        _entry(verdict, premises, {}) | {"target": numbers[verdict.target_id]}
        for verdict in found
        if frozenset(verdict.pair) in speaking
    ]


def _scores(table: Table[Any], line: Mapping[str, Any]) -> list[list[Any]]:
    """The displayed metrics of a record: name, value as text, meaning."""
    k = line.get("k")
    return [
        [
            metric.caption(k, room=True),
            f"{value:,.0f}" if metric.bounds == COUNT and value == int(value) else metric.text(value),
            metric.meaning,
        ]
        for metric in table.metrics_at("run")
        if (value := line.get(metric.line_name)) is not None
    ]


def _graph(result: Result) -> dict[str, Any]:
    """The relations of the fact graph, and how it was solved."""
    outcome = result.outcome if isinstance(result, Assessment) else None
    if outcome is None or outcome.graph is None:
        return {}
    relations = [[r.source, r.target, r.kind, round(r.probability, 4)] for r in outcome.graph.relations]
    found = outcome.marginals
    if found is None:
        return {"relations": relations}
    names = ("exact", "converged", "width", "stderr")
    solver = {"name": found.solver} | {name: getattr(found, name) for name in names}
    return {"relations": relations, "solver": solver}
