"""The command against a model's server of yours: FACTREASONER_API_BASE names it, with /v1, as
http://localhost:8000/v1; FACTREASONER_MODEL names its model (default: the first that it lists).

The records are small: such a server may be a laptop. What the model says is not checked, but that all of it
arrives: no failure, every pair judged, nothing lost by a kill, the same at any concurrency. The cache is
shared, so that what is found out about the model is found out once.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Container
from pathlib import Path
from typing import Any

import pytest

API_BASE = os.environ.get("FACTREASONER_API_BASE", "")
SECONDS = 900
PARTLY = (0, 3)
"""Exit codes where a model writes claims itself: some of what it writes may be refused."""
pytestmark = pytest.mark.skipif(
    not API_BASE, reason="no server is given: set FACTREASONER_API_BASE, as to http://localhost:8000/v1"
)

PASSAGES = (
    "The Harbour Museum in Lindby opened on 4 May 1932. It shows ships and maps.",
    "In 2019, the Harbour Museum had 198,000 visitors. Its director was Ada Lund.",
)
ATOMS = ("The Harbour Museum opened in 1932.", "The Harbour Museum had 50,000 visitors in 2019.")
ANSWER = "The Harbour Museum opened in 1932. It had 50,000 visitors in 2019."


def record(number: int = 0, **more: Any) -> dict[str, Any]:
    """A record of two atoms and two passages."""
    contexts = [{"id": f"c{n}", "text": text} for n, text in enumerate(PASSAGES)]
    given = {"id": f"r{number}", "input": "What is the Harbour Museum?", "output": ANSWER}
    return given | {"contexts": contexts} | more


def with_atoms(number: int = 0) -> dict[str, Any]:
    """The same with its atoms given, so that a model only judges; each record's year is its own."""
    atoms = [
        {"id": f"a{n}", "text": text.replace("1932", str(1932 + number))} for n, text in enumerate(ATOMS)
    ]
    return record(number, atoms=atoms)


class Server:
    """The command with the server's model, in a folder with a cache of its own."""

    def __init__(self, folder: Path) -> None:
        model = os.environ.get("FACTREASONER_MODEL")
        if not model:
            with urllib.request.urlopen(f"{API_BASE}/models", timeout=60) as answer:
                model = json.load(answer)["data"][0]["id"]
        self._model = ["--model", f"openai/{model}", "--api-base", API_BASE]
        self._cache = folder / "cache"

    def command(self, *arguments: object) -> list[str]:
        """The command line."""
        return [sys.executable, "-m", "factreasoner", *map(str, arguments), *self._model]

    @property
    def environment(self) -> dict[str, str]:
        """What it runs in."""
        return os.environ | {"FACTREASONER_CACHE_DIR": str(self._cache), "COLUMNS": "200"}

    def __call__(self, *arguments: object, codes: Container[int] = (0,)) -> subprocess.CompletedProcess[str]:
        """Run it to its end, with one of these exit codes."""
        done = subprocess.run(
            self.command(*arguments), env=self.environment, capture_output=True, text=True, timeout=SECONDS
        )
        assert done.returncode in codes, done.stdout[-2000:] + done.stderr[-2000:]
        return done


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Server:
    return Server(tmp_path_factory.mktemp("server"))


def written(folder: Path, *records: dict[str, Any]) -> Path:
    path = folder / "records.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in records), encoding="utf-8")
    return path


def lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def only(run: Path) -> dict[str, Any]:
    """The result of a run's one record, in which no judgement failed."""
    (result,) = lines(run / "results.jsonl")
    assert [failure for failure in result["failures"] if failure["stage"] == "judge"] == []
    return result


def verdicts(run: Path) -> dict[tuple[str, str, str], dict[str, Any]]:
    """Verdicts by record, premise and claim."""
    return {
        (line["record_id"], verdict["context_id"], verdict["target_id"]): verdict
        for line in (kept["result"] for kept in lines(run / "journal.jsonl"))
        for verdict in line["outcome"]["verdicts"]
    }


