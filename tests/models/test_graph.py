"""Sides of one half, and labels of atoms."""

import pytest

from factreasoner.models import Relation, side_of, support_of


@pytest.mark.parametrize(
    ("p", "side"),
    [(0.5, 0), (0.5 + 9e-10, 0), (0.5 - 9e-10, 0), (0.5 + 2e-9, 1), (0.5 - 2e-9, -1), (1.0, 1), (0.0, -1)],
)
def test_one_half_is_neither_true_nor_false(p, side):
    assert side_of(p) == side


@pytest.mark.parametrize(
    ("kinds", "below", "at_half"),
    [
        ("", "unverified", "unverified"),
        ("E", "unverified", "unverified"),
        ("Q", "unverified", "unverified"),
        ("C", "contradicted", "unverified"),
        ("CC", "contradicted", "unverified"),
        ("EC", "contradicted", "conflicting"),
        ("CQ", "contradicted", "conflicting"),
    ],
)
def test_what_is_not_supported_is_contradicted_only_where_something_contradicts_it(kinds, below, at_half):
    kind = {"E": "entailment", "C": "contradiction", "Q": "equivalence"}
    touching = [Relation(source="c", target="a", kind=kind[k], probability=0.9) for k in kinds]
    assert support_of(0.0, touching) == support_of(0.5 - 2e-9, touching) == below
    assert support_of(0.5, touching) == at_half
    assert support_of(0.5 + 2e-9, touching) == "supported"
