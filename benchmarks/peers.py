"""What claim-level metrics of RAG answers cost here and with peers, and what bad replies do to their scores.

    python benchmarks/peers.py [NAME...]        # ragas and deepeval unless named; `make peers`

30 answers of MT-RAG with their passages and reference answers go to each contender, which asks one stand-in
for a model on loopback (`stand_in.py`: the same claims and verdicts for all, 0.5 s an answer, 16 at once).
Each is installed in an environment of its own under .venv-peers, in the newest version that installs beside
what its scripts in `peer_scripts` pin, and runs in a process of its own: its seconds include the start.

- "faithfulness": that metric alone. "all": correctness and coverage against the reference, claim recall and
  context precision with it (ragas: factual_correctness, context_recall, context_precision; deepeval:
  contextual recall and precision, and nothing for the first two).
- Ours is `factreasoner rag --reviser inline --premise joint`, and `--premise each` beside it.
- Bad replies: mean faithfulness where one verdict in five is left out of the replies, and where one reply in
  ten is prose, beside that where nothing is wrong; records without a score in brackets.

- IBM's FactReasoner is not run: it asks one call for each pair of an atom and a passage (FR2), and one each
  way for each pair of passages (FR3). Beside that the judge's calls here, as a dry run tells them.

Data: the folder named by FACTREASONER_DATA or ../shared/data.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from data_folder import data_folder
from stand_in import StandIn, Taken

from factreasoner.config import Config
from factreasoner.inputs.input import check_input
from factreasoner.runs.plan import plan

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from fake_server import FakeServer

ROOT = Path(__file__).parents[1]
ENVIRONMENTS = ROOT / ".venv-peers"
ANSWERS, LATENCY, CONCURRENCY = 30, 0.5, 16
METRICS = ("faithfulness", "all")


class Contender(NamedTuple):
    """A package, what else its environment needs, and what a script of its user imports."""

    name: str
    requirements: tuple[str, ...]
    imports: str

    @property
    def python(self) -> Path:
        """The interpreter of its environment."""
        return ENVIRONMENTS / self.name / "bin" / "python"


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
QUIET = {
    "OPENAI_API_KEY": "none",
    "RAGAS_DO_NOT_TRACK": "true",
    "DEEPEVAL_TELEMETRY_OPT_OUT": "YES",
    "DEEPEVAL_DISABLE_DOTENV": "1",
    "HF_HUB_OFFLINE": "1",
}


class Way(NamedTuple):
    """A contender with the options it is run with."""

    contender: Contender
    options: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """How a table names it."""
        return ", ".join((self.contender.name, *self.options[-1:]))


class Outcome(NamedTuple):
    """What one run took, records' scores by metric, its exit code; seconds and MB of its process."""

    taken: Taken
    scores: dict[str, list[float | None]]
    code: int
    seconds: float
    cpu: float
    memory: float


def main() -> None:
    """Print what each takes, what bad replies do, and what installing and starting it takes."""
    names = sys.argv[1:] or list(PEERS)
    if unknown := [name for name in names if name not in PEERS]:
        raise SystemExit(f"no peer {unknown[0]!r}; there are {', '.join(PEERS)}")
    inline = ("--reviser", "inline", "--premise")
    ways = [Way(OURS, (*inline, "joint")), Way(OURS, (*inline, "each")), *(Way(PEERS[n]) for n in names)]
    contenders = list(dict.fromkeys(way.contender for way in ways))
    for contender in contenders:
        install(contender)
    found = {which: {way: run(way, which, StandIn(), LATENCY) for way in ways} for which in METRICS}
    for which, outcomes in found.items():
        print(f"\n{which}: {ANSWERS} answers, {LATENCY} s a reply, {CONCURRENCY} at once; ratio to row 1")
        widths = {"calls": 7, "prompt": 9, "reply": 8, "tokens": 9, "ratio": 7, "s": 7, "CPU s": 7, "MB": 6}
        print(" " * 20 + "".join(f"{name:>{width}}" for name, width in widths.items()))
        for way, outcome in outcomes.items():
            print(cost_row(way, outcome, outcomes[ways[0]]))
    print_bad_replies(found["faithfulness"])
    print(f"\n{'':20}{'MB':>7}{'packages':>10}{'import s':>10}")
    for contender in contenders:
        print(f"{contender.name:20}{installed(contender)}")
    print_reference_calls()


def print_reference_calls() -> None:
    """Calls for given atoms and passages, by the published formula and here."""
    print(f"\n{'calls for verdicts':20}{'records':>9}{'FR2: IBM':>10}{'ours':>8}{'FR3: IBM':>10}{'ours':>8}")
    for name in ("factscore_bios", "factcheck_bench"):
        given = list(check_input(data_folder() / name / "records.jsonl").records())
        sizes = [(len(record.atoms or ()), len(record.contexts or ())) for record in given]
        formula = sum(n * m for n, m in sizes), sum(n * m + m * (m - 1) for n, m in sizes)
        ours = [
            sum(stage.calls for stage in plan(given, Config(model="openai/gpt-4o-mini", version=v)).stages)
            for v in (2, 3)
        ]
        print(f"{name:20}{len(given):9d}{formula[0]:10,d}{ours[0]:8,d}{formula[1]:10,d}{ours[1]:8,d}")


