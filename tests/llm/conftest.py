"""A fake server with a client that talks to it, both closed after the test."""

import pytest
from fake_server import FakeServer, obliging
from llm_scene import Scene


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch, tmp_path):
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_API_BASE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("FACTREASONER_CACHE_DIR", str(tmp_path / "default-cache"))


@pytest.fixture
def scene(tmp_path):
    """`scene(answer, **options of FakeServer)` starts a server and gives clients of it."""
    scenes = []

    def start(answer=obliging, **options):
        scenes.append(Scene(FakeServer(answer, **options), tmp_path / "cache"))
        return scenes[-1]

    yield start
    for made in scenes:
        for client in made.clients:
            client.close()
        made.server.close()
