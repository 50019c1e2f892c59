"""The fact graph, its posteriors, and what a posterior says of an atom."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from pydantic import ConfigDict, Field, model_validator

from factreasoner.models.records import Model

RelationKind = Literal["entailment", "contradiction", "equivalence"]
NodeKind = Literal["atom", "context"]
Support = Literal["supported", "contradicted", "undecided", "unverified"]

HALF_TOLERANCE = 1e-9
"""A probability this near to one half is one half: it says neither true nor false."""

P_DIGITS = 12
"""Decimals to which probabilities are rounded before anything ranks or bins them.

Equal evidence summed in another order differs in the last bits, and must not make an order or a bin.
"""


class Relation(Model):
    """A judged dependency between two nodes; neutral verdicts make none."""

    source: str
    target: str
    kind: RelationKind
    probability: float = Field(ge=0.0, le=1.0)


class Node(Model):
    """A binary variable of the fact graph with its prior P(true)."""

    id: str
    kind: NodeKind
    prior: float = Field(ge=0.0, le=1.0)


class FactGraph(Model):
    """Atoms and contexts with the relations between them. Round-trips through JSON."""

    nodes: tuple[Node, ...]
    relations: tuple[Relation, ...] = ()

    def touching(self) -> dict[str, list[Relation]]:
        """The relations that touch each node."""
        found: dict[str, list[Relation]] = {node.id: [] for node in self.nodes}
        for relation in self.relations:
            found[relation.source].append(relation)
            found[relation.target].append(relation)
        return found


class Marginals(Model):
    """Posterior distributions. `probabilities[id]` is (P(state 0), P(state 1), ...).

    `width` is the largest elimination width over components (largest clique size - 1) when known;
    `stderr` the largest standard error of a probability, None when the result is exact or has no such bound.
    `converged` is False where sampling stopped before its results could be relied on, whatever `stderr` says,
    and None where nothing was sampled. Every number is finite.
    """

    model_config = ConfigDict(allow_inf_nan=False)

    probabilities: dict[str, tuple[float, ...]]
    solver: str
    exact: bool
    converged: bool | None = None
    width: int | None = None
    stderr: float | None = None
    diagnostics: dict[str, str | int | float] = Field(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _of_earlier_versions(cls, data: object) -> object:
        """Read what did not say whether it had converged."""
        if not isinstance(data, dict) or not isinstance(data.get("diagnostics"), dict):
            return data
        told = {key: value for key, value in data["diagnostics"].items() if value is not None}
        return data | {"converged": has_converged(data), "diagnostics": told}

    @property
    def p_true(self) -> dict[str, float]:
        """P(state 1) of every variable."""
        return {name: values[1] for name, values in self.probabilities.items()}


def has_converged(marginals: Mapping[str, Any]) -> bool | None:
    """`Marginals.converged` of what stands in a journal, one of an earlier version too.

    These did not say it: an infinite R-hat became null, or there was a warning.
    """
    converged: bool | None = marginals.get("converged")
    told = marginals.get("diagnostics") or {}
    if converged is None and "r_hat" in told:
        return "warning" not in told and told["r_hat"] is not None
    return converged


def side_of(p_true: float) -> Literal[-1, 0, 1]:
    """Whether a probability is above one half (1), below it (-1), or within 1e-9 of it (0)."""
    if abs(p_true - 0.5) <= HALF_TOLERANCE:
        return 0
    return 1 if p_true > 0.5 else -1


def support_of(p_true: float, touching: Iterable[Relation]) -> Support:
    """Label of an atom by its posterior and the relations that touch it.

    supported: above one half. contradicted: below, and a contradiction touches it. undecided: at one half,
    with evidence for it and a contradiction. unverified: all else; nothing speaks against it.
    """
    side = side_of(p_true)
    if side > 0:
        return "supported"
    kinds = {relation.kind for relation in touching}
    if "contradiction" not in kinds:
        return "unverified"
    if side < 0:
        return "contradicted"
    return "undecided" if len(kinds) > 1 else "unverified"


def supports_of(p_true: Mapping[str, float], graph: FactGraph | None) -> dict[str, Support]:
    """Labels of atoms by their posteriors and the relations of their graph."""
    touching = graph.touching() if graph else {}
    return {atom_id: support_of(p, touching.get(atom_id, ())) for atom_id, p in p_true.items()}
