"""Verification: does each cited source bear out the claims that cite it? And the text mended."""
