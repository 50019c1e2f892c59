"""Small random fact graphs, and their posteriors by brute force."""

import numpy as np
from hypothesis import strategies as st
from oracle import brute_force

from factreasoner.graph.factors import factor_graph
from factreasoner.models import Assessment, Atom, FactGraph, Node, Outcome, Relation

TABLES = ("conditional", "table1", "reference")


def without(graph, gone):
    """The graph less some nodes and their relations."""
    return FactGraph(
        nodes=tuple(node for node in graph.nodes if node.id not in gone),
        relations=tuple(r for r in graph.relations if r.source not in gone and r.target not in gone),
    )


def posteriors(graph, table, gone=()):
    """P(true) of every node that is left, by brute force."""
    found = brute_force(factor_graph(without(graph, gone), table))
    return {name: p for name, (_, p) in found.items()}


def assessed(graph, **outcome):
    """An assessment with this graph, as a run leaves it."""
    atoms = [node.id for node in graph.nodes if node.kind == "atom"]
    return Assessment(
        record_id="r1",
        status="ok",
        assessor="factreasoner",
        atoms=tuple(Atom(id=i, text=f"Text of {i}.") for i in atoms),
        outcome=Outcome(p_true={}, support={}, graph=graph, **outcome),
    )


def fact_graphs(*, max_atoms=4, max_contexts=6):
    """Graphs of all kinds: repeated and mutual relations, contexts among themselves, sure contexts."""

    def graph(seed):
        rng = np.random.default_rng(seed)
        atoms = [f"a{i}" for i in range(rng.integers(1, max_atoms + 1))]
        contexts = [f"c{i}" for i in range(rng.integers(0, max_contexts + 1))]
        priors = (0.3, 0.6, 0.9, 0.99, 1.0) if rng.random() < 0.5 else (0.9,)
        nodes = [Node(id=i, kind="atom", prior=float(rng.choice((0.5, 0.5, 0.7)))) for i in atoms]
        nodes += [Node(id=i, kind="context", prior=float(rng.choice(priors))) for i in contexts]
        rng.shuffle(nodes)
        relations = []
        for _ in range(rng.integers(0, 3 * len(nodes)) if contexts else 0):
            source, target = rng.choice(contexts), rng.choice(atoms + contexts)
            if source == target:
                continue
            kinds = ("entailment", "contradiction", "equivalence")
            kind = kinds[rng.choice(3, p=(0.6, 0.3, 0.1))]
            p = float(rng.choice((0.4, 0.5, 0.7, 0.8, 0.9, 0.95, 1.0)))
            relations.append(Relation(source=source, target=target, kind=kind, probability=p))
        return FactGraph(nodes=tuple(nodes), relations=tuple(relations))

    return st.integers(0, 2**32 - 1).map(graph)
