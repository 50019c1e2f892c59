"""Explanations of posteriors: which contexts moved an atom, and which disagree."""
