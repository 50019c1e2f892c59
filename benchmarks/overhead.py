"""What the client adds to a call, and how near a run comes to what its model's latency allows.

    python benchmarks/overhead.py [--calls 200] [--concurrency 16] [--rounds 3] [--latency 0.5]

First table: ours, raw litellm and raw httpx send the same request, one forced function of 24 facts with
quotations, with and without five alternatives of log-probabilities, to an instant server in a process of its
own. Rounds alternate, and the middle one counts. CPU is this process's. Ours includes call forms, retries,
deadline, metering and reading of the verdicts; its cache is off but in the rows that say so. Raw httpx only
parses the JSON.

Second table: whole runs against a server that takes `--latency` seconds for each answer. The bound is calls /
concurrency * latency. Records of one context each, beside as many requests of the same size by raw litellm,
which can't reach the bound either where its own CPU takes longer than that: the last column is the time over
litellm's, to be 1.2 at most. Rounds alternate, and the middle one counts. Then, once, the biographies of the
folder that FACTREASONER_DATA names, where there is one. CPU is this process's, milliseconds a call.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import httpx

from factreasoner.calls.threads import parallel_map
from factreasoner.judges import functions
from factreasoner.judges.asking import MOST_FACTS, JudgedClaim, read_answer
from factreasoner.llm.client import LiteLLMClient
from factreasoner.llm.forms import ALTERNATIVES
from factreasoner.llm.forms import request as request_of
from factreasoner.llm.transport import load
from factreasoner.models import Atom, Claim, Context, Record
from factreasoner.models.messages import Prompt
from factreasoner.models.verdicts import LABEL_OF_VALUE
from factreasoner.pipeline.config import Config
from factreasoner.pipeline.pipeline import build_pipeline

TESTS = Path(__file__).parents[1] / "tests"
FACTS = 24
CLAIMS = [
    Claim(f"a{i}", f"The bridge was opened in {1800 + i} and stands to this day.") for i in range(FACTS)
]
SCHEMA = functions.inquiry("tfn_citation").build(CLAIMS)
QUOTE = "it was opened in the presence of the king and a great crowd"
Call = Callable[[Prompt], object]


class Cost(NamedTuple):
    """Of one call: milliseconds of time (elapsed / calls) and of CPU."""

    elapsed: float
    cpu: float


class Work(NamedTuple):
    """A number of calls, and the seconds of time and of CPU that they took together."""

    calls: float
    elapsed: float
    cpu: float


def serve(latency: float) -> None:
    """Answer every request with True and a quotation for each fact, and log-probabilities if asked for."""
    sys.path.insert(0, str(TESTS))
    from fake_server import Completion, FakeServer, Request

    def answer(request: Request) -> Completion:
        text = json.dumps({n: p.get("enum", [QUOTE])[0] for n, p in request.properties.items()})
        count = int(request.body.get("top_logprobs") or 0)
        tokens = None
        if count:
            words = re.findall(r"\s*\w+|\s*[^\w\s]|\s+", text)
            tokens = [(w, -0.1, [(w, -0.1), *((f"w{i}", -3.0 - i) for i in range(1, count))]) for w in words]
        return Completion(arguments=text, tokens=tokens)

    with FakeServer(answer, delay=latency) as server:
        print(server.url, flush=True)
        sys.stdin.read()


@contextlib.contextmanager
def server_of(latency: float) -> Iterator[str]:
    """The URL of a server in a process of its own."""
    command = [sys.executable, __file__, "--serve", str(latency)]
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    try:
        yield server.stdout.readline().strip()
    finally:
        server.terminate()
        server.wait()


def prompt_of(number: int) -> Prompt:
    """A prompt of some 500 tokens, different for each number."""
    return Prompt(name="bench", system="You check facts.", user=f"{number}. " + "The passage says so. " * 100)


def rivals(url: str, concurrency: int, folder: Path, *, logprobs: bool) -> dict[str, Call]:
    """Name -> a function that makes one call."""
    config = Config(model="fake", api_base=url, concurrency=concurrency, cache=False, form="tool")
    cached = config.model_copy(update={"cache": True, "cache_dir": folder})
    client, caching, litellm = LiteLLMClient(config), LiteLLMClient(cached), load()
    http = httpx.Client(limits=httpx.Limits(max_connections=None), timeout=60)
    wanted = {"logprobs": True, "top_logprobs": ALTERNATIVES} if logprobs else {}

    def request(prompt: Prompt) -> dict[str, Any]:
        return {"temperature": 0.0, "max_tokens": 4096, **wanted, **request_of("tool", prompt, SCHEMA)}

    def by_httpx(prompt: Prompt) -> object:
        return http.post(f"{url}/chat/completions", json={"model": "fake", **request(prompt)}).json()

    def by_litellm(prompt: Prompt) -> object:
        return litellm.completion(
            model="openai/fake", api_base=url, api_key="none", max_retries=0, **request(prompt)
        )

    def by(asked: LiteLLMClient) -> Call:
        def call(prompt: Prompt) -> object:
            reply = asked.call(prompt, SCHEMA, logprobs=logprobs)
            found = [
                read_answer(reply, SCHEMA, f"fact_{n}", LABEL_OF_VALUE.get, config) for n in range(FACTS)
            ]
            kind = "logprobs" if logprobs else "constant"
            assert all(isinstance(one, JudgedClaim) and one.confidence == kind for one in found)
            return found

        return call

    return {
        "raw httpx": by_httpx,
        "raw litellm": by_litellm,
        "factreasoner": by(client),
        "factreasoner, cache empty": by(caching),
        "factreasoner, cache full": by(caching),
    }


def measure(calls: dict[str, Call], count: int, concurrency: int, rounds: int) -> dict[str, Cost]:
    """Name -> the cost of a call, the median over rounds."""
    costs: dict[str, list[Cost]] = {name: [] for name in calls}
    for call in calls.values():
        call(prompt_of(-1))
    for number in range(rounds):
        prompts = [prompt_of(number * count + index) for index in range(count)]
        for name, call in calls.items():
            start, cpu = time.perf_counter(), time.process_time()
            parallel_map(call, prompts, concurrency)
            spent = time.perf_counter() - start, time.process_time() - cpu
            costs[name].append(Cost(*(1000 * seconds / count for seconds in spent)))
    return {name: Cost(*map(statistics.median, zip(*found, strict=True))) for name, found in costs.items()}


def print_costs(url: str, options: argparse.Namespace) -> None:
    """One row a rival, without log-probabilities and with them."""
    print(f"{options.calls} calls, {options.concurrency} at once, median of {options.rounds} rounds")
    print(f"{'':28} {'calls/s':>8} {'CPU ms/call':>12} {'over litellm':>13}")
    for logprobs in (False, True):
        print("with log-probabilities" if logprobs else "without log-probabilities")
        with tempfile.TemporaryDirectory() as folder:
            calls = rivals(url, options.concurrency, Path(folder), logprobs=logprobs)
            found = measure(calls, options.calls, options.concurrency, options.rounds)
        for name, cost in found.items():
            over = cost.cpu - found["raw litellm"].cpu
            print(f"  {name:26} {1000 / cost.elapsed:8.0f} {cost.cpu:12.1f} {over:+13.1f}")


def small_records(count: int) -> list[Record]:
    """Records of three atoms and one context each."""
    return [
        Record(
            id=f"r{n}",
            response="Rome is old.",
            atoms=tuple(Atom(id=f"a{i}", text=f"Fact {i} of {n} is told.") for i in range(3)),
            contexts=(Context(id="c0", text=f"Passage {n} tells all facts of {n}."),),
        )
        for n in range(count)
    ]


def biographies() -> list[Record]:
    """The biographies of the data folder with their atoms and contexts; none without the folder."""
    from factreasoner.inputs.input import CheckedInput

    path = Path(os.environ.get("FACTREASONER_DATA", ".")) / "factscore_bios" / "records.jsonl"
    return list(CheckedInput(path).records()) if path.exists() else []


def print_latency(latency: float, rounds: int) -> None:
    """How much longer runs take than their calls' latency, shared out among those side by side, would."""
    bios = biographies()
    print(f"\nruns at {latency:g} s a call, median of {rounds} rounds")
    print(
        f"{'':24} {'at once':>8} {'calls':>6} {'seconds':>8} {'CPU':>6} {'bound':>7} {'over bound':>11} "
        f"{'over litellm':>13}"
    )
    with server_of(latency) as url:
        raw(url, 1, 1)  # a first call imports
        run(url, small_records(1), 1)
        for concurrency in (1, 16, 64):
            calls = 8 * concurrency
            works = [partial(raw, url, calls), partial(run, url, small_records(calls))]
            found = [[timed(work, concurrency) for work in works] for _ in range(rounds)]
            alone, ours = (median(column) for column in zip(*found, strict=True))
            print_row("raw litellm", alone, concurrency, latency)
            over = f"{ours.elapsed / alone.elapsed:13.2f}"
            print_row("records of one context", ours, concurrency, latency, over)
            if bios and concurrency > 1:
                print_row("biographies", timed(partial(run, url, bios), concurrency), concurrency, latency)


