"""Results and summary of a journal: what they count, and in how little memory they are made."""

import json
import tracemalloc
from pathlib import Path

import pytest
from assessments import assessment
from hypothesis import given
from hypothesis import strategies as st
from run_folders import append, run_folder

from factreasoner.errors import ConfigError, RunError
from factreasoner.graph.uai import read_uai_network
from factreasoner.models import Assessment, FactGraph, Node, Outcome, Record, Relation
from factreasoner.pipeline.config import Config
from factreasoner.pipeline.pipeline import build_pipeline
from factreasoner.runs.scoring import check_export, export_networks, file_name, score_journal
from factreasoner.runs.store import RunFolder
from factreasoner.solvers.exact import ExactSolver
from factreasoner.tasks.factuality import TASK

TEXT = "word " * 8_000


def peak_of_scoring(path, records):
    """The most bytes that reading and scoring a journal takes, and the journal's size."""
    config = Config()
    folder = RunFolder(path, TASK)
    folder.start(config, {})
    pipeline = build_pipeline(config)
    one = pipeline.assess(Record(id="r", response="", atoms=(), contexts=(), metadata={"note": TEXT}))
    append(folder, *(one.model_copy(update={"record_id": f"r{number}"}) for number in range(records)))
    folder.close()
    score_journal(folder, list(folder.entries), config)  # imports and caches are not what is measured
    tracemalloc.start()
    folder = RunFolder(path, TASK)
    score_journal(folder, list(folder.entries), config)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak, folder.journal_path.stat().st_size


def test_journal_is_scored_one_record_at_a_time(tmp_path):
    small, size = peak_of_scoring(tmp_path / "small", 10)
    large, larger = peak_of_scoring(tmp_path / "large", 100)
    assert larger > 9 * size > 3_000_000
    assert large < 1.2 * small
    assert large < larger / 5


def test_records_that_were_not_assessed_are_counted(tmp_path):
    run_folder(tmp_path, assessment([0.9], record_id="r0"), finished=False)
    summary = score_journal(RunFolder(tmp_path, TASK), ["r0", "r1", "r2"], Config())
    assert summary["records"]["unassessed"] == 2


GRAPH = FactGraph(
    nodes=(Node(id="ä 1", kind="atom", prior=0.5), Node(id="c/../1", kind="context", prior=0.9)),
    relations=(Relation(source="c/../1", target="ä 1", kind="entailment", probability=0.9),),
)
PATHS = ("../../etc/passwd", "/", "..", ".", ".hidden", "a/b", "a\\b")
HOSTILE = [*PATHS, "", "con", "x\ny", "\x00", "é", "-rf", "a."]


def assessed(record_id, graph=GRAPH):
    outcome = Outcome(p_true={}, support={}, graph=graph)
    return Assessment(record_id=record_id, status="ok", assessor="factreasoner", outcome=outcome)


@given(st.lists(st.text() | st.sampled_from(["a", "A", "Aux", *HOSTILE, "x" * 5000]), max_size=12))
def test_file_names_are_safe_and_unique(ids):
    taken = set()
    found = {record_id: file_name(record_id, taken) for record_id in dict.fromkeys(ids)}
    assert len({name.lower() for name in found.values()}) == len(found)
    for name in found.values():
        assert name == Path(name).name
        assert name.isascii()
        assert name.strip(".") == name
        assert 0 < len(name) <= 150
        assert name[0] != "-"
        assert not any(c in name for c in '/\\:*?"<>|\n\0 ')


def test_cleaned_id_has_a_digest():
    taken = set()
    assert file_name("fcb-001_a.b", taken) == "fcb-001_a.b"
    one, other = (file_name(record_id, taken) for record_id in ("a/b", "a:b"))
    assert one.startswith("a_b-")
    assert other.startswith("a_b-")
    assert file_name("FCB-001_a.b", taken).startswith("FCB-001_a.b-"), "file systems may not tell cases apart"
    assert file_name("aux.txt", taken).startswith("aux.txt-")


def test_exported_networks_read_back_with_posteriors(tmp_path):
    folder = tmp_path / "made" / "here"
    ids = ["plain", *HOSTILE, "x" * 300]
    check_export(folder, Config())
    done = export_networks([*map(assessed, ids), assessed("none", None)], Config(), folder)
    assert done == f"{len(ids)} networks written to {folder}; 1 without one"
    assert {path.parent for path in tmp_path.rglob("*") if path.is_file()} == {folder}
    records = set()
    for path in folder.glob("*.uai"):
        network = read_uai_network(path)
        assert network.kinds == ("atom", "context")
        assert ExactSolver().marginals(network.graph).p_true == pytest.approx({"ä 1": 0.86, "c/../1": 0.9})
        records.add(json.loads(Path(f"{path}.map.json").read_text("utf-8"))["record"])
    assert records == set(ids)


def test_impossible_export_is_refused_first(tmp_path):
    with pytest.raises(ConfigError, match="assessor 'factscore' builds no networks"):
        check_export(tmp_path, Config(assessor="factscore"))
    (tmp_path / "file").write_text("")
    with pytest.raises(RunError, match="networks can't be written there"):
        check_export(tmp_path / "file" / "in", Config())
    (tmp_path / "link").symlink_to(tmp_path / "gone")
    with pytest.raises(RunError, match="networks can't be written there"):
        check_export(tmp_path / "link", Config())
    too_long = tmp_path / ("x" * 300)
    check_export(too_long, Config())
    with pytest.raises(RunError, match="networks can't be written there: File name too long"):
        export_networks([assessed("r")], Config(), too_long)
    (tmp_path / "nets" / "r.uai").mkdir(parents=True)
    with pytest.raises(RunError, match=r"r\.uai: can't be written"):
        export_networks([assessed("r")], Config(), tmp_path / "nets")
    check_export(tmp_path / "new", Config())
    assert not (tmp_path / "new").exists(), "a run that is refused leaves nothing behind"
