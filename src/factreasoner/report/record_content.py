"""What a page holds of one record of one run: its texts, its claims, and each claim's evidence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from factreasoner.atoms.alignment import Locator
from factreasoner.explanations import Effect
from factreasoner.metrics.table import COUNT, Metric, Table
from factreasoner.models import Context, Outcome, TaskResult, Verdict
from factreasoner.report.corrected import corrected
from factreasoner.report.effects import Effects
from factreasoner.report.passages import Cut, Passage, segments
from factreasoner.runs.finished import FinishedRun
from factreasoner.tasks.labels import BELIEF
from factreasoner.tasks.rows import ANSWER, CONTEXTS, REFERENCE, ClaimRow, by_claim, main_rows
from factreasoner.tasks.verify.result import VerifyResult
from factreasoner.text.sentences import Span, sentences

PREMISE_NAMES = {ANSWER: "the answer", REFERENCE: "the reference", CONTEXTS: "all passages together"}
PLACED_ATOMS = 2_000
"""Atoms of a report whose place is searched for word by word, where a run does not know it."""


class Scored(NamedTuple):
    """A result with its line of results.jsonl and its claims as rows."""

    result: TaskResult
    line: Mapping[str, Any]
    rows: tuple[ClaimRow, ...]

    @property
    def main_rows(self) -> list[ClaimRow]:
        """See :func:`main_rows`."""
        return main_rows(self.rows)


class RecordWriter:
    """Makes the content of records of one run; what takes long is done for as many as a report may take."""

    def __init__(self, run: FinishedRun[Any]) -> None:
        self._run = run
        self._effects = Effects(run)
        self._placed = 0

    def content(self, scored: Scored) -> dict[str, Any]:
        """JSON-ready; places are in UTF-16 units."""
        result = scored.result
        premises = _premises(scored)
        told = self._effects.of(result)
        verdicts = by_claim(self._run.task.verdicts(result))
        numbers = {premise: number for number, premise in enumerate(premises)}
        grouped = _by_claim(scored.rows)
        for row in scored.rows:
            if row.quote and row.context in premises:
                premises[row.context].passage.locate(row.quote)
        for verdict in self._run.task.verdicts(result):
            if verdict.quote and verdict.context_id in premises:
                premises[verdict.context_id].passage.locate(verdict.quote)
        cuts = {name: premise.passage.cut() for name, premise in premises.items()}
        places = _Places(premises, cuts, numbers)
        return {
            "status": result.status,
            "model": result.model,
            "scores": _scores(self._run.task.table, scored.line),
            "answer": segments(result.response, self._located(grouped, result)),
            "premises": [premises[name].content(cuts[name]) for name in premises],
            "claims": [
                _claim(rows, verdicts.get(claim, ()), places, told.effects.get(claim, {}))
                for claim, rows in grouped.items()
            ],
            "untold": told.untold,
            "failures": [
                [failure["stage"], failure["item_id"], failure["message"]]
                for failure in scored.line["failures"]
            ],
            "corrected": corrected(result) if isinstance(result, VerifyResult) else None,
            "reference": getattr(result, "reference", None),
            "coherence": None if result.coherence is None else result.coherence.score,
            "self_contradictions": [
                [*pair.atoms, round(pair.probability, 4)]
                for pair in (result.coherence.self_contradictions if result.coherence else ())
            ],
            "between": _between(self._run.task.verdicts(result), places),
            **_graph(result),
        }

    def _located(
        self, grouped: Mapping[str, Sequence[ClaimRow]], result: TaskResult
    ) -> Iterable[tuple[int, Span]]:
        """Where claims lie in the answer: at their spans, else where their words are found.

        Facts that the answer should state lie where it is quoted for them.
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
            find = locator.find if thorough or row.of != ANSWER else partial(_verbatim, text)
            found = next((place for words in wordings if words and (place := find(words))), None)
            if found is not None:
                yield number, found


def _verbatim(text: str, words: str) -> Span | None:
    at = text.find(words)
    return Span(at, at + len(words)) if at >= 0 else None


class _Premise(NamedTuple):
    """What claims are held against: a context, or a text of the record."""

    id: str
    title: str
    passage: Passage
    context: Context | None = None
    p_true: float | None = None
    prior: tuple[float, str] | None = None

    def content(self, cut: Cut) -> dict[str, Any]:
        context = self.context
        told: dict[str, Any] = (
            {}
            if context is None
            else {
                "link": context.link,
                "note": context.dropped or context.note,
                "source": context.source,
                "summary": context.summary,
            }
        )
        told = {key: value for key, value in told.items() if value}
        if self.p_true is not None:
            told["p"] = self.p_true
        if self.prior is not None:
            told["prior"] = self.prior
        if cut.is_cut:
            told["cut"] = True
        return {"id": self.id, "title": self.title, "text": cut.shown, **told}


class _Places:
    """Where quotes stand in the premises as a page holds them."""

    def __init__(
        self, premises: Mapping[str, _Premise], cuts: Mapping[str, Cut], numbers: Mapping[str, int]
    ) -> None:
        self._premises = premises
        self._cuts = cuts
        self.numbers = numbers

    def of(self, premise: str | None, quote: str | None) -> dict[str, Any]:
        """The quote as an entry: its place where it is found, else its text."""
        if premise is None or not quote:
            return {}
        if premise in self._premises:
            span = self._premises[premise].passage.locate(quote)
            if span is not None:
                return {"at": self._cuts[premise].place(span)}
        return {"quote": quote}


