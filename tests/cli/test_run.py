"""`factreasoner run` with no model: files in, files out, exit codes, and what a person reads."""

import gzip
import json
from importlib.util import find_spec

import pytest
from command import record, results, summary_of, write_records

from factreasoner import Run


@pytest.fixture
def data(tmp_path):
    return write_records(tmp_path / "answers.jsonl", *(record(f"r{i}") for i in range(4)))


def test_raised_limit_and_new_records_resume(factreasoner, tmp_path, data):
    factreasoner("run", data, "--out", "out", "--limit", 2)
    assert len(results(tmp_path / "out")) == 2
    with data.open("a") as file:
        file.write(json.dumps(record("r9")) + "\n")
    assert "2/5 records, assessed before" in factreasoner("run", data, "--out", "out").stderr
    assert [line["id"] for line in results(tmp_path / "out")] == ["r0", "r1", "r2", "r3", "r9"]


def test_refused_new_run_leaves_no_folder(factreasoner, tmp_path, data):
    for out in ("out", "there/new/out"):
        (tmp_path / "there").mkdir(exist_ok=True)
        assert "unknown judge" in factreasoner("run", data, "--judge", "nobody", "--out", out, code=1).stderr
        assert not (tmp_path / out).exists()
    assert list((tmp_path / "there").iterdir()) == []
    (tmp_path / "out").mkdir()
    factreasoner("run", data, "--judge", "nobody", "--out", "out", code=1)
    assert (tmp_path / "out" / "manifest.json").exists()


@pytest.mark.parametrize(
    "flags",
    [("--judge", "json:Nothing"), ("--judge", "verifier", "--verifier", "nli", "--verifier-model", "acme/x")],
)
def test_fresh_deletes_nothing_if_run_cannot_start(factreasoner, tmp_path, data, flags):
    factreasoner("run", data, "--out", "out")
    before = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    factreasoner("run", data, "--out", "out", *flags, "--fresh", code=1)
    assert {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()} == before


def test_column_map_and_plain_string_contexts(factreasoner, tmp_path):
    path = write_records(
        tmp_path / "d.jsonl", {"text": "Water boils at 100 °C.", "docs": ["Water boils at 100 °C."]}
    )
    factreasoner("run", path, "--column-map", "text=output", "--column-map", "docs=contexts", "--out", "o")
    assert results(tmp_path / "o")[0]["predictions"] == {"a0": "S"}
    assert "THEIRS=OURS" in factreasoner("run", path, "--column-map", "text", code=2).stderr


def test_misspelt_key_is_reported_before_and_after(factreasoner, tmp_path):
    path = write_records(tmp_path / "d.jsonl", {**record("r1"), "refrence": "x"})
    first, *_, last = factreasoner("run", path, "--out", "o").stderr.splitlines()
    assert "'refrence' is kept as metadata; did you mean 'reference'?" in first
    assert first == last


def test_abstentions_are_counted_apart(factreasoner, tmp_path):
    path = write_records(
        tmp_path / "d.jsonl",
        {"output": "I don't know.", "contexts": []},
        {"output": "", "contexts": []},
        record("r3"),
        {"output": "👍👍", "contexts": []},
        {"output": "Mars is red.", "atoms": [], "contexts": []},
    )
    done = factreasoner("run", path, "--out", "o")
    lines = results(tmp_path / "o")
    assert [line["status"] for line in lines] == ["no_atoms", "no_atoms", "ok", "no_atoms", "no_atoms"]
    why = (
        "an abstention (r1), an empty answer (r2), an answer without a word (r4), "
        "the given list is empty; remove it to have them made (r5)"
    )
    assert f"No atoms in 4 records: {why}.\n" in done.stderr
    assert lines[0]["factuality_score"] is None
    summary = summary_of(tmp_path / "o")
    assert summary["metrics"]["factuality_score"]["value"] == lines[2]["factuality_score"]


def test_run_without_any_atom_is_reported(factreasoner, tmp_path):
    path = write_records(
        tmp_path / "d.jsonl", {"output": "", "contexts": []}, {"output": "Why?", "contexts": []}
    )
    done = factreasoner("run", path, "--out", "o", code=3)
    why = "No atoms in 2 records: an empty answer (r1), no claim was found (questions and remarks"
    assert why in done.stderr
    assert "No record has anything to judge. `factreasoner show o` gives the reasons." in done.stderr
    assert why in factreasoner("report", "o", "--format", "md").stdout.replace("\\", "")


def test_standard_input(factreasoner, tmp_path):
    factreasoner("run", "-", "--out", "o", stdin=json.dumps(record("r1")) + "\n")
    assert len(results(tmp_path / "o")) == 1


def test_compressed_records_and_tables(factreasoner, tmp_path):
    (tmp_path / "d.jsonl.gz").write_bytes(gzip.compress(json.dumps(record("r1")).encode(), mtime=0))
    factreasoner("run", "d.jsonl.gz", "--quiet")
    done = factreasoner("export", "runs/d", "--out", "atoms.jsonl.gz")
    rows = gzip.decompress((tmp_path / "atoms.jsonl.gz").read_bytes()).splitlines()
    assert (done.returncode, [json.loads(row)["record"] for row in rows]) == (0, ["r1"] * 3)


