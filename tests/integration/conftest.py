"""litellm's own proxy, started once for all tests."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time

import httpx
import pytest
import yaml
from speaking_model import speaking_model

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
