"""Shared machinery of outgoing calls: threads, deadlines, retry, limits, budget, cache, usage."""
