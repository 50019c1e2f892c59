"""The list of commands, and what asking for it imports."""

import importlib
import json
import subprocess
import sys

import pytest

from factreasoner.cli import COMMANDS, execute


def test_each_command_is_listed_as_its_own_help_begins(capsys):
    assert execute(["--help"]) == 0
    listed = " ".join(capsys.readouterr().out.split())
    for name in COMMANDS:
        command = getattr(importlib.import_module(f"factreasoner.cli.{name}"), name.capitalize())
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


def test_a_mistyped_command_is_told_the_nearest(capsys):
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
def test_out_of_memory_is_no_fault_of_the_program(monkeypatch, capsys, error):
    def fail(*_, **__):
        error.add_note("2 of 3 records are assessed.")
        raise error

    monkeypatch.setattr("factreasoner.cli._command_line", lambda: fail)
    assert execute(["run"]) == 1
    told = capsys.readouterr().err
    assert told.startswith("Error: out of memory. Let it have more")
    assert told.endswith("2 of 3 records are assessed.\n")


@pytest.mark.parametrize("task", ["run", "recall", "rag", "verify"])
def test_a_run_has_a_folder_of_its_task_by_default(factreasoner, tmp_path, task):
    record = {"output": "The museum opened in 1932 [1].", "contexts": ["It opened in 1932."], "facts": ["A."]}
    (tmp_path / "set.jsonl").write_text(json.dumps(record), encoding="utf-8")
    factreasoner(task, "set.jsonl", "-q", code=None)
    folder = "set" if task == "run" else f"set-{task}"
    assert [path.name for path in (tmp_path / "runs").iterdir()] == [folder]
