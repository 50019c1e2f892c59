"""`factreasoner run` with `--form auto`: what a model can do is learnt, told, kept, and changes no result."""

import pytest
from command import manifest_of, record, write_records
from fake_server import Completion, FakeServer, answering, error, prose

RECORDS = [record(f"r{number}") for number in range(6)]
CONTRADICTED = "Paris"


def judged(name, prop, request):
    """By what can be read alone: True where it can't."""
    return "False" if CONTRADICTED in prop["description"] else "True"


good = answering(judged)


def prose_for_tools_and_schemas(request):
    """A server that knows neither tools nor schemas: its model answers as it likes."""
    return prose() if request.form in ("tool", "json_schema") else good(request)


def without_system(request):
    if any(message["role"] == "system" for message in request.body["messages"]):
        return error(400, "System role not supported")
    return good(request)


def uncounted(request):
    return Completion(arguments=good(request), usage={"prompt_tokens": 0, "completion_tokens": 0})


SERVERS = {
    # answers, log-probabilities, what is said
    "gives all": (good, True, "form: json_schema; probabilities: log-probabilities"),
    "no log-probabilities": (good, False, "form: json_schema; probabilities: no log-probabilities"),
    "ignores tools": (prose_for_tools_and_schemas, True, "form: json_object; probabilities: log-prob"),
    "no system role": (without_system, False, "probabilities: no log-probabilities; without a system role"),
    "tells no tokens": (uncounted, True, "form: json_schema; probabilities: log-probabilities"),
}


def run(factreasoner, server, out, *flags, **options):
    flags = flags or ("--no-cache",)
    place = ("--model", "openai/fake", "--api-base", server.url, "--out", out)
    return factreasoner("run", "d.jsonl", *place, *flags, **options)


@pytest.mark.parametrize("name", SERVERS)
def test_resumed_run_uses_learnt_call_form(factreasoner, tmp_path, name):
    answer, logprobs, said = SERVERS[name]
    write_records(tmp_path / "d.jsonl", *RECORDS)
    down = [True]

    def until_repaired(request):
        return error(503, "down") if down and "[r5]" in request.text else answer(request)

    with FakeServer(until_repaired, logprobs=logprobs) as server:
        flags = ("--no-cache", "--patience", 0, "--concurrency", 4)
        run(factreasoner, server, "out", *flags, code=3)
        learnt = manifest_of(tmp_path / "out")["models"]["openai/fake"]
        down.clear()
        server.requests.clear()
        done = run(factreasoner, server, "out", *flags)
        assert server.calls == 2
        assert {request.form for request in server.requests} == {learnt["forms"]["flat"]["form"]}
        assert {bool(request.body.get("logprobs")) for request in server.requests} == {logprobs}
    assert said in " ".join(done.stderr.split())
    assert learnt["system_role"] == (name != "no system role")
    assert manifest_of(tmp_path / "out")["models"] == {"openai/fake": learnt}


def test_run_reports_cached_probe_of_its_mode(factreasoner, tmp_path, monkeypatch):
    write_records(tmp_path / "d.jsonl", RECORDS[0])
    monkeypatch.delenv("FACTREASONER_ATOMS_PER_CALL")

    def notes(server, out, *flags):
        told = run(factreasoner, server, out, *flags, "--confidence", "constant").stderr
        return [line for line in told.splitlines() if line.startswith("openai/fake: ")]

    with FakeServer(good) as server:
        (said,) = notes(server, "one", "--form", "auto")
        assert "claims per call" in said
        assert "log-probabilities" not in said  # nobody asked for them
        assert notes(server, "two", "--form", "auto") == [said]
        (given,) = notes(server, "three", "--atoms-per-call", 4)
        assert "claims per call" not in given  # a run that is told how many relies on no probe
        (two_way,) = notes(server, "four", "--mode", "tf")
        assert two_way.count("claims per call") == 1
