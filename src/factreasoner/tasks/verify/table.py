"""The metrics of verification, before and after correction.

Citation recall and precision as in ALCE ("Enabling Large Language Models to Generate Text with Citations",
arXiv 2305.14627), by claim instead of by sentence; claims without citation are counted apart.
"""

from __future__ import annotations

from collections.abc import Callable

from factreasoner.metrics.table import COUNT, Metric, Need, OfRecords, Place, Table
from factreasoner.metrics.usage_metrics import usage_metrics
from factreasoner.tasks.verify.result import ClaimLabel, ScoredVerify

CLAIMS = Need("claims", lambda sample: "no record has a claim", lambda r: bool(r.result.claims))
CITING = Need(
    "claims that cite a source", lambda sample: "no claim that cites a source was judged", lambda r: True
)
CITATIONS = Need("citations", lambda sample: "no citation was judged", lambda r: True)

SCORES: tuple[Place, ...] = ("line", "run", "evaluate", "groups", "compare", "figure")


def _count(*labels: ClaimLabel | None) -> OfRecords:
    """Number of claims with one of these labels; None of a record without claims."""
    return OfRecords(lambda record: record.count(*labels) if record.result.claims else None)


def _of(function: Callable[[ScoredVerify], float | None]) -> OfRecords:
    return OfRecords(function)


# fmt: off
METRICS = (
    Metric("citation_recall", "citation recall", "share of citing claims that what they cite bears out",
           CITING, _of(lambda r: r.before.citation_recall), places=SCORES, tested=True, better="higher"),
    Metric("citation_precision", "citation precision", "share of citations that bear out a claim of theirs",
           CITATIONS, _of(lambda r: r.before.citation_precision), places=SCORES, tested=True,
           better="higher"),
    Metric("uncited", "uncited", "share of claims that cite nothing", CLAIMS,
           _of(lambda r: r.before.uncited), places=SCORES, tested=True, better="lower"),
    Metric("corrected_citation_recall", "recall, corrected", "citation recall of the corrected answer",
           CITING, _of(lambda r: r.after.citation_recall), places=SCORES, title="citation recall, corrected",
           better="higher"),
    Metric("corrected_citation_precision", "precision, corrected",
           "citation precision of the corrected answer", CITATIONS,
           _of(lambda r: r.after.citation_precision), places=SCORES,
           title="citation precision, corrected", better="higher"),
    Metric("corrected_uncited", "uncited, corrected",
           "share of claims of the corrected answer that cite nothing", CLAIMS,
           _of(lambda r: r.after.uncited), places=SCORES, better="lower"),
    Metric("num_claims", "claims", "claims a record", CLAIMS,
           _of(lambda r: len(r.result.claims) or None), title="claims a record",
           bounds=COUNT, decimals=1, places=("line", "run")),
    Metric("num_supported", "borne out", "claims a record that their sources bear out", CLAIMS,
           _count("supported"), bounds=COUNT, decimals=1, places=("line",)),
    Metric("num_contradicted", "contradicted", "claims a record that a source contradicts", CLAIMS,
           _count("contradicted"), title="contradicted a record",
           bounds=COUNT, decimals=1, places=("line", "run"), better="lower"),
    Metric("num_not_borne_out", "not borne out", "claims a record that sources leave open or disagree on",
           CLAIMS, _count("unverified", "conflicting"), title="not borne out a record",
           bounds=COUNT, decimals=1, places=("line", "run"),
           better="lower"),
    Metric("num_unknown_source", "unknown source", "claims a record that cite no source that exists", CLAIMS,
           _count("unknown_source"), title="unknown source a record",
           bounds=COUNT, decimals=1, places=("line", "run"), better="lower"),
    Metric("num_unjudged", "unjudged", "claims a record of which judging failed", CLAIMS, _count(None),
           title="unjudged a record",
           bounds=COUNT, decimals=1, places=("line", "run", "evaluate", "compare"), better="lower"),
    Metric("num_changes", "changes", "sentences changed a record", CLAIMS,
           _of(lambda r: len(r.result.changes) if r.result.claims else None), title="changes a record",
           bounds=COUNT, decimals=1, places=("line", "run")),
    *usage_metrics(lambda record: record.usage),
)
# fmt: on

VERIFY: Table[ScoredVerify] = Table(
    # A record that cites nothing has scores all the same.
    "verify",
    main="num_claims",
    claims=lambda record: ((), 0),
    metrics=METRICS,
)
