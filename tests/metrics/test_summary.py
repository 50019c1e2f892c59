"""The summary of a run: sums, means and what is null where nothing is known."""

from __future__ import annotations

import json
import tracemalloc

import pytest
from assessments import NOTHING, REVISER, assessment, counted_once, full

from factreasoner.metrics.factuality import resolve_k
from factreasoner.metrics.summary import Summary
from factreasoner.models import Assessment, Audit, Context, Label, Marginals, Usage, Verdict


def summarised(*assessments: Assessment, k: int | str = "median") -> Summary:
    counts = [len(made.p_true) for made in assessments]
    summary = Summary(k, resolve_k(k, counts))  # type: ignore[arg-type]
    for made in assessments:
        summary.add(made)
    return summary


def test_what_a_passage_supports_and_another_contradicts_is_counted_apart() -> None:
    def said(atom: str, label: Label, belief: float | None = None) -> Verdict:
        return Verdict(context_id="c0", target_id=atom, label=label, probability=0.9, belief=belief)

    made = assessment(
        [0.8, 0.9, 0.7, 0.2],
        contexts=(Context(id="c0", text="t"),),
        outcome={
            "verdicts": (
                said("a0", "neutral", 0.8),  # believed alone
                said("a1", "entailment", 0.9),  # entailed, and contradicted too
                said("a1", "contradiction"),
                said("a2", "neutral"),  # by its prior
                said("a3", "neutral", 0.2),  # not supported
            )
        },
    )
    atoms = summarised(made).content()["atoms"]
    assert (atoms["supported"], atoms["disputed"]) == (3, 1)


def test_summary() -> None:
    gibbs = Marginals(probabilities={}, solver="gibbs", exact=False, converged=False, width=31, stderr=0.004)
    summary = summarised(
        full(),
        assessment([0.9, 0.8, 0.6, 0.1, 0.2], gold="SSSNN", outcome={"marginals": gibbs}, record_id="r2"),
        assessment([], record_id="r3"),
        assessment([], record_id="r4", status="failed", failures=(REVISER,)),
    )
    content = json.loads(json.dumps(summary.content(), allow_nan=False))
    assert content["records"] == {"total": 4, "ok": 0, "partial": 2, "no_atoms": 1, "failed": 1}
    assert (content["k_setting"], content["k"]) == ("median", 5)
    assert content["mean"]["factuality_score"] == pytest.approx((1 / 3 + 3 / 5) / 2)
    assert content["mean"]["recall_k"] == pytest.approx((1 / 5 + 3 / 5) / 2)
    low, high = content["interval_95"]["factuality_score"]
    assert (low, high) == pytest.approx((0.0, 1.0), abs=1e-3)  # of two records nearly everything is possible
    assert content["atoms"] == {
        "judged": 8,
        "supported": 4,
        "contradicted": 3,
        "conflicting": 1,
        "unverified": 0,
        "disputed": 0,
        "unjudged": 1,
        "partly_judged": 1,
    }
    assert content["verdicts"] == {"entailment": 1, "contradiction": 1, "neutral": 1}
    assert content["confidences"] == {"constant": 2, "logprobs": 1}
    assert content["citations"] == {"found": 1}
    assert content["failures"] == {
        "total": 3,
        "by_stage": {"reviser": 2, "judge": 1},
        "messages": {"no call": 2, "60 s": 1},
    }
    assert content["solver"] == {
        "records": {"exact": 1, "gibbs": 1},
        "exact": 1,
        "approximate": 1,
        "converged": False,
        "not_converged": 1,
        "largest_width": 31,
        "largest_stderr": 0.004,
    }
    assert content["audit"]["rate"] == 0.25
    assert content["audit"]["interval_95"] == [
        pytest.approx(0.045587, abs=1e-6),
        pytest.approx(0.699358, abs=1e-6),
    ]
    assert content["usage"]["total"]["calls"] == 3
    assert content["usage"]["by_stage"]["atomizer"]["cost"] == 0.25
    assert content["seconds"] == {
        "total": 4.0,
        "by_stage": {"atomizer": 1.0, "evaluator": 3.0, "solver": 0.5, "audit": 1.5},
    }
    gold = content["gold"]
    assert (gold["num_records"], gold["num_atoms"], gold["num_left_out"]) == (2, 7, 1)
    assert gold["confusion"] == {
        "true_positive": 4,
        "true_negative": 2,
        "false_positive": 0,
        "false_negative": 1,
    }
    assert gold["mae_precision"] == pytest.approx((0.5 + 0.0) / 2)
    assert gold["auroc"] == 1.0


def test_summary_of_nothing() -> None:
    content = summarised().content()
    assert content["records"]["total"] == 0
    assert (content["k"], content["audit"], content["gold"]) == (None, None, None)
    assert set(content["mean"].values()) | set(content["interval_95"].values()) == {None}
    assert set(content["atoms"].values()) == {0}
    assert content["usage"]["total"] == Usage().model_dump()


def test_one_unknown_price_makes_the_total_unknown() -> None:
    known, unknown = (assessment([0.9], usage={"judge": Usage(calls=1, cost=cost)}) for cost in (0.1, None))
    content = summarised(known, unknown, known).content()
    assert content["usage"]["total"]["cost"] is None
    assert content["usage"]["total"]["calls"] == 3


def test_audit_that_asked_nothing_has_no_rate() -> None:
    content = summarised(assessment([0.9], outcome={"audit": Audit(asked=0, disagreed=0)})).content()
    assert content["audit"] == {"asked": 0, "disagreed": 0, "rate": None, "interval_95": None}


def test_half_k_differs_by_record() -> None:
    short, long = assessment([0.9]), assessment([0.9] * 9)
    summary = summarised(short, long, k="half")
    assert (summary.k_of(short), summary.k_of(long)) == (1, 4)
    assert summary.content()["k"] is None
    assert summary.content()["mean"]["recall_k"] == 1.0


def test_summary_holds_little_of_a_record() -> None:
    made = assessment([0.9, 0.2, 0.7] * 5, gold="SNS" * 5)
    summary = Summary(15, 15)
    held = []
    tracemalloc.start()
    for _ in range(3):
        for _ in range(100):
            summary.add(made)
        held.append(tracemalloc.get_traced_memory()[0])
    tracemalloc.stop()
    assert held[2] - held[1] < 100 * 1000


def test_records_add_up() -> None:
    content = summarised(
        NOTHING,
        counted_once(("c1", "c2"), ("c3", "c4"), left_out=3),
        counted_once(left_out=0),
        assessment([0.9]),
    ).content()
    expected = {
        "credibility": None,
        "pruned": None,
        "without_contexts": 1,
        "dropped_contexts": 2,
        "unread_pages": 2,
        "searched": {"documents@a1": 2},
        "independence": {"records": 2, "shared_sources": 2, "relations_left_out": 3},
    }
    assert {name: content[name] for name in expected} == expected
