"""Assessments made by hand, for tests of what is computed from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from factreasoner.models import Assessment, Atom, Marginals, Outcome, Support, side_of

SAID: dict[int, Support] = {1: "supported", 0: "conflicting", -1: "contradicted"}
"""What an assessor says of an atom, by the side of one half its P(true) is on."""


def assessment(
    p_true: Sequence[float | None], *, gold: str = "", outcome: Mapping[str, Any] | None = None, **fields: Any
) -> Assessment:
    """One with atoms a0, a1, ...: None stands for an unjudged atom; `gold` has S, N, C, U or - for each."""
    labels = [
        {"S": "S", "N": "NS", "C": "C", "U": "U", "-": None}[letter] for letter in gold or "-" * len(p_true)
    ]
    posterior = {f"a{i}": p for i, p in enumerate(p_true) if p is not None}
    marginals = Marginals(
        probabilities={name: (1 - p, p) for name, p in posterior.items()}, solver="exact", exact=True
    )
    judged = {
        "p_true": posterior,
        "support": {name: SAID[side_of(p)] for name, p in posterior.items()},
        "unjudged": tuple(f"a{i}" for i, p in enumerate(p_true) if p is None),
        "marginals": marginals,
    }
    made = {
        "record_id": "r1",
        "status": "ok" if p_true else "no_atoms",
        "assessor": "factreasoner",
        "atoms": tuple(
            Atom(id=f"a{i}", text=f"Statement {i}.", gold=label) for i, label in enumerate(labels)
        ),
        "outcome": Outcome(**{**judged, **(outcome or {})}) if p_true else None,
    }
    return Assessment(**{**made, **fields})
