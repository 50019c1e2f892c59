"""Krippendorff's alpha: the worked example of its author, and what its definition demands."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factreasoner.metrics.agreement import Agreement

OBSERVERS = ("123321412...", "1233224125.3", ".3332342251.", "12332441251.")
"""Krippendorff (2011), section C: four observers, twelve units, a stop where there is no value."""


def alpha(units):
    found = Agreement()
    for values in units:
        found.add(values)
    return found.alpha


def test_the_published_example():
    units = [[value for value in unit if value != "."] for unit in zip(*OBSERVERS, strict=True)]
    found = Agreement()
    for unit in units:
        found.add(unit)
    assert found.alpha == pytest.approx(0.743, abs=0.0005)
    assert found.units == 11


def test_its_ends():
    assert alpha(["aa", "bb", "aa"]) == 1
    assert alpha([]) is alpha(["a", "b"]) is alpha(["aa", "aa"]) is None
    assert alpha(["ab", "ba"]) < 0


@given(st.lists(st.lists(st.sampled_from("abc"), max_size=4), max_size=8))
def test_by_its_definition_over_all_pairs_of_values(units):
    """1 - D_o / D_e: disagreeing pairs inside units, against those of all values that can be paired."""
    paired = [unit for unit in units if len(unit) > 1]
    values = [value for unit in paired for value in unit]
    observed = sum(
        sum(a != b for a, b in itertools.permutations(unit, 2)) / (len(unit) - 1) for unit in paired
    )
    expected = sum(a != b for a, b in itertools.permutations(values, 2))
    n = len(values)
    wanted = 1 - (observed / n) / (expected / (n * (n - 1))) if expected else None
    assert alpha(units) == (None if wanted is None else pytest.approx(wanted))
