"""The metrics of one record, from its verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from factreasoner.models import Usage, notebook_form
from factreasoner.tasks.rag.events import Event, share
from factreasoner.tasks.rag.events import Share as EventShare
from factreasoner.tasks.rag.result import RagResult
from factreasoner.tasks.rag.retrieval_metrics import retrieval_scores
from factreasoner.tasks.rag.shares import RANKABLE, RANKED, SHARES, Matrix

IN_BRIEF = ("faithfulness", "contradicted", "correctness", "coverage", "hallucination", "context_precision")
"""The metrics that tell most, for those who print a result."""

FAILED = "a verdict that decides it failed for every claim"
UNNAMED = "the model named no context for the verdicts that decide it"


class ScoredRag(NamedTuple):
    """A result with its metrics.

    `values` has every metric by name, None with a reason in `reasons`. `undecided` counts, by metric, claims
    (of context_precision: contexts) that failed verdicts left out; `bounds` is what it can be for all they
    may be.
    """

    result: RagResult
    values: dict[str, float | None]
    reasons: dict[str, str]
    undecided: dict[str, int]
    bounds: dict[str, tuple[float, float]]
    usage: Usage

    def __repr__(self) -> str:
        known = ((name, self.values[name]) for name in IN_BRIEF)
        shares = ", ".join(f"{name} {value:.3f}" for name, value in known if value is not None)
        return f"<{type(self).__name__} of {self.result!r}" + (f": {shares}>" if shares else ">")

    def _repr_html_(self) -> str:
        return notebook_form(self.result, repr(self))

    @property
    def num_claims(self) -> int | None:
        """How many claims there are; None where there is none."""
        return len(self.result.claims or ()) + len(self.result.reference_claims or ()) or None


def scored_rag(result: RagResult, k: int | None = None) -> ScoredRag:
    """The metrics of a result; retrieval's at the first `k` contexts (None: all)."""
    scored = ScoredRag(result, {}, {}, {}, {}, sum(result.usage.values(), Usage()))
    matrix = Matrix(result)
    for row in SHARES:
        found = _add_share(scored, row.name, matrix.events(row), matrix.missing(row.needs))
        _add(scored, f"{row.name}_p", found.p, scored.reasons.get(row.name) or _why_undecided(result))
    _add_share(scored, "context_precision", matrix.relevant, matrix.missing(RANKABLE))
    for suffix in ("", "_p"):
        both = (scored.values[f"{name}{suffix}"] for name in ("correctness", "coverage"))
        _add(scored, f"claim_f1{suffix}", _harmonic(*both), "it needs correctness and coverage")
    ids = [context.id for context in result.contexts or ()]
    missing = matrix.missing(RANKED)
    for name, value in retrieval_scores(ids, result.gold_contexts or (), k).items():
        empty = "no context was retrieved" if name == "retrieval_precision" else "no context is relevant"
        _add(scored, name, None if missing else value, missing or empty)
    return scored


def _add(scored: ScoredRag, name: str, value: float | None, reason: str) -> None:
    scored.values[name] = value
    if value is None:
        scored.reasons[name] = reason


def _add_share(scored: ScoredRag, name: str, events: Sequence[Event], missing: str) -> EventShare:
    """The share of the events that hold; nothing where something is `missing`."""
    found = share(() if missing else events)
    _add(scored, name, found.value, missing or _why_undecided(scored.result))
    if found.bounds:
        scored.undecided[name], scored.bounds[name] = found.undecided, found.bounds
    return found


def _why_undecided(result: RagResult) -> str:
    """Why nothing decides a share: failed verdicts, or those on contexts together that name none of them."""
    unnamed = result.joint and any(
        verdict.context_id in result.together and verdict.label != "neutral" and not verdict.rests_on
        for verdict in result.verdicts
    )
    return "; or ".join([FAILED] * bool(result.failures or not unnamed) + [UNNAMED] * unnamed)


def _harmonic(one: float | None, other: float | None) -> float | None:
    if one is None or other is None:
        return None
    return 2 * one * other / (one + other) if one + other else 0.0
