"""Scores computed from assessments."""
