"""Runs whose calls are answered in batches, by whoever runs the command or by a service."""

import json

from batch_server import BatchServer, answer_file
from command import record, results, write_records
from fake_server import FakeServer
from test_run_with_model import good

FLAGS = ("--model", "openai/gpt-4o-mini", "--form", "tool")


def scored(folder):
    """Everything of a run's results that does not say how long it took and what was cached."""
    lines = results(folder)
    for line in lines:
        for key in ("usage", "elapsed_seconds"):
            del line[key]
    return lines


def verdicts(folder):
    """Outcomes by record."""
    lines = (folder / "journal.jsonl").read_text().splitlines()
    return {line["record_id"]: line.get("outcome") or line["verdicts"] for line in map(json.loads, lines)}


def in_any_order(bodies):
    return sorted(json.dumps(body, sort_keys=True) for body in bodies)


def rounds(factreasoner, folder, answer, *command, most=9, **options):
    """The command again and again, each batch answered: how it ended, and each batch's requests."""
    asked = []
    for _ in range(most):
        done = factreasoner(*command)
        if done.returncode != 5:
            return done, asked
        number = len(asked) + 1
        assert f"{number}.results.jsonl" in done.stderr
        batches = folder / "batches"
        asked.append(
            answer_file(
                batches / f"{number}.requests.jsonl", batches / f"{number}.results.jsonl", answer, **options
            )
        )
    raise AssertionError("it never ends")


def test_results_by_files_are_those_of_direct_calls(factreasoner, tmp_path):
    data = write_records(tmp_path / "d.jsonl", record("r1"), record("r2"))
    with FakeServer(good, logprobs=True) as server:
        done = factreasoner("run", data, *FLAGS, "--api-base", server.url, "--out", "direct", "--no-cache")
        sent = [request.body for request in server.requests]
    assert done.returncode == 0, done.stderr
    batch = ("run", data, *FLAGS, "--batch", "files", "--out", "out")
    done, asked = rounds(factreasoner, tmp_path / "out", good, *batch, logprobs=True)
    assert done.returncode == 0, done.stderr
    assert [len(lines) for lines in asked] == [4]
    assert in_any_order(line["body"] for line in asked[0]) == in_any_order(sent)
    assert scored(tmp_path / "out") == scored(tmp_path / "direct")
    assert verdicts(tmp_path / "out") == verdicts(tmp_path / "direct")


def test_a_service_is_waited_for(factreasoner, tmp_path):
    data = write_records(tmp_path / "d.jsonl", record("r1"), record("r2"))
    with BatchServer(good) as server:
        flags = ("--api-base", server.url, "--batch", "openai", "--out", "out")
        done = factreasoner("run", data, *FLAGS, *flags)
        assert done.returncode == 0, done.stderr
        assert server.calls == 0
        assert len(server.batches) == 1
    assert "in_progress" in done.stderr
