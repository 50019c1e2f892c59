"""What is answered to what is sent, over real sockets."""

import json
import re
import socket
import struct
from concurrent.futures import ThreadPoolExecutor

import held_judge
import httpx
import pytest
from fake_server import FakeServer, server_error
from service_scene import RECORD, running, until

from factreasoner import assess
from factreasoner.integrations.scoring import Scoring
from factreasoner.pipeline.config import Config
from factreasoner.plugins.table import PLUGINS, Plugin
from factreasoner.serve import answers, server
from factreasoner.serve.answers import Answers, ServiceSettings
from factreasoner.serve.app import RequestLimits

HELD = {"output": "Held.", "contexts": ["hold"]}


@pytest.fixture(scope="module")
def service():
    with running() as found:
        yield found


def test_reply_has_result_line_and_atom_rows(service):
    record = RECORD | {"id": "r7", "trace": "t-1"}
    found = service.post("assess", record)
    assert (found.status_code, found.headers["content-type"]) == (200, "application/json")
    line = found.json()
    assert (line["id"], line["status"], line["metadata"]) == ("r7", "ok", {"trace": "t-1"})
    (row,) = line["atoms"]
    assert (row["text"], row["label"], row["quote"]) == (RECORD["output"], "supported", RECORD["contexts"][0])
    same = assess(RECORD["output"], contexts=RECORD["contexts"], judge=held_judge.HeldJudge)
    assert row["p_true"] == pytest.approx(same.p_true["a0"], abs=1e-12)


@pytest.mark.parametrize("route", ["verify", "rag", "recall"])
def test_the_other_tasks_give_their_claims(service, route):
    record = {"output": "The tower is tall [1].", "reference": "It is tall.", "contexts": ["It is tall."]}
    found = service.post(route, record).json()
    assert found["status"] == "ok"
    assert {row["label"] for row in found["claims"]} == {"supported"}


@pytest.mark.parametrize(
    ("contexts", "allowed", "reason"),
    [
        (["It is tall."], True, "precision >= 0.8"),
        (["deny"], False, "precision is 0.000, less than 0.8: 2 atoms (2 contradicted)"),
        ([], False, "precision is 0.000, less than 0.8: 2 atoms (2 unverified)"),
        (
            ["partly"],
            False,
            "precision is 1.000, and 1 failure could take it to 0.500, less than 0.8: "
            "2 atoms (1 supported, 1 not judged)",
        ),
    ],
)
def test_check_allows_only_answers_within_rules(service, contexts, allowed, reason):
    record = {"output": "It is tall. It is old.", "contexts": contexts}
    found = service.post("check", record)
    assert found.status_code == 200
    assert (found.json()["allowed"], found.json()["reason"]) == (allowed, reason)


def test_check_reports_unchecked_sentences(service):
    answer = "<think>It is low.</think>It is tall. Is it old?"
    found = service.post("check", {"output": answer, "contexts": ["It is tall."]}).json()
    told = "2 of 3 sentences not checked: 1 removed reasoning, 1 question"
    assert (found["allowed"], found["reason"]) == (True, f"precision >= 0.8; {told}")
    assert found["unchecked"] == [
        {"span": [0, 25], "reason": "removed reasoning"},
        {"span": [37, 47], "reason": "question"},
    ]
    nothing = service.post("check", {"output": "Is it old?", "contexts": ["It is tall."]}).json()
    assert nothing["allowed"] is False
    assert nothing["reason"].endswith("; 1 of 1 sentence not checked: 1 question")


def test_a_dangerous_instruction_is_not_allowed(service):
    answer = "It is tall. Take two tablets if you forget one."
    found = service.post("check", {"output": answer, "contexts": ["deny"]}).json()
    assert (found["allowed"], found["num_atoms"]) == (False, 2)


def test_harmless_failure_does_not_refuse_an_answer():
    settings = {"reviser": "held_judge:FailedReviser", "judge": "held_judge:HeldJudge"}
    with running(**settings) as service:
        found = service.post("check", RECORD).json()
    assert (found["status"], found["allowed"], found["reason"]) == ("partial", True, "precision >= 0.8")
    scored = Scoring(**settings).score(RECORD["output"], RECORD["contexts"])
    assert (scored.result.status, scored.reaches(0.8)) == ("partial", True)


