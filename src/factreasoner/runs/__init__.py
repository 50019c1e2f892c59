"""The run folder and what runs a pipeline over records into it."""
