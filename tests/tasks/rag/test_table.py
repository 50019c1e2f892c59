"""The metrics of `rag`: which there are, what they need, and what lacks without it."""

from factreasoner.tasks.rag.result import RagResult
from factreasoner.tasks.rag.scores import scored_rag
from factreasoner.tasks.rag.shares import SHARES
from factreasoner.tasks.rag.table import RAG


def test_every_score_of_a_record_is_a_metric_with_its_companion():
    values = scored_rag(RagResult(record_id="q", status="ok")).values
    assert values.keys() <= RAG.metrics.keys()
    assert {name for share in SHARES for name in (share.name, f"{share.name}_p")} <= values.keys()
    assert RAG.line(scored_rag(RagResult(record_id="q", status="ok"))).keys() >= values.keys()


def test_what_records_bring_is_told_and_what_they_lack():
    bare = scored_rag(RagResult(record_id="q", status="ok", contexts=()))
    assert list(RAG.given(bare)) == ["contexts"]
    lacking = RAG.lacking("run", {"contexts": 1})
    assert set(lacking) == {("reference",), ("gold_contexts",)}
    assert {"correctness", "claim_recall"} <= {metric.name for metric in lacking["reference",]}
    assert RAG.lacking("run", {"contexts": 1, "reference": 1, "gold_contexts": 1}) == {}
