"""Scores of samples against scikit-learn, against the tally of a run, and with nothing to score."""

from __future__ import annotations

import numpy as np
import pytest
from assessments import assessment
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, brier_score_loss, f1_score, roc_auc_score

from factreasoner.metrics.gold import GoldTally, labelled_atoms
from factreasoner.metrics.intervals import bootstrap_mean
from factreasoner.metrics.samples import Sample, Sampling
from factreasoner.metrics.scores import (
    SCORES,
    bootstrap,
    confusion,
    counts_of,
    estimates,
    three_way_confusion,
    value_of,
)
from factreasoner.models import Assessment, Usage

Case = list[tuple[float, str]]
probabilities = st.one_of(st.sampled_from([0.0, 0.3, 0.5, 0.7, 1.0]), st.floats(0, 1))
records = st.lists(
    st.lists(st.tuples(probabilities, st.sampled_from("SNCU")), min_size=1, max_size=8),
    min_size=1,
    max_size=6,
)


def made(case: Case, **fields: object) -> Assessment:
    return assessment([p for p, _ in case], gold="".join(label for _, label in case), **fields)


def sampled(*assessments: Assessment, k: int | None = 3) -> Sample:
    sampling = Sampling()
    for item in assessments:
        sampling.add(item, k)
    return sampling.sample()


@given(records, st.randoms(use_true_random=False))
def test_scores_of_any_counts_equal_scikit_learn_on_the_repeated_records(cases: list[Case], random) -> None:
    sample = sampled(*map(made, cases))
    counts = np.array([[random.randint(0, 3) for _ in cases] for _ in range(3)])
    for row in counts:
        if not row.sum():
            continue
        repeated = [pair for case, times in zip(cases, row, strict=True) for pair in case * int(times)]
        p, gold = [p for p, _ in repeated], [label == "S" for _, label in repeated]
        said = [value > 0.5 + 1e-9 for value in p]
        expected = {
            "accuracy": accuracy_score(gold, said),
            "macro_f1": f1_score(gold, said, average="macro"),
            "brier": brier_score_loss(gold, p, labels=[False, True]),
        }
        if any(gold) or any(said):
            expected["f1"] = f1_score(gold, said)
        if len(set(gold)) == 2:
            expected["auroc"] = roc_auc_score(gold, p)
        for name, value in expected.items():
            assert SCORES[name].statistic(sample)(row[None])[0] == pytest.approx(value), name


@given(records)
def test_scores_of_a_sample_are_those_of_the_run(cases: list[Case]) -> None:
    tally = GoldTally()
    for case in cases:
        tally.add(labelled_atoms(made(case)))
    scores = tally.scores()
    sample = sampled(*map(made, cases))
    for name in ("accuracy", "f1", "macro_f1", "auroc", "brier", "ece", "mae_precision"):
        expected = getattr(scores, name)
        assert value_of(sample, name) == (None if expected is None else pytest.approx(expected, abs=1e-12))
    assert confusion(sample) == scores.confusion._asdict()


@given(records)
def test_three_ways_equal_scikit_learn(cases: list[Case]) -> None:
    sample = sampled(*map(made, cases))
    pairs = [pair for case in cases for pair in case]
    finer = [(p, label) for p, label in pairs if label != "N"]
    if not {label for _, label in pairs} & {"C", "U"}:
        assert three_way_confusion(sample) is None
        assert value_of(sample, "three_way_accuracy") is None
        return
    gold = [label for _, label in finer]
    said = ["U" if abs(p - 0.5) <= 1e-9 else "S" if p > 0.5 else "C" for p, _ in finer]
    assert value_of(sample, "three_way_accuracy") == pytest.approx(accuracy_score(gold, said))
    macro = f1_score(gold, said, average="macro", labels=sorted({*gold, *said}))
    assert value_of(sample, "three_way_macro_f1") == pytest.approx(macro)


def test_labels_c_and_u_are_not_s() -> None:
    finer, coarse = (sampled(assessment([0.9, 0.8, 0.2, 0.5], gold=gold)) for gold in ("SCCU", "SNNN"))
    for name, score in SCORES.items():
        if score.labels and not name.startswith("three_way"):
            assert value_of(finer, name) == value_of(coarse, name), name
    assert three_way_confusion(finer) == {
        "S": {"supported": 1, "contradicted": 0, "undecided": 0, "unverified": 0},
        "C": {"supported": 1, "contradicted": 1, "undecided": 0, "unverified": 0},
        "U": {"supported": 0, "contradicted": 0, "undecided": 1, "unverified": 0},
    }