def test_doctor_probes_the_model_form(server: Server) -> None:
    done = server("doctor", codes=(0, 1))  # 1: a model that is not to be relied on
    assert "a call (" in done.stdout
    assert "test verdicts right" in done.stdout


@pytest.mark.parametrize(("version", "pairs"), [(2, 4), (3, 6)])
def test_every_pair_is_judged(server: Server, tmp_path: Path, version: int, pairs: int) -> None:
    data = written(tmp_path, with_atoms())
    server("run", data, "--version", version, "--out", tmp_path / "run")
    assert only(tmp_path / "run")["num_atoms"] == len(ATOMS)
    found = verdicts(tmp_path / "run")
    assert len(found) == pairs
    for verdict in found.values():
        if verdict["confidence"] == "logprobs":
            assert sum(verdict["label_probabilities"].values()) == pytest.approx(1.0)
            assert verdict["label_mass"] >= 0.5


def test_atoms_are_made_of_an_answer(server: Server, tmp_path: Path) -> None:
    server("run", written(tmp_path, record()), "--out", tmp_path / "run", codes=PARTLY)
    assert only(tmp_path / "run")["num_atoms"] >= 1
    (line,) = lines(tmp_path / "run" / "journal.jsonl")
    assert any("1932" in atom["text"] for atom in line["result"]["atoms"])


def test_recall_has_a_score(server: Server, tmp_path: Path) -> None:
    data = written(tmp_path, record(reference=" ".join(PASSAGES), facts=list(ATOMS)))
    server("recall", data, "--out", tmp_path / "run")
    assert only(tmp_path / "run")["recall"] is not None


def test_rag_has_a_score(server: Server, tmp_path: Path) -> None:
    data = written(tmp_path, record(reference=PASSAGES[0]))
    server("rag", data, "--out", tmp_path / "run", codes=PARTLY)
    assert only(tmp_path / "run")["faithfulness"] is not None


def test_an_answer_is_verified_and_corrected(server: Server, tmp_path: Path) -> None:
    cited = "The Harbour Museum opened in 1932 [1]. It had 50,000 visitors in 2019 [2]."
    data = written(tmp_path, record(output=cited))
    server("verify", data, "--rounds", 1, "--out", tmp_path / "run", codes=PARTLY)
    result = only(tmp_path / "run")
    assert result["num_claims"] >= 2
    assert result["corrected"]


def test_kill_loses_nothing(server: Server, tmp_path: Path) -> None:
    data, run = written(tmp_path, *map(with_atoms, range(3))), tmp_path / "run"
    arguments = ("run", data, "--out", run, "--concurrency", 1, "--quiet")
    process = subprocess.Popen(server.command(*arguments), env=server.environment)
    journal, until = run / "journal.jsonl", time.monotonic() + SECONDS
    while not (journal.exists() and journal.read_bytes().endswith(b"\n")) and time.monotonic() < until:
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
    before = journal.read_bytes()
    before = before[: before.rindex(b"\n") + 1]
    server(*arguments)
    assert journal.read_bytes().startswith(before)
    assert [line["status"] for line in lines(run / "results.jsonl")] == ["ok"] * 3
    assert len(verdicts(run)) == 3 * 4


def test_results_are_the_same_at_any_concurrency(server: Server, tmp_path: Path) -> None:
    data = written(tmp_path, *map(with_atoms, range(2)))
    found = []
    for concurrency in (1, 4):
        out = tmp_path / f"run{concurrency}"
        flags = ("--no-cache", "--atoms-per-call", 1, "--concurrency", concurrency, "--out", out)
        server("run", data, *flags)
        found.append(verdicts(out))
    one, four = found
    assert one.keys() == four.keys()
    assert [v["label"] for v in one.values()] == [four[pair]["label"] for pair in one]
    for pair, verdict in one.items():
        assert verdict["probability"] == pytest.approx(four[pair]["probability"], abs=0.01)
