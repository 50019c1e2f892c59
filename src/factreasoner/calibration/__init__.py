"""Better probabilities learnt from labels: fitted to finished runs, kept in a file, applied in others."""
