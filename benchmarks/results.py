"""Runs benchmarks one after the other and keeps what they print in RESULTS.md, with versions and machine.

    python benchmarks/results.py bench|figures|peers [NAME...]

`bench`: speed and memory beside a peer or a limit, in sizes that take less than ten minutes in all on a quiet
machine; `figures`: quality on labelled data, most of an hour; `peers`: other tools for the same job. Each is
a section of RESULTS.md with a part for every benchmark, written as soon as that one has ended; with NAMEs
only their parts are made anew. One that fails, or takes longer than MOST_SECONDS, is told in its part, and
the others go on; the exit code is 1 then.
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
HEAD = "# Results of the benchmarks"
MOST_SECONDS = 3600
PACKAGES = ("litellm", "numpy", "pgmpy", "pydantic", "scipy")
SECTIONS = {
    "bench": (
        "startup",
        "life_of_a_record",
        "overhead --calls 60 --rounds 1 --latency 0.2",
        "memory 1000 5000",
        "executors 1000",
        "report 2000",
        "inference --quick --seconds 10",
        "explanations --solves 4",
        "verifier",
    ),
    "figures": ("assessors", "interval_coverage", "retrieval", "atoms"),
    "peers": ("peers",),
}
TITLES = {
    "bench": "Speed and memory (`make bench`)",
    "figures": "Quality on labelled data (`make figures`)",
    "peers": "Beside other tools (`make peers`)",
}


def part_of(command: str) -> tuple[str, bool]:
    """What RESULTS.md has of a benchmark, shown while it runs, and whether it went well."""
    name, *arguments = command.split()
    load = f", load {os.getloadavg()[0]:.1f} at its start" if hasattr(os, "getloadavg") else ""
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
    code = process.wait()
    failed = f" **Failed with exit code {code}**, after what stands here." if code else ""
    seconds = time.perf_counter() - start
    output = "".join(lines).strip("\n")
    return f"### {command}\n\n{seconds:.0f} s{load}.{failed}\n\n```\n{output}\n```", not code


def machine() -> str:
    """Versions and cores, in a line."""
    packages = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    return f"Python {platform.python_version()}, {packages}; {os.cpu_count()} cores."


class Results:
    """RESULTS.md, of which one section is made anew part by part."""

    def __init__(self, section: str) -> None:
        self._title = f"## {TITLES[section]}"
        self._order = [command.split()[0] for command in SECTIONS[section]]
        content = RESULTS.read_text(encoding="utf-8") if RESULTS.exists() else HEAD
        sections = re.split(r"(?m)^(?=## )", content)
        own = next((part for part in sections if part.startswith(self._title)), "")
        self._others = [part.strip() for part in sections if not part.startswith(self._title)]
        parts = re.split(r"(?m)^(?=### )", own)[1:]
        self._parts = {part.split()[1]: part.strip() for part in parts}

    def keep(self, name: str, part: str) -> None:
        """Put a benchmark's part in the place of its last one."""
        self._parts[name] = part
        parts = [self._parts[known] for known in self._order if known in self._parts]
        text = "\n\n".join([*self._others, self._title, machine(), *parts])
        RESULTS.write_text(text + "\n", encoding="utf-8")


def main() -> None:
    """Run a section, or what is named of it."""
    section, *names = sys.argv[1:] or ["bench"]
    commands = {command.split()[0]: command for command in SECTIONS[section]}
    if unknown := set(names) - commands.keys():
        raise SystemExit(f"no benchmark {min(unknown)!r} in {section}; there are {', '.join(commands)}")
    results, failed, begun = Results(section), [], time.perf_counter()
    for name in names or commands:
        print(f"== {commands[name]}", flush=True)
        part, well = part_of(commands[name])
        results.keep(name, part)
        failed += [] if well else [name]
    print(f"== {(time.perf_counter() - begun) / 60:.1f} minutes; kept in {RESULTS}", flush=True)
    if failed:
        raise SystemExit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
