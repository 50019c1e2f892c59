"""Find an installed merlin, write its input, run it, read its answer. Standard library only."""
