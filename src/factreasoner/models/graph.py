"""The fact graph, its posteriors, the labels of atoms, and the factor graph for solvers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt
from pydantic import Field, model_validator

from factreasoner.errors import InputError, InputProblem
from factreasoner.models.records import CallerModel, Model

RelationKind = Literal["entailment", "contradiction", "equivalence"]
NodeKind = Literal["atom", "context"]
FactorTable = Literal["conditional", "table1", "reference"]
Support = Literal["supported", "contradicted", "conflicting", "unverified"]
HALF_TOLERANCE = 1e-9
"""A probability this close to one half counts as one half: neither true nor false."""

STANDARD_ERRORS = 2.0
"""A sampled probability within this many standard errors of one half counts as one half."""

P_DIGITS = 12
"""Decimals to which probabilities are rounded before ranking or binning.

The order of summation changes the last bits, which must not affect an order or a bin.
"""


class Relation(CallerModel):
    """A relation between two nodes; neutral verdicts give none."""

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
        problems = [(f"nodes[{i}].id", f"{x!r} is used before") for i, x in enumerate(ids) if first[x] < i]
        for i, relation in enumerate(self.relations):
            for end, name in (("source", relation.source), ("target", relation.target)):
                if name not in first:
                    problems.append((f"relations[{i}].{end}", f"unknown node {name!r}"))
            if relation.source == relation.target:
                problems.append((f"relations[{i}]", f"joins {relation.source!r} to itself"))
        if problems:
            raise InputError([InputProblem("FactGraph()", *problem) for problem in problems])
        return self

    def evidence(self) -> dict[str, list[Relation]]:
        """The relations between each atom and contexts, which support or contradict its label.

        A relation from an atom is not evidence, unless it is an equivalence.
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
    the largest standard error of a probability, None if exact or unknown. `converged` is False if sampling
    stopped too early, and None if nothing was sampled.
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


def side_of(p_true: float, stderr: float | None = None) -> Literal[-1, 0, 1]:
    """1 if a probability is above one half, -1 if below, 0 if within 1e-9 or two standard errors of it."""
    if abs(p_true - 0.5) <= max(HALF_TOLERANCE, STANDARD_ERRORS * (stderr or 0.0)):
        return 0
    return 1 if p_true > 0.5 else -1


def label_of(p_true: float, *, supporting: bool, contradicting: bool, stderr: float | None = None) -> Support:
    """The label of a claim from its probability and its evidence.

    `supporting`: it has an entailment with p > 0.5; `contradicting`: a contradiction with p > 0.5. One half
    is as in :func:`side_of`.

    supported: above one half, with support. contradicted: below, with a contradiction. conflicting: at one
    half, with both. unverified: everything else, such as no evidence.
    """
    side = side_of(p_true, stderr)
    if not side:
        return "conflicting" if supporting and contradicting else "unverified"
    if side > 0:
        return "supported" if supporting else "unverified"
    return "contradicted" if contradicting else "unverified"


def support_of(p_true: float, evidence: Iterable[Relation], stderr: float | None = None) -> Support:
    """The label of an atom from its posterior and its relations with contexts; see :func:`label_of`."""
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
    """Labels of atoms from their posteriors and the relations of their graph.

    `stderr` is the largest standard error of a sampled posterior.
    """
    evidence = graph.evidence() if graph else {}
    return {atom_id: support_of(p, evidence.get(atom_id, ()), stderr) for atom_id, p in p_true.items()}


Table: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Factor:
    """A non-negative table over `scope` (indices of variables); axis i runs over the states of scope[i]."""

    scope: tuple[int, ...]
    table: Table


@dataclass(frozen=True, eq=False)
class FactorGraph:
    """A Markov network: P(x) is proportional to the product of its factors.

    `names[i]` and `cardinalities[i]` describe variable i; a variable without factors has a marginal too.
    `evidence` maps variable indices to observed states.

    Raises InputError: two variables have one name, or evidence, a scope or a table does not fit.
    """

    names: tuple[str, ...]
    cardinalities: tuple[int, ...]
    factors: tuple[Factor, ...]
    evidence: Mapping[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for key in ("names", "cardinalities", "factors"):
            object.__setattr__(self, key, tuple(getattr(self, key)))
        if problem := self._problem():
            raise InputError([InputProblem("FactorGraph()", *problem)])

    def _problem(self) -> tuple[str, str] | None:
        """The name of an invalid field, and why."""
        states = self.cardinalities
        if twice := [name for name, count in Counter(self.names).items() if count > 1]:
            return "names", f"{twice[0]!r} is the name of several variables"
        if len(states) != len(self.names):
            return "cardinalities", f"has {len(states)} numbers for {len(self.names)} names"
        if min(states, default=1) < 1:
            return "cardinalities", f"{states}: a variable needs a state"
        for i, state in self.evidence.items():
            if i not in range(len(states)) or state not in range(states[i]):
                return "evidence", f"variable {i} has no state {state}"
        for j, factor in enumerate(self.factors):
            if found := self._misfit(factor):
                return f"factors[{j}].{found[0]}", found[1]
        return None

    def _misfit(self, factor: Factor) -> tuple[str, str] | None:
        try:
            object.__setattr__(factor, "table", np.asarray(factor.table, dtype=np.float64))
        except (TypeError, ValueError) as error:
            return "table", f"is no array of numbers: {error}"
        scope, table = tuple(factor.scope), factor.table
        if outside := [i for i in scope if i not in range(len(self.names))]:
            return "scope", f"has {outside[0]!r}; variables are numbered from 0 to {len(self.names) - 1}"
        if len(set(scope)) < len(scope):
            return "scope", f"{scope} has a variable twice"
        if table.shape != (shape := tuple(self.cardinalities[i] for i in scope)):
            return "table", f"has the shape {table.shape}; its scope {scope} needs {shape}"
        return None if table.min() >= 0.0 and table.max() < np.inf else ("table", "is negative or not finite")
