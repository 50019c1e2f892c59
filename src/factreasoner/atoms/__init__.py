"""Atomizer and Reviser: from a response to self-contained atoms."""
