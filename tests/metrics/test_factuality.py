"""K of a run and of a record, and FActScore's length penalty in result lines and summaries."""

from __future__ import annotations

import math

import pytest

from factreasoner.metrics.factuality import length_penalty, record_k, resolve_k
from factreasoner.metrics.result_line import result_line
from factreasoner.metrics.summary import Summary
from factreasoner.models import Assessment, Atom, AtomAnswer, Outcome


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
def test_k_of_a_run(setting: object, counts: list[int], k: int | None) -> None:
    assert resolve_k(setting, counts) == k  # type: ignore[arg-type]


def test_k_of_a_record() -> None:
    assert [record_k("half", None, n) for n in (0, 1, 2, 3, 9)] == [1, 1, 1, 1, 4]
    assert record_k("median", 12, 3) == 12
    assert record_k(5, 5, 3) == 5


def assessment(n, judged=None, supported=None):
    judged = n if judged is None else judged
    supported = judged if supported is None else supported
    p_true = {f"a{i}": 0.9 if i < supported else 0.1 for i in range(judged)}
    support = {a: "supported" if p > 0.5 else "contradicted" for a, p in p_true.items()}
    answers = tuple(
        AtomAnswer(atom_id=a, support=s, probability=0.9, confidence="logprobs") for a, s in support.items()
    )
    return Assessment(
        record_id=f"r{n}",
        status="ok" if n else "no_atoms",
        assessor="factscore",
        atoms=tuple(Atom(id=f"a{i}", text="x") for i in range(n)),
        outcome=Outcome(p_true=p_true, support=support, answers=answers) if n else None,
    )


@pytest.mark.parametrize(
    ("n", "gamma", "penalty"),
    [(10, 10, 1.0), (11, 10, 1.0), (5, 10, math.exp(-1)), (1, 10, math.exp(-9)), (2, 2.5, math.exp(-0.25))],
)
def test_short_answers_are_penalised(n, gamma, penalty):
    assert length_penalty(assessment(n), gamma) == pytest.approx(penalty)


def test_a_lost_judgement_makes_no_answer_shorter():
    assert length_penalty(assessment(12, judged=4), 10) == 1.0


def test_without_atoms_there_is_none():
    assert length_penalty(assessment(0), 10) is None
    line = result_line(assessment(0), 5, 10.0)
    assert (line["length_penalty"], line["penalised_score"]) == (None, None)


def test_fields_are_there_only_with_a_gamma():
    line = result_line(assessment(5, supported=4), 5, 10.0)
    assert line["penalised_score"] == pytest.approx(0.8 * math.exp(-1))
    assert line["factuality_score"] == 0.8
    assert line["gamma"] == 10.0
    assert {"gamma", "length_penalty", "penalised_score"}.isdisjoint(result_line(assessment(5), 5))


@pytest.mark.parametrize("gamma", [None, 10.0])
def test_the_summary_holds_the_mean_and_counts_answers(gamma):
    summary = Summary("median", 5, gamma=gamma)
    for item in (assessment(5, supported=4), assessment(10), assessment(0)):
        summary.add(item)
    content = summary.content()
    assert content["gamma"] == gamma
    mean = (0.8 * math.exp(-1) + 1.0) / 2
    assert content["mean"].get("penalised_score") == (None if gamma is None else pytest.approx(mean))
    assert content["answers"] == {"supported": 14, "contradicted": 1}
    assert content["confidences"] == {"logprobs": 15}
    assert content["verdicts"] == {}
