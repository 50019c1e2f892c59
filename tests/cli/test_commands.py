"""The list of commands, what asking for it imports; `metrics`, every row of its table."""

import importlib
import json
import subprocess
import sys

import pytest

from factreasoner.cli import COMMANDS, execute
from factreasoner.metrics.factuality import FACTUALITY
from factreasoner.tasks.task import TASKS, task_named


def test_command_list_shows_first_help_sentences(capsys):
    assert execute(["--help"]) == 0
    listed = " ".join(capsys.readouterr().out.split())
    for name in COMMANDS:
        command = getattr(importlib.import_module(f"factreasoner.cli.{name}"), f"{name.capitalize()}Command")
        about, _, _ = command.__doc__.partition("\n\n")
        assert f"{name} {' '.join(about.split())}" in listed


def test_the_list_of_commands_imports_none_of_them():
    code = (
        "import sys; from factreasoner.cli import execute; execute(['--help']); "
        "print('imported:', [m for m in ('rich', 'pydantic', 'factreasoner.cli.run') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.endswith("imported: []\n")
    assert all(f"  {name} " in done.stdout for name in COMMANDS)


def test_mistyped_command_suggests_the_nearest(capsys):
    assert execute(["shwo"]) == 2
    assert "Did you mean 'show'?" in capsys.readouterr().err


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        OSError(12, "Cannot allocate memory", "d.jsonl"),
        ImportError("x.so: failed to map segment from shared object"),
        RuntimeError("can't start new thread"),
    ],
)
def test_out_of_memory_is_reported_without_traceback(monkeypatch, capsys, error):
    def fail(*_, **__):
        error.add_note("2 of 3 records are assessed.")
        raise error

    monkeypatch.setattr("factreasoner.cli._command_line", lambda: fail)
    assert execute(["run"]) == 1
    told = capsys.readouterr().err
    assert told.startswith("Error: out of memory. Allow more")
    assert told.endswith("rerun to resume. 2 of 3 records are assessed.\n")


def test_out_of_memory_elsewhere_promises_no_resume(monkeypatch, capsys):
    def fail(*_, **__):
        raise MemoryError

    monkeypatch.setattr("factreasoner.cli._command_line", lambda: fail)
    assert execute(["serve"]) == 1
    assert capsys.readouterr().err.endswith("fewer --workers).\n")


@pytest.mark.parametrize(
    ("arguments", "interrupted", "continues"),
    [
        (["metrics"], "cli.metrics.MetricsCommand._execute", False),
        (["run", "d.jsonl"], "cli.running.TaskCommand._run", True),
        (["run", "d.jsonl", "--dry-run"], "cli.summary_tables.show_plan", False),
        (["verify", "d.jsonl"], "cli.running.TaskCommand._run", True),
        (["verify", "--text", "d.jsonl", "--source", "d.jsonl"], "retrieval.sources.read_text", False),
        (["compare", "a", "b"], "analysis.comparison.named_runs", False),
        (["compare", "d.jsonl", "--assessors", "fr1,fr2"], "analysis.side_by_side.run_side_by_side", True),
        (["index", "d.jsonl"], "cli.index._index", True),
        (["index", "--find", "x"], "cli.index._find", False),
        (["index", "--list"], "cli.index._list", False),
        (["index", "--delete"], "cli.index._delete", False),
    ],
)
def test_interrupt_mentions_resume_only_where_possible(
    factreasoner, one, monkeypatch, arguments, interrupted, continues
):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(f"factreasoner.{interrupted}", interrupt)
    told = factreasoner(*arguments, code=130).stderr
    assert f"Interrupted{'; rerun to resume' if continues else ''}.\n" in told


@pytest.mark.parametrize("task", TASKS)
def test_default_run_folder_has_task_name(factreasoner, tmp_path, task):
    record = {"output": "The museum opened in 1932 [1].", "contexts": ["It opened in 1932."], "facts": ["A."]}
    (tmp_path / "set.jsonl").write_text(json.dumps(record), encoding="utf-8")
    factreasoner(task, "set.jsonl", "-q", code=None)
    folder = "set" if task == "run" else f"set-{task}"
    assert [path.name for path in (tmp_path / "runs").iterdir()] == [folder]


def test_metrics_as_json(factreasoner):
    rows = {row["name"]: row for row in json.loads(factreasoner("metrics", "run", "--json").stdout)}
    assert rows.keys() == FACTUALITY.metrics.keys()
    assert rows["brier"]["better"] == "lower"
    assert (rows["precision"]["field"], rows["precision"]["bounds"]) == ("precision", [0.0, 1.0])
    assert rows["entropy"]["bounds"] == [0.0, None]
    assert rows["auroc"]["field"] is None
    assert rows["cost"]["averaged"] == "mean over all records"


@pytest.mark.parametrize("task", TASKS)
def test_every_task_has_its_metrics(factreasoner, task):
    listed = json.loads(factreasoner("metrics", "--json").stdout)
    assert [row["name"] for row in listed if row["task"] == task] == list(task_named(task).table.metrics)
    alone = factreasoner("metrics", task).stdout
    assert task in alone
    assert "means over records." in alone
    assert all(metric.name in alone for metric in task_named(task).table)
    assert task != "run" or "auroc ↑" in alone


def test_metrics_of_unknown_task_suggest_nearest(factreasoner):
    assert "did you mean 'recall'?" in factreasoner("metrics", "recal", code=2).stderr
