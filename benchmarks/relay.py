"""Stands before a real server, hands everything on, and keeps what was said: an account not our own.

A request that sets no limit gets one, so that a small model does not repeat itself to the end of its context.
"""

from __future__ import annotations

import contextlib
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

import httpx

SECONDS, TOKENS = 900.0, 2048
"""Maximum seconds and tokens of an answer."""


class Exchange(NamedTuple):
    """One chat request and its answer."""

    sent: dict[str, Any]
    status: int
    answer: dict[str, Any]
    seconds: float = 0.0


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_POST(self):
        sent = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        bounded = sent if "max_completion_tokens" in sent else {"max_tokens": TOKENS} | sent
        relay = self.server.owner
        start = time.perf_counter()
        answer = httpx.post(
            f"{relay.target}{self.path}",
            json=bounded,
            timeout=SECONDS,
            trust_env=False,
        )
        seconds = time.perf_counter() - start
        relay.exchanges.append(Exchange(sent, answer.status_code, answer.json(), seconds))
        self.send_response(answer.status_code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer.content)))
        self.end_headers()
        with contextlib.suppress(BrokenPipeError):  # the client waits no longer
            self.wfile.write(answer.content)

    def log_message(self, format, *args):
        pass


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    owner: Relay


class Relay:
    """A context manager. `url` ends in /v1; `exchanges` holds what went through, in the order of answers."""

    def __init__(self, target, port=0):
        self.target = target
        self.exchanges = []
        self._server = _Server(("127.0.0.1", port), _Handler)
        self._server.owner = self
        self.port = self._server.server_port
        self.url = f"http://127.0.0.1:{self.port}/v1"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self._server.shutdown()
        self._server.server_close()
