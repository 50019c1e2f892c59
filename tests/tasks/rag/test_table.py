"""Metrics from verdicts, some of which are missing, and of rankings; RAGChecker's worked example."""

import itertools
import json
import math
import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factreasoner.inputs.parsing import Reader
from factreasoner.models import Atom, Context, Verdict
from factreasoner.pipeline.assembly import Calls
from factreasoner.pipeline.config import Config
from factreasoner.tasks.rag.table import RAG, SHARES, RagResult, retrieval_scores, scored_rag
from factreasoner.tasks.rag.task import TASK

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
    p = st.floats(0.51, 1.0)
    verdicts = [
        Verdict(context_id=premise, target_id=claim, label=draw(LABELS), probability=draw(p))
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
    both = mean(correct), mean(covered)
    return {
        "faithfulness": mean(faithful),
        "correctness": mean(correct),
        "coverage": mean(covered),
        "claim_f1": None if None in both else 2 * both[0] * both[1] / (sum(both) or 1),
        "claim_recall": mean(found),
        "context_precision": mean(relevant) if wanted else None,
        "context_utilization": mean([c for c, f in zip(covered, found, strict=True) if f]),
        "noise_sensitivity_in_relevant": mean([not c and r for c, f, r in rows if wanted]),
        "noise_sensitivity_in_irrelevant": mean([not c and f and not r for c, f, r in rows if wanted]),
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


@settings(max_examples=50)
@given(results(), st.randoms(use_true_random=False))
def test_missing_verdicts_are_undecided_and_bounded(result, chance):
    """Whatever the missing verdicts would be, the share lies within its bounds, and what is said holds.

    Claims that a context supports have no second look.
    """
    supported = {v.target_id for v in result.verdicts if v.supports and v.context_id[1:].isdigit()}
    asked = (v for v in result.verdicts if v.context_id != "contexts" or v.target_id not in supported)
    result = result.model_copy(update={"verdicts": tuple(asked)})
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
def test_claim_is_undecided_only_where_missing_verdicts_decide(result, chance):
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


def test_share_and_its_p_count_their_claims():
    """The reference decides the share for a, whose context's verdict failed, and not P."""
    labels = {("reference", "a"): "entailment", ("reference", "b"): "neutral", ("c", "b"): "neutral"}
    verdicts = (
        Verdict(context_id=premise, target_id=claim, label=label, probability=0.9)
        for (premise, claim), label in labels.items()
    )
    fields = {"claims": [Atom(id=i, text=i) for i in "ab"], "contexts": [Context(id="c", text="C.")]}
    result = RagResult(record_id="q", status="ok", reference="R.", verdicts=tuple(verdicts), **fields)
    found = scored_rag(result)
    p = 0.95 * 0.95
    assert (found.values["hallucination"], found.values["hallucination_p"]) == (0.5, pytest.approx(p))
    assert ("hallucination" in found.undecided, found.undecided["hallucination_p"]) == (False, 1)
    assert found.bounds["hallucination_p"] == pytest.approx((p / 2, (p + 1) / 2))


def test_every_score_is_a_metric_with_companion():
    scored = scored_rag(RagResult(record_id="q", status="ok"))
    values = scored.values
    assert set(values.values()) == {None}
    assert scored.reasons.keys() == values.keys() <= RAG.metrics.keys()
    assert {name for share in SHARES for name in (share.name, f"{share.name}_p")} <= values.keys()
    assert RAG.line(scored).keys() >= values.keys()


def test_given_and_lacking_keys_are_reported():
    bare = scored_rag(RagResult(record_id="q", status="ok", contexts=()))
    assert list(RAG.given(bare)) == ["contexts"]
    lacking = RAG.lacking("run", {"contexts": 1})
    assert set(lacking) == {("reference",), ("gold_contexts",)}
    assert {"correctness", "claim_recall"} <= {metric.name for metric in lacking["reference",]}
    assert RAG.lacking("run", {"contexts": 1, "reference": 1, "gold_contexts": 1}) == {}


def test_the_tutorials_example():
    """[relevant, not, relevant], of four relevant ones."""
    found = retrieval_scores(["a", "x", "b"], ["a", "b", "c", "d"])
    assert found["retrieval_precision"] == pytest.approx(2 / 3)
    ideal = 1 + 1 / math.log2(3) + 1 / 2 + 1 / math.log2(5)
    assert found["ndcg"] == pytest.approx((1 + 1 / 2) / ideal)


def test_retrieval_scores_separate_zero_from_none():
    assert set(retrieval_scores(["x"], ["a"]).values()) == {0.0}
    none = retrieval_scores(["x"], [])
    assert none.pop("retrieval_precision") == 0.0
    assert set(none.values()) == {None}
    assert retrieval_scores([], ["a"])["retrieval_precision"] is None
    assert retrieval_scores([], ["a"])["retrieval_recall"] == 0.0


@given(
    st.lists(st.sampled_from("abcdefgh"), unique=True, max_size=8),
    st.sets(st.sampled_from("abcdefgh"), min_size=1),
    st.none() | st.integers(1, 9),
)
def test_scores_agree_with_their_definitions(retrieved, relevant, k):
    found = retrieval_scores(retrieved, relevant, k)
    gains = [int(i in relevant) for i in retrieved][: len(retrieved) if k is None else k]
    assert found["retrieval_recall"] == pytest.approx(sum(gains) / len(relevant))
    at_hits = [sum(gains[: n + 1]) / (n + 1) for n, gain in enumerate(gains) if gain]
    assert found["map"] == pytest.approx(math.fsum(at_hits) / len(relevant))
    assert found["map_at_hits"] == pytest.approx(math.fsum(at_hits) / max(len(at_hits), 1))
    first = gains.index(1) + 1 if 1 in gains else math.inf
    assert found["mrr"] == pytest.approx(1 / first)
    assert all(0 <= value <= 1 + 1e-12 for value in found.values() if value is not None)
    best = sorted(relevant) + sorted(set("abcdefgh") - relevant)
    assert retrieval_scores(best, relevant, k)["ndcg"] == pytest.approx(1)


DATA = Path(os.environ.get("FACTREASONER_DATA") or Path(__file__).parents[4] / "shared" / "data")
EXAMPLE = DATA / "ragchecker" / "checking_outputs.json"
OUR_NAMES = {"precision": "correctness", "recall": "coverage", "f1": "claim_f1"}

needs_data = pytest.mark.skipif(not EXAMPLE.is_file(), reason="no FACTREASONER_DATA")


def examples():
    return json.loads(EXAMPLE.read_text(encoding="utf-8")) if EXAMPLE.is_file() else {"results": []}


def replayed(example, folder):
    """The result of our task with the example's claims and verdicts."""
    names = {"id": "query_id", "input": "query", "output": "response", "reference": "gt_answer"}
    data = {ours: example[theirs] for ours, theirs in names.items()}
    data["contexts"] = [{"id": c["doc_id"], "text": c["text"]} for c in example["retrieved_context"]]
    for key, letter, claims in (("atoms", "a", "response"), ("reference_atoms", "r", "gt_answer")):
        texts = (" ".join(triple) for triple in example[f"{claims}_claims"])
        data[key] = [{"id": f"{letter}{n}", "text": text} for n, text in enumerate(texts)]
    pairs = [("reference", f"a{n}", label) for n, label in enumerate(example["answer2response"])]
    pairs += [("answer", f"r{n}", label) for n, label in enumerate(example["response2answer"])]
    ids = [c["doc_id"] for c in example["retrieved_context"]]
    for letter, matrix in (("a", "retrieved2response"), ("r", "retrieved2answer")):
        for n, row in enumerate(example[matrix]):
            pairs += [(doc, f"{letter}{n}", label) for doc, label in zip(ids, row, strict=True)]
    lines = (
        {"record": data["id"], "source": s, "target": t, "label": label.lower()} for s, t, label in pairs
    )
    relations = folder / "relations.jsonl"
    relations.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    worker = TASK.worker(Config(judge="recorded", relations=relations), Calls())
    return worker.assess(Reader().record(data, where="example", default_id="r1"))


@needs_data
@pytest.mark.parametrize("example", examples()["results"], ids=lambda e: f"query-{e['query_id']}")
def test_every_value_of_the_worked_example(example, tmp_path):
    result = replayed(example, tmp_path)
    assert result.status == "ok"
    scored = scored_rag(result)
    for theirs, value in example["metrics"].items():
        assert scored.values[OUR_NAMES.get(theirs, theirs)] == pytest.approx(value, abs=1e-9), theirs
    assert scored.undecided == {}
    assert scored.bounds == {}
