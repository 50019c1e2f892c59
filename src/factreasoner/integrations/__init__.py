"""Modules for other tools, each imported only where its tool is used."""
