"""Container, action and workflows, as far as they can be tried without the services they are for."""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from assessments import assessment
from command import on_path
from run_folders import run_folder

import factreasoner
from factreasoner.cli import execute

ROOT = Path(__file__).parents[1]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")


@pytest.fixture
def act(tmp_path):
    """Runs the action's script as a runner does, in a folder with a run of precision 0.5."""
    run_folder(tmp_path / "runs", assessment([0.9, 0.1], gold="SN", record_id="r0"))
    path = on_path(tmp_path / "bin")
    (step,) = ACTION["runs"]["steps"]

    def run(**inputs):
        given = {name: told.get("default", "") for name, told in ACTION["inputs"].items()} | inputs
        names = {
            name: re.fullmatch(r"\${{ inputs\.(\w+) }}", value)[1] for name, value in step["env"].items()
        }
        return subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=tmp_path,
            env={
                "PATH": path,
                "RUNNER_TEMP": str(tmp_path),
                "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"),
            }
            | {key: given[name] for key, name in names.items()},
            capture_output=True,
            text=True,
            check=False,
        )

    return run


def test_action_checks_rules_and_writes_summary(act, tmp_path):
    kept = act(run="runs", min="precision=0.5\n\n  factuality_score=0.5", max="failures=0", junit="a b.xml")
    assert (kept.returncode, kept.stdout.count("pass  ")) == (0, 3), kept.stderr
    assert (tmp_path / "a b.xml").read_text(encoding="utf-8").count("<testcase") == 3
    assert "| 0.100 | ✕ contradicted |" in (tmp_path / "summary.md").read_text(encoding="utf-8")
    (tmp_path / "summary.md").unlink()
    broken = act(run="runs", min="precision=0.8")
    assert broken.returncode == 4
    summary = (tmp_path / "summary.md").read_text(encoding="utf-8")
    assert "```\nFAIL  precision >= 0.8: 0.5" in summary
    assert "| 0.100 | ✕ contradicted |" in summary
    assert act(run="nowhere", min="precision=0.8").returncode == 1
    assert (tmp_path / "summary.md").read_text(encoding="utf-8") == summary
    assert "FAIL  precision >= 0.8: 0.5" in broken.stdout


@pytest.mark.parametrize("name", ["run", "min", "max", "junit"])
@pytest.mark.parametrize("value", ["$(touch taken)", '`touch taken`"; touch taken #', "--help"])
def test_action_inputs_are_never_run_or_parsed(name, value, act, tmp_path):
    done = act(**{"run": "runs", "min": "precision=0.5", name: value})
    assert not (tmp_path / "taken").exists()
    assert "Usage:" not in done.stdout
    if name == "junit":
        assert (done.returncode, (tmp_path / value).exists()) == (0, True), done.stderr
    else:
        assert done.returncode in (1, 2), done.stdout


def test_container_serves_publicly_only_with_token(monkeypatch, capsys):
    monkeypatch.delenv("SERVE_TOKEN", raising=False)
    command = json.loads(re.search(r"^CMD (.*)$", DOCKERFILE, re.MULTILINE)[1])
    assert execute(command) == 1
    assert "SERVE_TOKEN: the variable is not set" in capsys.readouterr().err


def test_the_container_gets_the_files_it_copies():
    let_in = set(re.findall(r"^!(.*)$", (ROOT / ".dockerignore").read_text(encoding="utf-8"), re.MULTILINE))
    copied = {
        source
        for line in re.findall(r"^COPY (?!--from)(.*)$", DOCKERFILE, re.M)
        for source in line.split()[:-1]
    }
    assert copied == let_in
    assert all((ROOT / name).exists() for name in copied)


def test_actions_of_others_are_pinned_to_commits():
    workflows = sorted((ROOT / ".github/workflows").glob("*.yml"))
    used = [
        line
        for path in workflows
        for line in path.read_text(encoding="utf-8").splitlines()
        if "uses:" in line
    ]
    assert used
    for line in used:
        assert re.search(r"uses: [\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$", line), line


def test_workflows_run_targets_that_are_there():
    for path in (ROOT / ".github/workflows").glob("*.yml"):
        for targets in re.findall(r"run: make (.*)", path.read_text(encoding="utf-8")):
            subprocess.run(["make", "--dry-run", *targets.split()], cwd=ROOT, capture_output=True, check=True)


def test_benchmarks_can_be_imported():
    names = sorted(path.stem for path in (ROOT / "benchmarks").glob("*.py"))
    code = f"import importlib\nfor name in {names}: importlib.import_module(name)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT / "benchmarks", capture_output=True, text=True, check=False
    )
    assert len(names) > 20
    assert done.returncode == 0, done.stderr


def test_version_has_one_definition():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["project"]["dynamic"] == ["version"]
    assert (ROOT / project["tool"]["hatch"]["version"]["path"]).samefile(factreasoner.__file__)
