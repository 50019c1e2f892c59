"""Verification: does each cited source support the claims that cite it? And the text corrected."""
