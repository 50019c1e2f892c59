"""The factor graph that every solver starts from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
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
            _set(self, scope=tuple(self.scope), table=np.asarray(self.table, dtype=np.float64))
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
        _set(self, **{key: tuple(getattr(self, key)) for key in ("names", "cardinalities", "factors")})
        if problems := [InputProblem("FactorGraph()", *problem) for problem in self._problems()]:
            raise InputError(problems)

    def _problems(self) -> Iterator[tuple[str, str]]:
        """What is wrong with a field: its name and why."""
        states = self.cardinalities
        for name in dict.fromkeys(self.names) if len(set(self.names)) < len(self.names) else ():
            if (count := self.names.count(name)) > 1:
                yield "names", f"{name!r} is the name of {count} variables; give each its own"
        if len(states) != len(self.names):
            yield "cardinalities", f"has {len(states)} numbers for {len(self.names)} names"
            return
        if empty := [i for i, number in enumerate(states) if number < 1]:
            yield f"cardinalities[{empty[0]}]", f"is {states[empty[0]]}; a variable needs a state"
            return
        for j, factor in enumerate(self.factors):
            if problem := self._misfit(factor):
                yield f"factors[{j}].{problem[0]}", problem[1]
        for i, state in self.evidence.items():
            if not 0 <= i < len(states) or not 0 <= state < states[i]:
                yield "evidence", f"variable {i} has no state {state}"

    def _misfit(self, factor: Factor) -> tuple[str, str] | None:
        scope, table = factor.scope, factor.table
        if outside := [i for i in scope if i not in range(len(self.names))]:
            return "scope", f"has {outside[0]!r}; variables are numbered from 0 to {len(self.names) - 1}"
        if len(set(scope)) < len(scope):
            return "scope", f"{scope} has a variable twice"
        if table.shape != (shape := tuple(self.cardinalities[i] for i in scope)):
            return "table", f"has the shape {table.shape}; its scope {scope} needs {shape}"
        if not (table.min() >= 0.0 and table.max() < np.inf):
            return "table", "has a number that is negative or not finite"
        return None


def _set(frozen: object, **values: object) -> None:
    for name, value in values.items():
        object.__setattr__(frozen, name, value)
