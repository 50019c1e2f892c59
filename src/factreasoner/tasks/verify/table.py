"""The metrics of verification, before and after correction.

Citation recall and precision as in ALCE ("Enabling Large Language Models to Generate Text with Citations",
arXiv 2305.14627), by claim instead of by sentence; claims without citation are counted apart.
"""

from __future__ import annotations

from functools import partial

from factreasoner.metrics.table import COUNT, Metric, Need, OfRecords, Place, Table
from factreasoner.metrics.usage_metrics import usage_metrics
from factreasoner.tasks.verify.result import ClaimLabel, ScoredVerify

CLAIMS = Need("claims", lambda sample: "no record has a claim", lambda r: bool(r.result.claims))
CITING = Need(
    "claims that cite a source", lambda sample: "no claim that cites a source was judged", lambda r: True
)
CITATIONS = Need("citations", lambda sample: "no citation was judged", lambda r: True)

RUN: tuple[Place, ...] = ("line", "run")
SCORES: tuple[Place, ...] = ("line", "run", "evaluate", "groups", "compare", "figure")


score = partial(Metric, places=SCORES)
count = partial(Metric, bounds=COUNT, decimals=1)


def _labelled(*labels: ClaimLabel | None) -> OfRecords:
    """Number of claims with one of these labels; None of a record without claims."""
    return OfRecords(lambda record: record.count(*labels) if record.result.claims else None)


# fmt: off
METRICS = (
    score("citation_recall", "citation recall", "share of citing claims that what they cite bears out",
          CITING, OfRecords(lambda r: r.before.citation_recall), tested=True, better="higher"),
    score("citation_precision", "citation precision", "share of citations that bear out a claim of theirs",
          CITATIONS, OfRecords(lambda r: r.before.citation_precision), tested=True, better="higher"),
    score("uncited", "uncited", "share of claims that cite nothing",
          CLAIMS, OfRecords(lambda r: r.before.uncited), tested=True, better="lower"),
    score("corrected_citation_recall", "recall, corrected", "citation recall of the corrected answer",
          CITING, OfRecords(lambda r: r.after.citation_recall), title="citation recall, corrected",
          better="higher"),
    score("corrected_citation_precision", "precision, corrected",
          "citation precision of the corrected answer", CITATIONS,
          OfRecords(lambda r: r.after.citation_precision), title="citation precision, corrected",
          better="higher"),
    score("corrected_uncited", "uncited, corrected",
          "share of claims of the corrected answer that cite nothing",
          CLAIMS, OfRecords(lambda r: r.after.uncited), better="lower"),
    count("num_claims", "claims", "claims a record",
          CLAIMS, OfRecords(lambda r: len(r.result.claims) or None), title="claims a record", places=RUN),
    count("num_supported", "borne out", "claims a record that their sources bear out",
          CLAIMS, _labelled("supported"), places=("line",)),
    count("num_contradicted", "contradicted", "claims a record that a source contradicts",
          CLAIMS, _labelled("contradicted"), title="contradicted a record", places=RUN, better="lower"),
    count("num_not_borne_out", "not borne out", "claims a record that sources leave open or disagree on",
          CLAIMS, _labelled("unverified", "conflicting"), title="not borne out a record", places=RUN,
          better="lower"),
    count("num_unknown_source", "unknown source", "claims a record that cite no source that exists",
          CLAIMS, _labelled("unknown_source"), title="unknown source a record", places=RUN, better="lower"),
    count("num_unjudged", "unjudged", "claims a record of which judging failed",
          CLAIMS, _labelled(None), title="unjudged a record",
          places=("line", "run", "evaluate", "compare"), better="lower"),
    count("num_changes", "changes", "sentences changed a record",
          CLAIMS, OfRecords(lambda r: len(r.result.changes) if r.result.claims else None),
          title="changes a record", places=RUN),
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
