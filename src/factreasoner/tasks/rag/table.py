"""The metrics of retrieval-augmented generation: shares of claims, and ranking scores.

Sources: RAGChecker (arXiv 2408.08067), section 3.3; there, a passage is relevant if it entails a claim of the
reference. Manning, Raghavan, Schütze, "Introduction to Information Retrieval", chapter 8.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import ClassVar, NamedTuple

from factreasoner.metrics.samples import Sample
from factreasoner.metrics.statistics import FAILED, OfRecords
from factreasoner.metrics.table import COUNT, EVERYWHERE, Better, Metric, Need, Place, Table, usage_metrics
from factreasoner.models import Atom
from factreasoner.models.rows import ANSWER, Vocabulary
from factreasoner.tasks.rag.result import UNDECIDED, ClaimLine, Event, JudgedPairs, any_of, lines_of


def retrieval_scores(
    retrieved: Sequence[str], relevant: Collection[str], k: int | None = None
) -> dict[str, float | None]:
    """Scores of a ranking of ids, best first, cut after `k` (None: not cut).

    None if a denominator is 0. `map` divides the sum of precisions at relevant ids by the number of relevant
    ids, `map_at_hits` by the number found.
    """
    wanted = set(relevant)
    ranking = retrieved[:k]
    hits = [rank for rank, context_id in enumerate(ranking, start=1) if context_id in wanted]
    precisions = sum(found / rank for found, rank in enumerate(hits, start=1))
    ideal = sum(map(_gain, range(1, min(len(wanted), k or len(wanted)) + 1)))
    precision = len(hits) / len(ranking) if ranking else None
    scores = {
        "retrieval_recall": len(hits) / max(len(wanted), 1),
        "map": precisions / max(len(wanted), 1),
        "map_at_hits": precisions / max(len(hits), 1),
        "mrr": 1 / hits[0] if hits else 0.0,
        "ndcg": sum(map(_gain, hits)) / (ideal or 1),
    }
    return {"retrieval_precision": precision, **(scores if wanted else dict.fromkeys(scores))}


def _gain(rank: int) -> float:
    return 1 / math.log2(rank + 1)


class Needed(NamedTuple):
    """A metric's requirements: as text, and as keys that a record may lack, in order."""

    words: str
    keys: tuple[str, ...]


class Share(NamedTuple):
    """The share of claims for which `event` holds: the answer's claims, or the reference's (`wanted`).

    `detail`: shown only in result lines.
    """

    name: str
    shown: str
    meaning: str
    needs: Needed
    better: Better | None
    event: Callable[[ClaimLine], Event]
    wanted: bool = False
    detail: bool = False


PASSAGES = Needed("contexts and claims of the answer", ("contexts", "claims"))
REFERENCE = Needed("a reference and claims of the answer", ("reference", "claims"))
GOLD_CLAIMS = Needed("claims of the reference", ("reference_claims",))
RETRIEVED = Needed("contexts and claims of the reference", ("contexts", "reference_claims"))
RANKABLE = Needed(RETRIEVED.words, ("contexts", "passages", "reference_claims"))
BOTH = Needed("contexts, a reference and claims of the answer", ("contexts", "reference", "claims"))
JUDGED_NOISE = Needed(BOTH.words, (*BOTH.keys, "reference_claims"))
FOUND = Needed("claims of the reference that a context supports", (*RETRIEVED.keys, "found"))
RANKED = Needed("contexts and gold contexts", ("contexts", "gold_contexts"))

LINE: tuple[Place, ...] = ("line",)
KEY_OF = {key: key for key in ("contexts", "reference", "gold_contexts")} | {"reference_claims": "reference"}
"""A metric's requirement -> the input key for it."""


def _need(needs: Needed) -> Need:
    def missing(sample: Sample) -> str:
        if not sample.ids:
            return "there is no record"
        why = f"no record has it: it needs {needs.words}"
        return f"{why}; each record's reasons in results.jsonl say what it lacks"

    keys = dict.fromkeys(KEY_OF[key] for key in needs.keys if key in KEY_OF)
    return Need(needs.words, missing, keys=tuple(keys))


def _row(
    name: str,
    shown: str,
    meaning: str,
    needs: Needed,
    places: tuple[Place, ...] = EVERYWHERE,
    better: Better | None = "higher",
) -> Metric:
    value = OfRecords(lambda record: record.values[name])
    tested = places == EVERYWHERE
    return Metric(name, shown, meaning, _need(needs), value, better=better, places=places, tested=tested)


