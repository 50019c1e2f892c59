"""The tasks: what each asks of a record, what it computes from the verdicts, and what its table shows."""
