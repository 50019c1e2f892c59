"""Runs benchmarks one after the other and keeps what they print in RESULTS.md, with versions and machine.

    python benchmarks/results.py bench|figures|peers

`bench`: speed and memory beside a peer or a limit, in sizes that take some minutes in all; `figures`: quality
on labelled data, most of an hour; `peers`: other tools for the same job. Each is one section of RESULTS.md,
which is replaced when all of it went well. One that fails or takes longer than MOST_SECONDS ends it.
"""

from __future__ import annotations

import os
import platform
import re
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path

FOLDER = Path(__file__).parent
RESULTS = FOLDER / "RESULTS.md"
MOST_SECONDS = 3600
PACKAGES = ("litellm", "numpy", "pgmpy", "pydantic", "scipy")
SECTIONS = {
    "bench": (
        "startup",
        "overhead --calls 100 --rounds 1 --latency 0.2",
        "memory 1000 5000",
        "executors 1000",
        "report 1000",
        "inference --quick --seconds 10",
        "explanations --solves 4",
        "nli_judge",
    ),
    "figures": (
        *("embedded_judge", "assessors", "independence", "interval_coverage"),
        *("passage_choice", "retrieval", "atoms"),
    ),
    "peers": ("peers",),
}
TITLES = {
    "bench": "Speed and memory (`make bench`)",
    "figures": "Quality on labelled data (`make figures`)",
    "peers": "Beside other tools (`make peers`)",
}


def output_of(command: str) -> tuple[str, float]:
    """What a benchmark prints, shown while it runs, and its seconds."""
    name, *arguments = command.split()
    start, lines = time.perf_counter(), []
    process = subprocess.Popen(
        ["timeout", str(MOST_SECONDS), sys.executable, "-u", str(FOLDER / f"{name}.py"), *arguments],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    for line in process.stdout:
        print(line, end="", flush=True)
        lines.append(line)
    if process.wait():
        raise SystemExit(f"{command}: exit code {process.returncode}; {RESULTS.name} is as it was")
    return "".join(lines).strip("\n"), time.perf_counter() - start


def machine() -> str:
    """Versions, cores and load, in a line."""
    packages = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    load = "" if not hasattr(os, "getloadavg") else f", load {os.getloadavg()[0]:.1f} at the start"
    return f"Python {platform.python_version()}, {packages}; {os.cpu_count()} cores{load}."


def main() -> None:
    """Run one section."""
    section = sys.argv[1] if sys.argv[1:] else "bench"
    told, begun = machine(), time.perf_counter()
    parts = []
    for command in SECTIONS[section]:
        print(f"== {command}", flush=True)
        output, seconds = output_of(command)
        parts.append(f"### {command}\n\n{seconds:.0f} s\n\n```\n{output}\n```\n")
    minutes = (time.perf_counter() - begun) / 60
    title = f"## {TITLES[section]}"
    text = f"{title}\n\n{told} {minutes:.0f} minutes.\n\n" + "\n".join(parts)
    content = RESULTS.read_text(encoding="utf-8") if RESULTS.exists() else "# Results of the benchmarks\n"
    others = [part.rstrip() for part in re.split(r"(?m)^(?=## )", content) if not part.startswith(title)]
    RESULTS.write_text("\n\n".join([*others, text.rstrip()]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
