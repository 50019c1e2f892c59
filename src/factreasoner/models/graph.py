"""The fact graph, its posteriors, and the labels of atoms."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

from pydantic import Field, model_validator

from factreasoner.errors import InputError, InputProblem
from factreasoner.models.records import CallerModel, Model

RelationKind = Literal["entailment", "contradiction", "equivalence"]
NodeKind = Literal["atom", "context"]
FactorTable = Literal["conditional", "table1", "reference"]
Support = Literal["supported", "contradicted", "conflicting", "unverified"]
HALF_TOLERANCE = 1e-9
"""A probability this near to one half counts as one half: neither true nor false."""

STANDARD_ERRORS = 2.0
"""A sampled probability within this many standard errors of one half counts as one half."""

P_DIGITS = 12
"""Decimals to which probabilities are rounded before anything ranks or bins them.

Equal evidence summed in another order differs in the last bits, which must not decide an order or a bin.
"""


class Relation(CallerModel):
    """A judged dependency between two nodes; neutral verdicts make none."""

    source: str
    target: str
    kind: RelationKind
    probability: float = Field(ge=0.0, le=1.0)


class Node(CallerModel):
    """A binary variable of the fact graph with its prior P(true)."""

    id: str
    kind: NodeKind
    prior: float = Field(ge=0.0, le=1.0)


class FactGraph(CallerModel):
    """Atoms and contexts with the relations between them. Round-trips through JSON.

    Raises InputError: two nodes have one id, or a relation names an unknown node or joins a node to itself.
    """

    nodes: tuple[Node, ...]
    relations: tuple[Relation, ...] = ()

    @model_validator(mode="after")
    def _ids_agree(self) -> FactGraph:
        ids = [node.id for node in self.nodes]
        first = {name: i for i, name in reversed(list(enumerate(ids)))}
        twice = [i for i, name in enumerate(ids) if first[name] < i]
        told = [(f"nodes[{i}].id", f"{ids[i]!r} is the id of an earlier node, too") for i in twice]
        for i, relation in enumerate(self.relations):
            for end, name in (("source", relation.source), ("target", relation.target)):
                if name not in first:
                    told.append((f"relations[{i}].{end}", f"unknown node {name!r}"))
            if relation.source == relation.target:
                told.append((f"relations[{i}]", f"joins {relation.source!r} to itself"))
        if told:
            raise InputError([InputProblem("FactGraph()", *problem) for problem in told])
        return self

    def evidence(self) -> dict[str, list[Relation]]:
        """The relations between each atom and contexts: what supports or contradicts its label.

        A relation from an atom is not evidence, unless it is an equivalence, which has no direction.
        """
        kinds = {node.id: node.kind for node in self.nodes}
        found: dict[str, list[Relation]] = {node.id: [] for node in self.nodes if node.kind == "atom"}
        for relation in self.relations:
            source, target = relation.source, relation.target
            if kinds[source] == "context" and target in found:
                found[target].append(relation)
            elif kinds[target] == "context" and source in found and relation.kind == "equivalence":
                found[source].append(relation)
        return found


class Marginals(Model):
    """Posterior distributions. `probabilities[id]` is (P(state 0), P(state 1), ...).

    `width` is the largest elimination width over components (largest clique size - 1), if known. `stderr` is
    the largest standard error of a probability, None if the result is exact or has no such bound. `converged`
    is False if sampling stopped before its results were reliable, whatever `stderr` is, and None if nothing
    was sampled.
    """

    probabilities: dict[str, tuple[float, ...]]
    solver: str
    exact: bool
    converged: bool | None = None
    width: int | None = None
    stderr: float | None = None
    diagnostics: dict[str, str | int | float] = Field(default_factory=dict)

    @property
    def p_true(self) -> dict[str, float]:
        """P(state 1) of every variable."""
        return {name: values[1] for name, values in self.probabilities.items()}


def label_of(p_true: float, *, supporting: bool, contradicting: bool, stderr: float | None = None) -> Support:
    """The label of a claim by its probability and its evidence.

    `supporting`: it has a verdict of entailment with p > 0.5; `contradicting`: one of contradiction. A
    probability within 1e-9 of one half, or a sampled one within two standard errors, counts as one half.

    supported: above one half, and something supports it. contradicted: below, and something contradicts it.
    conflicting: at one half, with both. unverified: everything else. No evidence means unverified.
    """
    if abs(p_true - 0.5) <= max(HALF_TOLERANCE, STANDARD_ERRORS * (stderr or 0.0)):
        return "conflicting" if supporting and contradicting else "unverified"
    if p_true > 0.5:
        return "supported" if supporting else "unverified"
    return "contradicted" if contradicting else "unverified"


def support_of(p_true: float, evidence: Iterable[Relation], stderr: float | None = None) -> Support:
    """The label of an atom by its posterior and its relations with contexts; see :func:`label_of`."""
    kinds = {relation.kind for relation in evidence if relation.probability > 0.5}
    return label_of(
        p_true,
        supporting=bool(kinds & {"entailment", "equivalence"}),
        contradicting="contradiction" in kinds,
        stderr=stderr,
    )


def supports_of(
    p_true: Mapping[str, float], graph: FactGraph | None, stderr: float | None = None
) -> dict[str, Support]:
    """Labels of atoms by their posteriors and the relations of their graph.

    `stderr` is the largest standard error of a sampled posterior.
    """
    evidence = graph.evidence() if graph else {}
    return {atom_id: support_of(p, evidence.get(atom_id, ()), stderr) for atom_id, p in p_true.items()}
