"""What an explanation says. "Without" a context always means: without it and all its relations."""

from __future__ import annotations

from factreasoner.models import Model, RelationKind, Support


class Evidence(Model):
    """A context's own relation to an atom."""

    context_id: str
    kind: RelationKind
    probability: float


class NearestBelief(Model):
    """What the judge believes of an atom for what the passages leave open, by the passage nearest to it."""

    context_id: str
    p_true: float


class Dispute(Model):
    """A context that contradicts another one."""

    source: str
    target: str
    probability: float


class NextPrior(Model):
    """An atom's prior where the context that gave it is left out: by the next nearest, or by none (None)."""

    context_id: str | None
    p_true: float


class Effect(Model):
    """What one context does to an atom: P(true) would be `p_without`, and is higher by `shift`.

    Where the atom's belief is that of this context, part of that comes of the prior taking its place.
    """

    context_id: str
    p_without: float
    shift: float
    next_prior: NextPrior | None = None


class FlipSet(Model):
    """Contexts without which the atom's P(true) is on another side of one half; `support` is its label then.

    `smallest`: no smaller set does so. Else no single member can be spared, which does not rule
    out a smaller set of other contexts.
    """

    context_ids: tuple[str, ...]
    p_without: float
    support: Support
    smallest: bool


class AtomExplanation(Model):
    """One atom: what moved it, what would flip it, and where its evidence disagrees.

    `effects` lists the contexts that changed P(true), the largest shift first, out of `tried` that were
    left out one at a time; `connected` contexts are joined to the atom at all, directly or through others.
    Every set of up to `searched` of the tried contexts was left out in search of `flip`; `flip` is None
    where none found so far flips the atom. `untold` says in words what of this could not be found out, and
    why; empty where nothing was left undone.

    `entailing` and `contradicting` are the contexts with a relation to the atom itself, the most probable
    first, and `disputes` the contradictions between contexts of which at least one is such evidence.
    `belief` is the atom's prior where the judge has one; without its context the next nearest one's counts.
    """

    atom_id: str
    text: str = ""
    p_true: float
    support: Support
    belief: NearestBelief | None = None
    effects: tuple[Effect, ...] = ()
    flip: FlipSet | None = None
    searched: int = 0
    tried: int = 0
    connected: int = 0
    untold: str = ""
    entailing: tuple[Evidence, ...] = ()
    contradicting: tuple[Evidence, ...] = ()
    disputes: tuple[Dispute, ...] = ()


class Explanation(Model):
    """Why a record's atoms have the posteriors they have.

    `exact` and `stderr` (the largest standard error of any probability; None when exact) are those of the
    worst result used; `converged` is None where nothing was sampled, False where sampling stopped too early
    for its results to be relied on. `solves` counts the solver's calls this took. `calibrated`: probabilities
    and labels are those that a calibration of posteriors made of the solver's.
    """

    record_id: str
    atoms: tuple[AtomExplanation, ...]
    solver: str
    exact: bool
    converged: bool | None = None
    stderr: float | None = None
    solves: int = 0
    calibrated: bool = False
