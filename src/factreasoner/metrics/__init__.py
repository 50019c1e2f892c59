"""Metrics of assessments: one table per task, intervals over records, differences of runs."""
