"""The factor graph that every solver starts from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Table: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Factor:
    """A non-negative table over `scope` (indices of variables); axis i runs over the states of scope[i]."""

    scope: tuple[int, ...]
    table: Table


@dataclass(frozen=True, eq=False)
class FactorGraph:
    """A Markov network: P(x) is proportional to the product of its factors.

    `names[i]` and `cardinalities[i]` describe variable i; every variable has a marginal, even without a
    factor. `evidence` maps variable indices to observed states.
    """

    names: tuple[str, ...]
    cardinalities: tuple[int, ...]
    factors: tuple[Factor, ...]
    evidence: Mapping[int, int] = field(default_factory=dict)