def _premises(scored: Scored) -> dict[str, _Premise]:
    """All that the claims of a record are held against, by id, in order."""
    result = scored.result
    outcome = getattr(result, "outcome", None)
    p_true = outcome.marginals.p_true if isinstance(outcome, Outcome) and outcome.marginals else {}
    priors = _priors(outcome) if isinstance(outcome, Outcome) else {}
    found = {
        context.id: _Premise(
            context.id,
            context.title,
            Passage(context.text),
            context,
            p_true.get(context.id),
            priors.get(context.id),
        )
        for context in getattr(result, "contexts", None) or ()
    }
    against = {row.against for row in scored.rows}
    texts = {ANSWER: result.response, REFERENCE: getattr(result, "reference", None) or ""}
    for name, text in texts.items():
        if name in against:
            found[name] = _Premise(name, PREMISE_NAMES[name], Passage(text))
    for name in getattr(result, "together", {}):
        found[name] = _Premise(name, PREMISE_NAMES[CONTEXTS], Passage(""))
    return found


def _priors(outcome: Outcome) -> dict[str, tuple[float, str]]:
    """The prior of each context and where it is from, where a table of credibility was given."""
    nodes = outcome.graph.nodes if outcome.graph else ()
    known = outcome.prior_from or {}
    return {node.id: (round(node.prior, 4), known[node.id]) for node in nodes if node.id in known}


def _by_claim(rows: Iterable[ClaimRow]) -> dict[str, list[ClaimRow]]:
    grouped: dict[str, list[ClaimRow]] = {}
    for row in rows:
        grouped.setdefault(row.claim, []).append(row)
    return grouped


def _claim(
    rows: Sequence[ClaimRow], verdicts: Iterable[Verdict], places: _Places, effects: Mapping[str, Effect]
) -> dict[str, Any]:
    first = rows[0]
    told = {
        "id": first.claim,
        "of": first.of,
        "text": first.text,
        "original": first.original if first.original != first.text else None,
        "gold": first.gold,
        "fate": first.fate,
        "rows": [_held(row, places) for row in rows],
        "evidence": [_entry(verdict, places, effects) for verdict in verdicts],
    }
    return {key: value for key, value in told.items() if value not in (None, "")}


def _held(row: ClaimRow, places: _Places) -> dict[str, Any]:
    told = {
        "against": row.against,
        "label": row.label,
        "p": row.p_true,
        "judged": row.judged if row.judged != "fully" else None,
        "marks": marks_of(row) or None,
        "note": row.note,
        "premise": places.numbers.get(row.context or ""),
        "nearest": places.numbers.get(row.nearest or ""),
        **places.of(row.context, row.quote),
    }
    return {key: value for key, value in told.items() if value not in (None, "")}


def marks_of(row: ClaimRow) -> list[str]:
    """What a claim is marked with beside its label: `disputed`; `belief` where that alone gives P."""
    return [*row.cautions, *([BELIEF.kind] if row.decided_by == BELIEF.kind else [])]


def _entry(verdict: Verdict, places: _Places, effects: Mapping[str, Effect]) -> dict[str, Any]:
    """A verdict; most are neutral and say nothing more than that, so only what is there is written."""
    told: dict[str, Any] = {
        "premise": places.numbers.get(verdict.context_id),
        "label": verdict.label,
        "p": round(verdict.probability, 4),
    }
    if verdict.quote:
        told |= places.of(verdict.context_id, verdict.quote)
    if verdict.confidence == "corrected":
        told["corrected"] = True
    if verdict.note:
        told["note"] = verdict.note
    if effect := effects.get(verdict.context_id):
        told["without"] = round(effect.p_without, 6)
        if effect.next_prior:
            told["next_prior"] = [effect.next_prior.context_id, round(effect.next_prior.p_true, 4)]
    if verdict.votes:
        told["votes"] = [[vote.judge, vote.label, round(vote.probability, 4)] for vote in verdict.votes]
    if verdict.rests_on:
        told["rests_on"] = list(verdict.rests_on)
    return told


def _between(verdicts: Sequence[Verdict], places: _Places) -> list[dict[str, Any]]:
    """Verdicts of premises on each other, in both directions where either says something."""
    numbers = places.numbers
    found = [
        verdict for verdict in verdicts if verdict.context_id in numbers and verdict.target_id in numbers
    ]
    speaking = {frozenset((v.context_id, v.target_id)) for v in found if v.label != "neutral"}
    return [
        _entry(verdict, places, {}) | {"target": numbers[verdict.target_id]}
        for verdict in found
        if frozenset((verdict.context_id, verdict.target_id)) in speaking
    ]


def _scores(table: Table[Any], line: Mapping[str, Any]) -> list[list[Any]]:
    """The metrics of a record that are shown: name, value as a text, meaning."""
    k = line.get("k")
    return [
        [metric.caption(k, room=True), _value(metric, line[metric.line_name]), metric.meaning]
        for metric in table.shown_in("run")
        if line.get(metric.line_name) is not None
    ]


def _value(metric: Metric, value: float) -> str:
    """A record's own value as a text: a count is a whole number, where its mean is not."""
    return f"{value:,.0f}" if metric.bounds == COUNT and value == int(value) else metric.text(value)


def _graph(result: TaskResult) -> dict[str, Any]:
    """The relations of the fact graph, and how its posteriors were found."""
    outcome = getattr(result, "outcome", None)
    if not isinstance(outcome, Outcome) or outcome.graph is None:
        return {}
    told: dict[str, Any] = {
        "relations": [
            [relation.source, relation.target, relation.kind, round(relation.probability, 4)]
            for relation in outcome.graph.relations
        ]
    }
    if outcome.marginals is not None:
        told["solver"] = {
            "name": outcome.marginals.solver,
            "exact": outcome.marginals.exact,
            "converged": outcome.marginals.converged,
            "width": outcome.marginals.width,
            "stderr": outcome.marginals.stderr,
        }
    return told
