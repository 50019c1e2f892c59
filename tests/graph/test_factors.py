"""Tables of relations, and connected components."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import graph_of

from factreasoner.graph.factors import components, factor_graph, relation_table
from factreasoner.solvers.exact import ExactSolver


@pytest.mark.parametrize(
    ("given", "used"), [(0.0, 0.5), (0.3, 0.5), (0.5, 0.5), (0.9, 0.9), (0.9995, 0.999), (1.0, 0.999)]
)
@pytest.mark.parametrize(
    ("kind", "cell"), [("entailment", (1, 1)), ("contradiction", (1, 0)), ("equivalence", (0, 0))]
)
def test_probabilities_are_clamped_for_factors(kind, cell, given, used):
    assert factor_graph(graph_of(("c", "a", kind, given))).factors[2].table[cell] == used


@pytest.mark.parametrize("p", [0.5, 0.8, 0.999])
def test_contexts_that_contradict_each_other_do_so_alike(p):
    """Both can't be right, and a false source says nothing; with p = 0.5 that is nothing at all."""
    found = relation_table("contradiction", p, "conditional", source="context", target="context")
    np.testing.assert_array_equal(found, [[0.5, 0.5], [0.5, 1 - p]])
    turned = relation_table("contradiction", p, "table1", source="context", target="context")
    np.testing.assert_array_equal(turned, turned.T)


def documented():
    """The tables of docs/inference.md: (relation, table) -> its numbers."""
    lines = (Path(__file__).parents[2] / "docs" / "inference.md").read_text("utf-8").splitlines()
    start = lines.index("| relation | `conditional` | `table1` | `reference` |")
    for line in lines[start + 2 : lines.index("", start)]:
        relation, *cells = (cell.strip() for cell in line.strip("|").split("|"))
        for table, cell in zip(("conditional", "table1", "reference"), cells, strict=True):
            yield relation, table, [float(value) for value in cell.split()]


ENDS = {
    "context entails atom": ("entailment", "atom"),
    "context contradicts atom": ("contradiction", "atom"),
    "context entails context": ("entailment", "context"),
    "context contradicts context": ("contradiction", "context"),
    "contexts are equivalent": ("equivalence", "context"),
}


def test_the_documented_tables_are_those_of_the_network():
    found = list(documented())
    assert len(found) == 3 * len(ENDS)
    for relation, table, numbers in found:
        kind, target = ENDS[relation]
        made = relation_table(kind, 0.9, table, source="context", target=target)
        assert made.ravel().tolist() == pytest.approx(numbers, abs=1e-15), (relation, table)


def test_the_documented_example_by_enumeration():
    """One context of prior 0.9 entails one atom of prior 0.5."""
    known = {
        table: numbers for relation, table, numbers in documented() if relation == "context entails atom"
    }
    for table, expected in (("conditional", 0.86), ("reference", 0.86), ("table1", 0.45 / 0.54)):
        weights = [(0.1, 0.9)[c] * 0.5 * known[table][2 * c + a] for c in (0, 1) for a in (0, 1)]
        assert (weights[1] + weights[3]) / sum(weights) == pytest.approx(expected)
        solved = ExactSolver().marginals(factor_graph(graph_of(("c", "a", "entailment", 0.9)), table))
        assert solved.p_true["a"] == pytest.approx(expected)


def test_reference_tables_use_the_target_constant():
    graph = graph_of(("c", "a", "entailment", 0.8), ("c", "d", "entailment", 0.8), prior=0.6)
    found = factor_graph(graph, "reference")
    np.testing.assert_allclose(found.factors[3].table, [[0.5, 0.5], [0.2, 0.8]])
    np.testing.assert_allclose(found.factors[4].table, [[0.1, 0.9], [0.2, 0.8]])
    assert [factor.scope for factor in found.factors] == [(0,), (1,), (2,), (1, 0), (1, 2)]
    np.testing.assert_allclose(found.factors[1].table, [0.4, 0.6])
    assert found.names == ("a", "c", "d")
    assert found.cardinalities == (2, 2, 2)


def test_components_by_first_member():
    assert components(7, [(5, 1), (4, 2), (2, 6), (3,)]) == [(0,), (1, 5), (2, 4, 6), (3,)]
    assert components(0, []) == []


@given(st.lists(st.lists(st.integers(0, 9), min_size=1, max_size=4), max_size=8))
def test_connected_variables_form_one_component(scopes):
    found = components(10, scopes)
    assert sorted(i for group in found for i in group) == list(range(10))
    for start in range(10):
        reached = {start}
        for _ in range(10):
            reached |= {i for scope in scopes if not reached.isdisjoint(scope) for i in scope}
        assert tuple(sorted(reached)) in found
