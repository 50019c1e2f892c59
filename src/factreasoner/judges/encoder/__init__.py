"""Verifiers: models trained to decide whether a passage supports a claim, one adapter each."""