# fmt: off
ROWS: tuple[Share | Metric, ...] = (
    Share("faithfulness", "faithfulness", "the answer's claims that the contexts support",
          PASSAGES, "higher", lambda c: c.contexts.any),
    Share("contradicted", "contradicted", "the answer's claims that contexts contradict",
          PASSAGES, "lower", lambda c: c.contradicted.any),
    Share("correctness", "correctness", "the answer's claims that the reference supports",
          REFERENCE, "higher", lambda c: c.other),
    Share("coverage", "coverage", "the reference's claims that the answer supports",
          GOLD_CLAIMS, "higher", lambda c: c.other, wanted=True),
    _row("claim_f1", "claim F1", "harmonic mean of correctness and coverage", REFERENCE),
    _row("claim_f1_p", "claim F1 (p)", "harmonic mean of correctness_p and coverage_p", REFERENCE, LINE),
    Share("claim_recall", "claim recall", "the reference's claims that a context supports",
          RETRIEVED, "higher", lambda c: c.contexts.any, wanted=True),
    _row("context_precision", "context precision",
         "share of the contexts that support a claim of the reference", RANKABLE),
    _row("retrieval_precision", "retrieval precision",
         "share of the first K contexts that are relevant", RANKED),
    _row("retrieval_recall", "retrieval recall",
         "share of the relevant contexts among the first K", RANKED),
    _row("map", "MAP", "average precision, over all relevant contexts", RANKED),
    _row("map_at_hits", "MAP (hits)",
         "average precision, over the relevant contexts found", RANKED, LINE),
    _row("mrr", "MRR", "1 / rank of the first relevant context", RANKED),
    _row("ndcg", "nDCG", "normalised discounted cumulative gain", RANKED),
    Share("context_utilization", "utilization",
          "the reference's claims supported by a context that the answer supports too",
          FOUND, "higher", lambda c: c.other if c.contexts.any.holds else UNDECIDED, wanted=True),
    Share("noise_sensitivity_in_relevant", "noise, relevant",
          "the answer's claims that the reference does not support and a relevant context does",
          JUDGED_NOISE, "lower", lambda c: ~c.other & c.relevant),
    Share("noise_sensitivity_in_irrelevant", "noise, irrelevant",
          "the answer's claims that the reference does not support and irrelevant contexts alone do",
          JUDGED_NOISE, "lower", lambda c: ~c.other & c.contexts.any.without(c.relevant)),
    Share("hallucination", "hallucination",
          "the answer's claims that neither the reference nor contexts support",
          BOTH, "lower", lambda c: ~c.other & ~c.contexts.any),
    Share("self_knowledge", "self-knowledge",
          "the answer's claims that the reference supports and no context does",
          BOTH, None, lambda c: c.other & ~c.contexts.any),
    Share("lost_in_retrieval", "lost in retrieval",
          "the reference's claims that neither a context nor the answer supports",
          RETRIEVED, "lower", lambda c: ~c.contexts.any & ~c.other, wanted=True, detail=True),
    Share("lost_in_generation", "lost in generation",
          "the reference's claims that a context supports and the answer does not",
          RETRIEVED, "lower", lambda c: c.contexts.any & ~c.other, wanted=True, detail=True),
    Share("beyond_reference", "beyond the reference",
          "the answer's claims that contexts support and the reference neither supports nor contradicts",
          BOTH, None, lambda c: ~c.other & ~c.against & c.contexts.any, detail=True),
    Share("against_reference", "against the reference",
          "the answer's claims that contexts support and the reference contradicts",
          BOTH, "lower", lambda c: c.against & c.contexts.any, detail=True),
    Metric("num_claims", "claims", "claims of answer and reference per record", _need(Needed("claims", ())),
           OfRecords(lambda r: len((*(r.result.claims or ()), *(r.result.reference_claims or ()))) or None),
           bounds=COUNT, decimals=1, places=LINE),
    *usage_metrics(lambda record: record.result.total_usage),
)
# fmt: on
SHARES = tuple(row for row in ROWS if isinstance(row, Share))


def _metrics() -> Iterator[Metric]:
    """The rows in order; each share of claims is followed by the mean probability."""
    for row in ROWS:
        if isinstance(row, Metric):
            yield row
            continue
        name, shown, meaning, needs, better = row[:5]
        yield _row(name, shown, f"share of {meaning}", needs, LINE if row.detail else EVERYWHERE, better)
        yield _row(f"{name}_p", f"{shown} (p)", f"{name} as a mean probability", needs, LINE, better)


def _missing_inputs(result: JudgedPairs, found: Sequence[ClaimLine]) -> dict[str, str]:
    """What the record lacks, as text, by key. `found` are the claims that contexts may support."""

    def no_claims(claims: Sequence[Atom] | None, whose: str) -> str:
        return f"no claims of {whose}" if claims is None else "" if claims else f"{whose} makes no claim"

    return {
        "contexts": "no contexts" if result.contexts is None else "",
        "passages": "" if result.contexts else "no context was retrieved",
        "reference": "" if ANSWER in result.others else "no reference",
        "claims": no_claims(result.claims, "the answer"),
        "reference_claims": no_claims(result.reference_claims, "the reference"),
        "gold_contexts": "no gold contexts" if result.gold_contexts is None else "",
        "found": "" if found else "no context supports a claim of the reference",
    }


