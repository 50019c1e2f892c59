"""`factreasoner run` with `--form auto`: what a model can do is learnt, told, kept, and changes no result."""

import json

import pytest
from command import record, results, write_records
from fake_server import Completion, FakeServer, answering, error

RECORDS = [record(f"r{number}") for number in range(6)]
PLANNED = 12
"""Two passages a record, three atoms a call."""
CONTRADICTED = "Paris"


def judged(name, prop, request):
    """By what can be read alone: True where it can't."""
    return "False" if CONTRADICTED in prop["description"] else "True"


good = answering(judged)


def dropping(request):
    """A server whose chat template has no place for tools: its model sees messages and nothing else."""
    seen = {name: {"description": request.listed.get(name, "")} for name in request.properties}
    usage = {"prompt_tokens": len(request.text) // 4, "completion_tokens": 9, "total_tokens": 99}
    return Completion(arguments={n: judged(n, p, request) for n, p in seen.items()}, usage=usage)


def without_system(request):
    if any(message["role"] == "system" for message in request.body["messages"]):
        return error(400, "System role not supported")
    return good(request)


def uncounted(request):
    return Completion(arguments=good(request), usage={"prompt_tokens": 0, "completion_tokens": 0})


SERVERS = {
    # answers, log-probabilities, learning calls, what is said
    "gives all": (good, True, 0, "form: tool; probabilities: log-probabilities"),
    "no log-probabilities": (good, False, 1, "form: tool; probabilities: no log-probabilities"),
    "drops tools": (
        dropping,
        False,
        2,
        "form: tool (facts listed in the message); probabilities: no log-probabilities",
    ),
    "drops tools, gives log-probabilities": (
        dropping,
        True,
        1,
        "form: tool (facts listed in the message); probabilities: log-probabilities",
    ),
    "no system role": (without_system, False, 1, "form: tool; probabilities: no log-probabilities"),
    "tells no tokens": (uncounted, True, 1, "prompt tokens are not reported: nobody can tell"),
}


def run(factreasoner, server, out, *flags):
    flags = flags or ("--no-cache",)
    place = ("--model", "openai/fake", "--api-base", server.url, "--out", out)
    return factreasoner("run", "d.jsonl", *place, *flags)


def without_times(folder):
    lines = results(folder)
    for line in lines:
        del line["elapsed_seconds"]
    return json.dumps(lines)


@pytest.mark.parametrize("name", SERVERS)
def test_results_are_equal_byte_for_byte_at_any_concurrency(factreasoner, tmp_path, name):
    answer, logprobs, learning, said = SERVERS[name]
    write_records(tmp_path / "d.jsonl", *RECORDS)
    found = set()
    for concurrency in (1, 16):
        with FakeServer(answer, logprobs=logprobs, delay=0.01) as server:
            done = run(factreasoner, server, f"out{concurrency}", "--no-cache", "--concurrency", concurrency)
            refused = sum(role_of(request) == "system" for request in server.requests)
            assert done.returncode == 0, done.stderr
            assert server.calls - refused * (name == "no system role") == PLANNED + learning
        assert said in " ".join(done.stderr.split())
        found.add(without_times(tmp_path / f"out{concurrency}"))
    (only,) = found
    assert all(line["predictions"] == {"a0": "S", "a1": "NS", "a2": "S"} for line in json.loads(only))


def role_of(request):
    return request.body["messages"][0]["role"]


@pytest.mark.parametrize("name", SERVERS)
def test_what_was_learnt_is_in_the_manifest_and_a_run_that_goes_on_asks_so(factreasoner, tmp_path, name):
    answer, logprobs, _, said = SERVERS[name]
    write_records(tmp_path / "d.jsonl", *RECORDS)
    down = [True]

    def until_repaired(request):
        return error(503, "down") if down and "[r5]" in request.text else answer(request)

    with FakeServer(until_repaired, logprobs=logprobs) as server:
        flags = ("--no-cache", "--patience", 0, "--concurrency", 4)
        assert run(factreasoner, server, "out", *flags).returncode == 3
        learnt = json.loads((tmp_path / "out" / "manifest.json").read_text())["models"]["openai/fake"]
        down.clear()
        server.requests.clear()
        done = run(factreasoner, server, "out", *flags)
        assert done.returncode == 0, done.stderr
        assert server.calls == 2
        assert {request.form for request in server.requests} == {learnt["form"]}
        assert {bool(request.body.get("logprobs")) for request in server.requests} == {logprobs}
        assert all(bool(request.listed) == learnt["listed"] for request in server.requests)
    assert said in " ".join(done.stderr.split())
    assert learnt["system_role"] == (name != "no system role")
    assert json.loads((tmp_path / "out" / "manifest.json").read_text())["models"] == {"openai/fake": learnt}


def test_a_refused_system_role_is_known_to_other_runs_by_the_cache(factreasoner, tmp_path):
    write_records(tmp_path / "d.jsonl", RECORDS[0])
    with FakeServer(without_system) as server:
        assert run(factreasoner, server, "one", "--form", "auto").returncode == 0
        server.requests.clear()
        write_records(tmp_path / "d.jsonl", RECORDS[1])
        assert run(factreasoner, server, "two", "--form", "auto").returncode == 0
        assert [role_of(request) for request in server.requests] == ["user", "user"]


MUTE_TOOLS, BLIND_TOOLS = "tool calls give no log-probabilities", "drops tools or reports no prompt tokens"


@pytest.mark.parametrize(
    ("flags", "reasons"),
    [
        ((), {MUTE_TOOLS, BLIND_TOOLS}),
        (("--confidence", "constant"), {BLIND_TOOLS}),
        (("--form", "tool"), {BLIND_TOOLS}),
        (("--form", "json_schema"), set()),
    ],
)
def test_a_dry_run_says_what_learning_may_take(factreasoner, tmp_path, flags, reasons):
    write_records(tmp_path / "d.jsonl", *RECORDS)
    with FakeServer(good) as server:
        said = " ".join(run(factreasoner, server, "out", "--dry-run", *flags).stdout.split())
        assert not server.calls
    assert {reason for reason in (MUTE_TOOLS, BLIND_TOOLS) if reason in said} == reasons
    assert ("1 call more" in said) == bool(reasons)


def test_doctor_says_where_no_prompt_tokens_tell(factreasoner):
    with FakeServer(uncounted) as server:
        done = factreasoner("doctor", "--model", "openai/fake", "--api-base", server.url)
    assert "prompt tokens are not reported" in " ".join(done.stdout.split())
