import json
import math

import pytest

from factreasoner.errors import InputError
from factreasoner.graph.fact_graph import build_fact_graph, read_fact_graph
from factreasoner.models import Atom, Context, FactGraph, Node, Relation

GRAPH = FactGraph(
    nodes=(
        Node(id="a0", kind="atom", prior=0.4),
        Node(id="c0", kind="context", prior=0.9),
        Node(id="c1", kind="context", prior=0.3),
    ),
    relations=(
        Relation(source="c0", target="a0", kind="entailment", probability=0.8),
        Relation(source="c0", target="c1", kind="equivalence", probability=0.7),
    ),
)


def parsed(folder, data, **priors):
    path = folder / "parsed.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    return read_fact_graph(path, **priors)


def test_context_prior_overrides_the_default():
    graph = build_fact_graph(
        [Atom(id="a0", text="x")],
        [Context(id="c0", text="y"), Context(id="c1", text="z", prior=0.3)],
        GRAPH.relations,
        atom_prior=0.4,
    )
    assert graph == GRAPH


def test_the_round_trip_is_exact(tmp_path):
    path = tmp_path / "graph.json"
    path.write_text(GRAPH.model_dump_json(), encoding="utf-8")
    assert read_fact_graph(path) == GRAPH


@pytest.mark.parametrize("ends", [("from", "to"), ("source", "target")])
@pytest.mark.parametrize("kind", ["label", "type", "kind", "relation"])
def test_the_reference_systems_nodes_and_edges(ends, kind, tmp_path):
    data = {
        "nodes": [{"id": n.id, "type": n.kind, "probability": n.prior} for n in GRAPH.nodes],
        "edges": [
            {ends[0]: r.source, ends[1]: r.target, kind: r.kind, "probability": r.probability, "link": "any"}
            for r in GRAPH.relations
        ],
    }
    assert parsed(tmp_path, data) == GRAPH


@pytest.mark.parametrize(
    "atoms",
    [
        {"a0": "text"},
        ["a0"],
        [{"id": "a0", "text": "text"}],
        [{"id": "a0", "kind": "context", "prior": None}],
    ],
)
def test_atoms_and_contexts_without_priors_take_those_given(atoms, tmp_path):
    relation = {"source": "c0", "target": "a0", "label": "contradiction", "probability": 1}
    neutral = {"source": "c1", "target": "a0", "label": "neutral"}
    data = {"atoms": atoms, "contexts": ["c0", "c1"], "relations": [relation, neutral]}
    graph = parsed(tmp_path, data, context_prior=0.8)
    assert [(n.id, n.kind, n.prior) for n in graph.nodes] == [
        ("a0", "atom", 0.5),
        ("c0", "context", 0.8),
        ("c1", "context", 0.8),
    ]
    assert graph.relations == (Relation(source="c0", target="a0", kind="contradiction", probability=1.0),)


def test_prior_of_zero_counts(tmp_path):
    nodes = [
        {"id": "a0", "kind": None, "type": "atom", "prior": 0, "probability": 0.7},
        {"id": "c0", "kind": "context", "prior": None, "probability": 0.0},
    ]
    edge = {"from": None, "source": "c0", "to": "a0", "kind": "entailment", "probability": 0}
    graph = parsed(tmp_path, {"nodes": nodes, "edges": [edge]})
    assert [(n.kind, n.prior) for n in graph.nodes] == [("atom", 0.0), ("context", 0.0)]
    assert (graph.relations[0].source, graph.relations[0].probability) == ("c0", 0.0)
    built = build_fact_graph([], [Context(id="c", text="x", prior=0.0)], [], context_prior=0.8)
    assert built.nodes[0].prior == 0.0


NODES = [{"id": "a0", "kind": "atom"}, {"id": "c0", "kind": "context"}]
EDGE = {"from": "c0", "to": "a0", "label": "entailment", "probability": 1}


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ([], "a fact graph is one JSON object"),
        ({"relations": []}, "nodes: missing"),
        ({"nodes": NODES}, "relations: missing"),
        ({"nodes": {}, "edges": []}, "nodes: expected a list"),
        ({"nodes": [3], "edges": []}, r"nodes\[0\]: expected an object"),
        ({"nodes": [{"kind": "atom"}], "edges": []}, r"nodes\[0\].id: missing; a node has 'id'"),
        ({"nodes": [{"id": "a0"}], "edges": []}, r"nodes\[0\].kind: missing; .*'kind' or 'type'"),
        (
            {"nodes": [{"id": 3, "kind": "atom"}], "edges": []},
            r"nodes\[0\].id: is the number 3; it must be a string",
        ),
        (
            {"nodes": [{"id": "a", "kind": "fact"}], "edges": []},
            r"nodes\[0\].kind: is 'fact'; it must be 'atom' or 'context'",
        ),
        ({"nodes": [NODES[0] | {"prior": 2}], "edges": []}, r"prior: is .*a probability lies between"),
        ({"nodes": [NODES[0] | {"prior": math.nan}], "edges": []}, r"prior: is .*a probability lies between"),
        ({"atoms": "a0", "edges": []}, "atoms: expected a list"),
        ({"nodes": NODES, "edges": [{"from": "c0"}]}, r"edges\[0\].target: missing; .*'to'"),
        (
            {"nodes": NODES, "edges": [EDGE | {"label": "x"}]},
            r"edges\[0\].label: is 'x'; it must be 'entailment', 'contradiction' or 'equivalence'",
        ),
        ({"nodes": NODES, "edges": [EDGE | {"probability": None}]}, r"edges\[0\].probability: missing"),
        (
            {"nodes": NODES, "edges": [EDGE | {"probability": True}]},
            r"edges\[0\].probability: is true; it must be a number from 0 to 1",
        ),
        ({"nodes": NODES, "edges": [EDGE | {"from": "c1"}]}, r"relations\[0\].source: unknown node 'c1'"),
    ],
)
def test_invalid_graph_names_file_and_field(tmp_path, data, expected):
    with pytest.raises(InputError, match=expected) as caught:
        parsed(tmp_path, data)
    assert all(problem.where == str(tmp_path / "parsed.json") for problem in caught.value.problems)


def test_every_problem_is_reported_with_its_index(tmp_path):
    with pytest.raises(InputError) as caught:
        parsed(tmp_path, {"nodes": [3, {"id": "a0"}], "edges": [{}]})
    fields = {problem.field for problem in caught.value.problems}
    edge = {f"edges[0].{key}" for key in ("source", "target", "kind", "probability")}
    assert fields == {"nodes[0]", "nodes[1].kind", *edge}


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"\xff{}", "not UTF-8"),
        (b'{"nodes": [}', r"not JSON in line 1, at column 12; a fact graph is one JSON object .* for `run`"),
        (b"[" * 100_000, "nested too deeply"),
        (None, "can't be read"),
    ],
)
def test_unreadable_files(tmp_path, content, expected):
    path = tmp_path / "graph.json"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError, match=expected):
        read_fact_graph(path)
