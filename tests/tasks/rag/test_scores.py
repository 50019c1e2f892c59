"""Metrics from verdicts, some of which are missing: never wrong, whatever the order."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factreasoner.models import Atom, Context, Verdict
from factreasoner.tasks.rag.result import RagResult
from factreasoner.tasks.rag.scores import scored_rag
from factreasoner.tasks.rag.shares import SHARES
from factreasoner.tasks.rag.table import RAG

LABELS = st.sampled_from(["entailment", "contradiction", "neutral"])
RANKED = {"retrieval_precision", "retrieval_recall", "map", "map_at_hits", "mrr", "ndcg"}


@st.composite
def results(draw):
    """A record with every verdict, the second look's too."""
    said = [Atom(id=f"a{n}", text=f"A {n}.") for n in range(draw(st.integers(0, 4)))]
    wanted = [Atom(id=f"r{n}", text=f"R {n}.") for n in range(draw(st.integers(0, 3)))]
    contexts = [Context(id=f"c{n}", text=f"C {n}.") for n in range(draw(st.integers(0, 4)))]
    pairs = [(c.id, x.id) for c in contexts for x in said + wanted]
    pairs += [("reference", a.id) for a in said] + [("answer", r.id) for r in wanted]
    pairs += [("contexts", a.id) for a in said]
    verdicts = [
        Verdict(
            context_id=premise, target_id=claim, label=draw(LABELS), probability=draw(st.floats(0.51, 1.0))
        )
        for premise, claim in pairs
    ]
    return RagResult(
        record_id="q",
        status="ok",
        claims=tuple(said),
        reference_claims=tuple(wanted),
        contexts=tuple(contexts),
        reference="R.",
        together={"contexts": tuple(c.id for c in contexts)} if len(contexts) > 1 else {},
        verdicts=tuple(verdicts),
    )


def ragchecker(result):
    """The shares as RAGChecker computes them, with matrices of numbers, nothing missing."""
    said, wanted = [c.id for c in result.claims], [c.id for c in result.reference_claims]
    ids = [c.id for c in result.contexts]
    yes = {(v.context_id, v.target_id): v.label == "entailment" for v in result.verdicts}
    faithful = [any(yes[c, a] for c in ids) or (len(ids) > 1 and yes["contexts", a]) for a in said]
    alone = [any(yes[c, a] for c in ids) for a in said]
    correct = [yes["reference", a] for a in said]
    relevant = [any(yes[c, r] for r in wanted) for c in ids]
    in_relevant = [
        any(rel and yes[c, a] for c, rel in zip(ids, relevant, strict=True))
        or (not alone[n] and faithful[n] and any(relevant))
        for n, a in enumerate(said)
    ]
    found = [any(yes[c, r] for c in ids) for r in wanted]
    covered = [yes["answer", r] for r in wanted]
    rows = list(zip(correct, faithful, in_relevant, strict=True))
    mean = lambda values: sum(values) / len(values) if values else None  # noqa: E731
    return {
        "faithfulness": mean(faithful),
        "correctness": mean(correct),
        "coverage": mean(covered),
        "claim_recall": mean(found),
        "context_precision": mean(relevant) if wanted else None,
        "context_utilization": mean([c for c, f in zip(covered, found, strict=True) if f]),
        "noise_sensitivity_in_relevant": mean([not c and r for c, f, r in rows]) if wanted else None,
        "noise_sensitivity_in_irrelevant": mean([not c and f and not r for c, f, r in rows])
        if wanted
        else None,
        "hallucination": mean([not c and not f for c, f, r in rows]),
        "self_knowledge": mean([c and not f for c, f, r in rows]),
    }


@settings(max_examples=60)
@given(results())
def test_shares_are_those_of_ragchecker(result):
    found = scored_rag(result)
    for name, value in ragchecker(result).items():
        assert found.values[name] == (None if value is None else pytest.approx(value)), name
    assert found.undecided == {}
    assert {name for name, value in found.values.items() if value is None} == found.reasons.keys()


@settings(max_examples=50)
@given(results())
def test_answer_claims_are_of_one_kind_each(result):
    values = scored_rag(result).values
    kinds = ("noise_sensitivity_in_relevant", "noise_sensitivity_in_irrelevant", "hallucination")
    for suffix in ("", "_p"):
        if values[f"{kinds[0]}{suffix}"] is not None:
            wrong = sum(values[f"{kind}{suffix}"] for kind in kinds)
            assert wrong + values[f"correctness{suffix}"] == pytest.approx(1)
        if values[f"faithfulness{suffix}"] is not None:
            unfaithful = values[f"hallucination{suffix}"] + values[f"self_knowledge{suffix}"]
            assert unfaithful + values[f"faithfulness{suffix}"] == pytest.approx(1)
    if values[kinds[0]] is not None:
        beside = values["beyond_reference"] + values["against_reference"]
        assert beside == pytest.approx(values[kinds[0]] + values[kinds[1]])


@settings(max_examples=40)
@given(results(), st.randoms(use_true_random=False))
def test_order_changes_nothing(result, shuffle):
    changes = {}
    for name in ("claims", "reference_claims", "contexts", "verdicts"):
        items = list(getattr(result, name))
        shuffle.shuffle(items)
        changes[name] = tuple(items)
    one, other = scored_rag(result), scored_rag(result.model_copy(update=changes))
    assert {n: v for n, v in one.values.items() if n not in RANKED} == {
        n: v for n, v in other.values.items() if n not in RANKED
    }


@settings(max_examples=50)
@given(results(), st.randoms(use_true_random=False))
def test_missing_verdicts_are_undecided_and_bounded(result, chance):
    """Whatever the missing verdicts would be, the share lies within its bounds, and what is said holds."""
    kept = tuple(v for v in result.verdicts if chance.random() > 0.2)
    partial = scored_rag(result.model_copy(update={"verdicts": kept}))
    full = scored_rag(result)
    for name in (*(share.name for share in SHARES), "context_precision"):
        value = full.values[name]
        if name not in partial.undecided:
            assert partial.values[name] == (None if value is None else pytest.approx(value)), name
        elif value is not None:
            low, high = partial.bounds[name]
            assert low - 1e-12 <= value <= high + 1e-12, name


@settings(max_examples=40)
@given(results(), st.randoms(use_true_random=False))
def test_a_claim_is_undecided_only_where_the_missing_verdicts_decide(result, chance):
    """Every way to fill in the missing verdicts of one claim is tried."""
    missing = [v for v in result.verdicts if chance.random() < 0.2][:5]
    kept = tuple(v for v in result.verdicts if v not in missing)
    partial = scored_rag(result.model_copy(update={"verdicts": kept}))
    seen = {name: set() for name in ("faithfulness", "correctness", "coverage", "claim_recall")}
    for labels in itertools.product(["entailment", "neutral"], repeat=len(missing)):
        filled = [v.model_copy(update={"label": label}) for v, label in zip(missing, labels, strict=True)]
        values = scored_rag(result.model_copy(update={"verdicts": kept + tuple(filled)})).values
        for name, found in seen.items():
            found.add(values[name])
    for name, found in seen.items():
        assert (name in partial.undecided) == (len(found) > 1), name


def test_every_number_is_finite_with_nothing_at_all():
    scored = scored_rag(RagResult(record_id="q", status="failed"))
    assert set(scored.values.values()) == {None}
    assert scored.reasons.keys() == scored.values.keys()


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
