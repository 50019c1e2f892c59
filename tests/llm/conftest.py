"""A fake server with a client that talks to it, both closed after the test."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from fake_server import AnswerFunction, FakeServer, obliging
from llm_scene import Scene


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_API_BASE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("FACTREASONER_CACHE_DIR", str(tmp_path / "default-cache"))


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Callable[..., Scene]]:
    """`scene(answer, **options of FakeServer)` starts a server and gives clients of it."""
    scenes: list[Scene] = []

    def start(answer: AnswerFunction = obliging, **options: object) -> Scene:
        scenes.append(Scene(FakeServer(answer, **options), tmp_path / "cache"))
        return scenes[-1]

    yield start
    for made in scenes:
        for client in made.clients:
            client.close()
        made.server.close()
