"""Processes of their own: Ctrl-C, leaving, and what is printed."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from fake_server import FakeServer, hang, obliging, sequence, server_error
from provider_server import ProviderServer

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
MAPPER = """
import os, signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have it ignored
from factreasoner.calls.deadlines import within
from factreasoner.calls.threads import parallel_map
try:
    parallel_map(lambda n: os.write(1, b"begun\\n") and within(60, lambda: time.sleep(60)), range(2), 2)
except KeyboardInterrupt:
    sys.exit("interrupted")
"""


def started(code, *arguments):
    command = [sys.executable, "-W", "default", "-c", code, *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_a_process_prints_nothing_of_its_own_and_leaves_an_abandoned_request_behind():
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


COHERE = """
import sys, warnings
warnings.simplefilter("always", ResourceWarning)
from factreasoner.llm.transport import Transport
provider = Transport("cohere_chat/command-r", sys.argv[1] + "/v2/chat", "SOME_KEY")
reply = provider.complete({"messages": [{"role": "user", "content": "Hello."}]}, timeout=60)
"""


def test_connections_that_litellm_keeps_to_itself_are_closed_at_the_end(forker, tmp_path):
    with ProviderServer({}) as server:
        env = os.environ | {"SOME_KEY": "of-no-worth"}
        process = forker.start([server.url], folder=tmp_path, code=COHERE, env=env)
        out, err = process.communicate(timeout=90)
        assert (out, err, process.returncode, len(server.requests)) == ("", "", 0, 1)


def test_ctrl_c_ends_a_map_over_threads():
    process = started(MAPPER)
    begun = [process.stdout.readline() for _ in range(2)]
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=50)
    assert (begun, out, err) == (["begun\n"] * 2, "", "interrupted\n")
