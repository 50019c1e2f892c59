"""The tasks: their input, their metrics, and their tables."""