def test_an_answer_without_claims_is_not_allowed(service):
    found = service.post("check", {"output": "", "contexts": []}).json()
    assert (found["status"], found["allowed"], found["atoms"]) == ("no_atoms", False, [])


SEND = {"content-type": "application/json"}


@pytest.mark.parametrize(
    ("status", "field", "asked"),
    [
        (400, "", {"content": b'{"output": NaN}', "headers": SEND}),
        (400, "", {"content": b"[" * 100_000, "headers": SEND}),
        (413, "", {"content": b" " * ((1 << 20) + 1), "headers": SEND}),
        (413, "", {"content": iter([b" " * (1 << 19)] * 3), "headers": SEND}),
        (415, "", {"content": b"{}", "headers": {"content-type": "text/plain"}}),
        (415, "", {"content": b"{}", "headers": SEND | {"content-encoding": "gzip"}}),
        (422, "atoms[0].text", {"json": {"output": "A.", "atoms": [{"id": "a"}], "contexts": []}}),
        (422, "contexts", {"json": {"output": "A.", "atoms": ["a"] * 51, "contexts": ["c", "d"]}}),
        (422, "judge", {"json": RECORD | {"judge": "llm"}}),
        (422, "model", {"json": RECORD | {"model": "openai/x"}}),
        (422, "retriever", {"json": RECORD | {"retriever": "web"}}),
    ],
)
def test_invalid_body_is_explained(service, status, field, asked):
    found = service.post("assess", **asked)
    assert found.status_code == status
    assert found.headers["content-type"] == "application/problem+json"
    assert found.json()["status"] == status
    assert found.json()["errors"][0]["field"] == field
    assert found.json()["errors"][0]["message"]


@pytest.mark.parametrize(
    ("output", "contexts", "version", "status"),
    [
        (", ".join(["It is tall"] * 20), 5, 2, 200),  # words alone would be too many
        (", ".join(["It is tall"] * 21), 5, 2, 422),  # sentences alone would not
        (", ".join(["It is tall"] * 50), 2, 2, 200),
        (" ".join(["It is tall."] * 200), 1, 2, 200),
        ("It is tall.", 100, 2, 200),
        ("It is tall.", 101, 2, 422),
        ("It is tall.", 4, 3, 200),
        ("It is tall.", 5, 3, 422),
        ("", 500, 2, 200),
    ],
)
def test_a_record_may_not_make_too_many_pairs(monkeypatch, output, contexts, version, status):
    monkeypatch.setitem(PLUGINS["atomizer"], "parts", Plugin("held_judge:Parts"))
    config = Config(judge="held_judge:HeldJudge", atomizer="parts", reviser="none", version=version)
    body = json.dumps({"output": output, "contexts": [f"It is tall, says {n}." for n in range(contexts)]})
    reply = Answers(ServiceSettings(config, max_pairs=100)).answer("assess", body.encode())
    assert reply.status == status, reply.body
    assert (b"pairs of claim and context" in reply.body) == (status == 422)


def test_the_parser_is_loaded_before_any_request(monkeypatch):
    loaded = []
    monkeypatch.setattr(answers, "find_parser", lambda: loaded.append(True))
    Answers(ServiceSettings(Config(retriever="wikipedia")))
    assert loaded == [True]


def test_unknown_path_gets_plain_message(service):
    assert "/openapi.json lists the paths" in service.get("/nothing").text


def test_client_errors_omit_command_line_advice(service):
    found = service.post("check", {"output": "It is tall.", "contexts": ["fail: down"]})
    (error,) = found.json()["errors"]
    assert found.status_code == 502
    told = "model.example has answered no call for 4 s, and is now asked only every 15 s"
    assert error["message"].endswith(told)


def test_a_model_that_fails_is_a_bad_gateway(service):
    found = service.post("check", {"output": "It is tall.", "contexts": ["fail"]})
    assert (found.status_code, "retry-after" in found.headers) == (502, False)
    assert "the model said no" in found.text


def test_server_trouble_sets_retry_after():
    with FakeServer(lambda request: server_error()) as server:
        asked = {"judge": "llm", "model": "openai/fake", "api_base": server.url, "patience": 0}
        with running(**asked, form="tool", atoms_per_call=4, cache=False) as service:
            found = service.post("check", RECORD)
    assert (found.status_code, found.headers["retry-after"]) == (502, "15")


