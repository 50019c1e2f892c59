"""Batched calls: requests in one file, results later in another."""
