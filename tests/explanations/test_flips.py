import itertools
import time

import numpy as np
import pytest
from fact_graphs import TABLES, fact_graphs, posteriors, without
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import graph_of

from factreasoner.calibration.calibrators import Platt
from factreasoner.explanations.flips import STANDARD_ERRORS, FlipSearch, Labels, Scale
from factreasoner.explanations.parts import network
from factreasoner.explanations.removal import log_odds, probability, removals
from factreasoner.models import support_of
from factreasoner.solvers.exact import ExactSolver

SOLVER = ExactSolver()


class Told:
    """Removals that know nothing but the log-odds they are told, of one atom, by the contexts left out."""

    solves, exact, untold = 0, True, ""

    def __init__(self, count, told, *, otherwise=2.0, affordable=10**6, stderr=None):
        self.candidates = tuple(range(count))
        self.stderr = stderr
        self.affordable = affordable
        self.at_once = 1
        self.tried = []
        self._told, self._otherwise = told, otherwise

    def whole(self):
        return None

    def one_by_one(self):
        return self._rows([(c,) for c in self.candidates])

    def log_odds(self, sets):
        self.tried += [tuple(sorted(gone)) for gone in sets]
        return self._rows(sets)

    def _rows(self, sets):
        rows = [self._told.get(tuple(sorted(gone)), self._otherwise) for gone in sets]
        return np.array(rows).reshape(len(sets), 1)


def searched(ways, *, base=2.0, size=3, additive=False):
    lasting = np.ones((1, len(ways.candidates) + 1), dtype=bool)
    # evidence that stays, of both kinds unless effects add up: a label is a side of one half
    labels = Labels(lasting, lasting & (not additive))
    return FlipSearch(ways, np.array([base]), ways.one_by_one(), additive=additive, labels=labels).search(
        size
    )


def test_with_a_context_of_both_kinds_the_largest_effects_are_not_the_smallest_set():
    effects = {0: 1.0, 1: -0.1, 2: -1.0}  # 0 contradicts, 1 supports, 2 does both
    sets = [gone for n in range(4) for gone in itertools.combinations(effects, n)]
    ways = Told(3, {gone: -2.0 + sum(map(effects.get, gone)) for gone in sets})
    labels = Labels(np.array([[False, True, True, False]]), np.array([[True, False, True, False]]))
    search = FlipSearch(ways, np.array([-2.0]), ways.one_by_one(), additive=True, labels=labels)
    (flip,) = search.search().found
    assert (flip.contexts, flip.smallest) == ((0, 2), True)


@pytest.mark.parametrize(
    ("told", "contexts"),
    [
        ({(0, 1, 2): -5.0, (2, 3): -0.5}, (2, 3)),  # fewer, though it goes less far
        ({(1, 3): -0.5, (2, 3): -1.0}, (2, 3)),  # further
    ],
)
def test_the_fewest_contexts_flip_and_of_so_many_those_that_go_furthest(monkeypatch, told, contexts):
    monkeypatch.setattr("factreasoner.explanations.flips._SETS_AT_ONCE", 1)
    (flip,) = searched(Told(4, {(n,): 1.0 + n / 10 for n in range(4)} | told)).found
    assert flip.contexts == contexts


def found_in(part, graph, table, size):
    base = SOLVER.marginals(network(graph, table, ()).graph)
    ways = removals(part, base, lambda _: SOLVER, deadline=time.monotonic() + 600.0)
    now = log_odds(base, [part.graph.names[i] for i in part.atoms])
    labels = Labels.of(part, graph.evidence())
    return FlipSearch(ways, now, ways.one_by_one(), additive=part.additive, labels=labels).search(size)


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
        for i, flip, tried in zip(part.atoms, flips.found, flips.searched, strict=True):
            assert tried >= min(size, len(part.contexts)) or (flip and len(flip.contexts) <= tried + 1)
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


def test_of_several_smallest_sets_the_one_that_goes_furthest():
    flips = searched(Told(3, {(0,): -0.1, (1,): -0.7, (2,): 0.4}))
    assert flips.found[0] == ((1,), -0.7, True)


def test_an_conflicting_atom_flips_either_way():
    assert searched(Told(2, {(0,): 0.3, (1,): -0.4}), base=0.0).found[0] == ((1,), -0.4, True)
    assert searched(Told(4, {(0, 1, 2, 3): -0.4}, otherwise=0.0), base=0.0) == ((None,), (3,))


@pytest.mark.parametrize("side", [1, -1])
def test_single_effects_mislead_and_all_pairs_put_it_right(side):
    """Taken by their own effects 0, 1 and 2 go first; 3 and 4 do it together without any effect alone."""
    told = {(0,): 1.0, (1,): 1.2, (2,): 1.4, (0, 1): 0.5, (0, 1, 2): -0.5, (3, 4): -0.1}
    ways = Told(5, {gone: side * odds for gone, odds in told.items()}, otherwise=2.0 * side)
    assert searched(ways, base=2.0 * side).found[0] == ((3, 4), side * -0.1, True)
    assert searched(ways, base=2.0 * side, size=1).found[0] == ((0, 1, 2), side * -0.5, False)


