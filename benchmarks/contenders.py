"""The packages that `peers.py` compares: their environments, and a run of each. Not a benchmark by itself."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from stand_in import StandIn, Taken

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from fake_server import FakeServer

ROOT = Path(__file__).parents[1]
ENVIRONMENTS = ROOT / ".venv-peers"
CONCURRENCY = 16
MOST_SECONDS = 900
"""Of one run: a peer that asks again for ever is ended then, and its exit code says so."""
METRICS = ("faithfulness", "all")


class Contender(NamedTuple):
    """A package, what its environment needs, what a script of its user imports, and which metrics it has.

    `alone` is installed without what it requires itself.
    """

    name: str
    requirements: tuple[str, ...]
    imports: str = ""
    metrics: tuple[str, ...] = METRICS
    alone: tuple[str, ...] = ()

    @property
    def python(self) -> Path:
        """The interpreter of its environment."""
        return ENVIRONMENTS / self.name / "bin" / "python"

    @property
    def script(self) -> Path:
        """What runs it, where it is a peer."""
        return ROOT / "benchmarks" / "peer_scripts" / f"{self.name}_scores.py"


OURS = Contender("factreasoner", (str(ROOT),), "from factreasoner import rag")
PEERS = {
    peer.name: peer
    for peer in (
        Contender(
            "ragas",
            ("ragas==0.4.3", "langchain-community<0.4"),
            "from ragas import evaluate; from ragas.metrics import Faithfulness",
        ),
        Contender(
            "deepeval",
            ("deepeval==4.3.1",),
            "from deepeval import evaluate; from deepeval.metrics import FaithfulnessMetric",
        ),
    )
}
IBM = Contender(
    "ibm_factreasoner",
    ("mellea==0.6.0", "networkx", "numpy", "requests", "tqdm"),
    alone=("fact-reasoner==0.8.0",),
)
FACTSCORE = Contender("factscore", ("httpx",))
QUIET = {
    "OPENAI_API_KEY": "none",
    "RAGAS_DO_NOT_TRACK": "true",
    "DEEPEVAL_TELEMETRY_OPT_OUT": "YES",
    "DEEPEVAL_DISABLE_DOTENV": "1",
    "DEEPEVAL_PER_TASK_TIMEOUT_SECONDS_OVERRIDE": "3600",
    "DEEPEVAL_PER_ATTEMPT_TIMEOUT_SECONDS_OVERRIDE": "900",
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "HF_HUB_OFFLINE": "1",
}


class Way(NamedTuple):
    """A contender with the options it is run with; ours does a task, without a model unless it `asks`."""

    contender: Contender
    options: tuple[str, ...] = ()
    task: str = "rag"
    asks: bool = True

    @property
    def title(self) -> str:
        """How a table names it."""
        return ", ".join((self.contender.name, *self.options[-1:], *([] if self.asks else ["bundled"])))


Score = float | Mapping[str, float | None] | None
"""Of a record, or of each of its atoms by id."""


class Outcome(NamedTuple):
    """What one run took, records' scores by metric, its exit code; seconds and MB of its process.

    `most` is how many requests were under way at once at most, those in line included.
    """

    taken: Taken
    scores: dict[str, list[Score]]
    code: int
    seconds: float
    cpu: float
    memory: float
    most: int


class Ended(NamedTuple):
    """How a contender's process ended: scores by metric, exit code, seconds, CPU seconds and MB."""

    scores: dict[str, list[Score]]
    code: int
    seconds: float
    cpu: float
    memory: float


class Asked(NamedTuple):
    """What a contender asks, how many requests at once, the seconds it may take, and our cache's folder."""

    url: str
    model: str = "gpt-4o-mini"
    concurrency: int = CONCURRENCY
    most_seconds: int = MOST_SECONDS
    cache: str = "cache"


def run(way: Way, rows: Sequence[Mapping[str, Any]], which: str, model: StandIn, latency: float) -> Outcome:
    """Run a contender on records, with a stand-in for a model."""
    with FakeServer(model.answer, delay=latency, places=CONCURRENCY) as server:
        ended = process(way, rows, which, Asked(server.url))
    if not ended.scores and ended.code == 0:
        raise SystemExit(f"{way.title} gave no scores")
    return Outcome(model.taken, *ended, server.peak)


