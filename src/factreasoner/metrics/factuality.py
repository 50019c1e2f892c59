"""The K of a run and of a record, and the length penalty of FActScore (arXiv 2305.14251 and its code)."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterable
from typing import Literal

from factreasoner.models import Assessment

KSetting = int | Literal["median", "half"]


def resolve_k(setting: KSetting, counts: Iterable[int]) -> int | None:
    """The K of a whole run from the numbers of atoms of its records.

    "median" is VeriScore's (arXiv 2406.19276): of the numbers of the records that have atoms, sorted, that
    at place len // 2, the upper one of two middle ones. "half" differs by record, so there is none for the
    run: see `record_k`. None also when no record has atoms.
    """
    if isinstance(setting, int):
        return setting
    sizes = sorted(Counter(count for count in counts if count > 0).items())
    if setting == "half" or not sizes:
        return None
    middle = sum(records for _, records in sizes) // 2
    ends = itertools.accumulate(records for _, records in sizes)
    return next(count for (count, _), end in zip(sizes, ends, strict=True) if middle < end)


def record_k(setting: KSetting, run_k: int | None, num_atoms: int) -> int | None:
    """The K of one record with `num_atoms` judged atoms: the run's, or max(1, n // 2) for "half"."""
    return max(1, num_atoms // 2) if setting == "half" else run_k


def length_penalty(assessment: Assessment, gamma: float) -> float | None:
    """FActScore's factor for short answers: exp(1 - gamma / n) of n < `gamma` atoms, else 1; None of none.

    All atoms count, those that could not be judged too: a lost judgement makes no answer shorter.
    """
    n = len(assessment.atoms)
    if not n:
        return None
    return math.exp(1.0 - gamma / n) if n < gamma else 1.0