def test_only_torn_and_changed_lines_are_reassessed(factreasoner, tmp_path):
    data = write_records(tmp_path / "d.jsonl", *map(record, ("r1", "r2", "r3")))
    journal = tmp_path / "runs" / "d" / "journal.jsonl"

    def run():
        told = factreasoner("run", data).stderr
        return journal.read_bytes(), "3/3 records, 1 assessed again, as their input changed" in told

    first, _ = run()
    assert run() == (first, False)
    journal.write_bytes(first.partition(b"\n")[0] + b'\n{"torn')
    data.write_text(data.read_text().replace("about r1", "about R1"))
    changed, told = run()
    assert (changed.count(b"\n"), told) == (4, True)
    assert run() == (changed, False)
    assert len(results(tmp_path / "runs" / "d")) == 3


def test_quiet_prints_nothing_but_errors(factreasoner, tmp_path):
    data = write_records(tmp_path / "d.jsonl", {**record("r1"), "topci": "Marie Curie"}, {"output": 5})
    done = factreasoner("run", data, "--skip-invalid")
    assert "'topci' is kept as metadata" in done.stderr
    done = factreasoner("run", data, "--skip-invalid", "--quiet")
    assert done.stdout == ""
    assert done.stderr.startswith("skipped d.jsonl:2: output: is the number 5".replace("d.jsonl", str(data)))
    assert done.stderr.endswith("\nSkipped 1 of 2 records.\n")


def test_a_users_own_judge_and_its_crash(factreasoner, tmp_path, data, monkeypatch):
    (tmp_path / "mine.py").write_text(
        "from factreasoner.models import Verdict\n"
        "from factreasoner.protocols import Judged\n"
        "class Yes:\n"
        "    def __init__(self, config): pass\n"
        "    def judge(self, premise, claims):\n"
        "        if 'r2' in premise.text: raise ZeroDivisionError('oops')\n"
        "        return Judged(tuple(Verdict(context_id=premise.id, target_id=c.id, label='entailment',\n"
        "                                    probability=0.9) for c in claims))\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    done = factreasoner("run", data, "--judge", "mine:Yes", "--out", "o", code=3)
    lines = {line["id"]: line for line in results(tmp_path / "o")}
    assert lines["r1"]["factuality_score"] == 1.0
    assert lines["r2"]["status"] == "failed"
    assert "oops" in lines["r2"]["failures"][0]["message"]
    assert "oops" in done.stdout


def test_records_of_another_input_are_left_out_everywhere(factreasoner, tmp_path):
    """A second input in the same folder: every view takes its records, and says what else there is."""
    for name, ids in (("first", ("r0", "r1", "r2")), ("second", ("r2", "r3"))):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(record(i)) + "\n" for i in ids))
    factreasoner("run", "first.jsonl", "--out", "out", "--report")
    done = factreasoner("run", "second.jsonl", "--out", "out")
    told = " ".join(done.stderr.split())
    assert "out has 2 records of another input: kept in its journal, excluded from results" in told
    assert "out/report.html is older than these results; `factreasoner report out` updates it." in told
    assert summary_of(tmp_path / "out")["records"]["not_in_input"] == 2
    assert len(Run.open(tmp_path / "out")) == 2
    factreasoner("check", "out", "--min", "records=2", "--max", "records=2")
    again = factreasoner("run", "first.jsonl", "--out", "out")
    assert "3/3 records, assessed before" in again.stderr
    assert len(Run.open(tmp_path / "out")) == 3
    written = factreasoner("run", "first.jsonl", "--out", "out", "--report")
    assert "is older" not in written.stderr


def test_page_is_older_only_after_changed_results(factreasoner, tmp_path):
    def older(name):
        return "report.html is older" in factreasoner("run", name, "--out", "out").stderr

    write_records(tmp_path / "one.jsonl", record("r0"))
    write_records(tmp_path / "two.jsonl", record("r0"), record("r1"))
    factreasoner("run", "one.jsonl", "--out", "out", "--report")
    assert not older("one.jsonl")
    assert [older("two.jsonl"), older("two.jsonl")] == [True, True]
    factreasoner("report", "out")
    assert not older("two.jsonl")
    assert [older("one.jsonl"), older("one.jsonl")] == [True, True]  # no record is new, one is left out


@pytest.mark.skipif(find_spec("ray") is not None, reason="ray is installed")
def test_a_cluster_without_its_package_makes_no_folder(factreasoner, tmp_path):
    write_records(tmp_path / "in.jsonl", record("r0"))
    done = factreasoner("run", "in.jsonl", "--executor", "ray", "--out", "out", code=1)
    assert done.stderr == (
        "Error: running on a Ray cluster needs an optional package: pip install '.[ray]'\n"
    )
    assert not (tmp_path / "out").exists()


def test_bad_lines_are_named_in_order(factreasoner, tmp_path):
    lines = [json.dumps(record("r0")), "{", '{"output": 5, "contexts": 5}', "{", "{"]
    (tmp_path / "in.jsonl").write_text("\n".join(lines) + "\n")
    assert (
        "in.jsonl:2 and 2 more (4, 5): not JSON"
        in factreasoner("run", "in.jsonl", "--out", "out", code=1).stderr
    )
    assert not (tmp_path / "out").exists()
    done = factreasoner("run", "in.jsonl", "--skip-invalid", "--out", "out")
    told = [line for line in done.stderr.splitlines() if line.startswith("skipped")]
    assert [line.split(": ")[0] for line in told] == [
        "skipped in.jsonl:2 and 2 more (4, 5)",
        "skipped in.jsonl:3",
    ]
    assert "output: is the number 5" in told[1]
    assert "contexts: is the number 5" in told[1]
    assert "Skipped 4 of 5 records." in done.stderr
