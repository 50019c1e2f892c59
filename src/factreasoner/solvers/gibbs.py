"""Sampled marginals with a standard error, for networks too wide to be solved exactly."""

from __future__ import annotations

import contextlib
import logging
import math
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from factreasoner.config import Config
from factreasoner.errors import OutOfTimeError, WidthError
from factreasoner.graph.factor_graph import FactorGraph, Table
from factreasoner.models import Marginals
from factreasoner.solvers.chains import Chains, Moments, joined
from factreasoner.solvers.exact import Job, Planned, job_for, solve
from factreasoner.solvers.reduction import Component, Reduced, reduce
from factreasoner.solvers.tempering import TemperedChains

SMALL_WIDTH = 10
"""A component of at most this width is solved exactly: that takes less time than a few sweeps."""

MIXED = 1.05
"""Largest split R-hat of chains that count as mixed (Gelman and Rubin's bound is 1.1)."""

PLAIN_SHARE = 0.2
"""Share of the time after which chains that have not mixed are tempered."""

FIRST_SWEEPS = 16
FEWEST_STRETCHES = 4
MOST_STRETCHES = 8
MOST_CHAINS = 256
FEWEST_CHAINS = 32
_CHAIN_ENTRIES = 1 << 22

_log = logging.getLogger(__name__)


JobWithin = Callable[[Planned, float], Job | None]
"""How to solve a component exactly, at once or within so many seconds; None where it can't be."""


class Sampled(NamedTuple):
    """What sampling found of one component, and whether its chains agree."""

    marginals: list[Table]
    stderr: float
    r_hat: float
    chains: int
    sweeps: int
    converged: bool


class GibbsSolver:
    """Rao-Blackwellised block Gibbs sampling, over many chains at once; narrow components are solved exactly.

    Sampling goes on until the largest standard error is below `config.tolerance` and the chains have mixed,
    or until `config.solver_seconds` would be exceeded; chains that do not mix give way to parallel tempering.
    Results repeat with `config.seed`, unless time cut the sampling short. `Marginals.converged` says which it
    was; `diagnostics` say how it went, with a `warning` where it did not converge and without `r_hat` where
    that is infinite.
    """

    name = "gibbs"

    def __init__(self, config: Config | None = None) -> None:
        self._config = config or Config()

    def marginals(self, graph: FactorGraph) -> Marginals:
        """Marginals of every variable.

        Raises:
            SolverError: the evidence has probability 0, or a table is malformed.
        """
        return solve_or_sample(reduce(graph), small_job, self._config)


def small_job(planned: Planned, seconds: float) -> Job | None:
    """How to solve a component at once, if it is narrow."""
    try:
        return job_for(planned, SMALL_WIDTH)
    except WidthError:
        return None


def solve_or_sample(reduced: Reduced, job_within: JobWithin, config: Config) -> Marginals:
    """Solve exactly the components that `job_within` finds a way for at once, sample the others.

    Where sampling does not converge it is asked again, with the time that is left.
    """
    parts = reduced.components
    plans = [Planned.of(part) for part in parts]
    jobs = [job_within(planned, 0.0) for planned in plans]
    solved = {i: solve(parts[i], job) for i, job in enumerate(jobs) if job}
    deadline = time.monotonic() + config.solver_seconds
    wide = [i for i in range(len(parts)) if i not in solved]
    sampled: dict[int, Sampled] = {}
    for place, i in enumerate(wide):
        now = time.monotonic()
        # Time an earlier component did not need goes to the later ones.
        until = now + max(deadline - now, 0.0) / (len(wide) - place)
        sampler = Sampler(parts[i], (config.seed, i), tolerance=config.tolerance, until=until)
        found = sampler.plain()
        if not found.converged:
            jobs[i] = job_within(plans[i], until - time.monotonic())
            if job := jobs[i]:
                with contextlib.suppress(OutOfTimeError):
                    solved[i] = solve(parts[i], job, deadline=until)
                    continue
                jobs[i] = None
            found = sampler.tempered() or found
        sampled[i] = found
    widths = [job.width if job else plan.plan.width for job, plan in zip(jobs, plans, strict=True)]
    conditioned = sum(len(job.cut.variables) for job in jobs if job and job.cut)
    return Marginals(
        probabilities=reduced.named(
            solved[i] if i in solved else sampled[i].marginals for i in range(len(parts))
        ),
        solver="gibbs" if sampled else "exact",
        exact=not sampled,
        converged=all(result.converged for result in sampled.values()) if sampled else None,
        width=max(widths, default=0),
        stderr=max((result.stderr for result in sampled.values()), default=None),
        diagnostics=_diagnostics(list(sampled.values()), config)
        | ({"conditioned_on": conditioned} if conditioned else {}),
    )


class Sampler:
    """Samples one component until `until`, a time of time.monotonic(), or a little longer."""

    def __init__(self, part: Component, seed: Sequence[int], *, tolerance: float, until: float) -> None:
        self._part = part
        self._seed = seed
        self._tolerance = tolerance
        self._until = until

    def plain(self) -> Sampled:
        """What independent chains find in a share of the time."""
        rows = sum(self._part.cardinalities) - len(self._part.cardinalities)
        count = int(np.clip(_CHAIN_ENTRIES // max(rows, 1), FEWEST_CHAINS, MOST_CHAINS))
        now = time.monotonic()
        chains = Chains(self._part, count, np.random.default_rng(self._seed))
        return sampled_by(chains, tolerance=self._tolerance, until=now + PLAIN_SHARE * (self._until - now))

    def tempered(self) -> Sampled | None:
        """What parallel tempering finds: fewer sweeps, and no mode that holds it. None: no time is left."""
        if time.monotonic() > self._until:
            return None
        chains = TemperedChains(self._part, np.random.default_rng([*self._seed, 1]))
        return sampled_by(chains, tolerance=self._tolerance, until=self._until)


def sampled_by(chains: Chains, *, tolerance: float, until: float) -> Sampled:
    """Go on until the chains have converged, or `until`. The first quarter of all sweeps is dropped.

    It served to forget the start.
    """
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

    Rows whose half-chain means differ by a standard deviation below `negligible` are left out.
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


def _diagnostics(sampled: Sequence[Sampled], config: Config) -> dict[str, str | int | float]:
    if not sampled:
        return {}
    r_hat = max(result.r_hat for result in sampled)
    told: dict[str, str | int | float] = {
        "sampled_components": len(sampled),
        "sampled_variables": sum(len(result.marginals) for result in sampled),
        "chains": min(result.chains for result in sampled),
        "sweeps": max(result.sweeps for result in sampled),
    }
    if math.isfinite(r_hat):
        told["r_hat"] = r_hat
    if not all(result.converged for result in sampled):
        stderr = max(result.stderr for result in sampled)
        mixing = f"{r_hat:.3f}" if math.isfinite(r_hat) else "infinite"
        warning = (
            f"sampling stopped after {config.solver_seconds:g} s without converging: split R-hat {mixing} "
            f"(at most {MIXED}), standard error {stderr:.4f} (at most {config.tolerance:g})"
        )
        _log.warning("%s", warning)
        told["warning"] = warning
    return told