def raw(url: str, calls: int, concurrency: int) -> int:
    """Make requests of three facts by litellm alone; how many they were."""
    litellm, schema = load(), functions.inquiry("tfn").build(CLAIMS[:3])

    def call(number: int) -> object:
        request = request_of("tool", prompt_of(number), schema)
        place = {"model": "openai/fake", "api_base": url, "api_key": "none", "max_retries": 0}
        return litellm.completion(**place, logprobs=True, top_logprobs=ALTERNATIVES, **request)

    return len(parallel_map(call, range(calls), concurrency))


def run(url: str, records: Sequence[Record], concurrency: int) -> int:
    """Assess records, without a probe of the model; how many calls it took."""
    place = {"model": "fake", "api_base": url, "cache": False}
    pipeline = build_pipeline(Config(**place, concurrency=concurrency, atoms_per_call=MOST_FACTS))
    found = parallel_map(pipeline.assess, records, concurrency)
    assert all(assessment.status == "ok" for assessment in found)
    return sum(usage.calls for assessment in found for usage in assessment.usage.values())


def timed(work: Callable[[int], int], concurrency: int) -> Work:
    """What `work` takes, which returns the number of its calls."""
    start, cpu = time.perf_counter(), time.process_time()
    calls = work(concurrency)
    return Work(calls, time.perf_counter() - start, time.process_time() - cpu)


def median(works: Sequence[Work]) -> Work:
    """The middle of each figure."""
    return Work(*map(statistics.median, zip(*works, strict=True)))


def print_row(name: str, work: Work, concurrency: int, latency: float, over: str = "") -> None:
    """One row of the second table."""
    bound = work.calls / concurrency * latency
    cpu = 1000 * work.cpu / work.calls
    print(
        f"{name:24} {concurrency:8} {work.calls:6.0f} {work.elapsed:8.1f} {cpu:6.1f} {bound:7.1f} "
        f"{work.elapsed / bound:11.2f} {over}"
    )


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--calls", type=int, default=200)
    parser.add_argument("--concurrency", type=int, default=16)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--latency", type=float, default=0.5)
    parser.add_argument("--serve", type=float, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve is not None:
        serve(options.serve)
        return
    with server_of(0.0) as url:
        print_costs(url, options)
    print_latency(options.latency, options.rounds)


if __name__ == "__main__":
    main()
