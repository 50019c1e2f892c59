"""Gold metrics against scikit-learn, by hand, and on data sets of one and of no record."""

from __future__ import annotations

import pytest
from assessments import assessment
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, brier_score_loss, f1_score

from factreasoner.metrics.calibration import auroc, brier, expected_calibration_error
from factreasoner.metrics.gold import Confusion, GoldScores, GoldTally, labelled_atoms
from factreasoner.models import Assessment

Case = list[tuple[float, bool]]
cases = st.lists(
    st.tuples(st.one_of(st.sampled_from([0.0, 0.3, 0.5, 0.7, 1.0]), st.floats(0, 1)), st.booleans()),
    min_size=1,
    max_size=30,
)


def made(case: Case) -> Assessment:
    return assessment([p for p, _ in case], gold="".join("S" if gold else "N" for _, gold in case))


def tallied(*assessments: Assessment) -> GoldScores:
    tally = GoldTally()
    for item in assessments:
        labelled = labelled_atoms(item)
        if labelled is not None:
            tally.add(labelled)
    scores = tally.scores()
    assert scores is not None
    return scores


@given(cases)
def test_classification_equals_scikit_learn(case: Case) -> None:
    labelled = labelled_atoms(made(case))
    assert labelled is not None
    gold = [atom.gold for atom in labelled.atoms]
    predicted = [atom.supported for atom in labelled.atoms]
    confusion = labelled.confusion
    assert sum(confusion) == len(case)
    assert confusion.accuracy == pytest.approx(accuracy_score(gold, predicted))
    assert confusion.macro_f1 == pytest.approx(f1_score(gold, predicted, average="macro"))
    if any(gold) or any(predicted):
        assert confusion.f1 == pytest.approx(f1_score(gold, predicted))
    else:
        assert confusion.f1 is None


@given(cases)
def test_brier_equals_scikit_learn(case: Case) -> None:
    p_true, gold = zip(*case, strict=True)
    assert brier(p_true, gold) == pytest.approx(brier_score_loss(gold, p_true, labels=[False, True]))


@given(cases)
def test_auroc_is_the_share_of_ordered_pairs(case: Case) -> None:
    p_true, gold = zip(*case, strict=True)
    pairs = [(p > q) + (p == q) / 2 for p, s in case if s for q, t in case if not t]
    assert auroc(p_true, gold) == (pytest.approx(sum(pairs) / len(pairs)) if pairs else None)


@given(cases)
def test_ece_is_the_weighted_gap_of_the_bins(case: Case) -> None:
    bins: dict[int, Case] = {}
    for p, gold in case:
        bins.setdefault(9 if p == 1 else int(p * 10), []).append((p, gold))
    gaps = (
        len(held) / len(case) * abs(sum(p for p, _ in held) / len(held) - sum(g for _, g in held) / len(held))
        for held in bins.values()
    )
    p_true, labels = zip(*case, strict=True)
    assert expected_calibration_error(p_true, labels) == pytest.approx(sum(gaps), abs=1e-12)


def test_ece_by_hand() -> None:
    # bin 9: mean .95, all S, gap .05; bin 2: mean .25, one of two S, gap .25; half of the atoms in each
    assert expected_calibration_error([0.9, 1.0, 0.2, 0.3 - 1e-15], [1, 1, 1, 0]) == pytest.approx(0.15)


def test_no_atoms_have_no_scores() -> None:
    assert (auroc([], []), brier([], []), expected_calibration_error([], [])) == (None, None, None)
    empty = Confusion()
    assert (empty.accuracy, empty.f1, empty.macro_f1) == (None, None, None)


def test_labels_of_one_kind() -> None:
    right, wrong = Confusion(true_positive=3), Confusion(true_negative=2)
    assert (right.f1, right.macro_f1) == (1.0, 1.0)
    assert (wrong.f1, wrong.macro_f1, wrong.accuracy) == (None, 1.0, 1.0)


def test_everything_supported_is_punished_by_macro_f1() -> None:
    confusion = Confusion(true_positive=63, false_positive=38)
    assert confusion.f1 == pytest.approx(0.768, abs=1e-3)
    assert confusion.macro_f1 == pytest.approx(0.384, abs=1e-3)


def test_unlabelled_and_unjudged_atoms_are_left_out() -> None:
    labelled = labelled_atoms(assessment([0.9, 0.9, None, 0.2, None], gold="S-SN-"))
    assert labelled is not None
    assert len(labelled.atoms) == 2
    assert labelled.left_out == 1
    assert (labelled.precision, labelled.gold_precision) == (0.5, 0.5)
    assert labelled.confusion == Confusion(true_positive=1, true_negative=1)
    assert labelled.brier == pytest.approx((0.01 + 0.04) / 2)


def test_without_labels_there_is_nothing() -> None:
    assert labelled_atoms(assessment([0.9, 0.1])) is None
    assert labelled_atoms(assessment([])) is None
    assert GoldTally().scores() is None


def test_an_undecided_atom_is_predicted_ns() -> None:
    labelled = labelled_atoms(assessment([0.5, 0.5], gold="SN"))
    assert labelled is not None
    assert labelled.confusion == Confusion(true_negative=1, false_negative=1)


def test_data_set_by_hand() -> None:
    first = assessment([0.9, 0.8, 0.3, 0.6], gold="SSNN")  # Pr .75, Pr* .5
    second = assessment([0.2, 0.4], gold="SN")  # Pr 0, Pr* .5
    scores = tallied(first, second)
    assert scores.confusion == Confusion(true_positive=2, true_negative=2, false_positive=1, false_negative=1)
    assert (scores.num_atoms, scores.num_records, scores.num_left_out) == (6, 2, 0)
    assert scores.accuracy == pytest.approx(4 / 6)
    assert scores.auroc == pytest.approx(6 / 9)  # of 9 pairs the S atom at .2 loses three
    assert scores.mean_precision == pytest.approx(0.375)
    assert scores.mean_gold_precision == pytest.approx(0.5)
    assert scores.mae_precision == pytest.approx((0.25 + 0.5) / 2)
    assert scores.mae_precision_interval == (pytest.approx(0.25), pytest.approx(0.5))


def test_one_record_has_no_interval() -> None:
    scores = tallied(assessment([0.9, 0.1], gold="SS"))
    assert scores.auroc is None
    assert scores.mae_precision == 0.5
    assert (scores.mean_precision_interval, scores.mae_precision_interval) == (None, None)


def test_labelled_but_never_judged() -> None:
    scores = tallied(assessment([None, None], gold="SN"))
    assert (scores.num_atoms, scores.num_left_out, scores.num_records) == (0, 2, 0)
    assert {scores.accuracy, scores.auroc, scores.brier, scores.ece, scores.mae_precision} == {None}


@given(st.lists(cases, min_size=1, max_size=4))
def test_a_tally_is_its_records_together(parts: list[Case]) -> None:
    apart = tallied(*map(made, parts))
    together = tallied(made([pair for part in parts for pair in part]))
    assert apart.confusion == together.confusion
    assert (apart.auroc, apart.brier, apart.ece) == (together.auroc, together.brier, together.ece)
