"""Retrievers: where contexts come from."""
