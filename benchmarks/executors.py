"""Records a second on the bundled judge, in processes and on Ray beside threads.

    python benchmarks/executors.py [RECORDS]

Runs the command over RECORDS (default 4,000) small records by each executor, after one of a single record
whose time is taken off as the start; prints records a second and the ratios. Rounds alternate, and the
fastest counts. Goal on two cores: 1.7; Ray, where it is installed, within 10 % of processes. Threads of one
process share one interpreter, so that they take one record after the other.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

from memory import FACTREASONER, records

ROUNDS = 2
GOALS = {"processes": ("threads", 1.7), "ray": ("processes", 0.9)}
"""How many times as fast as which."""
EXECUTORS = ("threads", "processes", *(("ray",) if find_spec("ray") else ()))


def seconds(data: Path, out: Path, executor: str) -> float:
    """Wall time of one run."""
    command = [*FACTREASONER, "run", str(data), "--out", str(out), "--fresh", "--quiet"]
    started = time.perf_counter()
    subprocess.run([*command, "--executor", executor], check=True)
    return time.perf_counter() - started


def main() -> None:
    """Print the table."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 4000
    lines = records(count)
    took: dict[tuple[str, str], list[float]] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "one.jsonl").write_text(lines[0], encoding="utf-8")
        (folder / "all.jsonl").write_text("\n".join(lines), encoding="utf-8")
        for _ in range(ROUNDS):
            for executor in EXECUTORS:
                for size in ("one", "all"):
                    data = folder / f"{size}.jsonl"
                    took.setdefault((executor, size), []).append(seconds(data, folder / size, executor))
    start = {executor: min(took[executor, "one"]) for executor in EXECUTORS}
    rates = {executor: (count - 1) / (min(took[executor, "all"]) - start[executor]) for executor in EXECUTORS}
    for executor, rate in rates.items():
        print(f"{executor:10} {rate:8.0f} records/s after a start of {start[executor]:.1f} s", end="")
        peer, goal = GOALS.get(executor, ("", 0.0))
        print(f", {rate / rates[peer]:.2f} times as fast as {peer}; goal {goal}" if peer else "")
    print(f"{len(os.sched_getaffinity(0))} cores")


if __name__ == "__main__":
    main()
