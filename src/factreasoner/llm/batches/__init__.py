"""Calls answered in batches: requests in a file, results in another one that comes later."""
