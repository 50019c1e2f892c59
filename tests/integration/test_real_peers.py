"""A real server with a random model, asked through our own client and command: the wire and the accounts.

What the model says means nothing. What it was shown, what was paid for and what came back does.
"""

import itertools
import json
import math

import pytest
from random_model import CONTEXT
from relay import Peer

from factreasoner.errors import LLMError
from factreasoner.judges import functions
from factreasoner.judges.llm import LLMJudge
from factreasoner.llm.client import LiteLLMClient
from factreasoner.models import Claim, Premise
from factreasoner.models.messages import Prompt
from factreasoner.pipeline.config import Config

PREMISE = Premise("p", "The library opens at nine and closes at five. It was founded in 1867.")
COUNTS = (1, 8, 24)
TOKENS_A_FACT = 8
"""No fact below takes fewer."""
TEMPLATES = ("tools_shown", "tools_dropped")
"""Chat templates that show tools to the model, and that drop them."""


def claims(count):
    return [Claim(f"c{n}", f"Room {n} of the library holds {100 * n} books.") for n in range(count)]


def settings(peer, model, **more):
    place = {"model": model, "api_base": peer.url, "max_attempts": 1, "patience": 5.0, "timeout": 280.0}
    return Config(**place | {"cache": False, "max_tokens": 1500, "atoms_per_call": 32} | more)


# Every fact is seen


@pytest.mark.parametrize("template", TEMPLATES)
def test_prompt_grows_with_facts_under_any_template(peer, template):
    asked = peer(template)
    config = settings(asked, template)
    client = LiteLLMClient(config)
    judge = LLMJudge(client, config)
    taken = []
    for count in COUNTS:
        judged = judge.judge(PREMISE, claims(count))
        assert not judged.failures
        assert len(judged.verdicts) == count
        last = asked.relay.exchanges[-1]
        assert judged.verdicts[-1].confidence == "logprobs"
        taken.append(last.prompt_tokens)
    for (few, less), (more, greater) in itertools.pairwise(zip(COUNTS, taken, strict=True)):
        assert greater - less >= TOKENS_A_FACT * (more - few)


@pytest.mark.parametrize("form", ["json_object", "lines"])
def test_json_forms_show_every_fact_to_any_template(peer, form):
    asked = peer("tools_dropped")
    client = LiteLLMClient(settings(asked, "tools_dropped", form=form, max_tokens=16))
    taken = []
    for count in COUNTS[:2]:
        schema = functions.inquiry("tfn").build(claims(count))
        try:
            client.call(Prompt(name="p", user=PREMISE.text), schema)
        except LLMError as error:  # what a random model writes in sixteen tokens is hardly an answer
            assert "reply" in str(error)  # noqa: PT017
        taken.append(asked.relay.exchanges[-1].prompt_tokens)
    assert taken[1] - taken[0] >= TOKENS_A_FACT * (COUNTS[1] - COUNTS[0])


def test_blind_model_is_refused_with_the_fix(peer, tmp_path, command):
    asked = peer("blind")
    done = command("run", records(tmp_path), *options(asked, "blind"), "--out", tmp_path / "run")
    assert done.returncode == 1
    assert "has not seen everything it was asked" in done.stderr
    assert "chat template" in done.stderr
    assert len(asked.relay.exchanges) <= 4


# The command: the same at any speed, and paid for once


def records(folder, count=2):
    """A file of records, two passages and three atoms each."""
    path = folder / "records.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for n in range(count):
            atoms = [{"id": f"a{i}", "text": f"House {n} has {i + 3} rooms."} for i in range(3)]
            contexts = [{"id": f"c{i}", "text": f"House {n} was built in 19{n}{i}."} for i in range(2)]
            line = {"id": f"r{n}", "input": "?", "output": "Of houses.", "atoms": atoms, "contexts": contexts}
            file.write(json.dumps(line) + "\n")
    return path


def options(peer, model):
    return [
        "--model",
        model,
        "--api-base",
        peer.url,
        "--max-tokens",
        "1500",
        "--timeout",
        "280",
        "--patience",
        "5",
    ]


