"""Sampled marginals with a standard error, for networks too wide for exact inference."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from factreasoner.models import Marginals
from factreasoner.models.graph import FactorGraph, Table
from factreasoner.solvers.chains import Chains, Moments, joined
from factreasoner.solvers.elimination import Elimination
from factreasoner.solvers.exact import fits, plan_of, solve
from factreasoner.solvers.reduction import Component, Reduced, reduce
from factreasoner.solvers.settings import SolverSettings

NARROW = 10
"""Maximum width of a component with entries near 0 that `gibbs` solves exactly."""

NEAR_ZERO = 2e-3
"""Entries below this share of their table's largest are near 0: chains hardly cross them.

A relation with the maximum probability 0.999 has one.
"""

MIXED = 1.05
"""Maximum split R-hat of mixed chains (Gelman and Rubin's bound is 1.1)."""

TOLERANCE = 0.003
"""Standard error at which sampling stops."""

FIRST_SWEEPS = 16
FEWEST_STRETCHES = 4
MOST_STRETCHES = 8
MOST_CHAINS = 256
FEWEST_CHAINS = 32
_CHAIN_ENTRIES = 1 << 22

_log = logging.getLogger(__name__)


class GibbsSolver:
    """Rao-Blackwellised block Gibbs sampling, per component.

    Sampling stops when the largest standard error is below TOLERANCE and the chains have mixed
    (`Marginals.converged`), or before `config.solver_seconds` are over. Results are reproducible with
    `config.seed`, unless time ran out. `diagnostics` have a `warning` if it did not converge, and no `r_hat`
    if that is infinite.
    """

    name = "gibbs"

    def __init__(self, config: SolverSettings) -> None:
        self._config = config

    def marginals(self, graph: FactorGraph) -> Marginals:
        """Marginals of every variable.

        Raises SolverError: the evidence has probability 0, or a table is malformed.
        """
        return solve_or_sample(reduce(graph), self._solvable, self._config)

    def _solvable(self, part: Component, plan: Elimination) -> bool:
        """Whether a component is solved exactly."""
        return fits(plan) and plan.width <= _width_without_chains(part)


def _width_without_chains(part: Component) -> int:
    """The maximum width for exact solution: one variable, or more with entries near 0."""
    joining = (factor for factor in part.factors if len(factor.scope) > 1)
    return NARROW if any(factor.logs.min() < math.log(NEAR_ZERO) for factor in joining) else 0


def solve_or_sample(
    reduced: Reduced, solvable: Callable[[Component, Elimination], bool], config: SolverSettings
) -> Marginals:
    """Solve the `solvable` components exactly, and sample the others."""
    plans = [plan_of(part) for part in reduced.components]
    exact = list(map(solvable, reduced.components, plans))
    deadline = time.monotonic() + config.solver_seconds
    wide = exact.count(False)
    found: list[list[Table]] = []
    sampled: list[Sampled] = []
    for i, part in enumerate(reduced.components):
        if exact[i]:
            found.append(solve(part, plans[i]))
            continue
        now = time.monotonic()
        # Time an earlier component did not need goes to the later ones.
        until = now + max(deadline - now, 0.0) / (wide - len(sampled))
        rows = sum(part.cardinalities) - len(part.cardinalities)
        count = int(np.clip(_CHAIN_ENTRIES // max(rows, 1), FEWEST_CHAINS, MOST_CHAINS))
        chains = Chains(part, count, np.random.default_rng((config.seed, i)))
        sampled.append(sampled_by(chains, tolerance=TOLERANCE, until=until))
        found.append(sampled[-1].marginals)
    return Marginals(
        probabilities=reduced.named(found),
        solver="gibbs" if sampled else "exact",
        exact=not sampled,
        converged=all(result.converged for result in sampled) if sampled else None,
        width=max((plan.width for plan in plans), default=0),
        stderr=max((result.stderr for result in sampled), default=None),
        diagnostics=_diagnostics(sampled, config),
    )


class Sampled(NamedTuple):
    """The sampled results of one component, and whether its chains agree."""

    marginals: list[Table]
    stderr: float
    r_hat: float
    chains: int
    sweeps: int
    converged: bool


def sampled_by(chains: Chains, *, tolerance: float, until: float) -> Sampled:
    """Sample until converged or `until`; the first quarter of sweeps is dropped."""
    stretches: list[Moments] = []
    length = FIRST_SWEEPS
    while True:
        started = time.monotonic()
        stretches.append(chains.run(length))
        if len(stretches) < FEWEST_STRETCHES:
            continue
        kept = stretches[-2 * (3 * len(stretches) // 8) :]
        halves = joined(kept[: len(kept) // 2]), joined(kept[len(kept) // 2 :])
        means = joined(halves).mean.astype(np.float64)
        stderr = float((means.std(axis=1, ddof=1) / np.sqrt(chains.count)).max())
        r_hat = split_r_hat(halves, negligible=tolerance / 10)
        converged = stderr <= tolerance and r_hat <= MIXED
        now = time.monotonic()
        if converged or now + (now - started) > until:
            sweeps = sum(stretch.sweeps for stretch in stretches)
            marginals = chains.marginals(means.mean(axis=1))
            return Sampled(marginals, stderr, r_hat, chains.count, sweeps, converged)
        if len(stretches) == MOST_STRETCHES:
            stretches = [joined(stretches[i : i + 2]) for i in range(0, MOST_STRETCHES, 2)]
            length *= 2


def split_r_hat(halves: Sequence[Moments], *, negligible: float) -> float:
    """The largest split R-hat of any row (Gelman et al., Bayesian Data Analysis, 3rd ed., 11.4).

    Rows with a standard deviation of half-chain means below `negligible` are ignored.
    """
    sweeps = halves[0].sweeps
    means = np.concatenate([half.mean for half in halves], axis=1, dtype=np.float64)
    variances = np.concatenate([half.variance for half in halves], axis=1, dtype=np.float64)
    within = variances.mean(axis=1) * sweeps / (sweeps - 1)
    between = means.var(axis=1, ddof=1)
    telling = between > negligible**2
    if not telling.any():
        return 1.0
    with np.errstate(divide="ignore"):
        ratio = between[telling] / within[telling]
    return float(np.sqrt((sweeps - 1) / sweeps + ratio.max()))


def _diagnostics(sampled: Sequence[Sampled], config: SolverSettings) -> dict[str, str | int | float]:
    if not sampled:
        return {}
    r_hat = max(result.r_hat for result in sampled)
    found: dict[str, str | int | float] = {
        "sampled_components": len(sampled),
        "sampled_variables": sum(len(result.marginals) for result in sampled),
        "chains": min(result.chains for result in sampled),
        "sweeps": max(result.sweeps for result in sampled),
    }
    if math.isfinite(r_hat):
        found["r_hat"] = r_hat
    if not all(result.converged for result in sampled):
        stderr = max(result.stderr for result in sampled)
        mixing = f"{r_hat:.3f}" if math.isfinite(r_hat) else "infinite"
        warning = (
            f"sampling stopped after {config.solver_seconds:g} s without converging: split R-hat {mixing} "
            f"(at most {MIXED}), standard error {stderr:.4f} (at most {TOLERANCE:g})"
        )
        _log.warning("%s", warning)
        found["warning"] = warning
    return found


class AutoSolver(GibbsSolver):
    """Exact inference if memory allows, else Gibbs sampling, per component.

    The result names the solver: "gibbs" if any component is sampled, else "exact".
    """

    name = "auto"

    def _solvable(self, part: Component, plan: Elimination) -> bool:
        return fits(plan)
