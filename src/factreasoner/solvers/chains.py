"""Markov chains over one component: block Gibbs sampling, many chains at once.

Variables of one colour are not neighbours and are drawn together. A sweep keeps their conditional
probabilities instead of states, whose mean has less variance (Rao-Blackwell; Gelfand and Smith 1990).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from factreasoner.models.graph import Table
from factreasoner.solvers.elimination import adjacency_bits, bits_of
from factreasoner.solvers.reduction import Component, LogFactor

ZERO = 600.0
"""How far the logarithm that stands for 0 is below the least sum of a variable's positive entries."""

SINGLE_DOWN_TO = -2000.0
"""Above this logarithm, single precision rounds far below any standard error."""

Real: TypeAlias = npt.NDArray[np.floating[Any]]


class Moments(NamedTuple):
    """Mean and variance of each conditional probability over a stretch of sweeps, of shape (rows, chains)."""

    sweeps: int
    mean: Real
    variance: Real


def joined(stretches: Sequence[Moments]) -> Moments:
    """The moments over several stretches of equal length."""
    means = [stretch.mean for stretch in stretches]
    within = np.mean([stretch.variance for stretch in stretches], axis=0)
    return Moments(
        sum(stretch.sweeps for stretch in stretches), np.mean(means, axis=0), within + np.var(means, axis=0)
    )


class _Wide(NamedTuple):
    """A factor of three or more variables as seen by one of them; its axis of `logs` is the first."""

    rows: slice
    others: tuple[int, ...]
    logs: Table


class _ColourBlock(NamedTuple):
    """Variables of one colour; the logits of their rows are `base + weights @ all rows` plus wide factors.

    Row r of the block is state `state[r]` of its variable `owner[r]`; `rows` are its rows among all.
    """

    variables: npt.NDArray[np.intp]
    rows: slice
    owner: npt.NDArray[np.intp]
    state: npt.NDArray[np.intp]
    base: Real
    weights: Any
    wide: tuple[_Wide, ...]


