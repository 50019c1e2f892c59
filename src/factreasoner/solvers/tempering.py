"""Parallel tempering: chains that leave a mode by way of flatter distributions.

Each ensemble has a chain at every rung of a ladder of inverse temperatures, from 1, the distribution itself,
to 0, where all states are alike. Neighbouring rungs exchange their chains, even and odd pairs in turn, and
the ladder is spaced so that all exchanges are equally likely (Syed, Bouchard-Cote, Deligiannidis and Doucet,
"Non-reversible parallel tempering", 2022).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from factreasoner.graph.factor_graph import Table
from factreasoner.solvers.chains import Chains, Moments, Real
from factreasoner.solvers.log_factors import LogFactor
from factreasoner.solvers.reduction import Component

RUNGS = 24
ENSEMBLES = 16


class TemperedChains(Chains):
    """Independent ensembles of chains; what is kept is of the chains at inverse temperature 1 alone."""

    def __init__(self, part: Component, rng: np.random.Generator) -> None:
        super().__init__(part, RUNGS * ENSEMBLES, rng)
        # Rung 0 is the distribution itself. at[t, e] is the column of the chain of ensemble e at rung t.
        self._at = np.arange(RUNGS * ENSEMBLES).reshape(RUNGS, ENSEMBLES)
        self._ladder = np.append(np.geomspace(1.0, 1e-3, RUNGS - 1), 0.0)
        self._rejected = np.zeros(RUNGS - 1)
        self._proposed = np.zeros(RUNGS - 1)
        self._odd = False
        self._wide_factors = [
            LogFactor(factor.scope, np.maximum(factor.logs, self._log_of_zero))
            for factor in self._core_factors
            if len(factor.scope) > 2
        ]

    @property
    def count(self) -> int:
        """See Chains."""
        return ENSEMBLES

    def run(self, sweeps: int) -> Moments:
        """See Chains; the ladder is spaced anew before."""
        self._space()
        return super().run(sweeps)

    def _sweep(self, total: Table, squares: Table) -> None:
        cold = self._at[0]
        temperature: Real = np.empty(self._at.size, dtype=self._type)
        temperature[self._at] = self._ladder[:, None]
        for block in self._core:
            p = self._draw(block, inverse_temperature=temperature)[:, cold]
            total[block.rows] += p
            squares[block.rows] += p * p
        # What hangs on the core alone needs no tempering.
        for block in self._blocks[len(self._core) :]:
            p = self._draw(block, cold)
            total[block.rows] += p
            squares[block.rows] += p * p
        self._exchange()

    def _exchange(self) -> None:
        """Let neighbouring rungs exchange their chains, as Metropolis allows."""
        energy = self._log_weights()
        lower = np.arange(int(self._odd), RUNGS - 1, 2)
        self._odd = not self._odd
        here, there = self._at[lower], self._at[lower + 1]
        gain = (self._ladder[lower] - self._ladder[lower + 1])[:, None] * (energy[there] - energy[here])
        accepted = np.log(self._rng.random(gain.shape)) < gain
        self._at[lower] = np.where(accepted, there, here)
        self._at[lower + 1] = np.where(accepted, here, there)
        self._rejected[lower] += 1.0 - np.exp(np.minimum(gain, 0.0)).mean(axis=1)
        self._proposed[lower] += 1.0

    def _log_weights(self) -> npt.NDArray[np.float64]:
        """The logarithm of the weight of every chain's core, up to a constant."""
        found = np.zeros(self._at.size)
        for block in self._core:
            own = self._rows[block.rows]
            # A relation is seen from both of its ends.
            found += ((0.5 * (block.weights @ self._rows) + block.base[:, None]) * own).sum(axis=0)
        for factor in self._wide_factors:
            found += factor.logs[tuple(self._states[i] for i in factor.scope)]
        return found

    def _space(self) -> None:
        """Move the rungs so that all exchanges are refused equally often, going by the latest ones."""
        if not self._proposed.all():
            return
        barrier = np.concatenate(([0.0], np.cumsum(np.maximum(self._rejected / self._proposed, 1e-3))))
        even = np.linspace(0.0, barrier[-1], RUNGS)
        self._ladder = np.interp(even, barrier, self._ladder)
        self._ladder[0], self._ladder[-1] = 1.0, 0.0
        self._rejected[:] = self._proposed[:] = 0.0
