"""Find an installed merlin, write its input, run it, read its answer. Standard library only.

>>> from merlin_bridge import Network, run
>>> network = Network([2, 2], [((0,), [0.4, 0.6]), ((0, 1), [0.9, 0.1, 0.2, 0.8])])
>>> run(network, algorithm="cte", evidence={1: 1}).marginals  # doctest: +SKIP
((0.076923, 0.923077), (0.0, 1.0))
"""

from merlin_bridge.errors import (
    MerlinError,
    MerlinFailedError,
    MerlinInputError,
    MerlinNotFoundError,
    MerlinOutputError,
    MerlinRunError,
    MerlinTimeoutError,
)
from merlin_bridge.locate import locate
from merlin_bridge.network import Factor, Network
from merlin_bridge.results import PRECISION
from merlin_bridge.run import (
    ALGORITHMS,
    DEFAULT_ITERATIONS,
    EXACT_ALGORITHMS,
    IBOUND_ALGORITHMS,
    Result,
    run,
)
from merlin_bridge.uai import evidence_text, network_text

__all__ = [
    "ALGORITHMS",
    "DEFAULT_ITERATIONS",
    "EXACT_ALGORITHMS",
    "IBOUND_ALGORITHMS",
    "PRECISION",
    "Factor",
    "MerlinError",
    "MerlinFailedError",
    "MerlinInputError",
    "MerlinNotFoundError",
    "MerlinOutputError",
    "MerlinRunError",
    "MerlinTimeoutError",
    "Network",
    "Result",
    "evidence_text",
    "locate",
    "network_text",
    "run",
]
