from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from factreasoner.graph.components import components


def test_components_by_first_member() -> None:
    assert components(7, [(5, 1), (4, 2), (2, 6), (3,)]) == [(0,), (1, 5), (2, 4, 6), (3,)]
    assert components(0, []) == []


@given(st.lists(st.lists(st.integers(0, 9), min_size=1, max_size=4), max_size=8))
def test_what_one_can_walk_to_is_one_component(scopes: list[list[int]]) -> None:
    found = components(10, scopes)
    assert sorted(i for group in found for i in group) == list(range(10))
    for start in range(10):
        reached = {start}
        for _ in range(10):
            reached |= {i for scope in scopes if not reached.isdisjoint(scope) for i in scope}
        assert tuple(sorted(reached)) in found
