"""Statistics against scikit-learn and by hand, for every choice of records and without each of them."""

import numpy as np
import pytest
from assessments import assessment
from hypothesis import given, settings
from hypothesis import strategies as st
from samples_of_records import sampled, value_of
from sklearn.metrics import accuracy_score, brier_score_loss, f1_score, log_loss, roc_auc_score

from factreasoner.metrics.claim_scores import AreaUnderROC, CalibrationError, reliability_bins
from factreasoner.metrics.claim_scores import log_loss as log_loss_of
from factreasoner.metrics.factuality import FACTUALITY
from factreasoner.metrics.samples import Claims, LabelledClaim, Sampling
from factreasoner.metrics.summary import confusion_counts
from factreasoner.models import Usage

Case = list[tuple[float, str]]
probabilities = st.one_of(st.sampled_from([0.0, 0.3, 0.5, 0.7, 1.0]), st.floats(0, 1))
records = st.lists(
    st.lists(st.tuples(probabilities, st.sampled_from("SNCU")), min_size=0, max_size=8),
    min_size=1,
    max_size=6,
)


def made(case, **fields):
    return assessment([p for p, _ in case], gold="".join(label for _, label in case), **fields)


def expected(pairs):
    """What scikit-learn computes of atoms, those scores that it defines."""
    p, gold = [round(p, 12) for p, _ in pairs], [label == "S" for _, label in pairs]
    if not pairs:
        return {}
    said = [value > 0.5 + 1e-9 for value in p]
    bins = np.minimum((np.array(p) * 10).astype(int), 9)
    gaps = [abs(sum(p[i] - gold[i] for i in np.flatnonzero(bins == b))) for b in range(10)]
    found = {
        "accuracy": accuracy_score(gold, said),
        "macro_f1": f1_score(gold, said, average="macro"),
        "brier": brier_score_loss(gold, p, labels=[False, True]),
        "ece": sum(gaps) / len(p),
    }
    if any(gold) or any(said):
        found["f1"] = f1_score(gold, said)
    if len(set(gold)) == 2:
        found["auroc"] = roc_auc_score(gold, p)
    return found


@given(records, st.randoms(use_true_random=False))
@settings(max_examples=40)
def test_weighted_scores_equal_scikit_learn_on_repeats(cases, random):
    sample = sampled(*map(made, cases))
    for row in np.array([[random.randint(0, 3) for _ in cases] for _ in range(3)]):
        repeated = [pair for case, times in zip(cases, row, strict=True) for pair in case * int(times)]
        right = expected(repeated)
        for name in ("accuracy", "f1", "macro_f1", "auroc", "brier", "ece"):
            value = FACTUALITY[name].statistic(sample).weighted(row[None])[0]
            assert np.isnan(value) if name not in right else value == pytest.approx(right[name]), name


@given(records)
@settings(max_examples=40)
def test_leave_one_out_equals_score_of_others(cases):
    spent = [Usage(calls=i, prompt_tokens=7 * i, cost=0.1 * i) for i, _ in enumerate(cases)]
    all_of = [made(case, usage={"evaluator": used}) for case, used in zip(cases, spent, strict=True)]
    sample = sampled(*all_of)
    for metric in FACTUALITY:
        without = metric.statistic(sample).without_each()
        assert without.shape == (len(cases),)
        for place in range(len(cases)):
            rest = sample.take([i for i in range(len(cases)) if i != place])
            value = metric.statistic(rest).value if rest.ids else np.nan
            assert without[place] == pytest.approx(value, abs=1e-9, nan_ok=True), (metric.name, place)


@given(records)
@settings(max_examples=40)
def test_records_without_a_part_change_nothing(cases):
    sample = sampled(*map(made, cases))
    for metric in FACTUALITY:
        statistic = metric.statistic(sample)
        absent = statistic.without_each()[~statistic.present]
        if not np.isnan(statistic.value):
            assert absent == pytest.approx(statistic.value), metric.name


@given(records)
@settings(max_examples=40)
def test_three_ways_equal_scikit_learn(cases):
    sample = sampled(*map(made, cases))
    pairs = [pair for case in cases for pair in case]
    finer = [(round(p, 12), label) for p, label in pairs if label != "N"]
    if not {label for _, label in pairs} & {"C", "U"}:
        assert value_of(sample, "three_way_accuracy") is value_of(sample, "three_way_macro_f1") is None
        return
    gold = [label for _, label in finer]
    said = ["U" if abs(p - 0.5) <= 1e-9 else "S" if p > 0.5 else "C" for p, _ in finer]
    assert value_of(sample, "three_way_accuracy") == pytest.approx(accuracy_score(gold, said))
    macro = f1_score(gold, said, average="macro", labels=sorted({*gold, *said}))
    assert value_of(sample, "three_way_macro_f1") == pytest.approx(macro)


