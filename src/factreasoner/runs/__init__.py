"""The run folder, and how records are processed into it."""
