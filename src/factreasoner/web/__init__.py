"""Pages of untrusted hosts: access rules, robots.txt, and text extraction."""
