"""Where an atom's evidence disagrees, as the relations say it."""

from __future__ import annotations

from typing import NamedTuple

from factreasoner.explanations.models import Dispute, Evidence
from factreasoner.models import FactGraph

SAYS_NOTHING = 0.5
"""A relation of at most this probability is no evidence."""


class Conflicts(NamedTuple):
    """Contexts for and against an atom, and contradictions between its contexts and others."""

    entailing: tuple[Evidence, ...] = ()
    contradicting: tuple[Evidence, ...] = ()
    disputes: tuple[Dispute, ...] = ()


def conflicts(graph: FactGraph) -> dict[str, Conflicts]:
    """The conflicts of every atom by its id; evidence most probable first."""
    kinds = {node.id: node.kind for node in graph.nodes}
    evidence: dict[str, list[Evidence]] = {node.id: [] for node in graph.nodes if node.kind == "atom"}
    disputes = []
    for relation in graph.relations:
        if relation.probability <= SAYS_NOTHING:
            continue
        if kinds[relation.source] == kinds[relation.target] == "context":
            if relation.kind == "contradiction":
                disputes.append(
                    Dispute(source=relation.source, target=relation.target, probability=relation.probability)
                )
            continue
        for atom, other in ((relation.target, relation.source), (relation.source, relation.target)):
            if kinds[atom] == "atom" and kinds[other] == "context":
                evidence[atom].append(
                    Evidence(context_id=other, kind=relation.kind, probability=relation.probability)
                )
    return {atom: _of(found, disputes) for atom, found in evidence.items()}


def _of(evidence: list[Evidence], disputes: list[Dispute]) -> Conflicts:
    ranked = sorted(evidence, key=lambda item: -item.probability)
    own = {item.context_id for item in evidence}
    return Conflicts(
        tuple(item for item in ranked if item.kind != "contradiction"),
        tuple(item for item in ranked if item.kind == "contradiction"),
        tuple(dispute for dispute in disputes if dispute.source in own or dispute.target in own),
    )
