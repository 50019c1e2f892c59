"""A Chroma server in a process of its own."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest


@pytest.fixture(scope="module")
def chroma_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of `chroma run` on loopback."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    folder = tmp_path_factory.mktemp("chroma")
    program = Path(sys.executable).with_name("chroma")
    arguments = ["run", "--host", "127.0.0.1", "--port", str(port), "--path", str(folder)]
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen([program, *arguments], stdout=log, stderr=log, cwd=folder)
    url = f"http://127.0.0.1:{port}"
    try:
        for _ in range(600):
            assert server.poll() is None, (folder / "log").read_text()
            try:
                if httpx.get(f"{url}/api/v2/heartbeat", trust_env=False).status_code == 200:
                    break
            except httpx.TransportError:
                time.sleep(0.1)
        yield url
    finally:
        server.kill()
        server.wait()
