from __future__ import annotations

import json
from pathlib import Path

import pytest

from factreasoner.errors import InputError
from factreasoner.graph.network_file import is_uai, read_fact_network, read_uai_network

PAIR = "MARKOV\n2\n2 3\n1\n2 0 1\n6\n1 2 3 4 5 6\n"


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "uai"),
    [(PAIR, True), ("\n BAYES 0 0", True), ('\n{"nodes": []}', False), ("\ufeff{}", False), ("[1]", False)],
)
def test_the_first_word_tells_the_kind_whatever_the_name(tmp_path: Path, text: str, uai: bool) -> None:
    assert is_uai(write(tmp_path / "x.txt", text)) == uai


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "begins with MARKOV or BAYES, nor a fact graph in JSON: it is empty"),
        (b"markov 1 2 0", "it begins with 'markov'"),
        (b"\xff\xfe\x00", "not text"),
    ],
)
def test_what_is_neither(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "x").write_bytes(content)
    with pytest.raises(InputError, match=message):
        is_uai(tmp_path / "x")
    with pytest.raises(InputError, match="can't be read: No such file"):
        is_uai(tmp_path / "gone")


def test_both_names_of_an_edges_ends_and_a_byte_order_mark(tmp_path: Path) -> None:
    found = []
    for start, end in (("from", "to"), ("source", "target")):
        edge = {start: "c", end: "a", "relation": "entailment", "probability": 0.9999}
        nodes = [{"id": "a", "type": "atom"}, {"id": "c", "type": "context"}]
        path = write(tmp_path / f"{start}.json", "\ufeff" + json.dumps({"nodes": nodes, "edges": [edge]}))
        found.append(read_fact_network(path, "table1", atom_prior=0.3, context_prior=0.8))
    one, other = found
    assert one.kinds == other.kinds == ("atom", "context")
    assert one.graph.names == ("a", "c")
    tables = [factor.table.tolist() for factor in one.graph.factors]
    assert tables == [factor.table.tolist() for factor in other.graph.factors]
    assert tables[0] == pytest.approx([0.7, 0.3])
    assert tables[1] == pytest.approx([0.2, 0.8])
    assert tables[2][1] == pytest.approx([0.001, 0.999]), "believed as far as a judge is"


def test_evidence_and_names_that_lie_beside_a_network(tmp_path: Path) -> None:
    path = write(tmp_path / "n.uai", PAIR)
    assert read_uai_network(path).graph.evidence == {}
    assert read_uai_network(path).kinds is None
    write(tmp_path / "n.evid", "1 0 1")
    assert read_uai_network(path).graph.evidence == {0: 1}
    write(tmp_path / "n.uai.evid", "1 1 2")
    assert read_uai_network(path).graph.evidence == {1: 2}
    assert read_uai_network(path, write(tmp_path / "other", "1 1 0")).graph.evidence == {1: 0}
    names = write(tmp_path / "n.uai.map.json", json.dumps({"variables": ["x", "y"]}))
    assert read_uai_network(path).graph.names == ("x", "y")
    write(names, json.dumps({"variables": ["x", "y"], "kinds": ["atom", "context"]}))
    assert read_uai_network(path).kinds == ("atom", "context")
    names.write_bytes(b"\xef\xbb\xbf" + names.read_bytes())
    assert read_uai_network(path).kinds == ("atom", "context")


@pytest.mark.parametrize("kinds", [["atom"], "atom", [1, 2]])
def test_kinds_that_do_not_fit(tmp_path: Path, kinds: object) -> None:
    path = write(tmp_path / "n.uai", PAIR)
    write(tmp_path / "n.uai.map.json", json.dumps({"variables": ["x", "y"], "kinds": kinds}))
    with pytest.raises(InputError, match=r"n\.uai\.map\.json: kinds: expected 2 words"):
        read_uai_network(path)
