"""Prompts as files, and the loader that renders and fingerprints them."""