def test_a_pair_that_is_found_on_the_way_down_is_not_searched_for_again():
    ways = Told(4, {(0,): 1.0, (1,): 1.2, (0, 1): -0.1, (2, 3): -0.9})
    assert searched(ways).found[0] == ((0, 1), -0.1, True)
    assert ways.tried == [(0, 1)]


def test_where_effects_add_up_what_could_not_be_tried_is_not_called_searched():
    assert searched(Told(4, {}), additive=True).searched == (4,)
    assert searched(Told(4, {}, affordable=2), additive=True).searched == (1,)


def test_a_set_is_pared_down_to_what_is_needed():
    told = {(0,): 1.0, (1,): 1.2, (2,): 1.4, (0, 1): 0.5, (0, 1, 2): -0.5, (1, 2): -0.2, (0, 2): 0.1}
    for affordable, found in ((5, ((1, 2), -0.2, True)), (4, ((0, 1, 2), -0.5, False))):
        assert searched(Told(4, told, affordable=affordable), size=1).found[0] == found


def test_larger_sets_are_found_but_not_called_smallest():
    told = {tuple(range(5)): -1.0} | {(c,): 1.0 + c / 10 for c in range(6)}
    ways = Told(6, told)
    assert searched(ways).found[0] == (tuple(range(5)), -1.0, False)
    assert searched(ways).searched == (3,)
    assert searched(ways, size=4).found[0] == (tuple(range(5)), -1.0, True)


def test_the_search_stops_at_what_it_may_try():
    told = {tuple(range(5)): -1.0} | {(c,): 1.0 + c / 10 for c in range(6)}
    for affordable in range(30):
        ways = Told(6, told, affordable=affordable)
        flips = searched(ways)
        assert len(ways.tried) <= affordable
        # Four prefixes, five of five less one, then fifteen pairs.
        assert (flips.found[0] is not None) == (affordable >= 4)
        assert flips.searched == ((2,) if affordable >= 24 else (1,))
        assert not (flips.found[0] and flips.found[0].smallest)


def test_a_label_that_sampling_leaves_in_doubt_is_not_changed():
    told = {(0,): -0.01, (1,): 1.0, (0, 1): -1.0}
    doubt = 0.01 / STANDARD_ERRORS
    assert searched(Told(2, told, stderr=doubt)).found[0] == ((0, 1), -1.0, True)
    assert searched(Told(2, told)).found[0] == ((0,), -0.01, True)
    assert searched(Told(2, {(0,): 0.0}, stderr=doubt)).found[0] == ((0,), 0.0, True)


def test_an_atom_with_contexts_of_its_own_needs_no_search():
    """Seven of twelve must go: far beyond what is tried, and known to be smallest all the same."""
    relations = [(f"c{i:02}", "a", "entailment", 0.6 + i / 40) for i in range(9)]
    relations += [(f"c{i}", "a", "contradiction", 0.9) for i in range(20, 22)]
    graph = graph_of(*relations)
    (part,) = network(graph, "conditional", {"a"}).parts
    assert part.additive
    flips = found_in(part, graph, "conditional", 1)
    flip = flips.found[0]
    assert flip.smallest
    size = len(flip.contexts)
    assert size > 3
    best = min(
        posteriors(graph, "conditional", gone)["a"]
        for gone in itertools.combinations([f"c{i:02}" for i in range(9)], size - 1)
    )
    assert best > 0.5


def held(graph, prior):
    nodes = (n.model_copy(update={"prior": prior}) if n.kind == "atom" else n for n in graph.nodes)
    return graph.model_copy(update={"nodes": tuple(nodes)})


def test_an_atom_that_its_prior_holds_up_is_unverified_without_its_support():
    graph = held(graph_of(("c1", "a", "entailment", 0.9), ("c2", "a", "entailment", 0.7)), 0.8)
    (part,) = network(graph, "conditional", {"a"}).parts
    (flip,), _ = found_in(part, graph, "conditional", 1)
    assert (len(flip.contexts), flip.smallest) == (2, True)
    assert flip.log_odds > 1.0


def test_an_unverified_atom_stays_so_on_either_side_of_one_half():
    """A weak contradiction leaves P above one half; without it, P only rises."""
    graph = held(graph_of(("c1", "a", "contradiction", 0.6)), 0.8)
    (part,) = network(graph, "conditional", {"a"}).parts
    assert found_in(part, graph, "conditional", 1) == ((None,), (1,))


@pytest.mark.parametrize(("intercept", "side"), [(1.0, 1), (-1.0, -1)])
def test_a_calibration_that_says_the_same_of_all_posteriors_has_one_side(intercept, side):
    scale = Scale(Platt(slope=0.0, intercept=intercept))
    odds = np.array([-9.0, 0.1, 9.0])
    assert scale.sides(odds).tolist() == [side] * 3
    assert scale.clear(odds, 0.4).all()
