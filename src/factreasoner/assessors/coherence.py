"""Contradictions between atoms of one answer: reported, never put in the graph.

A factor between two atoms would lower a supported atom because of another sentence: at p = 0.9 and without
evidence, a symmetric table gives both 0.375.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations

from factreasoner.assessors.judging import Task, judge_all, judging_threads
from factreasoner.assessors.settings import AssessorSettings
from factreasoner.graph.factors import components
from factreasoner.graph.pairs import combine
from factreasoner.models import Claim, Coherence, Failure, Premise, SelfContradiction, Verdict
from factreasoner.protocols import Judge
from factreasoner.solvers.elimination import bits_of

STAGE = "coherence"
MOST_STEPS = 200_000
"""Maximum steps of the search for the largest subset."""


def coherence_tasks(claims: Sequence[Claim], record_id: str) -> list[Task]:
    """Judge tasks with each atom as the premise of all others; none for fewer than two atoms."""
    if len(claims) < 2:
        return []
    return [
        (Premise(one.id, one.text, record_id=record_id), [claim for claim in claims if claim.id != one.id])
        for one in claims
    ]


class CoherenceCheck:
    """Judges every pair of claims in both directions.

    A model gets n * ceil((n - 1) / atoms_per_call) calls for n claims.
    """

    def __init__(self, judge: Judge, config: AssessorSettings) -> None:
        self._judge = judge
        self._config = config

    def check(self, claims: Sequence[Claim], record_id: str) -> tuple[Coherence, tuple[Failure, ...]]:
        """The coherence of one answer's claims, and the failures of the stage `coherence`.

        Raises what the judge raises.
        """
        threads = judging_threads(self._judge, self._config)
        judged = judge_all(self._judge, coherence_tasks(claims, record_id), workers=threads)
        failures = tuple(failure.model_copy(update={"stage": STAGE}) for failure in judged.failures)
        found = coherence([claim.id for claim in claims], judged.verdicts)
        return found.model_copy(update={"verdicts": judged.verdicts}), failures


def coherence(atom_ids: Sequence[str], verdicts: Iterable[Verdict]) -> Coherence:
    """The pairs of atoms that contradict each other, and the share of atoms in no such pair.

    A pair counts if its two directions combined (see :func:`combine`) are a contradiction with p > 0.5.
    `score` is the size of the largest subset of atoms without such a pair, over their number. It is None
    without atoms, if a direction was not judged, or if the search took too long.
    """
    known = {verdict.pair: verdict for verdict in verdicts}
    found: list[SelfContradiction] = []
    places: list[tuple[int, int]] = []
    unjudged = 0
    for (i, one), (j, other) in combinations(enumerate(atom_ids), 2):
        directions = [known[pair] for pair in ((one, other), (other, one)) if pair in known]
        unjudged += len(directions) < 2
        relation = combine(*directions) if directions else None
        if relation is not None and relation.kind == "contradiction" and relation.probability > 0.5:
            labels = {f"{v.context_id}->{v.target_id}": v.label for v in directions}
            found.append(
                SelfContradiction(atoms=(one, other), probability=relation.probability, directions=labels)
            )
            places.append((i, j))
    free = None if unjudged or not atom_ids else largest_free(len(atom_ids), places)
    return Coherence(
        self_contradictions=tuple(sorted(found, key=lambda pair: -pair.probability)),
        score=None if free is None else free / len(atom_ids),
        unjudged_pairs=unjudged,
    )


def largest_free(count: int, pairs: Sequence[tuple[int, int]], most_steps: int = MOST_STEPS) -> int | None:
    """Size of the largest subset of 0 to `count` - 1 without a whole pair; None after `most_steps`.

    Branch and bound over each connected component, with sets as bits of integers. A member with at most one
    conflict left is kept; else the member with most conflicts is tried both ways.
    """
    beside = [0] * count
    for i, j in pairs:
        beside[i] |= 1 << j
        beside[j] |= 1 << i
    total = 0
    for part in components(count, pairs):
        best, steps = 0, 0
        stack = [(sum(1 << i for i in part), 0)]
        while stack:
            steps += 1
            if steps > most_steps:
                return None
            left, size = stack.pop()
            if size + left.bit_count() <= best:
                continue
            rivals = {i: (beside[i] & left).bit_count() for i in bits_of(left)}
            chosen = min(rivals, key=rivals.__getitem__)
            if rivals[chosen] > 1:
                chosen = max(rivals, key=rivals.__getitem__)
                stack.append((left & ~(1 << chosen), size))
            without = left & ~(1 << chosen) & ~beside[chosen]
            best = max(best, size + 1)
            stack.append((without, size + 1))
        total += best
    return total