def process(way: Way, rows: Sequence[Mapping[str, Any]], which: str, asked: Asked) -> Ended:
    """Run a contender on records in a process of its own."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        data, log = folder / "records.jsonl", folder / "log"
        data.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        with log.open("w") as output:
            start = time.perf_counter()
            started = subprocess.Popen(
                ["timeout", str(asked.most_seconds), *command(way, data, asked, which)],
                cwd=folder,
                env={**os.environ, **QUIET},
                stdout=output,
                stderr=subprocess.STDOUT,
            )
            _, status, usage = os.wait4(started.pid, 0)
            seconds = time.perf_counter() - start
        started.returncode = os.waitstatus_to_exitcode(status)
        said = log.read_text(encoding="utf-8", errors="replace")
        scores = _scores(way, folder, said)
        if not scores or None in chain(*scores.values()):
            print(f"{way.title} left answers without a score:\n{said[-2000:]}", file=sys.stderr)
    cpu = usage.ru_utime + usage.ru_stime
    return Ended(scores, started.returncode, seconds, cpu, usage.ru_maxrss / 1024)


def command(way: Way, data: Path, asked: Asked, which: str) -> list[str]:
    """The command line of a run."""
    if way.contender is not OURS:
        python, script = str(way.contender.python), str(way.contender.script)
        return [python, script, str(data), asked.url, str(asked.concurrency), which, asked.model]
    program = str(OURS.python.with_name("factreasoner"))
    model: tuple[str, ...] = (
        "--model",
        f"openai/{asked.model}",
        "--api-base",
        asked.url,
        "--concurrency",
        str(asked.concurrency),
    )
    model = model if way.asks else ()
    return [program, way.task, str(data), *model, "--cache-dir", asked.cache, "--out", "run", *way.options]


def _scores(way: Way, folder: Path, log: str) -> dict[str, list[Score]]:
    """What a run printed last, or our results."""
    if way.contender is not OURS:
        lines = [line for line in log.splitlines() if line.startswith("{")]
        return json.loads(lines[-1]) if lines else {}
    results = folder / "run" / "results.jsonl"
    text = results.read_text(encoding="utf-8") if results.exists() else ""
    found = [json.loads(line) for line in text.splitlines()]
    if not found:
        return {}
    if way.task == "rag":
        return {name: [line[name] for line in found] for name in ("faithfulness", "faithfulness_p")}
    marginals = [line.get("marginals") or () for line in found]
    return {"p_true": [{m["variable"]: m["probabilities"][1] for m in own} for own in marginals]}


def install(contender: Contender) -> None:
    """Make the contender's environment, unless it is there; ours is made anew."""
    uv = str(Path(sys.executable).with_name("uv"))
    if not contender.python.exists():
        print(f"installing {contender.name} into {ENVIRONMENTS.name}", flush=True)
        _do([uv, "venv", "--quiet", "--python", sys.executable, str(contender.python.parents[1])])
    elif contender is not OURS:
        return
    install = [uv, "pip", "install", "--quiet", "--compile-bytecode", "--python", str(contender.python)]
    _do([*install, "--reinstall-package", contender.name, *contender.requirements])
    if contender.alone:
        _do([*install, "--no-deps", *contender.alone])


def installed(contender: Contender) -> str:
    """Size, number and version of the packages, and the seconds an import takes, the fastest of three."""
    (packages,) = contender.python.parents[1].glob("lib/python*/site-packages")
    size = sum(file.stat().st_size for file in packages.rglob("*") if file.is_file())
    number = sum(1 for _ in packages.glob("*.dist-info"))
    (own,) = packages.glob(f"{contender.name}-*.dist-info")
    times = []
    for _ in range(3):
        start = time.perf_counter()
        _do([str(contender.python), "-c", contender.imports])
        times.append(time.perf_counter() - start)
    told = own.name.removesuffix(".dist-info").partition("-")[2]
    return f"{size / 1e6:7.0f}{number:10d}{min(times):10.2f}{told:>12}"


def _do(arguments: Sequence[str]) -> None:
    subprocess.run(arguments, check=True, env={**os.environ, **QUIET}, stdout=subprocess.DEVNULL)
