"""Fetching pages of untrusted hosts: addresses, connections, robots.txt."""
