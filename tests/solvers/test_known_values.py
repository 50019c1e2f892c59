"""Published and measured posteriors, through fact graph, factors and every exact solver."""

import itertools
import json
import random
from collections import defaultdict

import numpy as np
import pytest
from oracle import DATA, graph_of

from factreasoner.graph.fact_graph import build_fact_graph, read_fact_graph
from factreasoner.graph.factors import factor_graph, relation_table
from factreasoner.models import Atom, Context, Relation
from factreasoner.models.graph import Factor, FactorGraph
from factreasoner.pipeline.config import Config
from factreasoner.solvers.exact import ExactSolver
from factreasoner.solvers.gibbs import AutoSolver
from factreasoner.solvers.pgmpy_solver import PgmpySolver

SOLVERS = pytest.mark.parametrize(
    "solver", [ExactSolver(), PgmpySolver(Config()), AutoSolver(Config())], ids=lambda s: s.name
)


def posteriors(solver, relations, table, context_prior):
    return solver.marginals(factor_graph(graph_of(*relations, prior=context_prior), table)).p_true


EXAMPLE_1 = [("c1", "a", "entailment", 0.8), ("c2", "a", "contradiction", 0.9)]
BOTH_SIDES = [("c1", "a", "entailment", 0.9), ("c2", "a", "contradiction", 0.9)]
EXAMPLE_2 = [*EXAMPLE_1, ("c3", "c2", "contradiction", 0.9)]


@SOLVERS
@pytest.mark.parametrize(
    ("relations", "table", "context_prior", "expected"),
    [
        (EXAMPLE_1, "table1", 0.99, 0.317881),
        (EXAMPLE_1, "conditional", 0.99, 0.313050),
        (EXAMPLE_2, "table1", 0.99, 0.411596),
        (EXAMPLE_2, "table1", 0.9, 0.568720),
        (EXAMPLE_2, "conditional", 0.99, 0.345513),
        (EXAMPLE_2, "conditional", 0.9, 0.476310),
        (EXAMPLE_2, "reference", 0.99, 0.371393),
    ],
)
def test_the_papers_examples(solver, relations, table, context_prior, expected):
    assert posteriors(solver, relations, table, context_prior)["a"] == pytest.approx(expected, abs=5e-7)


@SOLVERS
def test_two_contexts_of_which_one_must_be_wrong(solver):
    triangle = [*BOTH_SIDES, ("c1", "c2", "contradiction", 0.9)]
    found = posteriors(solver, triangle, "conditional", 0.9)
    expected = {"a": 0.5, "c1": 0.597294, "c2": 0.597294}
    assert found == pytest.approx(expected, abs=5e-7)


@SOLVERS
@pytest.mark.parametrize("seed", range(6))
def test_five_entail_four_contradict_in_any_order(solver, seed):
    shuffled = random.Random(seed)
    relations = [
        *((f"ce{i}", "a", "entailment", 0.9) for i in range(5)),
        *((f"cc{i}", "a", "contradiction", 0.9) for i in range(4)),
    ]
    for i, j in itertools.product(range(5), range(4)):
        source, target = shuffled.sample([f"ce{i}", f"cc{j}"], 2)
        relations.append((source, target, "contradiction", 0.9))
    shuffled.shuffle(relations)
    assert posteriors(solver, relations, "conditional", 0.9)["a"] == pytest.approx(0.943449, abs=5e-7)


@SOLVERS
@pytest.mark.parametrize(
    ("table", "count", "credibility", "expected"),
    [
        *(("conditional", count, 0.9, 0.86) for count in (1, 2, 10, 40)),
        ("table1", 1, 0.833, 0.833),
        ("table1", 10, 0.025, 0.510),
    ],
)
def test_a_context_that_entails_many_atoms(solver, table, count, credibility, expected):
    """It keeps its credibility, but with the tables of the paper."""
    relations = [("c", f"a{i}", "entailment", 0.9) for i in range(count)]
    found = posteriors(solver, relations, table, 0.9)
    exact = 1e-12 if table == "conditional" else 5e-4
    known = {"c": credibility} | {f"a{i}": expected for i in range(count)}
    assert found == pytest.approx(known, abs=exact)


@SOLVERS
@pytest.mark.skipif(not (DATA / "factreasoner_reference").is_dir(), reason="no shared data")
def test_the_reference_run(solver):
    folder = DATA / "factreasoner_reference"
    graph = read_fact_graph(folder / "text_example.graph.json")
    expected = json.loads((folder / "text_example.graph.json").read_text("utf-8"))["expected_marginals"]
    index = {node.id: i for i, node in enumerate(graph.nodes)}
    factors = [Factor((i,), np.array([1 - n.prior, n.prior])) for i, n in enumerate(graph.nodes)]
    # Its relations are as sure as 1 - 1e-9, which ours never are: the tables are made here, as they stand.
    for r in graph.relations:
        table = relation_table(r.kind, min(max(r.probability, 0.5), 1 - 1e-6), "conditional")
        factors.append(Factor((index[r.source], index[r.target]), table))
    network = FactorGraph(tuple(index), (2,) * len(index), tuple(factors))
    marginals = solver.marginals(network)
    assert {name: p for name, (_, p) in expected.items()} == pytest.approx(marginals.p_true, abs=5.01e-7)


@SOLVERS
@pytest.mark.skipif(not (DATA / "factcheck_bench").is_dir(), reason="no shared data")
def test_posteriors_of_human_stances(solver):
    rows = defaultdict(list)
    for line in (DATA / "factcheck_bench" / "expected_posteriors.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        rows[row["record"]].append(row)
    assert sum(len(atoms) for atoms in rows.values()) > 400
    for atoms in rows.values():
        relations = [
            Relation(source=r["source"], target=row["atom"], kind=r["label"], probability=r["probability"])
            for row in atoms
            for r in row["relations"]
        ]
        contexts = dict.fromkeys(relation.source for relation in relations)
        graph = build_fact_graph(
            [Atom(id=row["atom"], text="") for row in atoms],
            [Context(id=context, text="") for context in contexts],
            relations,
        )
        found = solver.marginals(factor_graph(graph)).p_true
        for row in atoms:
            assert found[row["atom"]] == pytest.approx(row["p_true"], abs=1e-6)


@SOLVERS
def test_networks_without_relations_keep_their_priors(solver):
    for count in (0, 1, 2000):
        atoms = [Atom(id=f"a{i}", text="") for i in range(count)]
        marginals = solver.marginals(factor_graph(build_fact_graph(atoms, [], [], atom_prior=0.3)))
        assert marginals.p_true == pytest.approx({atom.id: 0.3 for atom in atoms}, abs=1e-12)
