"""Adapters for other tools, each imported only when used."""
