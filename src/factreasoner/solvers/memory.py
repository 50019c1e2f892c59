"""How much memory tables may take, and how much an elimination would take."""

from __future__ import annotations

import contextlib
import functools
import os
import sys
from pathlib import Path

from factreasoner.solvers.elimination import Elimination

MEMORY_BUDGET = 1 << 31
"""Bytes one component's tables may take, where that is at most half of the machine's memory."""

_CONTAINER_LIMITS = (
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)


def memory_budget() -> int:
    """Bytes allowed for one component's tables."""
    return min(MEMORY_BUDGET, machine_memory() // 2)


def machine_memory() -> int:
    """Bytes of this machine, or of the container; without a limit where nothing tells its size."""
    return _smallest_limit(tuple(_CONTAINER_LIMITS))


@functools.cache
def _smallest_limit(of_containers: tuple[Path, ...]) -> int:
    limits = [sys.maxsize]
    with contextlib.suppress(AttributeError, ValueError, OSError):
        limits.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    for path in of_containers:
        with contextlib.suppress(OSError, ValueError):
            limits.append(int(path.read_text()))
    return min(limit for limit in limits if limit > 0)


def bytes_needed(plan: Elimination) -> int:
    """Bytes for a table a clique and, at the largest, two more while it is summed."""
    return 8 * (plan.total + 2 * plan.largest_table)


def readable(count: int) -> str:
    """A number of bytes in the largest unit that leaves at least one."""
    if count >= 1 << 60:
        return "more than 10^18 bytes"
    units = ("bytes", "KiB", "MiB", "GiB", "TiB", "PiB")
    power = min((max(count, 1).bit_length() - 1) // 10, len(units) - 1)
    amount = count / (1 << 10 * power)
    return f"{amount:.0f} {units[power]}" if amount >= 100 else f"{amount:.3g} {units[power]}"
