"""Verifiers: models made to decide whether a passage supports a claim, each described by one adapter."""
