"""The metrics of retrieval-augmented generation: shares of claims, and scores of the ranking."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from factreasoner.metrics.samples import Sample
from factreasoner.metrics.table import COUNT, Better, Metric, Need, OfRecords, Place, Table
from factreasoner.metrics.usage_metrics import usage_metrics
from factreasoner.tasks.rag.scores import ScoredRag
from factreasoner.tasks.rag.shares import RANKABLE, RANKED, REFERENCE, SHARES, Needed, Share

SHOWN: tuple[Place, ...] = ("line", "run", "evaluate", "groups", "compare", "figure")
LINE: tuple[Place, ...] = ("line",)
KEY_OF = {
    "contexts": "contexts",
    "reference": "reference",
    "reference_claims": "reference",
    "gold_contexts": "gold_contexts",
}
"""What a metric needs -> the key of an input record that brings it."""


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
    places: tuple[Place, ...] = SHOWN,
    better: Better | None = "higher",
) -> Metric:
    value = OfRecords(lambda record: record.values[name])
    tested = places == SHOWN
    return Metric(name, shown, meaning, _need(needs), value, better=better, places=places, tested=tested)


def _shares(shares: Sequence[Share]) -> Iterator[Metric]:
    """Shares of claims, each with its companion, the mean probability."""
    for share in shares:
        name, shown, meaning, needs, better = share[:5]
        yield _row(name, shown, f"share of {meaning}", needs, LINE if share.detail else SHOWN, better)
        yield _row(f"{name}_p", f"{shown} (p)", f"mean probability of: {meaning}", needs, LINE, better)


# fmt: off
METRICS = (
    *_shares(SHARES[:4]),
    _row("claim_f1", "claim F1", "harmonic mean of correctness and coverage", REFERENCE),
    _row("claim_f1_p", "claim F1 (p)", "harmonic mean of correctness_p and coverage_p", REFERENCE, LINE),
    *_shares(SHARES[4:5]),
    _row("context_precision", "context precision",
         "share of the contexts that bear out a claim of the reference", RANKABLE),
    _row("retrieval_precision", "retrieval precision",
         "share of the first K contexts that are relevant", RANKED),
    _row("retrieval_recall", "retrieval recall",
         "share of the relevant contexts among the first K", RANKED),
    _row("map", "MAP", "average precision, over all relevant contexts", RANKED),
    _row("map_at_hits", "MAP (hits)",
         "average precision, over the relevant contexts found", RANKED, LINE),
    _row("mrr", "MRR", "1 / rank of the first relevant context", RANKED),
    _row("ndcg", "nDCG", "normalised discounted cumulative gain", RANKED),
    *_shares(SHARES[5:]),
    Metric("num_claims", "claims", "claims of answer and reference a record", _need(Needed("claims", ())),
           OfRecords(lambda record: record.num_claims), bounds=COUNT, decimals=1, places=LINE),
    *usage_metrics(lambda record: record.usage),
)
# fmt: on


def _given(record: ScoredRag) -> Iterator[str]:
    result = record.result
    if result.contexts is not None:
        yield "contexts"
    if (result.reference or "").strip() or result.reference_claims is not None:
        yield "reference"
    if result.gold_contexts is not None:
        yield "gold_contexts"


RAG: Table[ScoredRag] = Table(
    "rag", main="num_claims", claims=lambda record: ((), 0), metrics=METRICS, given=_given
)
