"""Evaluators: from atoms and contexts to P(atom is true)."""
