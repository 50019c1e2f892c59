"""The fake server as other tests rely on it."""

import threading
import time

import httpx
import pytest
from fake_server import FakeServer, answering, hang, obliging, refusing, sequence, server_error

from factreasoner.llm.forms import request
from factreasoner.models.messages import FunctionSchema, Prompt

FACT = {"type": "string", "enum": ["True", "False"]}
PARAMETERS = {"type": "object", "properties": {"fact_0": FACT, "score": {"type": "integer", "minimum": 3}}}
ASKED = 'Answer. JSON schema:\n{"properties": {"fact_0": {"enum": ["False"]}}}'
TOOL = {"tools": [{"type": "function", "function": {"name": "check", "parameters": PARAMETERS}}]}


def post(server, client=httpx, **body):
    body = {"model": "m", "messages": [{"role": "user", "content": ASKED}]} | body
    return client.post(f"{server.url}/chat/completions", json=body, timeout=20)


def test_a_tool_is_answered_with_a_valid_object():
    with FakeServer() as server:
        choice = post(server, **TOOL).json()["choices"][0]
    assert choice["finish_reason"] == "tool_calls"
    assert choice["message"]["tool_calls"][0]["function"] == {
        "name": "check",
        "arguments": '{"fact_0": "True", "score": 3}',
    }


def asked(server, form):
    """What the server says to one fact that is asked about in a form which carries no schema."""
    parameters = {"type": "object", "properties": {"fact_0": {"enum": ["True", "False"]}}}
    schema = FunctionSchema(
        name="check", description="Check.", parameters=parameters, items={"fact_0": "X."}, item="fact"
    )
    body = request(form, Prompt(name="p", user="A passage."), schema)
    answer = post(server, **body, max_tokens=2 if form == "word" else 99).json()
    return answer["choices"][0]["message"]["content"]


def test_the_schema_is_found_in_the_prompt():
    with FakeServer() as server:
        answers = {form: asked(server, form) for form in ("json_object", "lines", "word")}
    assert answers == {"json_object": '{"fact_0": "True"}', "lines": "0: True", "word": "True"}


def test_requests_are_counted_and_recorded():
    with FakeServer(answering(lambda name, prop, request: request.headers["x-test"])) as server:
        with httpx.Client(headers={"X-Test": "hello"}) as client:
            post(server, client, **TOOL)
            post(server, client, **TOOL)
        assert server.calls == 2
        assert [request.number for request in server.requests] == [0, 1]
        assert server.requests[1].headers["x-test"] == "hello"
        assert server.requests[1].body["model"] == "m"
        assert server.requests[0].function == "check"


def test_requests_beyond_the_places_wait_in_line():
    working, most = [], []

    def answer(request):
        working.append(request)
        until = time.monotonic() + 60
        while server.calls < 6 and time.monotonic() < until:
            time.sleep(0.01)
        most.append(len(working))
        working.pop()
        return {}

    with FakeServer(answer, places=2) as server:
        threads = [threading.Thread(target=post, args=(server,)) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert (max(most), server.calls) == (2, 6)
    assert server.peak > 2


def test_connections_are_kept_alive():
    with FakeServer() as server, httpx.Client() as client:
        ports = set()
        for _ in range(3):
            stream = post(server, client, **TOOL).extensions["network_stream"]
            ports.add(stream.get_extra_info("client_addr"))
    assert len(ports) == 1


def test_steps_forms_and_statuses():
    with FakeServer(sequence(server_error(503), refusing({"tool"}), obliging)) as server:
        assert [post(server, **TOOL).status_code for _ in range(4)] == [503, 400, 200, 200]
        assert post(server, n=1).status_code == 200
        assert httpx.get(f"{server.url}/models").json()["data"][0]["id"] == "fake"
        assert httpx.post(f"{server.url}/embeddings", json={}).status_code == 404
        assert server.calls == 5


def test_closing_lets_go_of_what_hangs():
    with FakeServer(lambda request: hang(60)) as server:
        failed = []

        def ask():
            with pytest.raises(httpx.HTTPError):
                post(server, **TOOL)
            failed.append(1)

        thread = threading.Thread(target=ask)
        thread.start()
        while not server.calls:
            time.sleep(0.01)
    thread.join(20)
    assert failed == [1]


def test_log_probabilities_come_when_asked_for():
    with FakeServer(logprobs=True) as server:
        asked = post(server, logprobs=True, **TOOL).json()["choices"][0]
        unasked = post(server, **TOOL).json()["choices"][0]
    spoken = "".join(token["token"] for token in asked["logprobs"]["content"])
    assert spoken == asked["message"]["tool_calls"][0]["function"]["arguments"]
    assert "logprobs" not in unasked
