"""Why an atom has the posterior it has: which contexts moved it, which would flip it, which disagree."""

from factreasoner.explanations.explain import explain, explainable_atoms
from factreasoner.explanations.models import (
    AtomExplanation,
    Dispute,
    Effect,
    Evidence,
    Explanation,
    FlipSet,
)

__all__ = [
    "AtomExplanation",
    "Dispute",
    "Effect",
    "Evidence",
    "Explanation",
    "FlipSet",
    "explain",
    "explainable_atoms",
]
