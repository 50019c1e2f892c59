"""Probabilistic factuality assessment of long answers."""

__version__ = "0.1.0"
