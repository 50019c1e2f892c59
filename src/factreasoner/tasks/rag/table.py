"""The metrics of retrieval-augmented generation.

Source: RAGChecker (arXiv 2408.08067), section 3.3, for those of retriever and generator.
"""

from __future__ import annotations

from collections.abc import Iterator

from factreasoner.metrics.samples import Sample
from factreasoner.metrics.table import COUNT, Better, Metric, Need, OfRecords, Place, Table
from factreasoner.metrics.usage_metrics import usage_metrics
from factreasoner.tasks.rag.scores import ScoredRag


def _need(words: str, *keys: str) -> Need:
    return Need(words, lambda sample: _none(sample, words), keys=keys)


def _none(sample: Sample, words: str) -> str:
    why = f"no record has it: it needs {words}; each record's reasons in results.jsonl say what it lacks"
    return why if sample.ids else "there is no record"


PASSAGES = _need("contexts and claims of the answer", "contexts")
REFERENCE = _need("a reference and claims of the answer", "reference")
GOLD_CLAIMS = _need("claims of the reference", "reference")
RETRIEVED = _need("contexts and claims of the reference", "contexts", "reference")
BOTH = _need("contexts, a reference and claims of the answer", "contexts", "reference")
FOUND = _need("claims of the reference that a context bears out", "contexts", "reference")
RANKED = _need("contexts and gold contexts", "contexts", "gold_contexts")
CLAIMS = _need("claims")

SHOWN: tuple[Place, ...] = ("line", "run", "evaluate", "groups", "compare", "figure")
LINE: tuple[Place, ...] = ("line",)


def _rows(
    name: str, shown: str, meaning: str, needs: Need, better: Better | None, places: tuple[Place, ...] = SHOWN
) -> tuple[Metric, Metric]:
    """A share of claims, and its companion with the mean probability."""
    return (
        _row(name, shown, f"share of {meaning}", needs, better, places),
        _row(f"{name}_p", f"{shown} (p)", f"mean probability of: {meaning}", needs, better, LINE),
    )


def _row(
    name: str, shown: str, meaning: str, needs: Need, better: Better | None, places: tuple[Place, ...] = SHOWN
) -> Metric:
    def value(record: ScoredRag) -> float | None:
        return record.values[name]

    return Metric(
        name, shown, meaning, needs, OfRecords(value), better=better, places=places, tested=places == SHOWN
    )


METRICS = (
    *_rows(
        "faithfulness", "faithfulness", "the answer's claims that the contexts bear out", PASSAGES, "higher"
    ),
    *_rows(
        "contradicted", "contradicted", "the answer's claims that a context contradicts", PASSAGES, "lower"
    ),
    *_rows(
        "correctness", "correctness", "the answer's claims that the reference bears out", REFERENCE, "higher"
    ),
    *_rows("coverage", "coverage", "the reference's claims that the answer bears out", GOLD_CLAIMS, "higher"),
    _row("claim_f1", "claim F1", "harmonic mean of correctness and coverage", REFERENCE, "higher"),
    _row(
        "claim_f1_p",
        "claim F1 (p)",
        "harmonic mean of correctness_p and coverage_p",
        REFERENCE,
        "higher",
        LINE,
    ),
    *_rows(
        "claim_recall", "claim recall", "the reference's claims that a context bears out", RETRIEVED, "higher"
    ),
    _row(
        "context_precision",
        "context precision",
        "share of the contexts that bear out a claim of the reference",
        RETRIEVED,
        "higher",
    ),
    _row(
        "retrieval_precision",
        "retrieval precision",
        "share of the first K contexts that are relevant",
        RANKED,
        "higher",
    ),
    _row(
        "retrieval_recall",
        "retrieval recall",
        "share of the relevant contexts among the first K",
        RANKED,
        "higher",
    ),
    _row("map", "MAP", "average precision, over all relevant contexts", RANKED, "higher"),
    _row(
        "map_at_hits",
        "MAP (hits)",
        "average precision, over the relevant contexts found",
        RANKED,
        "higher",
        LINE,
    ),
    _row("mrr", "MRR", "1 / rank of the first relevant context", RANKED, "higher"),
    _row("ndcg", "nDCG", "normalised discounted cumulative gain", RANKED, "higher"),
    *_rows(
        "context_utilization",
        "utilization",
        "the reference's claims borne out by a context that the answer bears out too",
        FOUND,
        "higher",
    ),
    *_rows(
        "noise_sensitivity_in_relevant",
        "noise, relevant",
        "the answer's claims that the reference does not bear out and a relevant context does",
        BOTH,
        "lower",
    ),
    *_rows(
        "noise_sensitivity_in_irrelevant",
        "noise, irrelevant",
        "the answer's claims that the reference does not bear out and irrelevant contexts alone do",
        BOTH,
        "lower",
    ),
    *_rows(
        "hallucination",
        "hallucination",
        "the answer's claims that neither the reference nor contexts bear out",
        BOTH,
        "lower",
    ),
    *_rows(
        "self_knowledge",
        "self-knowledge",
        "the answer's claims that the reference bears out and no context does",
        BOTH,
        None,
    ),
    *_rows(
        "lost_in_retrieval",
        "lost in retrieval",
        "the reference's claims that neither a context nor the answer bears out",
        RETRIEVED,
        "lower",
        LINE,
    ),
    *_rows(
        "lost_in_generation",
        "lost in generation",
        "the reference's claims that a context bears out and the answer does not",
        RETRIEVED,
        "lower",
        LINE,
    ),
    *_rows(
        "beyond_reference",
        "beyond the reference",
        "the answer's claims that contexts bear out and on which the reference is silent",
        BOTH,
        None,
        LINE,
    ),
    *_rows(
        "against_reference",
        "against the reference",
        "the answer's claims that contexts bear out and the reference contradicts",
        BOTH,
        "lower",
        LINE,
    ),
    Metric(
        "num_claims",
        "claims",
        "claims of answer and reference a record",
        CLAIMS,
        OfRecords(lambda record: record.num_claims),
        bounds=COUNT,
        decimals=1,
        places=("line",),
    ),
    *usage_metrics(lambda record: record.usage),
)


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
