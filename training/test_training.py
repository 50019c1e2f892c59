"""From data to weights in 200 steps. It needs torch and the data, and is not part of the suite."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import onnxruntime
import pytest
from safetensors.numpy import load_file

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


def test_export_agrees_with_torch(folder: Path, tmp_path: Path) -> None:
    printed = run("export.py", folder / "mean.safetensors", "--out", tmp_path)
    assert "P against torch on 1000 pairs" in printed
    graph = onnxruntime.InferenceSession(str(tmp_path / "model.onnx"))
    assert [given.name for given in graph.get_inputs()] == ["input_ids", "attention_mask", "token_type_ids"]


def test_evaluation_prints_every_set(folder: Path) -> None:
    printed = run("evaluate.py", folder / "mean.safetensors", "--sample", 20)
    names = ("factcheck_bench", "kqa", "wikicontradict", "wice", "scifact_oracle", "unrelated", "bundled")
    assert [name for name in names if name not in printed] == []
