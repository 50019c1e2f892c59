import itertools
import math
import random

import networkx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from factreasoner.solvers import elimination
from factreasoner.solvers.elimination import eliminate


def grid(rows, columns):
    numbered = networkx.convert_node_labels_to_integers(networkx.grid_2d_graph(rows, columns))
    return [tuple(edge) for edge in numbered.edges]


@pytest.mark.parametrize(
    ("count", "scopes", "width"),
    [
        (1, [], 0),
        (5, [], 0),
        (6, [(0, i) for i in range(1, 6)], 1),
        (8, [(i, (i + 1) % 8) for i in range(8)], 2),
        (9, [(0, 1, 2, 3), (3, 4), (5, 6)], 3),
        (16, grid(4, 4), 4),
        (12, list(itertools.combinations(range(12), 2)), 11),
        (14, [(a, 7 + c) for a in range(7) for c in range(7)], 7),
    ],
)
def test_widths_known(count, scopes, width):
    plan = eliminate([2] * count, scopes)
    assert sorted(plan.order) == list(range(count))
    assert plan.width == width
    assert plan.largest_table == 2 ** (width + 1)


def holds(sizes, scopes):
    """The sizes of the tables are those of the cliques that the order makes, replayed on a graph."""
    found = eliminate(sizes, scopes)
    graph = networkx.Graph()
    graph.add_nodes_from(range(len(sizes)))
    graph.add_edges_from(pair for scope in scopes for pair in itertools.combinations(scope, 2))
    tables, widths = [], []
    for variable in found.order:
        neighbours = list(graph[variable])
        tables.append(math.prod(sizes[i] for i in (variable, *neighbours)))
        widths.append(len(neighbours))
        graph.add_edges_from(itertools.combinations(neighbours, 2))
        graph.remove_node(variable)
    assert (found.total, found.largest_table, found.width) == (sum(tables), max(tables), max(widths))


@given(st.data())
def test_clique_sizes_match_the_elimination_order(data):
    count = data.draw(st.integers(1, 9))
    sizes = data.draw(st.lists(st.integers(1, 4), min_size=count, max_size=count))
    variables = st.integers(0, count - 1)
    holds(sizes, data.draw(st.lists(st.lists(variables, min_size=1, max_size=3, unique=True), max_size=12)))


def test_min_fill_is_tried_for_large_tables(monkeypatch):
    rng = random.Random(1)
    pairs = [pair for pair in itertools.combinations(range(60), 2) if rng.random() < 0.12]
    sizes = [rng.choice((2, 2, 3)) for _ in range(60)]
    holds(sizes, pairs)
    tried = eliminate(sizes, pairs)
    monkeypatch.setattr(elimination, "FILL_WORK", 0)
    assert tried.total < eliminate(sizes, pairs).total


def test_huge_networks_get_an_exact_count_at_once():
    plan = eliminate([3] * 400, [(a, 200 + c) for a in range(200) for c in range(200)])
    assert plan.width == 200
    assert plan.largest_table == 3**201


def test_grid_elimination_has_width_of_its_side():
    """Its width is its side; greedy orders make 28 of 20."""
    side = 20
    shuffled = random.Random(0).sample(range(side * side), side * side)
    found = eliminate([2] * side * side, [(shuffled[i], shuffled[j]) for i, j in grid(side, side)])
    assert found.width <= side + 1
    assert sorted(found.order) == list(range(side * side))


def test_one_variable_of_a_million_states():
    assert eliminate([1 << 20], []).total == 1 << 20
