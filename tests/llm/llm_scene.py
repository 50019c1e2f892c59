"""What the tests of models and of calls share: a prompt, a schema, a server with clients of it."""

import time

import pytest
from fake_server import FakeServer, obliging

from factreasoner.calls.limits import Budget, SharedLimits
from factreasoner.llm.client import LiteLLMClient
from factreasoner.models.messages import FunctionSchema, Prompt
from factreasoner.pipeline.config import Config

PROMPT = Prompt(name="check", system="You check facts.", user="Is it so?", fingerprint="v1")


def schema_of(count=2):
    """A function with `count` True/False arguments."""
    fact = {"type": "string", "enum": ["True", "False"]}
    names = [f"fact_{index}" for index in range(count)]
    return FunctionSchema(
        name="check",
        description="Check the facts.",
        parameters={"type": "object", "properties": dict.fromkeys(names, fact), "required": names},
        items={name: f"Fact number {index}." for index, name in enumerate(names)},
        item="fact",
    )


SCHEMA = schema_of()


class Scene:
    """One server and clients of it. Keyword arguments of `client` are settings."""

    def __init__(self, server, folder):
        self.server = server
        self.folder = folder
        self.clients = []

    def client(self, *, spent=0.0, memory=None, **settings):
        values = {"model": "fake", "api_base": self.server.url, "cache_dir": self.folder, "cache": False}
        values |= {"patience": 1.0, "confidence": "constant"}
        config = Config(**values | settings)
        shared = SharedLimits(config, Budget(config.max_cost, spent))
        client = LiteLLMClient(config, shared=shared, memory=memory)
        self.clients.append(client)
        return client

    @property
    def forms(self):
        return [request.form for request in self.server.requests]


class Clock:
    """Seconds that pass when they are told to."""

    now = 0.0

    def __call__(self):
        return self.now


def in_line(limits, count):
    """Wait until so many requests are in line."""
    deadline = time.monotonic() + 20
    while len(limits.line) < count and time.monotonic() < deadline:
        time.sleep(0.001)
    assert len(limits.line) == count


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
