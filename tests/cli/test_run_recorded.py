"""`factreasoner run --judge recorded`: relations from a file, and finished runs replayed."""

import gzip
import re

import pytest
from command import p_true, record, write_records

RELATIONS = [
    {"record": "r1", "source": "c0", "target": "a0", "label": "entailment", "probability": 0.9},
    {"record": "r1", "source": "c0", "target": "a1", "label": "contradiction", "probability": 0.9},
    {"record": "r1", "source": "c0", "target": "a2", "label": "neutral", "probability": 0.9},
]


@pytest.fixture
def relations(tmp_path):
    return write_records(tmp_path / "relations.jsonl", *RELATIONS)


def recorded(factreasoner, data, relations, *flags, **options):
    flags = ("--judge", "recorded", "--relations", relations, "--out", "out", *flags)
    return factreasoner("run", data, *flags, **options)


def test_compressed_relations_are_read_but_journal_refused(factreasoner, tmp_path, one, relations):
    recorded(factreasoner, one, relations, "--version", 1)
    packed = tmp_path / "relations.jsonl.gz"
    packed.write_bytes(gzip.compress(relations.read_bytes(), mtime=0))
    recorded(factreasoner, one, packed, "--version", 1)
    packed.write_bytes(gzip.compress((tmp_path / "out" / "journal.jsonl").read_bytes(), mtime=0))
    done = recorded(factreasoner, one, packed, "--version", 1, "--fresh", code=1)
    assert "a run's journal, compressed; unpack it first" in done.stderr


def test_failure_counts_have_thousands_separators(factreasoner, tmp_path, relations):
    many = record("r1", atoms=[f"Fact {n}." for n in range(40)], contexts=[f"Text {n}." for n in range(30)])
    done = recorded(factreasoner, write_records(tmp_path / "many.jsonl", many), relations, code=3)
    assert re.search(r"failures +1,197 \(1,197 judge\)", done.stdout)


def test_unused_relations_are_reported(factreasoner, tmp_path, one, relations):
    neutral = ("--unlisted", "neutral")
    done = recorded(factreasoner, one, relations, *neutral)
    assert "on pairs of this input" not in done.stderr
    assert re.search(r"probabilities: .*\b3 not listed: neutral", done.stdout)
    write_records(relations, *RELATIONS[:2], RELATIONS[2] | {"source": "c9"})
    done = recorded(factreasoner, one, relations, *neutral, "--fresh")
    assert "2 of 3 verdicts belong to pairs of this input; the first other one is on line 3" in done.stderr
    write_records(relations, RELATIONS[0] | {"record": "r01"})
    done = recorded(factreasoner, one, relations, *neutral, "--fresh", "--limit", 1, code=3)
    assert "of this input" not in done.stderr
    broken = tmp_path / "broken.jsonl"
    broken.write_text(one.read_text() + '{"id": "r01", "output": 5}\n')
    done = recorded(factreasoner, broken, relations, *neutral, "--fresh", "--skip-invalid", code=3)
    assert "of this input" not in done.stderr
    done = recorded(factreasoner, one, relations, *neutral, "--fresh", code=1)
    assert "no verdict of the file belongs to a pair of this input: no record 'r01'" in done.stderr


def test_keys_of_earlier_versions_are_ignored(factreasoner, tmp_path, one):
    lines = (line | {"belief": 0.2, "nearness": 0.4} for line in RELATIONS)
    relations = write_records(tmp_path / "relations.jsonl", *lines)
    recorded(factreasoner, one, relations, "--unlisted", "neutral")
    assert p_true(tmp_path / "out")["a2"] == 0.5


def test_disputed_atom_shows_the_contradicting_quote(factreasoner, tmp_path, one):
    against = {"source": "c1", "label": "contradiction", "probability": 0.7, "quote": "stands in Paris"}
    relations = write_records(tmp_path / "relations.jsonl", RELATIONS[0], RELATIONS[0] | against)
    done = recorded(factreasoner, one, relations, "--unlisted", "neutral")
    assert "1 disputed: one context supports it and another contradicts it" in done.stdout
    assert 'c1 contradicts it: "stands in Paris"' in factreasoner("show", "out").stdout


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (("--judge", "recorded"), "--relations"),
        (("--relations", "relations.jsonl"), "--judge recorded"),
        (("--judge", "recorded", "--relations", "nothing.jsonl"), "nothing.jsonl: can't be read"),
    ],
)
def test_settings_that_do_not_fit(factreasoner, tmp_path, one, relations, flags, words):
    assert words in factreasoner("run", one, *flags, "--out", "out", code=1).stderr
    assert not (tmp_path / "out").exists()


def test_missing_recorded_verdict_is_named_each_time(factreasoner, one, relations):
    write_records(relations, *RELATIONS[:2])
    done = recorded(factreasoner, one, relations, "--version", 1, code=3)
    told = f"no verdict on this pair in {relations}"
    assert f"1 x {told} (r1 c0->a2)" in done.stdout
    assert "The same recorded verdicts would fail again: add the missing ones and" in done.stderr
    write_records(relations, *RELATIONS[:1])
    done = recorded(factreasoner, one, relations, "--version", 1, "--fresh", code=3)
    assert f"2 x {told} (first: r1 c0->a1)" in done.stdout


def test_a_dry_run_makes_no_calls(factreasoner, one, relations):
    done = recorded(factreasoner, one, relations, "--dry-run", "--model", "openai/x")
    assert "no model calls" in done.stdout


@pytest.mark.parametrize("flags", [("--out", "first"), ("--out", "first", "--fresh")])
def test_a_run_never_overwrites_what_it_reads(factreasoner, tmp_path, one, flags):
    factreasoner("run", one, "--out", "first")
    before = (tmp_path / "first" / "journal.jsonl").read_bytes()
    for source in ("first", one):
        done = factreasoner("run", source, "--judge", "recorded", "--relations", "first", *flags, code=1)
        assert "first: this run reads from it; name another folder with --out" in done.stderr
    assert (tmp_path / "first" / "journal.jsonl").read_bytes() == before


def test_a_folder_that_is_no_run(factreasoner, tmp_path):
    (tmp_path / "empty").mkdir()
    done = factreasoner("run", "empty", "--out", "out", code=1)
    assert "empty: a folder, but not a run folder; name a file of records" in done.stderr
