"""Atoms of one run are made with one parser: another is refused where it would make some, and only there."""

import json

import pytest
from command import kept, manifest_of, write_records

PARSER = "some_parser 9.9"
FIRST = {"id": "r0", "output": "It opened in 1932.", "contexts": ["It opened in 1932."]}
SECOND = FIRST | {"id": "r1"}
GIVEN = SECOND | {"atoms": [{"id": "a0", "text": "It opened."}]}


@pytest.fixture
def begun(factreasoner, tmp_path):
    """A run of one record, whose atoms were made with a parser that is not here."""
    folder = tmp_path / "run"
    factreasoner("run", write_records(tmp_path / "d.jsonl", FIRST), "--out", folder)
    manifest = folder / "manifest.json"
    manifest.write_text(json.dumps(json.loads(manifest.read_text()) | {"parser": PARSER}))
    return folder


def test_changed_parser_is_refused_with_both_named(factreasoner, begun, tmp_path):
    done = factreasoner("run", write_records(tmp_path / "d.jsonl", FIRST, SECOND), "--out", begun, code=1)
    said = " ".join(done.stderr.split())
    assert f"made with another parser (was {PARSER}, now " in said
    assert "use another --out, or --fresh to start over" in said
    assert "1 of 2 records are assessed" in said
    assert len(kept(begun)) == 1
    assert manifest_of(begun)["parser"] == PARSER


def test_finished_run_and_given_atoms_need_no_parser(factreasoner, begun, tmp_path):
    for records in ([FIRST], [FIRST, GIVEN]):
        factreasoner("run", write_records(tmp_path / "d.jsonl", *records), "--out", begun)
        assert manifest_of(begun)["parser"] == PARSER
    assert len(kept(begun)) == 2


def test_a_parser_is_noted_when_it_makes_atoms(factreasoner, tmp_path):
    for records, noted in (([GIVEN], False), ([GIVEN, FIRST], True)):
        data = write_records(tmp_path / "d.jsonl", *records)
        factreasoner("run", data, "--out", tmp_path / "run")
        manifest = manifest_of(tmp_path / "run")
        assert ("parser" in manifest) == noted


@pytest.mark.parametrize("out", [[], ["--out", "again"]])
def test_score_names_the_parser_of_atoms(factreasoner, begun, out):
    done = factreasoner("score", begun, "--k", "3", *out)
    assert f"Atoms that the records lack are made by parsing with {PARSER}" in " ".join(
        done.stdout.split()
    ), done.stderr


def test_fresh_run_uses_the_available_parser(factreasoner, begun, tmp_path):
    data = write_records(tmp_path / "d.jsonl", FIRST, SECOND)
    factreasoner("run", data, "--out", begun, "--fresh")
    assert manifest_of(begun)["parser"] != PARSER
