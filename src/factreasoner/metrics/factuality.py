"""Precision, recall at K, F1@K and entropies of one assessment.

Sources: FactReasoner (arXiv 2502.18573) for precision and E(y); SAFE (arXiv 2403.18802) for F1@K; FActScore
(arXiv 2305.14251 and its code) for the length penalty.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple

from factreasoner.metrics import P_DIGITS
from factreasoner.models import Assessment, Atom, Support, side_of, supports_of

KSetting = int | Literal["median", "half"]

SMALLEST_P = 1e-6
"""Probabilities are kept this far from 0 and 1 before their logarithm is averaged."""


class JudgedAtom(NamedTuple):
    """An atom that counts towards n, with its posterior and what that says of it."""

    atom: Atom
    p_true: float
    support: Support


class FactualityScores(NamedTuple):
    """Scores of one assessment; None where nothing was judged, or no K was given.

    - `precision` = S/n: n atoms judged, S of them supported. `recall_k` = min(S/K, 1). `f1_k` is their
      harmonic mean, 0 when S = 0.
    - `precision_low`, `precision_high` bound the precision over all atoms, unjudged ones included, if each
      unresolved atom could turn out either way: those unjudged, those partly judged and those at 0.5.
    - `num_false_atoms` = n - S, as in IBM's code: `num_contradicted_atoms` and the `num_uniform_atoms`,
      which are undecided or unverified (`num_undecided_atoms` counts the former).
    - `entropy` = sum of -P log10 P and `avg_entropy` = E(y) = entropy/n; `norm_entropy` = sum of binary
      entropies in bits; `avg_prob` = mean P; `avg_logprob` = mean ln P, P kept within [1e-6, 1 - 1e-6].
    """

    precision: float | None
    precision_low: float | None
    precision_high: float | None
    recall_k: float | None
    f1_k: float | None
    k: int | None
    num_atoms: int
    num_contexts: int
    num_true_atoms: int
    num_false_atoms: int
    num_uniform_atoms: int
    num_contradicted_atoms: int
    num_undecided_atoms: int
    entropy: float | None
    avg_entropy: float | None
    norm_entropy: float | None
    avg_norm_entropy: float | None
    avg_prob: float | None
    avg_logprob: float | None


def judged_atoms(assessment: Assessment) -> list[JudgedAtom]:
    """The atoms that count towards n, in the order of the response, P rounded to `P_DIGITS`."""
    outcome = assessment.outcome
    if outcome is None:
        return []
    labels: Mapping[str, Support] = outcome.support
    if not outcome.p_true.keys() <= labels.keys():
        labels = {**supports_of(outcome.p_true, outcome.graph), **labels}
    return [
        JudgedAtom(atom, round(p, P_DIGITS), labels[atom.id])
        for atom in assessment.atoms
        if (p := outcome.p_true.get(atom.id)) is not None
    ]


def resolve_k(setting: KSetting, counts: Iterable[int]) -> int | None:
    """The K of a whole run from the numbers of atoms of its records.

    "median" is over the records that have atoms; between two middle counts it is their mean, rounded up to
    an integer. "half" differs by record, so there is none for the run: see `record_k`. None also when no
    record has atoms.
    """
    if isinstance(setting, int):
        return setting
    ordered = sorted(count for count in counts if count > 0)
    if setting == "half" or not ordered:
        return None
    middle = len(ordered) // 2
    if len(ordered) % 2:
        return ordered[middle]
    return (ordered[middle - 1] + ordered[middle] + 1) // 2


def record_k(setting: KSetting, run_k: int | None, num_atoms: int) -> int | None:
    """The K of one record with `num_atoms` judged atoms: the run's, or max(1, n // 2) for "half"."""
    return max(1, num_atoms // 2) if setting == "half" else run_k


def factuality(assessment: Assessment, k: int | None = None) -> FactualityScores:
    """Score an assessment. `k` is the number of supported atoms at which recall is full.

    Raises:
        ValueError: `k` below 1.
    """
    if k is not None and k < 1:
        raise ValueError(f"K is {k}; it must be a positive integer")
    judged = judged_atoms(assessment)
    n = len(judged)
    counts = Counter(item.support for item in judged)
    true = counts["supported"]
    low, high = _bounds(assessment, judged)
    precision = true / n if n else None
    recall = min(true / k, 1.0) if n and k is not None else None
    posteriors = [item.p_true for item in judged]
    entropy = math.fsum(_surprise(p) / math.log(10) for p in posteriors)
    norm_entropy = math.fsum((_surprise(p) + _surprise(1.0 - p)) / math.log(2) for p in posteriors)
    return FactualityScores(
        precision=precision,
        precision_low=low,
        precision_high=high,
        recall_k=recall,
        f1_k=None if precision is None or recall is None else _harmonic_mean(precision, recall),
        k=k,
        num_atoms=n,
        num_contexts=_num_contexts(assessment),
        num_true_atoms=true,
        num_false_atoms=n - true,
        num_uniform_atoms=counts["undecided"] + counts["unverified"],
        num_contradicted_atoms=counts["contradicted"],
        num_undecided_atoms=counts["undecided"],
        entropy=entropy if n else None,
        avg_entropy=entropy / n if n else None,
        norm_entropy=norm_entropy if n else None,
        avg_norm_entropy=norm_entropy / n if n else None,
        avg_prob=math.fsum(posteriors) / n if n else None,
        avg_logprob=math.fsum(map(_clamped_log, posteriors)) / n if n else None,
    )


def length_penalty(assessment: Assessment, gamma: float) -> float | None:
    """FActScore's factor for short answers: exp(1 - gamma / n) of n < `gamma` atoms, else 1; None of none.

    All atoms count, those that could not be judged too: a lost judgement makes no answer shorter.
    """
    n = len(assessment.atoms)
    if not n:
        return None
    return math.exp(1.0 - gamma / n) if n < gamma else 1.0


def _bounds(assessment: Assessment, judged: list[JudgedAtom]) -> tuple[float | None, float | None]:
    total = len(assessment.atoms)
    if not total:
        return None, None
    partly = set(assessment.outcome.partly_judged) if assessment.outcome else set()
    resolved = [item for item in judged if side_of(item.p_true) and item.atom.id not in partly]
    supported = sum(item.support == "supported" for item in resolved)
    return supported / total, (supported + total - len(resolved)) / total


def _num_contexts(assessment: Assessment) -> int:
    """Passages the scores rest on: those that a node of the graph stands for count once, dropped ones not."""
    graph = assessment.outcome.graph if assessment.outcome else None
    if graph is None:
        return sum(not context.dropped for context in assessment.contexts)
    return sum(node.kind == "context" for node in graph.nodes)


def _harmonic_mean(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall) if precision else 0.0


def _surprise(p: float) -> float:
    """-p ln p, which is 0 at 0."""
    return -p * math.log(p) if p > 0.0 else 0.0


def _clamped_log(p: float) -> float:
    return math.log(min(max(p, SMALLEST_P), 1.0 - SMALLEST_P))
