from __future__ import annotations

import itertools
import time

import numpy as np
import pytest
from oracle import DATA, brute_force, uai_marginals

from factreasoner.graph.factor_graph import Factor, FactorGraph
from factreasoner.graph.uai import read_uai
from factreasoner.solvers.chains import Chains
from factreasoner.solvers.gibbs import sampled_by
from factreasoner.solvers.reduction import reduce
from factreasoner.solvers.tempering import ENSEMBLES, TemperedChains


def worlds(count: int, *, tilt: float) -> FactorGraph:
    """All false or all true, with next to no way between; the second `tilt` times as likely."""
    same = np.array([[1.0, 1e-6], [1e-6, 1.0]])
    factors = [Factor(pair, same) for pair in itertools.combinations(range(count), 2)]
    factors.append(Factor((0,), np.array([1.0, tilt])))
    return FactorGraph(tuple(map(str, range(count))), (2,) * count, tuple(factors))


def test_worlds_that_plain_chains_never_leave_are_weighed() -> None:
    graph = worlds(10, tilt=3.0)
    (part,) = reduce(graph).components
    until = time.monotonic() + 600.0
    found = sampled_by(TemperedChains(part, np.random.default_rng(0)), tolerance=0.01, until=until)
    assert found.converged
    assert found.chains == ENSEMBLES
    for marginal in found.marginals:
        assert marginal[1] == pytest.approx(0.75, abs=5 * 0.01)
    plain = sampled_by(Chains(part, 256, np.random.default_rng(0)), tolerance=0.01, until=0.0)
    assert not plain.converged


def test_more_states_wide_factors_and_what_hangs_on_the_core() -> None:
    rng = np.random.default_rng(3)
    sizes = (2, 3, 2, 4, 2, 3, 2)
    scopes = [(0, 1, 2), (1, 2, 3), (0, 3, 4), (2, 4, 1), (3, 5), (5, 6), (0, 5), (1, 4), (0, 2)]
    factors = tuple(Factor(s, np.exp(rng.normal(0, 2, [sizes[i] for i in s]))) for s in scopes)
    graph = FactorGraph(tuple(map(str, range(7))), sizes, factors)
    (part,) = reduce(graph).components
    until = time.monotonic() + 600.0
    found = sampled_by(TemperedChains(part, np.random.default_rng(0)), tolerance=0.01, until=until)
    assert found.converged
    for marginal, expected in zip(found.marginals, brute_force(graph).values(), strict=True):
        assert marginal == pytest.approx(expected, abs=5 * 0.01)


@pytest.mark.skipif(not (DATA / "uai2014").is_dir(), reason="no shared data")
def test_a_grid_of_strong_couplings() -> None:
    """Chains of every start stay in a mode of their own; tempered, they come within a tenth of the truth."""
    path = DATA / "uai2014" / "Grids_11.uai"
    (part,) = reduce(read_uai(path)).components
    expected = uai_marginals(path.with_suffix(".uai.MAR"))
    chains = TemperedChains(part, np.random.default_rng(0))
    for _ in range(5):
        chains.run(128)
    means = chains.run(512).mean.astype(float).mean(axis=1)
    error = max(abs(p[1] - q[1]) for p, q in zip(chains.marginals(means), expected, strict=True))
    plain = Chains(part, 256, np.random.default_rng(0))
    plain.run(640)
    means = plain.run(512).mean.astype(float).mean(axis=1)
    stuck = max(abs(p[1] - q[1]) for p, q in zip(plain.marginals(means), expected, strict=True))
    assert error < 0.2 < 0.4 < stuck
