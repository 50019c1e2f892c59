"""How fast the command starts: its help, an import, a first verdict, a run of one record.

    python benchmarks/startup.py

Bytecode must be compiled, as `make install` and any second start do. Of whole processes: the least wall and
CPU seconds over the runs, as other work on the machine only adds to them; their ratio to the limit; and the
share of the wall seconds that imports take, by `python -X importtime`. Given atoms, and no spaCy: as in an
installation without extras.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

RUNS = 7
RECORD = {
    "output": "Marie Curie was born in 1876.",
    "atoms": [{"text": "Marie Curie was born in 1876."}],
    "contexts": ["Marie Curie was born in Warsaw in 1867."],
}
FIRST_VERDICT = """
from factreasoner import assess
assess("Marie Curie was born in 1876.", atoms=["Marie Curie was born in 1876."],
       contexts=["Marie Curie was born in Warsaw in 1867."])
"""


class Took(NamedTuple):
    """Seconds of one process."""

    wall: float
    cpu: float


def least_seconds(*arguments: str) -> Took:
    """The least wall and CPU seconds of Python with these arguments, after one run that is not counted."""
    found = []
    for _ in range(RUNS + 1):
        start = time.perf_counter()
        process = subprocess.Popen([sys.executable, *arguments], stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise SystemExit(f"{arguments[-1]}: exit code {process.returncode}")
        found.append(Took(time.perf_counter() - start, usage.ru_utime + usage.ru_stime))
    return Took(min(took.wall for took in found[1:]), min(took.cpu for took in found[1:]))


def import_share(*arguments: str) -> float:
    """The share of a process's wall seconds that its imports take, by what Python itself says."""
    start = time.perf_counter()
    command = [sys.executable, "-X", "importtime", *arguments]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    microseconds = re.findall(r"^import time:\s+(\d+) \|", done.stderr, re.MULTILINE)
    return sum(map(int, microseconds)) / 1e6 / (time.perf_counter() - start)


def main() -> None:
    """Print a row a start."""
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder, "one.jsonl")
        data.write_text(json.dumps(RECORD) + "\n", encoding="utf-8")
        run = ("run", str(data), "--out", f"{folder}/out", "--fresh", "--quiet")
        starts = {
            "factreasoner --help": (0.25, ("-m", "factreasoner", "--help")),
            "import factreasoner": (0.3, ("-c", "import factreasoner")),
            "first bundled verdict": (2.0, ("-c", FIRST_VERDICT)),
            "run of one record": (3.0, ("-m", "factreasoner", *run)),
        }
        python = least_seconds("-c", "pass")
        print(f"{'':24}{'wall s':>8}{'CPU s':>8}{'limit':>7}{'CPU/limit':>11}{'imports':>9}")
        print(f"{'python -c pass':24}{python.wall:8.3f}{python.cpu:8.3f}")
        for name, (limit, arguments) in starts.items():
            took, share = least_seconds(*arguments), import_share(*arguments)
            ratio = took.cpu / limit
            print(f"{name:24}{took.wall:8.3f}{took.cpu:8.3f}{limit:7.2f}{ratio:11.2f}{share:9.0%}")


if __name__ == "__main__":
    main()
