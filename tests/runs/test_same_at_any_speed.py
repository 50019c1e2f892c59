"""A run's results do not depend on how fast it goes, nor on where it was stopped."""

import hashlib
import math
import random

import pytest
from fake_server import Completion, FakeServer
from fenced import fenced

from factreasoner.models import Atom, Context, Record
from factreasoner.pipeline.config import Config
from factreasoner.report.progress import Totals
from factreasoner.runs.runner import run
from factreasoner.runs.store import RunFolder
from factreasoner.tasks.factuality import TASK

NAMES = ("Ada", "Ben", "Cleo", "Dora", "Emil", "Finn", "Gus", "Hal")
RECORDS = [
    Record(
        id=f"r{number}",
        response=f"{name} was born in {1900 + number}. {name} wrote {number + 2} plays. {name} sang.",
        atoms=None
        if number % 2
        else tuple(Atom(id=f"a{n}", text=f"{name} saw {n} towns.") for n in range(9)),
        contexts=tuple(
            Context(id=f"c{n}", text=f"Passage {n} on {name}, who saw {n + 1} towns.") for n in range(3)
        ),
    )
    for number, name in enumerate(NAMES)
]


def chance(*parts):
    return int.from_bytes(hashlib.sha256("|".join(parts).encode()).digest()[:4]) / 2**32


def opinionated(request):
    """Verdicts that depend on passage and fact alone, with log-probabilities in JSON alone."""
    passage = request.text.rpartition("<given_passage")[2].partition("</given_passage")[0]
    arguments, tokens = {}, [("{", 0.0, [])]
    for name, prop in request.properties.items():
        fact = "".join(fenced(prop["description"], "fact")) or prop["description"]
        share = 0.5 + chance(passage, fact) / 2.1
        value = prop["enum"][int(3 * chance(fact, passage))]
        arguments[name] = value
        comma = ", " if len(arguments) > 1 else ""
        tokens += [
            (f'{comma}"{name}": "', 0.0, []),
            (value, -0.1, logprobs(value, prop["enum"], share)),
            ('"', 0, []),
        ]
    tokens.append(("}", 0.0, []))
    return Completion(arguments=arguments, tokens=[] if request.form == "tool" else tokens)


def logprobs(value, values, share):
    rest = (1 - share) / (len(values) - 1)
    return [(other, math.log(share if other == value else rest)) for other in values]


def server_with(latency):
    rng = random.Random(5)

    def answer(request):
        fake.closing.wait(rng.uniform(0, latency))
        return opinionated(request)

    fake = FakeServer(answer, logprobs=True)
    return fake


def assessed(path, server, records=RECORDS, **settings):
    """The outcome of each record, by id, with what became of the probabilities."""
    values = {"model": "fake", "api_base": server.url, "cache": False, "atomizer": "rules"}
    config = Config(**values | {"reviser": "rules", "atoms_per_call": 3} | settings)
    folder = RunFolder(path, TASK)
    folder.start(config, {})
    try:
        worker = TASK.worker(config, folder.calls(config))
        run(worker, folder, [r.id for r in records], iter(records), Totals())
        outcomes = {a.record_id: a.outcome for a in folder.results(r.id for r in records)}
        return outcomes, folder.manifest.capabilities("fake")
    finally:
        folder.close()


@pytest.fixture(scope="module")
def slow_but_sure(tmp_path_factory):
    with server_with(0.0) as server:
        outcomes, capabilities = assessed(tmp_path_factory.mktemp("one"), server, concurrency=1)
    found = capabilities.forms["flat"]
    assert (found.form, found.logprobs) == ("json_schema", True)
    kinds = {v.confidence for outcome in outcomes.values() for v in outcome.verdicts}
    assert kinds == {"logprobs"}
    return outcomes


@pytest.mark.parametrize(("concurrency", "latency"), [(4, 0.0), (64, 0.03)])
def test_results_are_the_same_at_any_concurrency(tmp_path, slow_but_sure, concurrency, latency):
    with server_with(latency) as server:
        outcomes, _ = assessed(tmp_path / "run", server, concurrency=concurrency)
        planned = sum(len(outcome.verdicts) for outcome in outcomes.values())
    assert outcomes == slow_but_sure
    assert planned == 8 * 3 * 9 - 4 * 3 * 6


def test_resumed_run_uses_learned_capabilities(tmp_path, slow_but_sure):
    with server_with(0.0) as server:
        assessed(tmp_path / "run", server, RECORDS[:3], concurrency=4)
        before = server.calls
        outcomes, _ = assessed(tmp_path / "run", server, concurrency=16)
    assert outcomes == slow_but_sure
    assert {request.form for request in server.requests[before:]} == {"json_schema"}


def test_first_calls_come_singly_and_in_order(tmp_path):
    with server_with(0.02) as server:
        assessed(tmp_path / "run", server, concurrency=64)
    first, *_ = server.requests
    assert "Passage 0 on Ada" in first.asked
    assert set(first.properties) == {"fact_0", "fact_1", "fact_2"}
