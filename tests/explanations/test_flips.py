import itertools
import time

import numpy as np
import pytest
from fact_graphs import TABLES, fact_graphs, posteriors, without
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import graph_of

from factreasoner.errors import OutOfTimeError
from factreasoner.explanations.flips import FlipSearch
from factreasoner.explanations.parts import network
from factreasoner.explanations.removal import probability, removals
from factreasoner.models import support_of
from factreasoner.solvers.exact import ExactSolver

SOLVER = ExactSolver()


class Told:
    """Removals that know nothing but the log-odds they are told, of one atom, by the contexts left out."""

    at_once = 1

    def __init__(self, count, told, *, otherwise=2.0, affordable=10**6):
        self.candidates = tuple(range(count))
        self.affordable, self.tried = affordable, []
        self._told, self._otherwise = told, otherwise

    def log_odds(self, sets):
        self.tried += sets
        return np.array([[self._told.get(tuple(sorted(gone)), self._otherwise)] for gone in sets])


def searched(ways, *, base=2.0, size=3, additive=False):
    alone = ways.log_odds([(c,) for c in ways.candidates])
    ways.tried.clear()
    sides = np.sign([base])
    search = FlipSearch(
        ways, alone, sides, lambda _, odds, gone: np.sign(odds) != sides[0], additive=additive
    )
    search.search([0], size)
    return search.found.get(0), search.searched


def found_in(part, graph, table, size):
    base = SOLVER.marginals(network(graph, table, ()).graph).p_true
    ways = removals(part, SOLVER.marginals(part.graph), lambda _: SOLVER, deadline=time.monotonic() + 600.0)
    names = [part.graph.names[i] for i in part.atoms]

    def changes(atom, odds, gone):
        then, lost = {names[atom]: float(probability(odds))}, [part.graph.names[c] for c in gone]
        return label_without(graph, names[atom], then, lost) != label_without(graph, names[atom], base)

    sides = np.sign([base[name] - 0.5 for name in names])
    search = FlipSearch(ways, ways.one_by_one(), sides, changes, additive=part.additive)
    return search.search(range(len(names)), size)


def label_without(graph, atom, p, lost=()):
    return support_of(p[atom], without(graph, lost).evidence()[atom])


@settings(max_examples=60)
@given(fact_graphs(max_atoms=3, max_contexts=5), st.sampled_from(TABLES), st.integers(1, 3))
def test_sets_are_as_small_as_said_and_do_what_they_say(graph, table, size):
    now = posteriors(graph, table)
    for part in network(graph, table, {node.id for node in graph.nodes}).parts:
        names = part.graph.names
        flips = found_in(part, graph, table, size)
        label = {i: label_without(graph, names[i], now) for i in part.atoms}
        smallest = {}
        for count in range(1, len(part.contexts) + 1):
            for gone in itertools.combinations(part.contexts, count):
                lost = {names[c] for c in gone}
                then = posteriors(graph, table, lost)
                for i in part.atoms:
                    if label_without(graph, names[i], then, lost) != label[i]:
                        smallest.setdefault(i, count)
        tried = flips.searched
        assert tried >= min(size, len(part.contexts)) or len(flips.found) == len(part.atoms)
        for atom, i in enumerate(part.atoms):
            flip = flips.found.get(atom)
            if flip is None:
                assert smallest.get(i, tried + 1) > tried
                continue
            lost = {names[c] for c in flip.contexts}
            then = posteriors(graph, table, lost)
            assert then[names[i]] == pytest.approx(float(probability(flip.log_odds)), abs=1e-9)
            assert label_without(graph, names[i], then, lost) != label[i]
            assert len(flip.contexts) >= smallest[i]
            if flip.smallest or len(flip.contexts) <= tried + 1:
                assert len(flip.contexts) == smallest[i]


def test_of_the_smallest_sets_the_one_that_goes_furthest():
    assert searched(Told(3, {(0,): -0.1, (1,): -0.7, (2,): 0.4})) == (((1,), -0.7, True), 1)
    assert searched(Told(4, {(0, 1, 2): -5.0, (1, 3): -0.5, (2, 3): -1.0})) == (((2, 3), -1.0, True), 2)


@pytest.mark.parametrize("side", [1, -1])
def test_larger_sets_are_found_by_single_effects_and_not_called_smallest(side):
    told = {tuple(range(5)): -side * 1.0} | {(c,): side * (1.0 + c / 10) for c in range(6)}
    for size, smallest in ((3, False), (4, True), (5, True)):
        ways = Told(6, told, otherwise=2.0 * side)
        assert searched(ways, base=2.0 * side, size=size)[0] == (tuple(range(5)), -side * 1.0, smallest)
    assert searched(Told(6, told, otherwise=2.0 * side), base=2.0 * side, size=0) == (None, 0)


