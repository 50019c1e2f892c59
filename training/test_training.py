"""From data to weights in 200 steps. It needs torch and the data, and is not part of the suite."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from safetensors.numpy import load_file

from factreasoner.judges.encoder.judge import VerifierJudge
from factreasoner.models import Claim, Premise
from factreasoner.pipeline.config import Config

HERE = Path(__file__).parent


def run(script: str, *arguments: object) -> str:
    """What a script prints."""
    command = [sys.executable, str(HERE / script), *map(str, arguments)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the checkpoint of 200 steps, stopped once."""
    found = tmp_path_factory.mktemp("checkpoint")
    run("train.py", "--out", found, "--pairs", 3200, "--frozen", 2)
    first = load_file(found / "mean.safetensors")["layers.5.q.weight"]
    run("train.py", "--out", found, "--pairs", 6400, "--frozen", 2)
    assert (load_file(found / "mean.safetensors")["layers.5.q.weight"] != first).any()
    return found


def test_evaluation_and_export(folder: Path, tmp_path: Path) -> None:
    printed = run("evaluate.py", folder / "mean.safetensors", "--sample", 40)
    names = ("factcheck_bench", "kqa", "wikicontradict", "wice", "scifact_oracle", "unrelated", "bundled")
    assert [name for name in names if name not in printed] == []
    printed = run("export.py", folder / "mean.safetensors", "--out", tmp_path, "--version", "test")
    assert "P against torch on 1000 pairs" in printed
    config = Config(verifier="bundled", verifier_model=str(tmp_path))
    judged = VerifierJudge(config).judge(Premise("c", "The tower is old."), [Claim("a", "The tower is old.")])
    assert len(judged.verdicts) == 1
