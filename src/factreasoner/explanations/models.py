"""The models of an explanation. "Without" a context means without it and all its relations."""

from __future__ import annotations

from factreasoner.models import Model, RelationKind, Support


class DirectRelation(Model):
    """A context's own relation to an atom."""

    context_id: str
    kind: RelationKind
    probability: float


class Dispute(Model):
    """A context that contradicts another one."""

    source: str
    target: str
    probability: float


class Effect(Model):
    """What one context does to an atom: P(true) would be `p_without`, and is higher by `shift`."""

    context_id: str
    p_without: float
    shift: float


class AtomExplanation(Model):
    """One atom: what moved it, and where its evidence disagrees.

    `effects` lists the contexts that changed P(true), the largest shift first, out of `tried` contexts that
    were left out one at a time. `connected` counts the contexts joined to the atom, directly or through
    others. `not_computed` says in words what could not be computed, and why; else it is empty.

    `entailing` and `contradicting` are the contexts with a relation to the atom itself, the most probable
    first. `disputes` are the contradictions between contexts of which at least one is such evidence.
    """

    atom_id: str
    text: str = ""
    p_true: float
    support: Support
    effects: tuple[Effect, ...] = ()
    tried: int = 0
    connected: int = 0
    not_computed: str = ""
    entailing: tuple[DirectRelation, ...] = ()
    contradicting: tuple[DirectRelation, ...] = ()
    disputes: tuple[Dispute, ...] = ()


class Explanation(Model):
    """Why a record's atoms have the posteriors they have.

    `exact` and `stderr` (the largest standard error of any probability; None when exact) describe the worst
    result used. `converged` is None if nothing was sampled, and False if sampling stopped before its results
    were reliable.
    """

    record_id: str
    atoms: tuple[AtomExplanation, ...]
    solver: str
    exact: bool
    converged: bool | None = None
    stderr: float | None = None
