"""Result lines: their fields, and nulls where nothing is known."""

from __future__ import annotations

import json

import pytest
from assessments import NOTHING, REVISER, TIMEOUT, assessment, counted_once, full

from factreasoner.metrics.result_line import evidence_fields, result_line
from factreasoner.models import (
    Assessment,
    Usage,
    factuality,
)


def test_result_line() -> None:
    line = result_line(full(), k=2)
    assert json.loads(json.dumps(line, allow_nan=False)) == line
    assert (line["id"], line["status"], line["model_name"]) == ("bio-1", "partial", "openai/gpt-4o-mini")
    assert (line["input"], line["output"], line["topic"]) == ("Who?", "She.", "Curie")
    assert (line["num_atoms"], line["num_true_atoms"], line["num_false_atoms"], line["k"]) == (3, 1, 2, 2)
    assert line["factuality_score"] == pytest.approx(1 / 3)
    assert line["recall_k"] == 0.5
    assert line["f1_k"] == pytest.approx(0.4)
    assert (line["unjudged_atoms"], line["partly_judged_atoms"]) == (["a2"], ["a1"])
    assert line["marginals"][1] == {"variable": "a1", "probabilities": [0.75, 0.25]}
    assert line["predictions"] == {"a0": "S", "a1": "NS", "a3": "NS"}
    assert line["references"] == {"a0": "S", "a1": "S", "a2": "NS"}
    assert (line["true_positive"], line["false_negative"], line["gold_left_out"]) == (1, 1, 1)
    assert (line["gold_factuality_score"], line["gold_true_atoms"], line["gold_num_atoms"]) == (1.0, 2, 2)
    assert line["avg_brier"] == pytest.approx((0.01 + 0.5625) / 2)
    assert line["solver"] == {
        "name": "exact",
        "exact": True,
        "converged": None,
        "width": None,
        "stderr": None,
    }
    assert line["usage"]["calls"] == 3
    assert line["usage"]["cached_calls"] == 1
    assert (line["usage"]["prompt_tokens"], line["usage"]["completion_tokens"]) == (110, 55)
    assert line["usage"]["cost"] == 0.75
    assert line["metadata"] == {"split": "test"}


def test_each_failure_is_listed_once() -> None:
    assert result_line(full(), k=2)["failures"] == [REVISER.model_dump(), TIMEOUT.model_dump()]


def test_stages_within_stages_are_not_counted_twice() -> None:
    assert result_line(full(), k=2)["elapsed_seconds"] == 4.0


def test_scores_are_those_of_factuality() -> None:
    line, scores = result_line(full(), k=2), factuality(full(), k=2)._asdict()
    scores["factuality_score"] = scores.pop("precision")
    assert {name: line[name] for name in scores} == scores


def test_no_labels_no_gold_fields() -> None:
    gold = result_line(full(), k=2).keys() - result_line(assessment([0.9]), k=1).keys()
    assert gold >= {"gold_accuracy", "true_positive", "avg_brier", "references"}


def test_unknown_cost_is_null() -> None:
    line = result_line(assessment([0.9], usage={"a": Usage(cost=None), "b": Usage(cost=0.1)}), k=1)
    assert line["usage"]["cost"] is None


@pytest.mark.parametrize(
    "made",
    [assessment([]), assessment([], status="failed", failures=(REVISER,)), assessment([None], gold="S")],
    ids=["no atoms", "failed", "nothing judged"],
)
def test_nothing_known_is_null(made: Assessment) -> None:
    line = result_line(made, k=5)
    assert json.loads(json.dumps(line, allow_nan=False)) == line
    names = ("factuality_score", "recall_k", "f1_k", "entropy", "avg_entropy", "avg_prob", "avg_logprob")
    assert {line[name] for name in names} == {None}
    assert (line["marginals"], line["predictions"]) == ([], {})
    assert len(line["failures"]) == len(made.failures)


def test_a_line_says_what_was_dropped_why_and_what_counted_once() -> None:
    assert evidence_fields(counted_once(("c1", "c2"), left_out=3)) == {
        "dropped_contexts": {"c0": "irrelevant: tea"},
        "unread_pages": {"https://a.example/": "status 503"},
        "searched": ["documents@a1"],
        "independence": True,
        "shared_sources": [["c1", "c2"]],
        "relations_left_out": 3,
    }


def test_each_relation_counts_where_nothing_else_is_said() -> None:
    for item in (NOTHING, assessment([0.9])):
        assert evidence_fields(item) == {
            "dropped_contexts": {},
            "unread_pages": {},
            "searched": [],
            "independence": False,
            "shared_sources": [],
            "relations_left_out": 0,
        }
