"""Memory of a run over many small records on the embedded judge: it must not grow with their number.

    python benchmarks/memory.py [RECORDS]

Runs the command over RECORDS (default 10,000) records in a process of its own and samples its resident
memory; prints it at 10 % and at 100 % of the records, their ratio, and records a second. Half way the run is
killed and started again, so that resuming is part of what is measured.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

NAMES = ("Ada Lovelace", "Alan Turing", "Grace Hopper", "Emmy Noether", "Niels Bohr", "Lise Meitner")
PLACES = ("London", "Paris", "Vienna", "Copenhagen", "Berlin", "Boston")


def records(count: int) -> list[str]:
    """Small records with three atoms and two contexts each, made from templates with a fixed seed."""
    draw = random.Random(0)
    lines = []
    for number in range(count):
        name, place, year = draw.choice(NAMES), draw.choice(PLACES), draw.randrange(1800, 2000)
        wrong = draw.choice(PLACES)
        lines.append(
            json.dumps(
                {
                    "id": f"r{number}",
                    "input": f"Where did {name} live?",
                    "output": f"{name} lived in {wrong}.",
                    "atoms": [
                        {"text": f"{name} lived in {place}."},
                        {"text": f"{name} lived in {wrong}."},
                        {"text": f"{name} moved there in {year}."},
                    ],
                    "contexts": [f"{name} lived in {place} from {year} on.", f"{wrong} is a city of note."],
                }
            )
        )
    return lines


def resident(pid: int) -> float:
    """Resident memory of a process in MiB."""
    status = Path(f"/proc/{pid}/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS")) / 1024


def watch(process: subprocess.Popen[bytes], journal: Path, until: int) -> dict[int, float]:
    """Resident memory by number of records done, sampled until `until` are done or the process ends."""
    samples = {}
    while process.poll() is None:
        done = journal.read_bytes().count(b"\n") if journal.exists() else 0
        if done:
            samples[done] = resident(process.pid)
        if done >= until:
            break
        time.sleep(0.25)
    return samples


def main() -> None:
    """Print memory early and late, and the speed."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder, "d.jsonl")
        data.write_text("".join(f"{line}\n" for line in records(count)))
        command = [
            sys.executable,
            "-m",
            "factreasoner",
            "run",
            str(data),
            "--out",
            f"{folder}/out",
            "--quiet",
        ]
        journal = Path(folder, "out", "journal.jsonl")
        start = time.perf_counter()
        first = subprocess.Popen(command)
        early = watch(first, journal, count // 2)
        os.kill(first.pid, signal.SIGKILL)
        first.wait()
        second = subprocess.Popen(command)
        late = watch(second, journal, count)
        code = second.wait()
        seconds = time.perf_counter() - start
        finished = len(Path(folder, "out", "results.jsonl").read_text().splitlines())
    at_tenth = early[min(done for done in early if done >= count // 10)]
    at_half = early[max(early)]
    at_end = late[max(late)]
    print(
        f"{finished} of {count} records, exit code {code}, {count / seconds:.0f} records/s, "
        "killed once half way"
    )
    print(f"resident: {at_tenth:.0f} MiB at 10 %, {at_half:.0f} MiB at 50 %, {at_end:.0f} MiB at 100 %")
    print(f"growth: {at_half / at_tenth:.3f} from 10 % to 50 %, {at_end / at_tenth:.3f} from 10 % to 100 %")


if __name__ == "__main__":
    main()
