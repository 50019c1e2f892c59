"""From verdicts to the fact graph and its factors."""
