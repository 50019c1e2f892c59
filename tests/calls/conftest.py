"""A fake server with a client that talks to it, both closed after the test."""

from llm_scene import clean_environment, scene  # noqa: F401 - fixtures
