"""Marginals by brute force, and hypothesis strategies for the networks to hold solvers against."""

import itertools
import os
from collections import Counter
from fractions import Fraction
from pathlib import Path

import numpy as np
from hypothesis import strategies as st

from factreasoner.models import FactGraph, Node, Relation
from factreasoner.models.graph import Factor, FactorGraph

DATA = Path(os.environ.get("FACTREASONER_DATA") or Path(__file__).resolve().parents[2] / "shared" / "data")


def uai_marginals(path):
    """The marginals of a UAI result file: MAR, their number, then size and entries of each."""
    task, count, *words = path.read_text("utf-8").split()
    assert task == "MAR"
    marginals = []
    while words:
        size = int(words[0])
        marginals.append(tuple(map(float, words[1 : size + 1])))
        words = words[size + 1 :]
    assert len(marginals) == int(count)
    return marginals


def brute_force(graph):
    """Exact marginals from the whole joint table, one axis a variable."""
    count = len(graph.names)
    joint = np.ones(graph.cardinalities)
    for factor in graph.factors:
        table = factor.table / factor.table.max()
        joint = np.einsum(joint, range(count), table, factor.scope, range(count))
    for i, observed in graph.evidence.items():
        joint *= (np.arange(graph.cardinalities[i]) == observed).reshape([-1] + [1] * (count - i - 1))
    joint /= joint.sum()
    return {
        name: tuple(float(p) for p in np.einsum(joint, range(count), [i]))
        for i, name in enumerate(graph.names)
    }


def graph_of(*relations, prior=0.9):
    """A graph from (source, target, kind, probability); names that begin with "a" are atoms."""
    names = dict.fromkeys(name for relation in relations for name in relation[:2])
    return FactGraph(
        nodes=tuple(
            Node(id=name, kind="atom", prior=0.5)
            if name.startswith("a")
            else Node(id=name, kind="context", prior=prior)
            for name in sorted(names)
        ),
        relations=tuple(
            Relation(source=s, target=t, kind=kind, probability=p) for s, t, kind, p in relations
        ),
    )


def exact_marginals(graph):
    """Exact marginals in rational arithmetic, state by state; None where every joint state has probability 0.

    No number is ever rounded but the last quotient, so that no range of entries is too wide.
    """
    tables = [
        (factor.scope, {at: Fraction(float(x)) ** count for at, x in np.ndenumerate(factor.table)})
        for factor, count in Counter(graph.factors).items()
    ]
    weights = [[Fraction(0)] * size for size in graph.cardinalities]
    for states in itertools.product(*map(range, graph.cardinalities)):
        if any(states[i] != observed for i, observed in graph.evidence.items()):
            continue
        weight = Fraction(1)
        for scope, table in tables:
            weight *= table[tuple(states[i] for i in scope)]
            if not weight:
                break
        for i, state in enumerate(states):
            weights[i][state] += weight
    total = sum(weights[0]) if weights else Fraction(1)
    if not total:
        return None
    return {
        name: tuple(float(w / total) for w in found) for name, found in zip(graph.names, weights, strict=True)
    }


def largest_error(found, expected):
    """Largest difference of any probability of any variable."""
    assert list(found.probabilities) == list(expected)
    return max(
        (
            abs(p - q)
            for name in expected
            for p, q in zip(found.probabilities[name], expected[name], strict=True)
        ),
        default=0.0,
    )


@st.composite
def networks(draw, *, max_variables=7, max_states=4, max_scope=3, zeros=True):
    """Small networks: any scope order, repeated and nested scopes, isolated variables, evidence, zeros."""
    count = draw(st.integers(1, max_variables))
    cardinalities = tuple(
        draw(st.integers(1 if draw(st.booleans()) else 2, max_states)) for _ in range(count)
    )
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    factors = []
    for _ in range(draw(st.integers(0, 2 * count))):
        size = draw(st.integers(1, min(max_scope, count)))
        scope = tuple(int(i) for i in rng.permutation(count)[:size])
        # The first state of every variable keeps a positive weight, so that no network is inconsistent.
        table = rng.exponential(size=[cardinalities[i] for i in scope])
        if zeros:
            table *= rng.random(table.shape) < draw(st.sampled_from((0.6, 1.0)))
        table[(0,) * size] = 1.0
        factors.append(Factor(scope, table * draw(st.sampled_from((1.0, 1e-200, 1e200)))))
    observed = draw(st.sets(st.integers(0, count - 1), max_size=2))
    return FactorGraph(
        names=tuple(f"n{i}" for i in rng.permutation(count)),
        cardinalities=cardinalities,
        factors=tuple(factors),
        evidence=dict.fromkeys(observed, 0),
    )


@st.composite
def wild_networks(draw, *, max_variables=6):
    """Entries over 60 orders of magnitude and zeros, the same tables many times over, alike variables.

    Evidence may contradict the tables; so may the tables one another.
    """
    count = draw(st.integers(1, max_variables))
    cardinalities = tuple(draw(st.sampled_from((2, 2, 2, 3))) for _ in range(count))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    widest = draw(st.sampled_from((2, 15, 30)))
    p_zero = draw(st.sampled_from((0.0, 0.05, 0.3)))
    factors = []
    for _ in range(draw(st.integers(1, 3 * count))):
        size = draw(st.integers(1, min(3, count)))
        scope = tuple(int(i) for i in rng.permutation(count)[:size])
        shape = [cardinalities[i] for i in scope]
        table = 10.0 ** rng.uniform(-widest, widest, shape) * (rng.random(shape) >= p_zero)
        factors += [Factor(scope, table)] * draw(st.sampled_from((1, 1, 1, 2, 20, 60)))
        for j in range(count):
            # The same table to another variable: exchangeable neighbours.
            if size == 2 and draw(st.booleans()) and j not in scope and cardinalities[j] == shape[1]:
                factors.append(Factor((scope[0], j), table))
    observed = draw(st.dictionaries(st.integers(0, count - 1), st.integers(0, 1), max_size=2))
    return FactorGraph(tuple(f"n{i}" for i in range(count)), cardinalities, tuple(factors), observed)


def hub(leaves=32):
    """A hub whose leaves are alike, each with tiny entries: P(hub) is .5 where their product underflows."""
    factors = [Factor((0,), np.array([0.5, 0.5]))]
    for i in range(1, leaves + 1):
        factors.append(Factor((i,), np.array([1e-12, 1.0])))
        factors.append(Factor((0, i), np.array([[1.0, 1e-11], [1.0, 1.5e-11]])))
    count = leaves + 1
    return FactorGraph(tuple(f"x{i}" for i in range(count)), (2,) * count, tuple(factors))