class Chains:
    """Independent chains over a component, drawn colour by colour.

    A variable of k states has k - 1 rows, one for each state but the first. A row says which chains have the
    variable in that state. The logit of a state against the first is then linear in the neighbours' rows.
    """

    def __init__(self, part: Component, count: int, rng: np.random.Generator) -> None:
        self.count = count
        self._sizes = np.array(part.cardinalities)
        self._rng = rng
        lowest = _lowest(part)
        self._type = np.float32 if lowest > SINGLE_DOWN_TO else np.float64
        floor = lowest - ZERO
        factors = [LogFactor(factor.scope, np.maximum(factor.logs, floor)) for factor in part.factors]
        classes = colour_classes(len(part.variables), part.scopes)
        # In the order of drawing, so that a block's rows lie together.
        order = np.array([i for members in classes for i in members])
        self._start = np.empty_like(self._sizes)
        self._start[order] = np.concatenate(([0], np.cumsum(self._sizes[order] - 1)[:-1]))
        self._row_count = int((self._sizes - 1).sum())
        self._blocks = [self._block(members, factors) for members in classes]
        # Each chain has its own share of variables that start off their first state: starts differ widely.
        shape = (len(self._sizes), count)
        off_first = rng.random(shape) < rng.random(count)
        self._states = off_first * (1 + rng.integers(0, self._sizes[:, None] - 1, shape))
        self._rows = np.empty((self._row_count, count), dtype=self._type)
        for block in self._blocks:
            self._rows[block.rows] = self._states[block.variables[block.owner]] == block.state[:, None]

    def run(self, sweeps: int) -> Moments:
        """Run for a number of sweeps and return the moments over them."""
        total = np.zeros((self._row_count, self.count))
        squares = np.zeros((self._row_count, self.count))
        for _ in range(sweeps):
            for block in self._blocks:
                p = self._draw(block)
                total[block.rows] += p
                squares[block.rows] += np.square(p, out=p)
        mean = total / sweeps
        variance = np.maximum(squares / sweeps - mean * mean, 0.0)
        return Moments(sweeps, mean.astype(np.float32), variance.astype(np.float32))

    def marginals(self, mean: Table) -> list[Table]:
        """Distributions of the variables from a mean for every row."""
        found = []
        for start, size in zip(self._start, self._sizes, strict=True):
            others = mean[start : start + size - 1]
            p = np.concatenate(([max(0.0, 1.0 - others.sum())], others))
            found.append(p / p.sum())
        return found

    def _draw(self, block: _ColourBlock) -> Real:
        """Draw the block's variables; returns the probabilities they were drawn from, (rows, chains)."""
        logits: Real = block.weights @ self._rows
        logits += block.base[:, None]
        for wide in block.wide:
            logs = wide.logs[(slice(None), *(self._states[i] for i in wide.others))]
            logits[wide.rows] += logs[1:] - logs[0]
        if len(block.owner) == len(block.variables):
            with np.errstate(over="ignore"):
                p = np.exp(np.negative(logits, out=logits), out=logits)
            p = np.reciprocal(np.add(p, 1.0, out=p), out=p)
            drawn = self._rng.random(p.shape, dtype=self._type) < p
            self._rows[block.rows] = self._states[block.variables] = drawn
            return p
        shape = (len(block.variables), int(self._sizes[block.variables].max()), self.count)
        weights = np.full(shape, -np.inf, dtype=self._type)
        weights[:, 0] = 0.0
        weights[block.owner, block.state] = logits
        weights = np.exp(weights - weights.max(axis=1, keepdims=True))
        weights /= weights.sum(axis=1, keepdims=True)
        below = np.cumsum(weights[:, :-1], axis=1)
        states = (self._rng.random((len(weights), 1, self.count)) >= below).sum(axis=1)
        # Rounding may leave the sum of all states just below a draw.
        states = np.minimum(states, self._sizes[block.variables][:, None] - 1)
        self._states[block.variables] = states
        self._rows[block.rows] = states[block.owner] == block.state[:, None]
        return np.asarray(weights[block.owner, block.state])

    def _block(self, variables: Sequence[int], factors: Sequence[LogFactor]) -> _ColourBlock:
        members = np.array(variables)
        counts = self._sizes[members] - 1
        owner = np.repeat(np.arange(len(members)), counts)
        first = np.concatenate(([0], np.cumsum(counts)))
        state = np.arange(len(owner)) - first[owner] + 1
        local = {i: slice(int(first[b]), int(first[b + 1])) for b, i in enumerate(variables)}
        base = np.zeros(len(owner))
        entries: list[tuple[int, int, float]] = []
        wide: list[_Wide] = []
        for factor, axis, i in _factors_over(factors, local):
            logs = np.moveaxis(factor.logs, axis, 0)
            others = tuple(j for j in factor.scope if j != i)
            if len(others) > 1:
                wide.append(_Wide(local[i], others, logs))
                continue
            against_first = (logs[1:] - logs[0]).reshape(len(logs) - 1, -1)
            base[local[i]] += against_first[:, 0]
            for (k, s), value in np.ndenumerate(against_first[:, 1:] - against_first[:, :1]):
                entries.append((local[i].start + k, int(self._start[others[0]]) + s, value))
        weights = _matrix(entries, (len(owner), self._row_count)).astype(self._type)
        start = int(self._start[members[0]])
        rows = slice(start, start + len(owner))
        return _ColourBlock(members, rows, owner, state, base.astype(self._type), weights, tuple(wide))


def _matrix(entries: Sequence[tuple[int, int, float]], shape: tuple[int, int]) -> Any:
    """A sparse matrix of the given (row, column, value) entries."""
    # Imported here: it takes longer than most networks that need no sampling.
    import scipy.sparse

    columns = list(zip(*entries, strict=True)) if entries else [(), (), ()]
    rows, values = np.array(columns[:2], dtype=np.intp), np.array(columns[2], dtype=np.float64)
    return scipy.sparse.csr_array((values, tuple(rows)), shape=shape)


def _factors_over(
    factors: Sequence[LogFactor], variables: Collection[int]
) -> Iterator[tuple[LogFactor, int, int]]:
    for factor in factors:
        for axis, i in enumerate(factor.scope):
            if i in variables:
                yield factor, axis, i


def _lowest(part: Component) -> float:
    """The least possible sum of logarithms of a variable's positive entries."""
    lowest = np.zeros(len(part.variables))
    for factor in part.factors:
        lowest[list(factor.scope)] += factor.logs.min(where=np.isfinite(factor.logs), initial=0.0)
    return float(lowest.min(initial=0.0))


def colour_classes(count: int, scopes: Sequence[Sequence[int]]) -> list[list[int]]:
    """The variables by colour, no two neighbours alike.

    Each gets the lowest free colour, starting with neighbours of coloured ones: a bipartite network gets two.
    """
    adjacency = adjacency_bits(count, scopes)
    waiting = sorted(range(count), key=lambda i: adjacency[i].bit_count())
    colours: dict[int, int] = {}
    while waiting:
        near = [waiting.pop()]
        for i in near:
            if i not in colours:
                taken = {colours.get(j) for j in bits_of(adjacency[i])}
                colours[i] = next(colour for colour in range(count) if colour not in taken)
                near += bits_of(adjacency[i])
    used = range(max(colours.values(), default=-1) + 1)
    return [[i for i in range(count) if colours[i] == colour] for colour in used]