class RagScores(NamedTuple):
    """The metrics of a result: see `RagResult`.

    `undecided` counts, per metric, claims (or contexts, for context_precision) excluded by failed verdicts.
    """

    result: JudgedPairs
    values: dict[str, float | None]
    reasons: dict[str, str]
    undecided: dict[str, int]
    bounds: dict[str, tuple[float, float]]


class RagResult(JudgedPairs):
    """Where a retrieval-augmented answer loses or invents claims: claims, verdicts and metrics.

    `reasons` say why a metric is None. After failed verdicts, `bounds` has the possible range of a metric.
    """

    vocabulary: ClassVar[Vocabulary] = Vocabulary(
        scores=(
            *("faithfulness", "contradicted", "correctness", "coverage", "hallucination"),
            "context_precision",
        )
    )

    @property
    def metrics(self) -> dict[str, float | None]:
        """The metrics; see `factreasoner metrics rag`."""
        return RAG.line(scored_rag(self, self.k))

    @property
    def reasons(self) -> dict[str, str]:
        """Why a metric is None."""
        return scored_rag(self, self.k).reasons

    @property
    def bounds(self) -> dict[str, tuple[float, float]]:
        """The possible range of each metric affected by failed verdicts."""
        return scored_rag(self, self.k).bounds


def scored_rag(result: JudgedPairs, k: int | None = None) -> RagScores:
    """The metrics of a result; ranking metrics use the first `k` contexts (None: all)."""
    scored = RagScores(result, {}, {}, {}, {})
    lines, wanted = lines_of(result)
    places = range(len(result.contexts or ()))
    relevant = tuple(any_of(line.contexts.each[place] for line in wanted) for place in places)
    lines = [line._replace(relevant=line.contexts.within(relevant)) for line in lines]
    found = [line for line in wanted if line.contexts.any.holds is not False]
    lacking = _missing_inputs(result, found)

    def missing(needs: Needed) -> str:
        return next(filter(None, (lacking[key] for key in needs.keys)), "")

    for row in SHARES:
        judged = (
            [] if missing(row.needs) else found if row.needs is FOUND else wanted if row.wanted else lines
        )
        events = [row.event(line) for line in judged]
        _add_mean(scored, row.name, [event.holds for event in events], missing(row.needs))
        _add_mean(scored, f"{row.name}_p", [event.p for event in events], missing(row.needs))
    precise = [] if missing(RANKABLE) else [event.holds for event in relevant]
    _add_mean(scored, "context_precision", precise, missing(RANKABLE))
    for suffix in ("", "_p"):
        both = [f"{name}{suffix}" for name in ("correctness", "coverage")]
        unmade = {scored.reasons.get(name, FAILED) for name in both} - {FAILED}
        reason = "it needs correctness and coverage" if unmade else FAILED
        _add(scored, f"claim_f1{suffix}", _harmonic(*(scored.values[name] for name in both)), reason)
    ids = [context.id for context in result.contexts or ()]
    for name, value in retrieval_scores(ids, result.gold_contexts or (), k).items():
        empty = "no context was retrieved" if name == "retrieval_precision" else "no context is relevant"
        _add(scored, name, None if missing(RANKED) else value, missing(RANKED) or empty)
    return scored


def _add(scored: RagScores, name: str, value: float | None, reason: str) -> None:
    scored.values[name] = value
    if value is None:
        scored.reasons[name] = reason


def _add_mean(scored: RagScores, name: str, values: Sequence[float | None], missing: str) -> None:
    """Add the mean of the decided values; each is within 0 and 1, and a share's is a bool."""
    decided = [value for value in values if value is not None]
    total = math.fsum(decided)
    _add(scored, name, total / len(decided) if decided else None, missing or FAILED)
    if undecided := len(values) - len(decided):
        bounds = total / len(values), (total + undecided) / len(values)
        scored.undecided[name], scored.bounds[name] = undecided, bounds


def _harmonic(one: float | None, other: float | None) -> float | None:
    if one is None or other is None:
        return None
    return 2 * one * other / (one + other) if one + other else 0.0


def _given_inputs(record: RagScores) -> Iterator[str]:
    result = record.result
    if result.contexts is not None:
        yield "contexts"
    if ANSWER in result.others or result.reference_claims is not None:
        yield "reference"
    if result.gold_contexts is not None:
        yield "gold_contexts"


RAG: Table[RagScores] = Table(
    "rag", main="num_claims", claims=lambda record: ((), 0), metrics=[*_metrics()], given=_given_inputs
)