@pytest.mark.parametrize(
    ("status", "path", "headers"),
    [
        (404, "/v1/nothing", {}),
        (405, "/v1/assess", {}),
        (421, "/metrics", {"host": "evil.example"}),
        (403, "/metrics", {"origin": "https://evil.example"}),
        (403, "/metrics", {"origin": "null"}),
        (200, "/livez", {"host": "evil.example"}),
        (200, "/readyz", {}),
        (200, "/metrics", {"host": "factuality.example:80"}),
    ],
)
def test_access_depends_on_host_and_origin(service, status, path, headers):
    found = service.get(path, headers=headers)
    assert found.status_code == status
    assert (status == 200) == (found.headers["content-type"] != "application/problem+json")


def test_a_page_of_the_service_itself_may_ask(service):
    own = f"127.0.0.1:{service.port}"
    assert service.get("/metrics", headers={"origin": f"http://{own}"}).status_code == 200


def test_token_is_required(service):
    with running(token="s3cret") as guarded:
        assert guarded.get("/livez").status_code == 200
        for wrong in (None, "Bearer s3cre", "Basic s3cret", "Bearer s3crét"):
            headers = {} if wrong is None else {"authorization": wrong.encode()}
            found = guarded.post("assess", RECORD, headers=headers)
            assert (found.status_code, found.headers["www-authenticate"]) == (401, "Bearer")
        assert guarded.post("assess", RECORD, headers={"authorization": "Bearer s3cret"}).status_code == 200


def test_texts_are_in_no_log_and_no_metric(service):
    service.post("assess", {"id": "SECRET", "output": "SECRET is tall.", "contexts": ["SECRET"]})
    service.get("/v1/SECRET?SECRET=1")
    request_id = service.post("assess", {"output": 5, "SECRET": 1}).headers["x-request-id"]
    until(lambda: any(request_id in line for line in service.log))
    assert "SECRET" not in "\n".join(service.log) + service.get("/metrics").text
    assert 'factreasoner_requests_total{route="assess",status="422"}' in service.get("/metrics").text


def test_full_queue_refuses_with_retry_after():
    with running(threads=1, queue=1) as service, ThreadPoolExecutor(4) as clients:
        held = clients.submit(service.post, "assess", HELD)
        until(lambda: held_judge.begun)
        waiting = clients.submit(service.post, "assess", RECORD)
        until(lambda: service.service.queue.waiting == 1)
        refused = service.post("assess", RECORD)
        assert refused.status_code == 503
        assert int(refused.headers["retry-after"]) >= 1
        assert service.get("/livez").status_code == 200
        held_judge.let_go.set()
        assert [held.result().status_code, waiting.result().status_code] == [200, 200]


def test_timed_out_request_and_its_waiters_end():
    with running(threads=1, limits=RequestLimits(seconds=0.5)) as service, ThreadPoolExecutor(4) as clients:
        held = clients.submit(service.post, "assess", HELD)
        until(lambda: held_judge.begun)
        late = clients.submit(service.post, "assess", {"output": "Late.", "contexts": ["x"]})
        assert [held.result().status_code, late.result().status_code] == [504, 504]
        held_judge.let_go.set()
        assert service.post("assess", RECORD).status_code == 200
        assert held_judge.begun == ["Held.", RECORD["output"]]


def test_records_of_departed_clients_are_dropped():
    with running(threads=1, queue=2000) as service:
        body = json.dumps(HELD).encode()
        held = _sent(service.port, body)
        until(lambda: held_judge.begun)
        for _ in range(20):
            clients = [_sent(service.port, body.replace(b"Held", b"Gone")) for _ in range(50)]
            until(lambda: service.service.queue.waiting >= 50)
            for client in clients:
                _reset(client)
        _reset(held)
        until(lambda: len(service.log) == 1001)
        assert {line.split()[3] for line in service.log} == {"gone"}
        until(lambda: service.service.queue.waiting == 0)
        held_judge.let_go.set()
        assert service.post("assess", RECORD).status_code == 200
        assert held_judge.begun == ["Held.", RECORD["output"]]


