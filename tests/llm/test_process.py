"""Processes of their own: Ctrl-C, leaving, and what is printed."""

import signal
import subprocess
import sys
import time
from pathlib import Path

from fake_server import FakeServer, hang, obliging, sequence, server_error

TESTS = Path(__file__).parents[1]
CALLER = f"""
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have it ignored
sys.path[:0] = [{str(TESTS)!r}, {str(TESTS / "llm")!r}]
from llm_scene import PROMPT, SCHEMA
from factreasoner.pipeline.config import Config
from factreasoner.errors import LLMError
from factreasoner.llm.client import LiteLLMClient

url, timeout = sys.argv[1], float(sys.argv[2])
once = {{"max_attempts": 1, "patience": 0.0, "cache": False, "confidence": "constant"}}
client = LiteLLMClient(Config(model="fake", api_base=url, timeout=timeout, **once))
for _ in range(3):
    try:
        print(client.call(PROMPT, SCHEMA).form)
    except LLMError as error:
        print(type(error).__name__)
    except KeyboardInterrupt:
        sys.exit("interrupted")
"""


def started(code, *arguments):
    command = [sys.executable, "-W", "default", "-c", code, *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_process_prints_nothing_and_abandons_requests():
    with FakeServer(sequence(obliging, server_error(), hang(120))) as server:
        out, err = started(CALLER, server.url, "3").communicate(timeout=90)  # the server hangs for longer
    assert (out, err) == ("json_schema\nProviderError\nCallTimeoutError\n", "")


def test_ctrl_c_ends_a_waiting_call(forker, tmp_path):
    with FakeServer(lambda request: hang(120)) as server:
        process = forker.start([server.url, 120], folder=tmp_path, code=CALLER)
        while not server.calls:
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=90)
    assert (out, err, process.returncode) == ("", "interrupted\n", 1)
