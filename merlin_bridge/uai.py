"""The UAI text formats merlin reads: a Markov network and its evidence.

In a table the last variable of the scope runs fastest. Numbers are written with `repr`, the shortest decimal
that reads back as the same double.
"""

from __future__ import annotations

from collections.abc import Mapping

from merlin_bridge.network import Network


def network_text(network: Network) -> str:
    """The network as a UAI file of type MARKOV."""
    sizes, factors = network.cardinalities, network.factors
    lines = ["MARKOV", str(len(sizes)), _row(sizes), str(len(factors))]
    lines += [_row((len(factor.scope), *factor.scope)) for factor in factors]
    for factor in factors:
        lines += ["", str(len(factor.values)), " " + " ".join(map(repr, factor.values))]
    return "\n".join(lines) + "\n"


def evidence_text(evidence: Mapping[int, int]) -> str:
    """Observed states as a UAI evidence file: their count, then variable and state of each, on one line."""
    pairs = [number for pair in sorted(evidence.items()) for number in pair]
    return _row((len(evidence), *pairs)) + "\n"


def _row(numbers: tuple[int, ...]) -> str:
    return " ".join(map(str, numbers))
