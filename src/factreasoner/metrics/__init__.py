"""Metrics computed from assessments: one table a task, intervals over records, differences of runs."""

P_DIGITS = 12
"""Decimals to which probabilities are rounded before anything ranks or bins them.

Equal evidence summed in another order differs in the last bits, and must not make an order or a bin.
"""
