"""Reading records, running the pipeline over them, and the run folder."""
