from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from factreasoner.solvers.colouring import colour_classes


@given(st.data())
def test_no_two_neighbours_share_a_colour(data: st.DataObject) -> None:
    count = data.draw(st.integers(1, 12))
    variables = st.integers(0, count - 1)
    scopes = data.draw(st.lists(st.lists(variables, min_size=1, max_size=3, unique=True), max_size=20))
    classes = colour_classes(count, scopes)
    assert sorted(i for members in classes for i in members) == list(range(count))
    assert all(classes)
    colour = {i: c for c, members in enumerate(classes) for i in members}
    for scope in scopes:
        assert len({colour[i] for i in scope}) == len(scope)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(10, 29)), min_size=1))
def test_atoms_and_contexts_take_two_colours(pairs: list[tuple[int, int]]) -> None:
    assert len(colour_classes(30, pairs)) == 2


def test_a_clique_takes_as_many_as_it_has_variables() -> None:
    assert len(colour_classes(5, list(itertools.combinations(range(5), 2)))) == 5
