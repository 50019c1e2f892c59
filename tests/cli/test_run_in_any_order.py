"""A run on shuffled atoms, contexts and lines of verdicts has the same scores."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from command import results, write_records
from shuffled_cases import Case


def shuffled(record: Mapping[str, Any], rng: random.Random) -> dict[str, Any]:
    """The record with atoms and contexts in another order."""
    turned = dict(record)
    for key in ("atoms", "contexts"):
        turned[key] = rng.sample(record[key], len(record[key]))
    return turned


@pytest.mark.parametrize("version", [2, 3])
def test_the_scores_of_a_run_are_the_same(
    factreasoner: Callable[..., Any], tmp_path: Path, version: int
) -> None:
    records, lines = [], []
    for seed in range(8):
        case, name = Case(seed), f"r{seed}"
        atoms = [{"id": atom.id, "text": atom.text, "label": "S"} for atom in case.atoms]
        contexts = [{"id": c.id, "text": c.text, "title": c.title, "link": c.link} for c in case.contexts]
        records.append({"id": name, "output": "x", "atoms": atoms, "contexts": contexts})
        for (source, target), verdict in case.verdicts.items():
            line = {"record": name, "source": source, "target": target}
            lines.append(line | {"label": verdict.label, "probability": verdict.probability})
    found = []
    for name in ("given", "shuffled"):
        rng = random.Random(version)
        if name == "shuffled":
            records = [shuffled(record, rng) for record in records]
            rng.shuffle(lines)
        data = write_records(tmp_path / f"{name}.jsonl", *records)
        relations = write_records(tmp_path / f"{name}-relations.jsonl", *lines)
        done = factreasoner(
            *("run", data, "--judge", "recorded", "--relations", relations),
            *("--version", version, "--out", name),
        )
        assert done.returncode in (0, 3), done.stderr
        found.append((results(tmp_path / name), json.loads((tmp_path / name / "summary.json").read_text())))
    (one_lines, one), (other_lines, other) = found
    for line, turned in zip(one_lines, other_lines, strict=True):
        assert line["status"] == turned["status"]
        assert line["predictions"] == turned["predictions"]
        for key in ("factuality_score", "f1_k", "avg_entropy", "avg_logprob", "gold_brier"):
            assert turned.get(key) == pytest.approx(line.get(key), abs=1e-12), key
    for key in ("factuality_score", "f1_k", "avg_entropy"):
        assert other.get(key) == pytest.approx(one.get(key), abs=1e-12), key
