"""How fast `factreasoner --help` answers, beside the interpreter alone and the limit of 0.25 s.

    python benchmarks/startup.py

Bytecode must be compiled, as `make install` and any second start do. Whole-process wall times; the median of
the runs is quoted, and its ratio to the limit.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time

LIMIT = 0.25
RUNS = 15


def median_seconds(*command: str) -> float:
    """Median wall time of a command over RUNS runs, after one that is not counted."""
    times = []
    for _ in range(RUNS + 1):
        start = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        times.append(time.perf_counter() - start)
    return statistics.median(times[1:])


def main() -> None:
    """Print the medians and the ratio to the limit."""
    python = median_seconds(sys.executable, "-c", "pass")
    help_text = median_seconds(sys.executable, "-m", "factreasoner", "--help")
    print(f"python -c pass        {python:.3f} s")
    print(f"factreasoner --help   {help_text:.3f} s, {help_text / LIMIT:.2f} of the limit of {LIMIT} s")


if __name__ == "__main__":
    main()
