"""Output for people: the terminal, tables for documents and the HTML page."""
