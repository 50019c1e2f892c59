"""The metrics of one record, from its verdicts.

Source: RAGChecker (arXiv 2408.08067), section 3.3. A passage is relevant there when it entails a claim of the
reference.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from factreasoner.models import Atom, Usage, notebook_form
from factreasoner.tasks.rag.events import UNDECIDED, Event, Share, any_of, share
from factreasoner.tasks.rag.evidence import Evidence
from factreasoner.tasks.rag.result import RagResult
from factreasoner.tasks.rag.retrieval_metrics import retrieval_scores

SHARES = (
    "faithfulness",
    "contradicted",
    "correctness",
    "coverage",
    "claim_recall",
    "context_utilization",
    "noise_sensitivity_in_relevant",
    "noise_sensitivity_in_irrelevant",
    "hallucination",
    "self_knowledge",
    "lost_in_retrieval",
    "lost_in_generation",
    "beyond_reference",
    "against_reference",
)
"""The metrics that are shares of claims; each has a companion with the mean probability."""
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
    undecided = _undecided(result)
    reasons: dict[str, str] = {}
    shares: dict[str, Share] = {}
    for name, events, missing in _Events(result).all():
        shares[name] = share(() if missing else events)
        if shares[name].value is None:
            reasons[name] = missing or undecided
    values: dict[str, float | None] = {}
    for name, found in shares.items():
        values[name] = found.value
        if name in SHARES:
            values[f"{name}_p"] = found.p
            if found.p is None:
                reasons[f"{name}_p"] = reasons.get(name, undecided)
    for suffix in ("", "_p"):
        values[f"claim_f1{suffix}"] = _harmonic(values[f"correctness{suffix}"], values[f"coverage{suffix}"])
        if values[f"claim_f1{suffix}"] is None:
            reasons[f"claim_f1{suffix}"] = "it needs correctness and coverage"
    values |= _retrieval(result, k, reasons)
    return ScoredRag(
        result,
        values,
        reasons,
        {name: found.undecided for name, found in shares.items() if found.undecided},
        {name: found.bounds for name, found in shares.items() if found.bounds},
        sum(result.usage.values(), Usage()),
    )


def _undecided(result: RagResult) -> str:
    """Why nothing decides a share: failed verdicts, or those on contexts together that name none of them."""
    unnamed = result.joint and any(
        verdict.context_id in result.together and verdict.label != "neutral" and not verdict.rests_on
        for verdict in result.verdicts
    )
    return "; or ".join([FAILED] * bool(result.failures or not unnamed) + [UNNAMED] * unnamed)


class _Events:
    """What each share is of: events of the claims of a record."""

    def __init__(self, result: RagResult) -> None:
        evidence = Evidence(result)
        said, self._no_claims = _claims(result.claims, "the answer")
        wanted, self._no_gold = _claims(result.reference_claims, "the reference")
        self._no_contexts = "" if result.contexts is not None else "no contexts"
        self._no_reference = "" if (result.reference or "").strip() else "no reference"
        self._faithful = [evidence.borne_out(claim.id, second_look=True) for claim in said]
        self._denied = [evidence.denied(claim.id).any for claim in said]
        self._correct = [evidence.by_reference(claim.id) for claim in said]
        self._against = [evidence.against_reference(claim.id) for claim in said]
        retrieved = [evidence.borne_out(claim.id) for claim in wanted]
        self._retrieved = [found.any for found in retrieved]
        self._covered = [evidence.by_answer(claim.id) for claim in wanted]
        self._relevant = tuple(
            any_of(found.each[place] for found in retrieved) for place in range(len(result.contexts or ()))
        )

    def all(self) -> Iterator[_Asked]:
        """Every share."""
        yield from self._of_passages()
        yield from self._of_both()
        yield from self._of_reference_claims()
        yield from self._of_retrieval()

    def _of_passages(self) -> Iterator[_Asked]:
        missing = self._no_contexts or self._no_claims
        yield _Asked("faithfulness", [found.any for found in self._faithful], missing)
        yield _Asked("contradicted", self._denied, missing)

    def _of_both(self) -> Iterator[_Asked]:
        """The shares of the answer's claims for which the reference says whether they are right."""
        yield _Asked("correctness", self._correct, self._no_reference or self._no_claims)
        missing = self._no_contexts or self._no_reference or self._no_claims
        wrong = [~correct for correct in self._correct]
        entailed = [found.any for found in self._faithful]
        relevant = [found.within(self._relevant) for found in self._faithful]
        irrelevant = [found.without(part) for found, part in zip(entailed, relevant, strict=True)]
        silent = [one & ~other for one, other in zip(wrong, self._against, strict=True)]
        yield _Asked("noise_sensitivity_in_relevant", _both(wrong, relevant), missing or self._no_gold)
        yield _Asked("noise_sensitivity_in_irrelevant", _both(wrong, irrelevant), missing or self._no_gold)
        yield _Asked("hallucination", _both(wrong, [~found for found in entailed]), missing)
        yield _Asked("self_knowledge", _both(self._correct, [~found for found in entailed]), missing)
        yield _Asked("beyond_reference", _both(silent, entailed), missing)
        yield _Asked("against_reference", _both(self._against, entailed), missing)

    def _of_reference_claims(self) -> Iterator[_Asked]:
        yield _Asked("coverage", self._covered, self._no_gold)
        missing = self._no_contexts or self._no_gold
        absent = [~covered for covered in self._covered]
        not_found = [~found for found in self._retrieved]
        yield _Asked("claim_recall", self._retrieved, missing)
        yield _Asked("lost_in_retrieval", _both(not_found, absent), missing)
        yield _Asked("lost_in_generation", _both(self._retrieved, absent), missing)
        used = [
            covered if found.holds else UNDECIDED
            for found, covered in zip(self._retrieved, self._covered, strict=True)
            if found.holds is not False
        ]
        nothing = "" if used else "no context bears out a claim of the reference"
        yield _Asked("context_utilization", used, missing or nothing)

    def _of_retrieval(self) -> Iterator[_Asked]:
        no_passages = "" if self._relevant else "no context was retrieved"
        missing = self._no_contexts or no_passages or self._no_gold
        yield _Asked("context_precision", self._relevant, missing)


class _Asked(NamedTuple):
    """A share: its name, the events it is of, and why it has none; empty where it has."""

    name: str
    events: Sequence[Event]
    missing: str


def _both(some: Sequence[Event], others: Sequence[Event]) -> list[Event]:
    return [one & other for one, other in zip(some, others, strict=True)]


def _claims(claims: Sequence[Atom] | None, whose: str) -> tuple[Sequence[Atom], str]:
    if claims is None:
        return (), f"no claims of {whose}"
    return claims, "" if claims else f"{whose} makes no claim"


def _retrieval(result: RagResult, k: int | None, reasons: dict[str, str]) -> dict[str, float | None]:
    ids = [context.id for context in result.contexts or ()]
    scores = retrieval_scores(ids, result.gold_contexts or (), k)
    missing = "" if result.gold_contexts is not None else "no gold contexts"
    missing = missing if result.contexts is not None else "no contexts"
    for name, value in scores.items():
        if missing or value is None:
            empty = "no context was retrieved" if name == "retrieval_precision" else "no context is relevant"
            scores[name], reasons[name] = None, missing or empty
    return scores


def _harmonic(one: float | None, other: float | None) -> float | None:
    if one is None or other is None:
        return None
    return 2 * one * other / (one + other) if one + other else 0.0