def test_labels_c_and_u_are_not_s():
    finer, coarse = (sampled(assessment([0.9, 0.8, 0.2, 0.5], gold=gold)) for gold in ("SCCU", "SNNN"))
    for metric in FACTUALITY:
        if metric.needs.labels and not metric.name.startswith("three_way"):
            assert value_of(finer, metric.name) == value_of(coarse, metric.name), metric.name


def test_unverified_atoms_form_their_own_class():
    support = {"support": {"a0": "unverified", "a1": "conflicting", "a2": "unverified"}}
    sample = sampled(assessment([0.2, 0.5, 0.3], gold="UUC", outcome=support))
    assert value_of(sample, "three_way_accuracy") == pytest.approx(2 / 3)
    assert value_of(sample, "three_way_macro_f1") == pytest.approx((2 * 2 / 5 + 0) / 2)
    assert [value_of(sample, name) for name in ("contradicted", "conflicting", "unverified")] == [0, 1, 2]


def test_rounding_errors_change_no_order_or_bin():
    alike = Claims.of([0.3, 0.1 + 0.2, 0.7, 0.7000000000000001], [1, 0, 1, 0])
    assert len(set(alike.p.tolist())) == 2
    assert AreaUnderROC(alike).value == 0.5
    below = sampled(
        assessment([0.3 - 5e-17, 0.3], gold="SN"), assessment([0.6000000000000001, 0.6], gold="NS")
    )
    assert len(set(below.claims.p.tolist())) == 2
    assert CalibrationError(below.claims).value == pytest.approx(0.15)
    drawn = Sampling({}, lambda record: (record, 0))
    drawn.add("r", [LabelledClaim(0.3, 0, 0), LabelledClaim(0.1 + 0.2, 0, 1)])
    assert AreaUnderROC(drawn.sample().claims).value == 0.5


def test_log_loss_equals_scikit_learn():
    random = np.random.default_rng(2)
    p, gold = random.random(50), random.random(50) < 0.5
    assert log_loss_of(Claims.of(p, gold)).value == pytest.approx(log_loss(gold, p))


def test_no_atoms_have_no_scores():
    empty = sampled(assessment([]), assessment([None, None], gold="SN"))
    for name in ("accuracy", "f1", "macro_f1", "auroc", "brier", "ece", "mae_precision", "precision"):
        assert value_of(empty, name) is None, name
    assert set(confusion_counts(empty.claims).values()) == {0}
    assert empty.left_out.tolist() == [0, 2]


def test_means_over_records_by_hand():
    spent = Usage(calls=3, cached_calls=1, prompt_tokens=10, completion_tokens=5, cost=0.5)
    first = assessment([0.9, 0.8, 0.5, 0.2], gold="SN--", usage={"evaluator": spent})
    sample = sampled(first, assessment([0.1, None]), assessment([]))
    assert value_of(sample, "supported") == 1.0
    assert value_of(sample, "contradicted") == 1.0
    assert value_of(sample, "conflicting") == 0.5
    assert value_of(sample, "precision") == 0.25
    assert value_of(sample, "mae_precision") == 0.5
    assert value_of(sample, "calls") == pytest.approx(4 / 3)
    assert value_of(sample, "tokens") == 5.0
    assert value_of(sample, "cost") == pytest.approx(0.5 / 3)
    assert FACTUALITY.has_score(sample).tolist() == [True, True, False]


@given(records)
@settings(max_examples=30)
def test_records_can_be_taken_and_put_together(cases):
    parts = [made(case, record_id=f"r{number}") for number, case in enumerate(cases)]
    sample = sampled(*parts)
    pairs = (
        (sample.take(range(len(parts))[::-1]), sampled(*parts[::-1])),
        (sampled(*parts[:1]).followed_by(sampled(*parts[1:])), sample),
    )
    for taken, right in pairs:
        assert tuple(taken.ids) == tuple(right.ids)
        for metric in FACTUALITY:
            value = value_of(right, metric.name)
            assert value_of(taken, metric.name) == (None if value is None else pytest.approx(value))


def test_reliability_bins_by_hand():
    # four at .8, three of them S; four at .4, one of them S
    claims = Claims.of([0.8] * 4 + [0.4] * 4, [1, 1, 1, 0, 1, 0, 0, 0])
    low, high = reliability_bins(claims)
    assert (low.mean_p, low.share, low.size) == (pytest.approx(0.4), 0.25, 4)
    assert (high.mean_p, high.share, high.size) == (pytest.approx(0.8), 0.75, 4)
    assert high.interval.low < high.share < high.interval.high
    assert reliability_bins(Claims.of([], [])) == []
