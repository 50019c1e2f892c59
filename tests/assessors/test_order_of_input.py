"""The order of contexts, atoms and verdicts changes no posterior and no label."""

import random
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shuffled_cases import Case

from factreasoner.models import FactorTable
from factreasoner.pipeline.config import Config


@pytest.mark.parametrize("table", get_args(FactorTable))
@pytest.mark.parametrize("version", [1, 2, 3])
@settings(max_examples=30, deadline=None)
@given(
    solver=st.sampled_from(["exact", "auto", "pgmpy"]),
    seed=st.integers(0, 2**32),
    merge_sources=st.booleans(),
)
def test_any_order_gives_the_same(version, table, solver, seed, merge_sources):
    case = Case(seed)
    config = Config.model_validate(
        {"version": version, "factors": table, "independence": merge_sources, "summary_prior": True}
    )
    first = case.outcome(config, solver)
    again = case.outcome(config, solver, random.Random(seed))
    assert set(first.graph.nodes) == set(again.graph.nodes)
    assert set(again.graph.relations) == set(first.graph.relations)
    assert len(again.graph.relations) == len(first.graph.relations)
    assert again.p_true == pytest.approx(first.p_true, abs=1e-12, rel=0)
    assert again.support == first.support
    for field in ("unjudged", "partly_judged"):
        assert sorted(getattr(again, field)) == sorted(getattr(first, field))
    assert {f.item_id for f in again.failures} == {f.item_id for f in first.failures}
