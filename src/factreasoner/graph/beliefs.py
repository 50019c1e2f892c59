"""What a judge believes of an atom where the passages decide nothing: the atom's prior in the graph."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from factreasoner.models import FactGraph, Verdict


class Belief(NamedTuple):
    """P(atom is true) by one passage, for what the passages leave open."""

    context_id: str
    p_true: float


def beliefs(verdicts: Sequence[Verdict], atom_ids: Collection[str]) -> dict[str, tuple[Belief, ...]]:
    """The beliefs of every atom that has any, that of its nearest passage first.

    Among passages equally near the belief further from one half goes first, then the higher one, so that the
    order of the input means nothing.
    """
    atoms = frozenset(atom_ids)
    found: dict[str, list[tuple[tuple[float, float, float], Belief]]] = {}
    for verdict in verdicts:
        if verdict.belief is not None and verdict.target_id in atoms:
            rank = (-verdict.nearness, -abs(verdict.belief - 0.5), -verdict.belief)
            found.setdefault(verdict.target_id, []).append((rank, Belief(verdict.context_id, verdict.belief)))
    return {
        atom_id: tuple(belief for _, belief in sorted(ranked, key=lambda item: item[0]))
        for atom_id, ranked in found.items()
    }


def believed(graph: FactGraph, of: Mapping[str, Sequence[Belief]]) -> FactGraph:
    """The graph in which the prior of every atom that has beliefs is the nearest one."""
    nodes = tuple(
        node.model_copy(update={"prior": of[node.id][0].p_true})
        if node.kind == "atom" and of.get(node.id)
        else node
        for node in graph.nodes
    )
    return graph.model_copy(update={"nodes": nodes})
