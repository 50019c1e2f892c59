"""Network files of both kinds."""

import json
import logging
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from oracle import DATA, networks, uai_marginals

from factreasoner.errors import InputError
from factreasoner.graph.uai import (
    is_uai,
    parse_evidence,
    parse_uai,
    read_fact_network,
    read_uai_network,
    uai_text,
)

SMALL = """MARKOV
3
2 3 2
2
2 1 0
1 2

6
 1e-07 0.2
 .3 4E2 5. +6

2 0.25 0.75
"""


def test_the_scopes_last_variable_runs_fastest():
    graph = parse_uai(SMALL)
    assert graph.names == ("0", "1", "2")
    assert graph.cardinalities == (2, 3, 2)
    assert [factor.scope for factor in graph.factors] == [(1, 0), (2,)]
    assert graph.factors[0].table.tolist() == [[1e-07, 0.2], [0.3, 400.0], [5.0, 6.0]]
    assert graph.factors[1].table.tolist() == [0.25, 0.75]


def test_bayes_files_and_factors_without_variables():
    graph = parse_uai("BAYES 1 2 2 1 0 0 2 0.4 0.6 1 3.0")
    assert [factor.scope for factor in graph.factors] == [(0,), ()]
    assert graph.factors[1].table == 3.0


@settings(max_examples=100)
@given(networks())
def test_written_network_reads_back_equal(graph):
    back = parse_uai(uai_text(graph))
    assert back.cardinalities == graph.cardinalities
    assert [factor.scope for factor in back.factors] == [factor.scope for factor in graph.factors]
    for found, expected in zip(back.factors, graph.factors, strict=True):
        assert np.array_equal(found.table, expected.table)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", {}),
        ("0", {}),
        ("0\n2 0\n", {}),
        ("1 2 0", {2: 0}),
        ("2 0 1 1 2", {0: 1, 1: 2}),
        ("1\n2 0 1 1 2\n", {0: 1, 1: 2}),
        ("1\n1 0\n", {1: 0}),
        ("1\n0\n", {}),
    ],
)
def test_both_layouts_of_evidence(text, expected):
    assert parse_evidence(text, (2, 3, 2)) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("3\n1 0 1\n1 2 0\n1 1 1", "line 1: the number of samples: 3; only one sample can be read"),
        ("1\n3 0", "line 2: observation 0: variable 3 has no state 0"),
        ("1 0 2", "variable 0 has no state 2"),
        ("2 0 1 0 0", "observation 1: variable 0 has another state already"),
        ("2 0 1", "end of file: variable 1: missing"),
        ("1 0 x", "line 1: state 0: expected a whole number of at least 0, not 'x'"),
        ("1 0 1 1 1", "line 1: end: 2 words follow the last observation"),
    ],
)
def test_wrong_evidence_is_named_with_its_place(text, message):
    with pytest.raises(InputError, match=message):
        parse_evidence(text, (2, 3, 2))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "end of file: the type of network: missing"),
        ("markov", "line 1: the type of network: expected MARKOV or BAYES, not 'markov'"),
        ("MARKOV\n-1", "line 2: the number of variables: expected a whole number"),
        ("MARKOV\n9000000000000000000000", "line 2: the number of variables: expected a whole number"),
        ("MARKOV\n1000000000000\n2 2", "cardinality of variable: 1000000000000 numbers expected, but"),
        ("MARKOV\n2\n2 0\n0", "cardinality of variable 1: a variable needs a state"),
        ("MARKOV\n1\n2\n1\n1 1", "line 5: scope 0: .* names a variable twice, or one that does not exist"),
        ("MARKOV\n2\n2 2\n1\n2 0 0", "line 5: scope 0: .* names a variable twice"),
        (
            f"MARKOV\n65\n{'1 ' * 65}\n1\n65 {' '.join(map(str, range(65)))}\n1 0.5",
            "line 5: scope 0: 65 variables; a table of more than 64 can't be read",
        ),
        (SMALL.replace("\n6\n", "\n5\n"), "line 8: size of table 0: 5, but its scope has 6 states"),
        (SMALL.replace("4E2", "four"), "line 10: table 0, entry 3: expected a finite number .* not 'four'"),
        (SMALL.replace("4E2", "-4"), "line 10: table 0, entry 3: expected a finite number"),
        (SMALL.replace("4E2", "nan"), "table 0, entry 3"),
        (SMALL.replace("4E2", "1e999"), "table 0, entry 3"),
        (SMALL.replace(" 0.75\n", ""), "end of file: table 1: 2 entries expected, but the file ends after 1"),
    ],
)
def test_wrong_networks_are_named_with_their_place(text, message):
    with pytest.raises(InputError, match=message):
        parse_uai(text)