def outcome(folder):
    """What a run found: each verdict with its probability; and what it says that it took."""
    lines = [json.loads(line)["result"] for line in (folder / "journal.jsonl").read_bytes().splitlines()]
    verdicts = {
        (line["record_id"], verdict["context_id"], verdict["target_id"]): verdict
        for line in lines
        for verdict in line["outcome"]["verdicts"]
    }
    results = [
        json.loads(line) for line in (folder / "results.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    return verdicts, sum(line["usage"]["calls"] for line in results)


@pytest.mark.parametrize("template", TEMPLATES)
def test_results_are_the_same_at_any_concurrency(peer, template, tmp_path, command):
    asked = peer(template)
    path = records(tmp_path)
    found = []
    for concurrency in (1, 4, 16):
        asked.relay.exchanges.clear()
        folder = tmp_path / f"run{concurrency}"
        speed = ["--concurrency", concurrency, "--no-cache", "--out", folder]
        done = command("run", path, *options(asked, template), *speed)
        assert done.returncode == 0, done.stderr
        verdicts, calls = outcome(folder)
        assert calls == len(asked.relay.exchanges)  # as counted by somebody else
        found.append(verdicts)
    first, *others = found
    assert len(first) == 2 * 2 * 3
    assert {verdict["confidence"] for verdict in first.values()} == {"logprobs"}
    assert len({verdict["probability"] for verdict in first.values()}) > 1
    for other in others:
        assert other.keys() == first.keys()
        for pair, verdict in other.items():
            assert verdict["label"] == first[pair]["label"]
            assert math.isclose(verdict["probability"], first[pair]["probability"], abs_tol=1e-3)


@pytest.mark.parametrize("provider", ["", "hosted_vllm/", "lm_studio/"])
def test_rerun_makes_no_call_with_any_schema(peer, provider, tmp_path, command):
    asked = peer("tools_shown")
    path = records(tmp_path)
    counts = []
    for number in range(2):
        asked.relay.exchanges.clear()
        folder = tmp_path / f"run{number}"
        done = command("run", path, *options(asked, f"{provider}tools_shown"), "--out", folder)
        assert done.returncode == 0, done.stderr
        assert outcome(folder)[1] == len(asked.relay.exchanges)
        counts.append(len(asked.relay.exchanges))
    assert counts[0] >= 4
    assert counts[1] == 0


# What the server really says


def test_tool_calls_keep_their_log_probabilities(llama):
    relay = llama["tools_shown"]
    config = settings(Peer(relay, relay.url), "tools_shown")
    judged = LLMJudge(LiteLLMClient(config), config).judge(PREMISE, claims(5))
    choice = relay.exchanges[-1].answer["choices"][0]
    assert choice["message"]["tool_calls"]
    assert choice["message"]["function_call"]
    arguments = json.loads(choice["message"]["tool_calls"][0]["function"]["arguments"])
    for number, verdict in enumerate(judged.verdicts):
        expected = share(choice["logprobs"]["content"], f'"fact_{number}"', arguments[f"fact_{number}"])
        assert verdict.confidence == "logprobs"
        assert math.isclose(verdict.probability, expected, abs_tol=1e-6)


def share(entries, key, value):
    """The chosen value's part of the alternatives that begin like a value, where its first letter stands."""
    said = ""
    for entry in entries:
        before, said = said, said + entry["token"]
        at = said.find(key)
        start = said.find('"', said.index(":", at) + 1) + 1 if at >= 0 and ":" in said[at:] else 0
        if start and len(before) <= start < len(said):
            head = said[len(before) : start]
            mass = {}
            for other in entry["top_logprobs"]:
                rest = other["token"].removeprefix(head)
                if other["token"].startswith(head) and rest[:1] in ("T", "F", "N"):
                    fitting = next(v for v in ("True", "False", "Not clear") if v[0] == rest[0])
                    if fitting.startswith(rest) or rest.startswith(fitting):
                        mass[fitting] = mass.get(fitting, 0.0) + math.exp(other["logprob"])
            mass.setdefault(value, math.exp(entry["logprob"]))
            alone = len(entry["top_logprobs"]) <= 1
            return mass[value] if alone else mass[value] / sum(mass.values())
    raise AssertionError(f"no value behind {key}")


def test_unsupported_form_is_reported_with_the_fix(peer, tmp_path, command):
    asked = peer("tools_shown")
    arguments = [*options(asked, "tools_shown"), "--form", "json_schema", "--out", tmp_path / "run"]
    done = command("run", records(tmp_path, 1), *arguments)
    assert done.returncode == 1
    assert "choose another form than --form json_schema" in done.stderr


def test_request_over_context_length_names_the_fix(peer):
    asked = peer("tools_shown")
    config = settings(asked, "tools_shown")
    long = Premise("p", "The library opens at nine. " * CONTEXT)
    judged = LLMJudge(LiteLLMClient(config), config).judge(long, claims(1))
    assert "--atoms-per-call" in judged.failures[0].message


def test_doctor_names_form_and_probabilities(peer, tmp_path, command):
    asked = peer("tools_dropped")
    done = command("doctor", *options(asked, "tools_dropped"))
    assert "form: tool (facts listed in the message); probabilities: log-probabilities" in done.stdout
