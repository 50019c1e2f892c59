"""`--json`: every command that prints a table prints JSON instead, and nothing else on standard output."""

import json

import pytest
from command import printed, summary_of, write_records


@pytest.fixture
def data(tmp_path):
    given = {"output": "The tower is 52 metres high.", "reference": "The tower is high."}
    contexts = [{"id": "c0", "text": "The tower is 38 metres high."}]
    return write_records(tmp_path / "d.jsonl", {"id": "r0", **given, "contexts": contexts})


@pytest.mark.parametrize("task", ["run", "recall", "rag", "verify"])
def test_a_run_prints_its_summary(factreasoner, data, tmp_path, task):
    given = () if task == "verify" else ("--report",)
    found = printed(factreasoner(task, data, "--out", "run", *given, "--json"))
    assert found == summary_of(tmp_path / "run")
    assert found["records"]["total"] == 1


@pytest.mark.parametrize("task", ["recall", "rag"])
def test_a_table_of_its_own_is_refused_beside_it(factreasoner, data, task, tmp_path):
    done = factreasoner(task, data, "--out", "run", "--explain", "--json", code=1)
    assert done.stdout == ""
    assert "--explain prints a table" in done.stderr
    assert not (tmp_path / "run").exists()


def test_show_gives_the_rows_that_export_does(factreasoner, data):
    factreasoner("run", data, "--out", "run", "--quiet")
    exported = factreasoner("export", "run", "--out", "-", "--format", "jsonl").stdout
    rows = [json.loads(line) for line in exported.splitlines()]
    assert printed(factreasoner("show", "run", "--json")) == rows
    assert [row["label"] for row in rows] == ["contradicted"]
    assert printed(factreasoner("show", "run", "--label", "supported", "--json")) == []


def test_check_gives_each_rule_and_keeps_its_exit_code(factreasoner, data):
    factreasoner("run", data, "--out", "run", "--quiet")
    done = factreasoner("check", "run", "--min", "precision=0.5", "--max", "failures=0", "--json", code=4)
    broken, kept = printed(done)
    assert (broken["measure"], broken["bound"], broken["limit"], broken["kept"]) == (
        "precision",
        "min",
        0.5,
        False,
    )
    assert kept["kept"]
