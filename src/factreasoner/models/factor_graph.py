"""The factor graph that every solver starts from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from factreasoner.errors import InputError, InputProblem

Table: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Factor:
    """A non-negative table over `scope` (indices of variables); axis i runs over the states of scope[i].

    Raises InputError: the table is not an array of numbers.
    """

    scope: tuple[int, ...]
    table: Table

    def __post_init__(self) -> None:
        try:
            object.__setattr__(self, "scope", tuple(self.scope))
            object.__setattr__(self, "table", np.asarray(self.table, dtype=np.float64))
        except (TypeError, ValueError) as error:
            raise InputError(
                [InputProblem("Factor()", "table", f"is no array of numbers: {error}")]
            ) from None


@dataclass(frozen=True, eq=False)
class FactorGraph:
    """A Markov network: P(x) is proportional to the product of its factors.

    `names[i]` and `cardinalities[i]` describe variable i; every variable has a marginal, even without a
    factor. `evidence` maps variable indices to observed states.

    Raises:
        InputError: two variables have one name, a variable has no state, a scope or the evidence names a
            variable or a state that does not exist, or a table does not fit its scope.
    """

    names: tuple[str, ...]
    cardinalities: tuple[int, ...]
    factors: tuple[Factor, ...]
    evidence: Mapping[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for key in ("names", "cardinalities", "factors"):
            object.__setattr__(self, key, tuple(getattr(self, key)))
        problem = self._problem()
        for j, factor in enumerate(self.factors if problem is None else ()):
            if found := self._misfit(factor):
                problem = f"factors[{j}].{found[0]}", found[1]
                break
        if problem is not None:
            raise InputError([InputProblem("FactorGraph()", *problem)])

    def _problem(self) -> tuple[str, str] | None:
        """What is wrong with the variables or the evidence: the field's name, and why."""
        states = self.cardinalities
        if twice := [name for name, count in Counter(self.names).items() if count > 1]:
            return "names", f"{twice[0]!r} is the name of several variables"
        if len(states) != len(self.names):
            return "cardinalities", f"has {len(states)} numbers for {len(self.names)} names"
        if 0 in states or min(states, default=0) < 0:
            return "cardinalities", f"{states}: a variable needs a state"
        if wrong := [
            (i, k)
            for i, k in self.evidence.items()
            if i not in range(len(states)) or k not in range(states[i])
        ]:
            return "evidence", "variable {} has no state {}".format(*wrong[0])
        return None

    def _misfit(self, factor: Factor) -> tuple[str, str] | None:
        scope, table = factor.scope, factor.table
        if outside := [i for i in scope if i not in range(len(self.names))]:
            return "scope", f"has {outside[0]!r}; variables are numbered from 0 to {len(self.names) - 1}"
        if len(set(scope)) < len(scope):
            return "scope", f"{scope} has a variable twice"
        if table.shape != (shape := tuple(self.cardinalities[i] for i in scope)):
            return "table", f"has the shape {table.shape}; its scope {scope} needs {shape}"
        return None if table.min() >= 0.0 and table.max() < np.inf else ("table", "is negative or not finite")