def test_words_after_last_table_are_reported(caplog):
    with caplog.at_level(logging.WARNING):
        found = parse_uai(SMALL + "\n7 8\n", source="bn.uai")
    assert uai_text(found) == uai_text(parse_uai(SMALL))
    assert caplog.messages == ["bn.uai: 2 words after the last table are not read, from line 14 on"]


def test_unreadable_files(tmp_path):
    with pytest.raises(InputError, match="can't be read"):
        read_uai_network(tmp_path / "none.uai")
    (tmp_path / "binary.uai").write_bytes(b"MARKOV \xff")
    with pytest.raises(InputError, match="not UTF-8"):
        read_uai_network(tmp_path / "binary.uai")


@pytest.mark.skipif(not (DATA / "uai2014").is_dir(), reason="no shared data")
def test_published_networks_are_read():
    paths = sorted((DATA / "uai2014").glob("*.uai"))
    assert len(paths) >= 19
    for path in paths:
        graph = read_uai_network(path, Path(f"{path}.evid")).graph
        assert len(graph.names) == len(uai_marginals(Path(f"{path}.MAR")))


PAIR = "MARKOV\n2\n2 3\n1\n2 0 1\n6\n1 2 3 4 5 6\n"


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "uai"),
    [(PAIR, True), ("\n BAYES 0 0", True), ('\n{"nodes": []}', False), ("\ufeff{}", False), ("[1]", False)],
)
def test_uai_is_recognised_by_first_word(tmp_path, text, uai):
    assert is_uai(write(tmp_path / "x.txt", text)) == uai


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "begins with MARKOV or BAYES, nor a fact graph in JSON: it is empty"),
        (b"markov 1 2 0", "it begins with 'markov'"),
        (b"\xff\xfe\x00", "not UTF-8"),
    ],
)
def test_unknown_network_file_is_refused(tmp_path, content, message):
    (tmp_path / "x").write_bytes(content)
    with pytest.raises(InputError, match=message):
        is_uai(tmp_path / "x")
    with pytest.raises(InputError, match="can't be read: No such file"):
        is_uai(tmp_path / "gone")


def test_fact_graph_with_byte_order_mark_becomes_network(tmp_path):
    edge = {"from": "c", "to": "a", "relation": "entailment", "probability": 0.9999}
    nodes = [{"id": "a", "type": "atom"}, {"id": "c", "type": "context"}]
    path = write(tmp_path / "bom.json", "\ufeff" + json.dumps({"nodes": nodes, "edges": [edge]}))
    one = read_fact_network(path, "table1", atom_prior=0.3, context_prior=0.8)
    assert (one.kinds, one.graph.names) == (("atom", "context"), ("a", "c"))
    tables = [factor.table.tolist() for factor in one.graph.factors]
    assert tables[0] == pytest.approx([0.7, 0.3])
    assert tables[1] == pytest.approx([0.2, 0.8])
    assert tables[2][1] == pytest.approx([0.001, 0.999]), "believed as far as a judge is"


def test_evidence_and_names_that_lie_beside_a_network(tmp_path):
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


@pytest.mark.parametrize(
    ("content", "message"),
    [
        *(
            (content, "variables")
            for content in ("", "[]", "{}", '{"variables": "ab"}', '{"variables": ["a", "a"]}')
        ),
        *(
            (json.dumps({"variables": ["x", "y"], "kinds": kinds}), "kinds: expected 2 words")
            for kinds in (["atom"], "atom", [1, 2], 3)
        ),
    ],
)
def test_a_map_that_does_not_fit(tmp_path, content, message):
    path = write(tmp_path / "n.uai", PAIR)
    write(tmp_path / "n.uai.map.json", content)
    with pytest.raises(InputError, match=rf"n\.uai\.map\.json: {message}"):
        read_uai_network(path)
