"""Why an atom has the posterior it has: which contexts moved it, and which disagree."""

from factreasoner.explanations.explain import explain, explainable_atoms
from factreasoner.explanations.models import (
    AtomExplanation,
    DirectRelation,
    Dispute,
    Effect,
    Explanation,
)

__all__ = [
    "AtomExplanation",
    "DirectRelation",
    "Dispute",
    "Effect",
    "Explanation",
    "explain",
    "explainable_atoms",
]
