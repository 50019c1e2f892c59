"""Hides spaCy from a process that has this folder on its path."""

import sys

sys.modules["spacy"] = None
