"""The two kinds of numbers a junction tree is computed with: plain ones, and logarithms for any range.

Every table has a last axis of variants, networks that are propagated side by side.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from factreasoner.errors import SolverError
from factreasoner.models.factor_graph import Table
from factreasoner.solvers.log_factors import INCONSISTENT, log_sum, logarithm

LOWEST = -700.0
"""Below this logarithm a plain number is not exact, or 0."""


class Linear:
    """Tables of plain numbers. What leaves their range raises FloatingPointError inside `np.errstate`."""

    one = 1.0

    def lift(self, logs: Table) -> Table:
        """The table whose entries have these logarithms."""
        if ((logs < LOWEST) & (logs > -np.inf)).any():
            raise FloatingPointError
        return np.asarray(np.exp(logs))

    def multiply(self, table: Table, by: Table) -> None:
        """Multiply `table` by another one, in place."""
        table *= by

    def total(self, table: Table, axes: Sequence[int]) -> Table:
        """Sums along `axes`, which keep the length 1."""
        # One axis at a time, the widest strides first: several times faster than numpy's joint reduction.
        for axis in axes:
            table = table.sum(axis=axis, keepdims=True)
        return table

    def divide(self, table: Table, by: Table) -> Table:
        """The quotient, and 0 where `by` is 0: so is the table there."""
        return np.asarray(np.divide(table, by, out=np.zeros_like(table), where=by > 0.0))

    def normalise(self, table: Table) -> tuple[Table, Table]:
        """The table with a largest entry of 1 in every variant, and the logarithms of what was divided by."""
        largest = table.max(axis=tuple(range(table.ndim - 1)))
        if not largest.all():
            raise SolverError(INCONSISTENT)
        return np.asarray(table / largest), np.asarray(np.log(largest))

    def logs(self, table: Table) -> Table:
        """Natural logarithms of a table's entries."""
        return logarithm(table)


class Logarithmic:
    """Tables of natural logarithms: slower, and of any range. Methods mean what those of `Linear` do."""

    one = 0.0

    def lift(self, logs: Table) -> Table:
        """See Linear."""
        return logs

    def multiply(self, table: Table, by: Table) -> None:
        """See Linear."""
        table += by

    def total(self, table: Table, axes: Sequence[int]) -> Table:
        """See Linear."""
        return log_sum(table, axes)

    def divide(self, table: Table, by: Table) -> Table:
        """See Linear."""
        return np.asarray(np.subtract(table, by, out=np.full_like(table, -np.inf), where=by > -np.inf))

    def normalise(self, table: Table) -> tuple[Table, Table]:
        """See Linear."""
        largest = table.max(axis=tuple(range(table.ndim - 1)))
        if np.isneginf(largest).any():
            raise SolverError(INCONSISTENT)
        return np.asarray(table - largest), np.asarray(largest)

    def logs(self, table: Table) -> Table:
        """See Linear."""
        return table


Arithmetic = Linear | Logarithmic
