"""Rewrite a network so that merlin neither crashes on it nor runs out of floating point.

Same distribution, other form. Each step answers a fault of libmerlin 1.7.0 (see the README):

- every variable gets a table of its own: with fewer factors than variables `cte` reads past an array, and a
  variable no factor mentions does not exist for it;
- a variable of one state is written as observed: given evidence, its tables are taken for constants;
- where everything is observed, an unrelated variable is added: there must be something to infer;
- constants are taken out, and tables are multiplied by powers of two that bring log Z near 0: `cte` and `bte`
  multiply plain doubles, and every algorithm calls exp(log Z) = 0 "inconsistent evidence".
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from typing import NamedTuple

from merlin_bridge.beliefs import Restricted, expectation, rough_beliefs
from merlin_bridge.errors import MerlinInputError
from merlin_bridge.network import Factor, Network

MAX_EXPONENT = 1000
"""No written value reaches 2 to this power; doubles end at 2 to the 1024."""


class SafeInput(NamedTuple):
    """What merlin gets. Only its first `variables` are the caller's."""

    network: Network
    evidence: dict[int, int]
    variables: int


def safe_input(network: Network, evidence: Mapping[int, int]) -> SafeInput:
    """The equivalent network and evidence to hand to merlin.

    Raises:
        MerlinInputError: some factor is 0 throughout under the evidence.
    """
    count = len(network.cardinalities)
    sizes = network.cardinalities
    observed = {i: 0 for i, size in enumerate(sizes) if size == 1} | dict(evidence)
    if len(observed) == count:
        sizes = (*sizes, 2)
    factors = [factor for factor in network.factors if factor.scope]
    alone = {factor.scope[0] for factor in factors if len(factor.scope) == 1}
    factors += [Factor((i,), (1.0,) * size) for i, size in enumerate(sizes) if i not in alone]
    exponents = _exponents(sizes, factors, observed)
    scaled = [
        Factor(factor.scope, tuple(_times_power(value, exponent) for value in factor.values))
        for factor, exponent in zip(factors, exponents, strict=True)
    ]
    return SafeInput(Network(sizes, scaled), observed, count)


def _exponents(sizes: tuple[int, ...], factors: list[Factor], observed: Mapping[int, int]) -> list[int]:
    """Powers of two for the factors, such that the estimated log Z of every part of the network is near 0.

    With beliefs b(x) = prod b_i(x_i), Z is taken for prod_f E_b[f] times prod_i exp(H(b_i)); each factor is
    divided by its own part, a variable's entropy going with its first table of one variable.
    """
    restricted = [Restricted.of(factor, sizes, observed) for factor in factors]
    beliefs = rough_beliefs(sizes, restricted)
    entropies = {i: -sum(p * math.log(p) for p in b if p > 0.0) for i, b in enumerate(beliefs)}
    exponents: list[int] = []
    carry = 0.0
    for j, (factor, part) in enumerate(zip(factors, restricted, strict=True)):
        if part.largest == 0.0:
            raise MerlinInputError(f"factor {j} over {factor.scope} is 0 throughout under the evidence")
        share = math.log(part.largest) + math.log(expectation(part, beliefs))
        if len(factor.scope) == 1 and factor.scope[0] not in observed:
            share += entropies.pop(factor.scope[0], 0.0)
        wanted = carry - share / math.log(2.0)
        room = MAX_EXPONENT - math.frexp(max(factor.values))[1]
        exponent = min(round(wanted), room)
        carry = wanted - exponent
        exponents.append(exponent)
    return exponents


def _times_power(value: float, exponent: int) -> float:
    """value * 2**exponent; what is positive stays so, and normal: some C++ libraries refuse others."""
    if value == 0.0:
        return 0.0
    return max(math.ldexp(value, exponent), sys.float_info.min)
