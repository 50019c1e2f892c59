"""Metrics computed from assessments: one table a task, intervals over records, differences of runs."""
