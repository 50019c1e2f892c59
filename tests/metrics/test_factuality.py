"""K of a run and of a record, and FActScore's length penalty in result lines and summaries."""

import math

import pytest
from assessments import assessment

from factreasoner.metrics.factuality import length_penalty, record_k, resolve_k, scored_record
from factreasoner.metrics.summary import Summary, result_line
from factreasoner.models import AtomAnswer


@pytest.mark.parametrize(
    ("setting", "counts", "k"),
    [
        (7, [1, 2], 7),
        ("median", [26, 3, 11], 11),
        ("median", [10, 13], 13),
        ("median", [10, 12], 12),
        ("median", [0, 0, 4, 9, 0], 9),
        ("median", [1], 1),
        ("median", [0], None),
        ("median", [], None),
        ("half", [4, 9], None),
    ],
)
def test_k_of_a_run(setting, counts, k):
    assert resolve_k(setting, counts) == k


def test_k_of_a_record():
    assert [record_k("half", None, n) for n in (0, 1, 2, 3, 9)] == [1, 1, 1, 1, 4]
    assert record_k("median", 12, 3) == 12
    assert record_k(5, 5, 3) == 5


def made(n, judged=None, supported=None):
    judged = n if judged is None else judged
    supported = judged if supported is None else supported
    p_true = [0.9] * supported + [0.1] * (judged - supported) + [None] * (n - judged)
    return assessment(p_true)


@pytest.mark.parametrize(
    ("n", "gamma", "penalty"),
    [(10, 10, 1.0), (11, 10, 1.0), (5, 10, math.exp(-1)), (1, 10, math.exp(-9)), (2, 2.5, math.exp(-0.25))],
)
def test_short_answers_are_penalised(n, gamma, penalty):
    assert length_penalty(made(n), gamma) == pytest.approx(penalty)


def test_a_lost_judgement_makes_no_answer_shorter():
    assert length_penalty(made(12, judged=4), 10) == 1.0


def test_without_atoms_there_is_no_penalty():
    assert length_penalty(made(0), 10) is None
    line = result_line(scored_record(made(0), 5, 10.0))
    assert (line["length_penalty"], line["penalised_score"]) == (None, None)


def test_fields_are_there_only_with_a_gamma():
    line = result_line(scored_record(made(5, supported=4), 5, 10.0))
    assert line["penalised_score"] == pytest.approx(0.8 * math.exp(-1))
    assert line["factuality_score"] == 0.8
    assert line["gamma"] == 10.0
    assert {"gamma", "length_penalty", "penalised_score"}.isdisjoint(result_line(scored_record(made(5), 5)))


@pytest.mark.parametrize("gamma", [None, 10.0])
def test_the_summary_holds_the_mean(gamma):
    summary = Summary("median", 5, gamma=gamma)
    for item in (made(5, supported=4), made(10), made(0)):
        summary.add(item)
    content = summary.content()
    assert content["gamma"] == gamma
    mean = (0.8 * math.exp(-1) + 1.0) / 2
    assert content["metrics"]["penalised_score"]["value"] == (None if gamma is None else pytest.approx(mean))


def test_the_summary_counts_answers():
    summary = Summary("median", 5)
    said = {"a0": "supported", "a1": "supported", "a2": "contradicted"}
    answers = tuple(
        AtomAnswer(atom_id=a, support=s, probability=0.9, confidence="logprobs") for a, s in said.items()
    )
    summary.add(assessment([0.9, 0.9, 0.1], outcome={"answers": answers}))
    content = summary.content()
    assert content["answers"] == {"supported": 2, "contradicted": 1}
    assert (content["confidences"], content["verdicts"]) == ({"logprobs": 3}, {})