def test_the_search_stops_at_what_it_may_try():
    told = {tuple(range(5)): -1.0} | {(c,): 1.0 + c / 10 for c in range(6)}
    for affordable in range(50):
        ways = Told(6, told, affordable=affordable)
        found, tried = searched(ways)
        assert len(ways.tried) <= affordable
        # Four prefixes; all pairs and all of three, where six larger ones may be tried afterwards.
        assert (found is not None) == (affordable >= 4)
        assert tried == 1 + (affordable >= 15 + 6) + (affordable >= 15 + 20 + 6)
        assert found is None or not found.smallest


def test_where_effects_add_up_what_could_not_be_tried_is_not_called_searched():
    assert searched(Told(4, {}), additive=True) == (None, 4)
    assert searched(Told(4, {}, affordable=2), additive=True) == (None, 1)


def test_where_effects_add_up_one_set_of_each_size_is_enough():
    ways = Told(6, {})
    searched(ways, additive=True)
    assert len(ways.tried) == 5


def test_what_was_found_before_the_time_was_over_stands():
    class Short(Told):
        def log_odds(self, sets):
            if len(sets[0]) > 1:
                raise OutOfTimeError("the time is up")
            return super().log_odds(sets)

    assert searched(Short(3, {})) == (None, 1)


def test_a_set_is_pared_down_to_what_is_needed():
    told = {(0,): 1.0, (1,): 1.2, (2,): 1.4, (0, 1): 0.5, (0, 1, 2): -0.5, (1, 2): -0.2, (0, 2): 0.1}
    for affordable, found in ((5, ((1, 2), -0.2, True)), (4, ((0, 1, 2), -0.5, False))):
        assert searched(Told(4, told, affordable=affordable), size=1)[0] == found


def test_a_conflicting_atom_flips_either_way():
    assert searched(Told(2, {(0,): 0.3, (1,): -0.4}), base=0.0)[0] == ((1,), -0.4, True)


def test_an_atom_with_contexts_of_its_own_needs_no_search():
    """Seven of twelve must go: far beyond what is tried, and known to be smallest all the same."""
    relations = [(f"c{i:02}", "a", "entailment", 0.6 + i / 40) for i in range(9)]
    relations += [(f"c{i}", "a", "contradiction", 0.9) for i in range(20, 22)]
    graph = graph_of(*relations)
    (part,) = network(graph, "conditional", {"a"}).parts
    flip = found_in(part, graph, "conditional", 1).found[0]
    assert flip.smallest
    size = len(flip.contexts)
    assert size > 3
    best = min(
        posteriors(graph, "conditional", gone)["a"]
        for gone in itertools.combinations([f"c{i:02}" for i in range(9)], size - 1)
    )
    assert best > 0.5


def test_contexts_that_are_joined_twice_or_to_each_other_do_not_add_up():
    one, other = ("c1", "a", "entailment", 0.9), ("c2", "a", "entailment", 0.9)
    twice, beside = ("c1", "a", "contradiction", 0.9), ("c1", "c2", "contradiction", 0.9)
    for relations in ((one, other), (one, other, twice), (one, other, beside), (one, beside)):
        (part,) = network(graph_of(*relations), "conditional", {"a"}).parts
        assert part.additive == (relations == (one, other))


def held(graph, prior):
    nodes = (n.model_copy(update={"prior": prior}) if n.kind == "atom" else n for n in graph.nodes)
    return graph.model_copy(update={"nodes": tuple(nodes)})


def test_an_atom_that_its_prior_holds_up_is_unverified_without_its_support():
    graph = held(graph_of(("c1", "a", "entailment", 0.9), ("c2", "a", "entailment", 0.7)), 0.8)
    (part,) = network(graph, "conditional", {"a"}).parts
    flip = found_in(part, graph, "conditional", 1).found[0]
    assert (len(flip.contexts), flip.smallest) == (2, True)
    assert flip.log_odds > 1.0


def test_an_unverified_atom_stays_so_on_either_side_of_one_half():
    """A weak contradiction leaves P above one half; without it, P only rises."""
    graph = held(graph_of(("c1", "a", "contradiction", 0.6)), 0.8)
    (part,) = network(graph, "conditional", {"a"}).parts
    assert found_in(part, graph, "conditional", 1).found == {}