def _reset(client):
    """Leave for good: a closed socket alone may be that of a client which only sends no more."""
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    client.close()


def test_stalling_clients_block_nobody(monkeypatch):
    monkeypatch.setattr(server, "SECONDS_FOR_HEADERS", 0.5)
    with running(limits=RequestLimits(seconds=1.0)) as service:
        head = b"POST /v1/assess HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        stalled = [_raw(service.port, head + b"Content-Length: 500\r\n\r\n{") for _ in range(50)]
        silent = [_raw(service.port, head[:20]) for _ in range(50)]
        short = _raw(service.port, head + b"Content-Length: 2\r\n\r\n" + json.dumps(RECORD).encode())
        huge = _raw(service.port, head + b"Content-Length: 9999999999\r\n\r\n{")
        assert service.post("assess", RECORD).status_code == 200
        assert b" 400 " in _line(short)  # the body is its first two bytes, and what follows is no request
        assert b" 413 " in _line(huge)
        assert b" 408 " in _line(stalled[0])
        assert silent[0].recv(1) == b""  # closed
        for client in (*stalled, *silent, short, huge):
            client.close()


def test_accepted_requests_are_answered_before_exit():
    with running(threads=1) as service, ThreadPoolExecutor(5) as clients:
        sent = [clients.submit(service.post, "assess", HELD) for _ in range(5)]
        until(lambda: service.service.queue.waiting == 4)
        idle = _raw(service.port, b"")
        service.drain()
        until(lambda: _refused(service.url))
        held_judge.let_go.set()
        assert [one.result().status_code for one in sent] == [200] * 5
        idle.close()


def _refused(url):
    try:
        httpx.get(f"{url}/livez", timeout=5)
    except httpx.TransportError:
        return True
    return False


def _raw(port, content):
    client = socket.create_connection(("127.0.0.1", port), timeout=20)
    client.sendall(content)
    return client


def _sent(port, body):
    head = "POST /v1/assess HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    return _raw(port, f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)


def _line(client):
    return client.makefile("rb").readline()


def test_service_threads_share_one_model_client(tmp_path):
    with FakeServer() as model:
        asked = {"judge": "auto", "model": "openai/fake", "api_base": model.url, "cache_dir": tmp_path}
        with running(**asked, atomizer="rules", reviser="none") as service, ThreadPoolExecutor(2) as clients:
            assert model.calls == 0  # warming up asks nothing
            routes = ["assess", "verify"] * 2
            found = list(clients.map(service.post, routes, [RECORD | {"output": "It is tall [1]."}] * 4))
        assert [one.status_code for one in found] == [200] * 4
        assert found[0].json()["model_name"] == "openai/fake"
        assert model.calls > 0


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b'{"output": "A.",\n "contexts" []}', ": not JSON: .*; the body holds one JSON object"),
        (b'{"output": ', ": not JSON: it breaks off at column 10; the body must be a whole object.*"),
        (b'{"output": "\xff"}', ": not UTF-8: byte 0xff at position 12; send UTF-8"),
        (b"[]", r": is a list; the body must be an object: \{...\}"),
        (b'{"contexts": []}', 'output: .* generation; "" is an empty answer'),
        (b'{"records": [{"output": "A."}]}', "output: .* list of objects; send each as its own body"),
        (b'{"output": "A.", "answer": "B."}', "output: .* 'answer' with different values; keep one"),
        (b'{"output": "A."}', r"contexts: missing; add a list of contexts \(\[\] for none\)"),
        (
            b'{"output": "A", "contexts": [{"id": "a or `b`", "text": "x"}, {"id": "a or `b`", "text":"y"}]}',
            "contexts.* 'a or `b`' is the id of.*",
        ),
        (b'{"output": "A.", "context": []}', "context: did you mean 'contexts'.* belong in 'metadata'"),
    ],
)
def test_messages_name_body_fields(service, body, said):
    found = service.post("assess", content=body, headers=SEND)
    (error,) = found.json()["errors"]
    assert found.status_code == (422 if error["field"] else 400)
    assert re.fullmatch(said, f"{error['field']}: {error['message']}")


def test_kept_connection_disables_nagle():
    with server.listening("127.0.0.1", 0) as listener, socket.create_connection(listener.getsockname()):
        accepted, _ = listener.accept()
        with accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
