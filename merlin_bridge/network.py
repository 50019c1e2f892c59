"""A discrete Markov network, and the checks it must pass before merlin sees it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from merlin_bridge.errors import MerlinInputError


class Factor(NamedTuple):
    """A non-negative table over `scope`; `values` run with the last variable of the scope fastest."""

    scope: tuple[int, ...]
    values: tuple[float, ...]


@dataclass(frozen=True)
class Network:
    """Variables 0, 1, ... with `cardinalities[i]` states each, and factors over any of them, in any order.

    P(x) is proportional to the product of the factors. Checked when made; anything with a scope and values
    is taken as a factor.

    Raises:
        MerlinInputError: naming the first variable or factor that is wrong.
    """

    cardinalities: tuple[int, ...]
    factors: tuple[Factor, ...]

    def __init__(
        self, cardinalities: Iterable[int], factors: Iterable[tuple[Sequence[int], Sequence[float]]] = ()
    ) -> None:
        sizes = tuple(_integer(size, "a cardinality") for size in cardinalities)
        if not sizes:
            raise MerlinInputError("a network needs at least one variable")
        for i, size in enumerate(sizes):
            if size < 1:
                raise MerlinInputError(f"variable {i} has {size} states")
        checked = tuple(_factor(j, scope, values, sizes) for j, (scope, values) in enumerate(factors))
        object.__setattr__(self, "cardinalities", sizes)
        object.__setattr__(self, "factors", checked)


def _factor(j: int, scope: Sequence[int], values: Sequence[float], sizes: tuple[int, ...]) -> Factor:
    indices = tuple(_integer(i, f"factor {j}: a variable of its scope") for i in scope)
    for i in indices:
        if not 0 <= i < len(sizes):
            raise MerlinInputError(f"factor {j}: there is no variable {i} (there are {len(sizes)})")
    if len(set(indices)) != len(indices):
        raise MerlinInputError(f"factor {j}: a variable stands twice in its scope {indices}")
    # float() also turns numpy's scalars into Python's, whose repr is the shortest exact decimal.
    numbers = tuple(float(value) for value in values)
    expected = math.prod(sizes[i] for i in indices)
    if len(numbers) != expected:
        raise MerlinInputError(f"factor {j}: {len(numbers)} values for the {expected} states of {indices}")
    for value in numbers:
        if not 0.0 <= value < math.inf:
            raise MerlinInputError(f"factor {j}: value {value!r} is not a finite number of at least 0")
    if not any(numbers):
        raise MerlinInputError(f"factor {j}: every value is 0, so no state of the network is possible")
    return Factor(indices, numbers)


def check_evidence(network: Network, evidence: Mapping[int, int]) -> dict[int, int]:
    """A copy of `evidence`, from variable to observed state, in order of the variables.

    Raises:
        MerlinInputError: it names a variable or a state that does not exist.
    """
    checked: dict[int, int] = {}
    for key, value in sorted(evidence.items()):
        i, state = _integer(key, "evidence: a variable"), _integer(value, f"evidence: the state of {key}")
        if not 0 <= i < len(network.cardinalities):
            raise MerlinInputError(f"evidence: there is no variable {i}")
        if not 0 <= state < network.cardinalities[i]:
            raise MerlinInputError(f"evidence: variable {i} has no state {state}")
        checked[i] = state
    return checked


def _integer(value: object, what: str) -> int:
    if hasattr(value, "__index__"):
        return int(value)
    raise MerlinInputError(f"{what} must be an integer, not {value!r}")
