"""What every call to elsewhere needs: threads, deadlines, one retry, limits, budget, cache and usage."""
