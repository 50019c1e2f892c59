"""What the client adds to a call: ours, raw litellm and raw httpx against an instant server on this machine.

    python benchmarks/overhead.py [--calls 1500] [--concurrency 50] [--rounds 3]

The server runs in a process of its own. All send the same chat request with one forced function of eight
arguments; rounds alternate, and the middle one counts. Ours includes the ladder, retries, deadline, metering
and reading of the arguments; the cache is off in one row, on but empty in the next, and full in the last.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import httpx

from factreasoner.config import Config
from factreasoner.llm.client import LiteLLMClient
from factreasoner.llm.forms import request_of
from factreasoner.llm.litellm_provider import load
from factreasoner.llm.messages import FunctionSchema, Prompt
from factreasoner.llm.parallel import parallel_map

SERVER = Path(__file__).parents[1] / "tests" / "fake_server.py"
FACT = {"type": "string", "enum": ["True", "False", "Not clear from the given passage"]}
NAMES = [f"fact_{index}" for index in range(8)]
SCHEMA = FunctionSchema(
    name="check",
    description="Check the facts against the passage.",
    parameters={"type": "object", "properties": dict.fromkeys(NAMES, FACT), "required": NAMES},
)
Call = Callable[[Prompt], object]


def prompt_of(number: int) -> Prompt:
    """A prompt of some 500 tokens, different for each number."""
    return Prompt(name="bench", system="You check facts.", user=f"{number}. " + "The passage says so. " * 100)


def rivals(url: str, concurrency: int, folder: Path) -> dict[str, Call]:
    """Name -> a function that makes one call."""
    config = Config(model="fake", api_base=url, concurrency=concurrency, cache=False)
    cached = config.model_copy(update={"cache": True, "cache_dir": folder})
    client, caching, litellm = LiteLLMClient(config), LiteLLMClient(cached), load()
    http = httpx.Client(limits=httpx.Limits(max_connections=None), timeout=60)

    def by_httpx(prompt: Prompt) -> object:
        body = {"model": "fake", "temperature": 0.0, "max_tokens": 4096} | request_of("tool", prompt, SCHEMA)
        answer = http.post(f"{url}/chat/completions", json=body).json()
        return json.loads(answer["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"])

    def by_litellm(prompt: Prompt) -> object:
        request = {"temperature": 0.0, "max_tokens": 4096} | request_of("tool", prompt, SCHEMA)
        answer = litellm.completion(
            model="openai/fake", api_base=url, api_key="none", max_retries=0, **request
        )
        return json.loads(answer.choices[0].message.tool_calls[0].function.arguments)

    return {
        "raw httpx": by_httpx,
        "raw litellm": by_litellm,
        "factreasoner, no cache": lambda prompt: client.call(prompt, SCHEMA).arguments,
        "factreasoner, cache empty": lambda prompt: caching.call(prompt, SCHEMA).arguments,
        "factreasoner, cache full": lambda prompt: caching.call(prompt, SCHEMA).arguments,
    }


def measure(calls: dict[str, Call], count: int, concurrency: int, rounds: int) -> dict[str, float]:
    """Name -> milliseconds a call (elapsed time / calls), the median over rounds."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    wanted = dict.fromkeys(NAMES, "True")
    for call in calls.values():
        assert call(prompt_of(-1)) == wanted
    for number in range(rounds):
        prompts = [prompt_of(number * count + index) for index in range(count)]
        for name, call in calls.items():
            start = time.perf_counter()
            answers = parallel_map(call, prompts, concurrency)
            times[name].append(1000 * (time.perf_counter() - start) / count)
            assert answers == [wanted] * count
    return {name: statistics.median(values) for name, values in times.items()}


def main() -> None:
    """Print one row a rival."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=1500)
    parser.add_argument("--concurrency", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    server = subprocess.Popen(
        [sys.executable, str(SERVER)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert server.stdout is not None
    url = server.stdout.readline().strip()
    try:
        with tempfile.TemporaryDirectory() as folder:
            found = measure(
                rivals(url, options.concurrency, Path(folder)),
                options.calls,
                options.concurrency,
                options.rounds,
            )
    finally:
        server.terminate()
        server.wait()
    print(f"{options.calls} calls, {options.concurrency} at once, median of {options.rounds} rounds")
    print(f"{'':28} {'ms/call':>8} {'calls/s':>8} {'/ litellm':>10} {'/ httpx':>8}")
    for name, each in found.items():
        to_litellm, to_httpx = each / found["raw litellm"], each / found["raw httpx"]
        print(f"{name:28} {each:8.2f} {1000 / each:8.0f} {to_litellm:10.2f} {to_httpx:8.2f}")


if __name__ == "__main__":
    main()