def cost_row(way: Way, found: Outcome, first: Outcome) -> str:
    """What a run took, and its tokens beside those of the first."""
    tokens, ours = (sum(outcome.taken[1:]) for outcome in (found, first))
    return (
        f"{way.title:20}{found.taken.calls:7d}{found.taken.prompt_tokens:9d}{found.taken.completion_tokens:8d}"
        f"{tokens:9d}{tokens / ours:7.2f}{found.seconds:7.1f}{found.cpu:7.1f}{found.memory:6.0f}"
    )


def print_bad_replies(clean: dict[Way, Outcome]) -> None:
    """Mean faithfulness with good and bad replies, and how a run ends that got them."""
    print("\nmean faithfulness (records without a score), exit code and calls")
    print(f"{'':20}{'all well':>18}{'one verdict in five left out':>32}{'one reply in ten prose':>28}")
    for way, well in clean.items():
        dropped = run(way, "faithfulness", StandIn(drop=True), 0.0)
        chatty = run(way, "faithfulness", StandIn(chatty=True), 0.0)
        print(f"{way.title:20}{_scored(well):>18}{_scored(dropped):>32}{_scored(chatty):>28}")


def _scored(found: Outcome) -> str:
    scores = found.scores.get("faithfulness", [])
    known = [score for score in scores if score is not None]
    mean = f"{sum(known) / len(known):.3f}" if known else "none"
    return f"{mean} ({ANSWERS - len(known)}), {found.code}, {found.taken.calls}"


def records(which: str) -> Iterator[dict[str, Any]]:
    """The answers, with references where these are asked for."""
    rows = (data_folder() / "mtrag_human" / "rag.jsonl").read_text(encoding="utf-8").splitlines()
    usable = [row for row in map(json.loads, rows) if row["contexts"] and row["model"] != "reference"]
    for row in usable[:ANSWERS]:
        yield {
            "id": row["id"],
            "input": row["question"],
            "output": row["answer"],
            "contexts": row["contexts"],
            **({"reference": row["ground_truth"]} if which == "all" else {}),
        }


def run(way: Way, which: str, model: StandIn, latency: float) -> Outcome:
    """Run a contender in a process of its own."""
    with FakeServer(model.answer, delay=latency) as server, tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows = folder / "records.jsonl"
        rows.write_text("".join(json.dumps(row) + "\n" for row in records(which)), encoding="utf-8")
        log = folder / "log"
        with log.open("w") as output:
            start = time.perf_counter()
            process = subprocess.Popen(
                command(way, rows, server.url, which),
                cwd=folder,
                env={**os.environ, **QUIET},
                stdout=output,
                stderr=subprocess.STDOUT,
            )
            _, status, usage = os.wait4(process.pid, 0)
            seconds = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        scores = _scores(way, folder, log.read_text(encoding="utf-8"))
        if not scores and process.returncode == 0:
            raise SystemExit(f"{way.title} gave no scores:\n{log.read_text(encoding='utf-8')[-2000:]}")
    cpu = usage.ru_utime + usage.ru_stime
    return Outcome(model.taken, scores, process.returncode, seconds, cpu, usage.ru_maxrss / 1024)


def command(way: Way, rows: Path, url: str, which: str) -> list[str]:
    """The command line of a run."""
    if way.contender is not OURS:
        script = ROOT / "benchmarks" / "peer_scripts" / f"{way.contender.name}_scores.py"
        return [str(way.contender.python), str(script), str(rows), url, str(CONCURRENCY), which]
    program = str(OURS.python.with_name("factreasoner"))
    model = ("--model", "openai/gpt-4o-mini", "--api-base", url, "--concurrency", str(CONCURRENCY))
    return [program, "rag", str(rows), *model, "--cache-dir", "cache", "--out", "run", *way.options]


def _scores(way: Way, folder: Path, log: str) -> dict[str, list[float | None]]:
    """What a run printed last, or our results."""
    if way.contender is not OURS:
        lines = [line for line in log.splitlines() if line.startswith("{")]
        return json.loads(lines[-1]) if lines else {}
    results = folder / "run" / "results.jsonl"
    lines = results.read_text(encoding="utf-8").splitlines() if results.exists() else []
    return {"faithfulness": [json.loads(line)["faithfulness"] for line in lines]} if lines else {}


def install(contender: Contender) -> None:
    """Make the contender's environment, unless it is there; ours is made anew."""
    uv = str(Path(sys.executable).with_name("uv"))
    if not contender.python.exists():
        print(f"installing {contender.name} into {ENVIRONMENTS.name}", flush=True)
        _do([uv, "venv", "--quiet", "--python", sys.executable, str(contender.python.parents[1])])
    elif contender is not OURS:
        return
    refreshed = ("--reinstall-package", contender.name)
    _do(
        [
            uv,
            "pip",
            "install",
            "--quiet",
            "--compile-bytecode",
            *refreshed,
            "--python",
            str(contender.python),
            *contender.requirements,
        ]
    )


def installed(contender: Contender) -> str:
    """Size and number of the packages, and the seconds an import takes, the fastest of three."""
    (packages,) = contender.python.parents[1].glob("lib/python*/site-packages")
    size = sum(file.stat().st_size for file in packages.rglob("*") if file.is_file())
    number = sum(1 for _ in packages.glob("*.dist-info"))
    times = []
    for _ in range(3):
        start = time.perf_counter()
        _do([str(contender.python), "-c", contender.imports])
        times.append(time.perf_counter() - start)
    return f"{size / 1e6:7.0f}{number:10d}{min(times):10.2f}"


def _do(arguments: Sequence[str]) -> None:
    subprocess.run(arguments, check=True, env={**os.environ, **QUIET}, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
