"""Models of an explanation. "Without" a context means without it and its relations."""

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
    """The effect of one context on an atom: without it, P(true) is `p_without`, lower by `shift`."""

    context_id: str
    p_without: float
    shift: float


class AtomExplanation(Model):
    """One atom: what moved it, and where its evidence disagrees.

    `effects` lists the contexts that changed P(true), largest shift first, out of `tried` contexts removed
    one at a time. `connected` counts the contexts connected to the atom. `not_computed` says what could not
    be computed, and why; else it is empty.

    `entailing` and `contradicting` are the contexts related to the atom itself, most probable first.
    `disputes` are contradictions between contexts of which at least one is such evidence.
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
    """Why a record's atoms have their posteriors.

    `exact` and `stderr` (the largest standard error; None if exact) describe the worst result used.
    `converged` is None if nothing was sampled, False if sampling stopped too early.
    """

    record_id: str
    atoms: tuple[AtomExplanation, ...]
    solver: str
    exact: bool
    converged: bool | None = None
    stderr: float | None = None
