"""Posterior marginals of a factor graph."""