def test_what_is_unverified_is_neither_supported_nor_contradicted() -> None:
    support = {"support": {"a0": "unverified", "a1": "undecided", "a2": "unverified"}}
    sample = sampled(assessment([0.2, 0.5, 0.3], gold="UUC", outcome=support))
    assert value_of(sample, "three_way_accuracy") == pytest.approx(2 / 3)
    assert value_of(sample, "three_way_macro_f1") == pytest.approx((2 * 2 / 5 + 0) / 2)
    assert [value_of(sample, name) for name in ("contradicted", "undecided", "unverified")] == [0, 1, 2]
    told = three_way_confusion(sample)
    assert told is not None
    assert told["U"] == {"supported": 0, "contradicted": 0, "undecided": 1, "unverified": 1}


def test_means_over_records_by_hand() -> None:
    spent = Usage(calls=3, cached_calls=1, prompt_tokens=10, completion_tokens=5, cost=0.5)
    first = assessment([0.9, 0.8, 0.5, 0.2], gold="SN--", usage={"evaluator": spent})
    sample = sampled(first, assessment([0.1, None]), assessment([]))
    assert value_of(sample, "supported") == 1.0
    assert value_of(sample, "contradicted") == 1.0
    assert value_of(sample, "undecided") == 0.5
    assert value_of(sample, "precision") == 0.25
    assert value_of(sample, "mae_precision") == 0.5
    assert value_of(sample, "calls") == pytest.approx(4 / 3)
    assert value_of(sample, "tokens") == 5.0
    assert value_of(sample, "cost") == pytest.approx(0.5 / 3)
    assert sample.scored.tolist() == [True, True, False]


def test_a_cost_unknown_for_one_record_is_unknown() -> None:
    sample = sampled(assessment([0.9]), assessment([0.9], usage={"evaluator": Usage(calls=1, cost=None)}))
    assert value_of(sample, "cost") is None
    assert estimates(sample, ["cost", "calls"])["cost"] == (None, None)


def test_the_interval_of_the_precision_is_that_of_the_summary() -> None:
    cases = [assessment([0.9] * right + [0.1] * wrong) for right, wrong in [(1, 2), (3, 1), (2, 2), (5, 1)]]
    expected = bootstrap_mean([1 / 3, 3 / 4, 1 / 2, 5 / 6], seed=7)
    assert estimates(sampled(*cases), ["precision"], seed=7)["precision"].interval == pytest.approx(expected)


@given(records)
@settings(max_examples=20)
def test_one_record_has_scores_and_no_interval(cases: list[Case]) -> None:
    for name, estimate in estimates(sampled(made(cases[0])), SCORES).items():
        assert estimate.interval is None, name
        assert estimate.value is None or np.isfinite(estimate.value)


def test_all_undecided() -> None:
    sample = sampled(*(assessment([0.5, 0.5], gold="SN") for _ in range(3)))
    assert {name: value_of(sample, name) for name in ("precision", "auroc", "accuracy", "brier")} == {
        "precision": 0.0,
        "auroc": 0.5,
        "accuracy": 0.5,
        "brier": 0.25,
    }


def test_one_class_has_no_auroc_and_rare_ones_no_interval() -> None:
    alike = [assessment([0.9, 0.2], gold="SS") for _ in range(20)]
    assert estimates(sampled(*alike), ["auroc"])["auroc"] == (None, None)
    value, interval = estimates(sampled(*alike, assessment([0.4], gold="N")), ["auroc"])["auroc"]
    assert value == 0.5  # below the S at .9, above that at .2
    assert interval is None  # a third of the resamples have no NS


def test_records_can_be_taken_and_put_together() -> None:
    parts = [
        assessment([0.9, 0.3], gold="SN"),
        assessment([0.8], gold="N"),
        assessment([0.1, 0.7], gold="NS"),
    ]
    sample = sampled(*parts)
    names = list(SCORES)
    for taken, expected in (
        (sample.take([2, 0]), sampled(parts[2], parts[0])),
        (sampled(*parts[:2]).followed_by(sampled(parts[2])), sample),
    ):
        assert taken.ids == expected.ids
        assert [value_of(taken, n) for n in names] == [value_of(expected, n) for n in names]


def test_counts() -> None:
    assert counts_of(np.array([[0, 0, 2], [1, 2, 1]]), 3).tolist() == [[2, 0, 1], [0, 2, 1]]


@pytest.mark.parametrize("name", ["precision", "accuracy", "mae_precision"])
def test_intervals_cover_the_truth(name: str) -> None:
    """Records of very different difficulty, in which an interval over atoms would be far too narrow."""
    random = np.random.default_rng(5)

    def drawn(count: int) -> Sample:
        easy = random.beta(2, 1, size=count)
        return sampled(
            *(
                assessment(np.where(random.random(8) < share, 0.9, 0.1).tolist(), gold="S" * 8)
                for share in easy
            )
        )

    truth = {"precision": 2 / 3, "accuracy": 2 / 3, "mae_precision": 1 / 3}[name]
    spread = [np.quantile(bootstrap(drawn(30), [name])[name], [0.025, 0.975]) for _ in range(120)]
    covered = np.mean([low <= truth <= high for low, high in spread])
    assert 0.87 <= covered <= 0.99
