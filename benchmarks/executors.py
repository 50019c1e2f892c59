"""Records a second on the embedded judge, in processes and on Ray beside threads.

    python benchmarks/executors.py [RECORDS]

Runs the command over RECORDS (default 4,000) small records by each executor, after one of a single record
whose time is taken off as the start; prints records a second and the ratios. Goal on two cores: 1.7; Ray,
where it is installed, within 10 % of processes. Threads of one process share one interpreter, so that they
take one record after the other.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

from memory import records

ROUNDS = 2
EXECUTORS = ("threads", "processes", *(("ray",) if find_spec("ray") else ()))


def seconds(data: Path, out: Path, executor: str) -> float:
    """Wall time of one run."""
    command = [
        sys.executable,
        "-m",
        "factreasoner",
        "run",
        str(data),
        "--out",
        str(out),
        "--fresh",
        "--quiet",
    ]
    started = time.perf_counter()
    subprocess.run([*command, "--executor", executor], check=True)
    return time.perf_counter() - started


def main() -> None:
    """Print the table."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 4000
    lines = records(count)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "one.jsonl").write_text(lines[0], encoding="utf-8")
        (folder / "all.jsonl").write_text("\n".join(lines), encoding="utf-8")
        rates = {}
        for executor in EXECUTORS:
            start = min(seconds(folder / "one.jsonl", folder / "one", executor) for _ in range(ROUNDS))
            whole = min(seconds(folder / "all.jsonl", folder / executor, executor) for _ in range(ROUNDS))
            rates[executor] = (count - 1) / (whole - start)
            print(f"{executor:10} {rates[executor]:8.0f} records/s after a start of {start:.1f} s")
    cores = len(os.sched_getaffinity(0))
    print(f"processes are {rates['processes'] / rates['threads']:.2f} times as fast on {cores} cores")
    if "ray" in rates:
        print(f"Ray is {rates['ray'] / rates['processes']:.2f} times as fast as processes")


if __name__ == "__main__":
    main()
