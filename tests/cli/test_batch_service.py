"""Runs whose batches a service answers: uploaded, waited for, fetched, whatever end a batch comes to."""

import json
import signal
import time

import pytest
from batch_server import BatchServer
from command import environment, results
from fake_server import disconnect, rate_limited, server_error, unauthorized
from test_run_with_model import GOOD, good

from factreasoner.llm.batches import sender


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    monkeypatch.setattr(sender, "FIRST_WAIT", 0.01)
    monkeypatch.setattr(sender, "LONGEST_WAIT", 0.05)
    monkeypatch.setattr(sender, "SURE_WAIT", 0.05)


@pytest.fixture
def server():
    with BatchServer(good) as server:
        yield server


def arguments(server, data):
    flags = ("--model", "openai/gpt-4o-mini", "--form", "tool", "--batch", "openai", "--out", "out")
    return ("run", data, *flags, "--api-base", server.url, "--patience", "1")


def state(tmp_path, number=1):
    return json.loads((tmp_path / "out" / "batches" / f"{number}.batch.json").read_text())


def predictions(tmp_path):
    return [line["predictions"] for line in results(tmp_path / "out")]


def test_one_command_goes_through_all_states_and_rounds(factreasoner, tmp_path, two, server):
    server.troubles = [server_error(), rate_limited("0"), disconnect()]
    done = factreasoner(*arguments(server, two))
    assert predictions(tmp_path) == [GOOD, GOOD]
    assert server.calls == 0
    assert len(server.answered) == 4
    told = [line for line in done.stderr.splitlines() if line.startswith("batch 1")]
    assert "4 requests uploaded as batch_0" in told[0]
    assert [line.split(": ")[1].split(",")[0] for line in told[1:]] == server.states
    assert "4 of 4 done" in told[-1]
    assert state(tmp_path)["usage"]["cost"] > 0


def test_next_batch_finishes_an_expired_one(factreasoner, tmp_path, two, server):
    server.states, server.share = ["in_progress", "expired"], 0.5
    factreasoner(*arguments(server, two), "--max-attempts", 3, code=3)
    assert len(server.batches) == 3
    assert len(set(server.answered)) == len(server.answered) == 4 - 1
    server.states, server.share = ["completed"], 1.0
    factreasoner(*arguments(server, two))
    assert predictions(tmp_path) == [GOOD, GOOD]


@pytest.mark.parametrize("end", ["expired", "completed"])
def test_batch_ending_unanswered_is_handled(factreasoner, tmp_path, two, server, end):
    server.states, server.share = [end], 0.0
    done = factreasoner(*arguments(server, two), "--max-attempts", 1, code=3)
    assert "0 of 4 requests answered" in done.stderr
    server.share = 1.0
    done = factreasoner(*arguments(server, two))
    assert predictions(tmp_path) == [GOOD, GOOD]


class Garbling(BatchServer):
    """Its first result has a byte that begins no character."""

    def _file(self, content):
        return super()._file(content.replace(b'"batch_req_0"', b'"batch_req_\xff"'))


def test_result_with_invalid_bytes_is_read(factreasoner, tmp_path, two):
    with Garbling(good) as server:
        factreasoner(*arguments(server, two))
    assert any(b"batch_req_\xff" in content for content in server.files.values())
    assert predictions(tmp_path) == [GOOD, GOOD]


def test_cancelled_batch_is_completed_by_the_next(factreasoner, tmp_path, two, server):
    server.states, server.share = ["in_progress", "cancelling", "cancelled"], 0.5
    done = factreasoner(*arguments(server, two), code=5)
    assert "1.requests.jsonl: 4 to openai/gpt-4o-mini; its batch batch_0 was cancelled" in done.stderr
    assert "Run the same command again to send the rest as a new batch" in done.stderr
    assert "vllm" not in done.stderr
    assert len(server.batches) == 1
    server.states, server.share = ["completed"], 1.0
    done = factreasoner(*arguments(server, two))
    assert len(server.answered) == 4
    assert predictions(tmp_path) == [GOOD, GOOD]


