"""What a service and the tools of agents answer, in processes of their own."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from typing import Any

from outlines import PROMISED, flow, table
from scene import Scene, Step, wrapped

ANSWER = "The tower was built in 1898 [1]. It is 330 metres high [1]. Is it old?"
PASSAGE = "The tower was finished in 1889 and is 330 metres high."
RECORD = {"output": ANSWER, "contexts": [PASSAGE]}
REQUESTS: tuple[tuple[str, Any], ...] = (
    ("/livez", None),
    ("/readyz", None),
    ("/v1/assess", RECORD),
    ("/v1/check", RECORD),
    ("/v1/check", {"output": "It is 330 metres high.", "contexts": [PASSAGE]}),
    ("/v1/verify", RECORD),
    (
        "/v1/recall",
        {"output": "It is 330 metres high.", "facts": ["It is 330 metres high.", "It is of iron."]},
    ),
    ("/v1/rag", RECORD | {"reference": "It was built in 1889."}),
    ("/v1/check", {"output": ""}),
    ("/v1/nothing", RECORD),
)
"""Path, body."""
OF_PATHS = {
    "/v1/check": ("status", "allowed", "reason", "precision", "num_unchecked", "title", "errors"),
    "/v1/nothing": ("title", "status", "errors"),
}
"""Path -> the keys that are recorded, where it is not all that are promised."""
CALLS = (
    ("assess", {"output": ANSWER, "contexts": [PASSAGE]}),
    ("verify", {"output": ANSWER, "sources": [PASSAGE]}),
    ("assess", {"output": ANSWER}),
)
"""Tool, arguments."""
ROUTES = re.compile(r"^factreasoner_requests_total.*", re.MULTILINE)


def serve(line: str) -> Step:
    """Start a service, ask it everything and end it."""

    def step(scene: Scene) -> None:
        process = scene.process(line)
        assert process.stderr is not None
        said = process.stderr.readline()
        url = re.search(r"http://[\d.:]+", said)[0]
        scene.note(f"$ factreasoner {line}", f"! {said.partition(url)[0]}{url}")  # then how many threads
        for path, body in REQUESTS:
            scene.note("", *_exchange(url, path, body))
        scene.note("", "GET /metrics", *ROUTES.findall(_asked(url, "/metrics", None)[1]))
        paths = json.loads(_asked(url, "/openapi.json", None)[1])["paths"]
        scene.note("", "GET /openapi.json", f"  paths: {flow(list(paths))}")
        process.send_signal(signal.SIGTERM)
        logged = process.communicate(timeout=60)[1]
        scene.note("", "SIGTERM", *(f"! {part}" for part in logged.splitlines()))
        scene.note(f"exit code {process.returncode}", "")

    return step


def _exchange(url: str, path: str, body: Any) -> Iterator[str]:
    status, text = _asked(url, path, body)
    asked = f"GET {path}" if body is None else f"POST {path} {json.dumps(body)}"
    lines = table([json.loads(text)], OF_PATHS.get(path, PROMISED)) if text.startswith("{") else [text]
    yield from map(wrapped, (asked, f"  {status}", *(f"  {line}" for line in lines)))


def _asked(url: str, path: str, body: Any) -> tuple[int, str]:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url + path, data, {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=60) as reply:
            return reply.status, reply.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


def mcp(line: str) -> Step:
    """Start the tools, list them and call them, as an agent does."""

    def step(scene: Scene) -> None:
        process = scene.process(line, stdin=subprocess.PIPE)
        client = {"name": "scene", "version": "1"}
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
        scene.note(f"$ factreasoner {line}")
        said = _called(process, "initialize", hello)
        scene.note("", "initialize", wrapped(f"  {said['instructions']}"))
        _send(process, {"method": "notifications/initialized"})
        for tool in _called(process, "tools/list", {})["tools"]:
            scene.note("", f"tool {tool['name']}: {tool['description']}")
            scene.note(*(f"  {kind}: {flow(list(tool[kind]['properties']))}" for kind in SCHEMAS))
        for name, arguments in CALLS:
            answer = _called(process, "tools/call", {"name": name, "arguments": arguments})
            scene.note("", wrapped(f"{name} {json.dumps(arguments)}"))
            found = answer.get("structuredContent") or {"error": answer["content"][0]["text"]}
            scene.note(*(wrapped(f"  {key}: {flow(value)}") for key, value in found.items()))
        printed, logged = process.communicate(timeout=60)
        scene.note("", "end of input", printed, *(f"! {part}" for part in logged.splitlines()))
        scene.note(f"exit code {process.returncode}", "")

    return step


SCHEMAS = ("inputSchema", "outputSchema")


def _called(process: subprocess.Popen[str], method: str, params: Mapping[str, Any]) -> Any:
    _send(process, {"id": 1, "method": method, "params": params})
    assert process.stdout is not None
    return json.loads(process.stdout.readline())["result"]


def _send(process: subprocess.Popen[str], message: Mapping[str, Any]) -> None:
    assert process.stdin is not None
    process.stdin.write(f"{json.dumps({'jsonrpc': '2.0', **message})}\n")
    process.stdin.flush()
