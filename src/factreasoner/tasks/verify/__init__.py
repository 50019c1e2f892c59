"""Verification: does each cited source support its claims? With a corrected text."""