def test_failed_batch_is_reported_and_resent(factreasoner, two, server):
    server.states = ["validating", "failed"]
    done = factreasoner(*arguments(server, two), code=1)
    assert "Enqueued token limit reached" in done.stderr
    assert "rerun to send it again" in done.stderr
    server.states = ["completed"]
    done = factreasoner(*arguments(server, two))
    assert len(server.batches) == 2
    assert len(server.answered) == 4


@pytest.mark.parametrize(("trouble", "word"), [(unauthorized(), "key"), (server_error(), "rerun to resume")])
def test_unreachable_service_costs_nothing(factreasoner, two, server, trouble, word):
    server.troubles = [trouble] * 1000
    assert word in factreasoner(*arguments(server, two), code=1).stderr
    server.troubles = []
    factreasoner(*arguments(server, two))
    assert len(server.batches) == 1


def test_temporarily_refused_batch_is_created_later(factreasoner, tmp_path, two, server):
    server.refusals = [rate_limited("0"), rate_limited()]
    factreasoner(*arguments(server, two))
    assert len(server.batches) == 1
    assert predictions(tmp_path) == [GOOD, GOOD]


@pytest.mark.parametrize("trouble", [server_error(), disconnect()])
@pytest.mark.parametrize("made", [False, True])
@pytest.mark.parametrize("patience", [5, 0])
def test_possibly_created_batch_is_looked_up_first(
    factreasoner, tmp_path, two, server, trouble, made, patience
):
    """At once, or by the next command where there is no patience."""
    (server.unheard if made else server.refusals).append(trouble)
    command = (*arguments(server, two), "--patience", patience)
    done = factreasoner(*command, code=0 if patience else 1)
    if not patience:
        assert "making failed" in done.stderr
        assert (len(server.batches), server.pages) == (made, 0)
        factreasoner(*command)
    assert (len(server.batches), server.pages) == (1, 1)
    assert predictions(tmp_path) == [GOOD, GOOD]


def others_batches(server, number):
    """Have others make batches."""
    for n in range(number):
        made = {"id": f"other_{len(server.batches)}", "object": "batch", "input_file_id": f"file-other-{n}"}
        server.batches[made["id"]] = {**made, "status": "completed", "created_at": server.clock}


@pytest.mark.parametrize("newer", [0, 250])
def test_batch_with_unsaved_id_is_found(factreasoner, tmp_path, two, server, newer):
    """Killed between the batch's making and the writing of its id."""
    server.troubles = [unauthorized()]
    factreasoner(*arguments(server, two), code=1)
    kept = {key: value for key, value in state(tmp_path).items() if key != "batch_id"}
    (tmp_path / "out" / "batches" / "1.batch.json").write_text(json.dumps(kept))
    server.clock += 60
    others_batches(server, newer)
    factreasoner(*arguments(server, two))
    assert len(server.batches) == 1 + newer
    assert len(server.files) == 2


def test_batch_lookup_stops_at_its_file(factreasoner, tmp_path, two, server):
    """Killed between the upload and the batch's making."""
    others_batches(server, 450)
    server.clock += 60
    server.troubles = [unauthorized()]
    factreasoner(*arguments(server, two), code=1)
    kept = {key: value for key, value in state(tmp_path).items() if key != "batch_id"}
    (tmp_path / "out" / "batches" / "1.batch.json").write_text(json.dumps(kept))
    del server.batches["batch_450"]
    others_batches(server, 150)
    factreasoner(*arguments(server, two))
    assert server.pages == 2
    assert len(server.answered) == 4


def test_killed_while_it_waits_it_goes_on(factreasoner, forker, tmp_path, two, server):
    server.states = ["in_progress"]
    process = forker.start(arguments(server, two), folder=tmp_path, env=environment(tmp_path))
    deadline = time.monotonic() + 60
    while not sum(server.looks.values()) and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    assert process.wait(timeout=60) == -signal.SIGKILL
    server.states = ["completed"]
    factreasoner(*arguments(server, two))
    assert len(server.batches) == 1
    assert len(server.answered) == 4
    assert predictions(tmp_path) == [GOOD, GOOD]
