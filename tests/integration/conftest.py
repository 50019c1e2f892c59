"""Real servers, started once for all tests: llama-cpp-python with each random model, and litellm's proxy."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import NamedTuple

import httpx
import pytest
import yaml
from random_model import CONTEXT, TEMPLATES
from relay import Peer, Relay
from speaking_model import speaking_model

from factreasoner import cli

ROOT = Path(__file__).parents[2]
START_SECONDS = 240
"""How long a server may take to start; the proxy imports for half a minute."""
OFFLINE = {
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS": "True",
    "HF_HUB_OFFLINE": "1",
    "NO_PROXY": "*",
}


def pytest_sessionstart():
    """No server outlives the tests, even where they are ended by `kill`."""
    signal.signal(signal.SIGTERM, lambda number, frame: pytest.exit("ended by SIGTERM", returncode=143))


@pytest.fixture(autouse=True)
def own_cache(monkeypatch, tmp_path):
    for name in [name for name in os.environ if name.endswith("_API_KEY")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("FACTREASONER_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("NO_PROXY", "*")


@contextlib.contextmanager
def served(command, port, path, log):
    """A server's process, from when it answers at `path`; its URL without a path."""
    url = f"http://127.0.0.1:{port}"
    with log.open("wb") as out:
        process = subprocess.Popen(command, stdout=out, stderr=out, env=os.environ | OFFLINE)
        try:
            deadline = time.monotonic() + START_SECONDS
            while not _answers(url + path):
                if process.poll() is not None or time.monotonic() > deadline:
                    pytest.fail(f"{command[1:4]} did not start:\n{log.read_text()[-2000:]}")
                time.sleep(0.3)
            yield url
        finally:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()


def _answers(url):
    with contextlib.suppress(httpx.HTTPError):
        return httpx.get(url, timeout=5.0, trust_env=False).status_code == 200
    return False


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return int(listening.getsockname()[1])


@pytest.fixture(scope="session")
def models(tmp_path_factory):
    """The folder of the models, made now, with a tokenizer that knows the words of our prompts."""
    folder = tmp_path_factory.mktemp("models")
    corpus = [ROOT / "README.md", *sorted((ROOT / "src/factreasoner/prompts").glob("*.md"))]
    command = [sys.executable, str(Path(__file__).parent / "random_model.py"), str(folder), *map(str, corpus)]
    subprocess.run(command, check=True)
    return folder


@pytest.fixture(scope="session")
def llama(models):
    """A relay before the server of each model, by the name of its chat template."""
    with contextlib.ExitStack() as stack:
        relays = {}
        for name in TEMPLATES:
            port = free_port()
            options = [
                "--model",
                str(models / f"{name}.gguf"),
                "--model_alias",
                name,
                "--n_ctx",
                str(CONTEXT),
            ]
            options += [
                "--n_threads",
                "1",
                "--n_threads_batch",
                "1",
                "--logits_all",
                "true",
                "--port",
                str(port),
            ]
            command = [sys.executable, "-m", "llama_cpp.server", *options]
            url = stack.enter_context(served(command, port, "/v1/models", models / f"{name}.log"))
            relays[name] = stack.enter_context(Relay(url))
        yield relays


@pytest.fixture(scope="session")
def proxy(llama, models):
    """The URL of litellm's proxy before them; its models have the templates' names."""
    listed = [
        {
            "model_name": name,
            "litellm_params": {"model": f"openai/{name}", "api_base": relay.url, "api_key": "none"},
        }
        for name, relay in llama.items()
    ]
    with proxied({"model_list": listed}, models) as url:
        yield f"{url}/v1"


@contextlib.contextmanager
def proxied(content, folder):
    """The URL of litellm's proxy with that configuration."""
    config = folder / "proxy.yaml"
    config.write_text(yaml.safe_dump(content | {"litellm_settings": {"num_retries": 0}}))
    port = free_port()
    start = "import sys; from litellm import run_server; sys.exit(run_server())"
    options = ["--config", str(config), "--host", "127.0.0.1", "--port", str(port), "--telemetry", "False"]
    command = [sys.executable, "-c", start, *options]
    with served(command, port, "/health/liveliness", folder / "proxy.log") as url:
        yield url


@pytest.fixture(scope="session")
def guarded(tmp_path_factory):
    """The URL of a proxy with our guardrail, before a model that says what it is told to."""
    model = speaking_model()
    threading.Thread(target=model.serve_forever, daemon=True).start()
    place = {"model": "openai/m", "api_base": f"http://127.0.0.1:{model.server_port}/v1", "api_key": "none"}
    guardrail = {
        "guardrail": "factreasoner.integrations.litellm_guardrail.FactualityGuardrail",
        "mode": "post_call",
        "default_on": True,
        "min_precision": 0.8,
        "settings": {},
    }
    content = {
        "model_list": [{"model_name": "m", "litellm_params": place}],
        "guardrails": [{"guardrail_name": "factuality", "litellm_params": guardrail}],
    }
    with proxied(content, tmp_path_factory.mktemp("guarded")) as url:
        yield f"{url}/v1/chat/completions"
    model.shutdown()
    model.server_close()


class Done(NamedTuple):
    """How a command ended."""

    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def command(tmp_path, monkeypatch, capsys):
    """Run `factreasoner ARGUMENTS` in this process, so that heavy libraries are imported once."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")

    def run(*arguments):
        code = cli.execute([str(argument) for argument in arguments])
        return Done(code, *capsys.readouterr())

    return run


@pytest.fixture(params=["directly", "through_the_proxy"])
def peer(request, llama):
    """`peer(template)`: the model of that name, with nothing said to it yet in this test."""

    def reached(template):
        relay = llama[template]
        relay.exchanges.clear()
        return Peer(relay, relay.url if request.param == "directly" else request.getfixturevalue("proxy"))

    return reached
