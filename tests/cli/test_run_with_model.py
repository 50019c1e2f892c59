"""`factreasoner run` against a local server that answers well, badly, late, or not at all."""

import json
import signal
import threading
import time

import pytest
from command import (
    ATOMS,
    environment,
    kept,
    manifest_of,
    model_flags,
    printed,
    record,
    results,
    summary_of,
    write_records,
)
from fake_server import (
    Completion,
    FakeServer,
    answering,
    hang,
    missing,
    server_error,
    unauthorized,
    unknown_model,
)

from factreasoner.calls.usage import estimate_request
from factreasoner.models.results import LEAST_PROBE_CALLS, MOST_PROBE_CALLS


def verdict(name, prop, request):
    """True of what says Warsaw, False of what says Paris, by the passage about her."""
    if "Warsaw in 1867" not in request.text or "tea" in prop["description"]:
        return "Not clear from the given passage"
    return "True" if "Warsaw" in prop["description"] else "False"


good = answering(verdict)
GOOD = {"a0": "S", "a1": "NS", "a2": "NS"}


def run(factreasoner, server, data, *flags, **options):
    return factreasoner("run", data, *model_flags(server), *flags, **options)


def test_unanswered_facts_are_listed_and_not_counted(factreasoner, tmp_path, one):
    with FakeServer(missing("fact_0", policy=good)) as server:
        done = run(factreasoner, server, one, "--max-attempts", 2, code=3)
    (line,) = results(tmp_path / "out")
    # Alone, every claim is `fact_0`: with this server none of those asked again is ever answered.
    assert line["status"] == "partial"
    assert line["unjudged_atoms"] == ["a0"]
    assert set(line["predictions"]) == {"a1", "a2"}
    assert {f["item_id"] for f in line["failures"]} == {"c0->a0", "c1->a0"}
    assert line["factuality_score"] == 0.0
    assert line["precision_high"] > 0.0
    assert "failures" in done.stdout


def test_dead_provider_scores_nothing_until_rerun(factreasoner, tmp_path):
    data = write_records(tmp_path / "d.jsonl", record("r1", atoms=ATOMS[:2]))
    flags = ("--max-attempts", 1, "--patience", 0)
    with FakeServer(lambda request: server_error()) as server:
        run(factreasoner, server, data, *flags, code=3)
        (line,) = results(tmp_path / "out")
        assert line["status"] == "failed"
        assert line["factuality_score"] is None
        assert line["predictions"] == {}
        assert len(line["failures"]) == 4
        server.answer = good
        run(factreasoner, server, data, *flags)
    (line,) = results(tmp_path / "out")
    assert line["predictions"] == {"a0": "S", "a1": "NS"}


def test_without_a_key_no_folder_is_made(factreasoner, tmp_path, one):
    done = factreasoner("run", one, "--out", "out", "--model", "openai/gpt-4o-mini", code=1)
    assert done.stdout == ""
    assert done.stderr.startswith("Error: model openai/gpt-4o-mini: there is no key; set $OPENAI_API_KEY, or")
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(("answer", "word"), [(unauthorized(), "key"), (unknown_model(), "model")])
def test_wrong_key_or_model_ends_the_run(factreasoner, tmp_path, answer, word):
    data = write_records(tmp_path / "d.jsonl", *(record(f"r{i}") for i in range(30)))
    with FakeServer(lambda request: answer) as server:
        done = run(
            factreasoner, server, data, "--api-key-env", "MY_KEY", env={"MY_KEY": "sk-very-secret"}, code=1
        )
        assert server.calls <= 16
    assert word in done.stderr
    assert "sk-very-secret" not in done.stderr + done.stdout
    for path in (tmp_path / "out").iterdir():
        assert "sk-very-secret" not in path.read_text()


def test_kill_loses_nothing_and_repeats_no_call(factreasoner, forker, tmp_path):
    data = write_records(tmp_path / "d.jsonl", *(record(f"r{i}") for i in range(12)))
    killed, held = threading.Event(), [0]

    def good_until_killed(request):
        if request.number >= held[0]:
            killed.wait(60)
        return good(request)

    with FakeServer(good_until_killed, delay=0.05) as server:
        arguments = ["run", data, *model_flags(server), "--concurrency", "3"]
        for calls_before_kill in (5, 13):
            killed.clear()
            held[0] = calls_before_kill + 2
            process = forker.start(arguments, folder=tmp_path, env=environment(tmp_path))
            deadline = time.monotonic() + 60
            while server.calls < calls_before_kill and time.monotonic() < deadline:
                time.sleep(0.02)
            process.send_signal(signal.SIGKILL)
            assert process.wait(timeout=60) == -signal.SIGKILL
            killed.set()
        journal = tmp_path / "out" / "journal.jsonl"
        finished = [json.loads(line)["id"] for line in journal.read_bytes().split(b"\n")[:-1]]
        factreasoner(*arguments)
        calls = server.calls
        factreasoner(*arguments)
        assert server.calls == calls
    # 24 calls are the whole work; those in flight at a kill (3 at most, twice) had no answer yet.
    assert 24 <= calls <= 24 + 2 * 3
    lines = results(tmp_path / "out")
    assert [line["id"] for line in lines] == [f"r{i}" for i in range(12)]
    assert all(line["predictions"] == GOOD for line in lines)
    ids = [result["record_id"] for result in kept(tmp_path / "out")]
    assert sorted(ids) == sorted(set(ids))
    assert ids[: max(1, len(finished))] == finished  # at least one was


def test_budget_covers_all_attempts_of_a_run(factreasoner, tmp_path):
    """Calls of a record that a budget, or a kill, interrupted are paid for, though the journal lacks them."""
    data = write_records(tmp_path / "d.jsonl", record("r0", contexts=[f"Passage {i}." for i in range(9)]))
    with FakeServer(good) as server:
        flags = ("--model=openai/gpt-4o-mini", *model_flags(server)[2:], "--concurrency", 1)
        flags += ("--max-tokens", 64)
        done = factreasoner("run", data, *flags, "--max-cost", 0.0003, code=3)
        assert "raise --max-cost and rerun to resume" in done.stderr
        assert 0 < summary_of(tmp_path / "out")["usage"]["spent"] <= 0.0003
        assert 0 < (paid := server.calls) < 9
        factreasoner("run", data, *flags, "--max-cost", 0.0003, code=3)
        assert server.calls == paid
        done = factreasoner("run", data, *flags, "--max-cost", 1)
        assert server.calls == 9
    usage = summary_of(tmp_path / "out")["usage"]
    assert usage["spent"] > usage["total"]["cost"] > 0
    assert "with interrupted and repeated attempts" in done.stdout


def test_quotes_that_a_model_makes_up_are_counted(factreasoner, tmp_path):
    data = write_records(tmp_path / "d.jsonl", record("r0"))
    with FakeServer(good) as server:
        done = run(factreasoner, server, data, "--mode", "tfn_citation")
    (count,) = summary_of(tmp_path / "out")["citations"].values()
    assert f"quotes          {count} of {count} are missing or not in the context" in done.stdout


def test_dry_run_counts_calls_and_estimates_their_tokens(factreasoner, two):
    with FakeServer(good, logprobs=True) as server:
        flags = ("run", two, *model_flags(server)[:4], "--atoms-per-call", 1, "--out", "out")
        planned = printed(factreasoner(*flags, "--dry-run", "--json"))
        factreasoner(*flags)
        sent = [estimate_request(request.body) for request in server.requests]
        assert {request.form for request in server.requests} == {"word"}
        shown = factreasoner(*flags, "--dry-run").stdout
    assert shown.startswith("2 records\n")
    assert "Assumes 1 atom per call." in shown
    (stage,) = planned["stages"]
    assert planned["records"] == 2
    assert stage["calls"] == len(sent)
    assert sum(sent) < stage["prompt_tokens"] < 1.6 * sum(sent)


def test_dry_run_shows_price_and_worst_case(factreasoner, one):
    told = " ".join(factreasoner("run", one, "--model", "openai/gpt-4o-mini", "--dry-run").stdout.split())
    assert "~$0.0" in told
    assert "24 paid calls" in told  # 2 calls of 3 atoms: 2 * (8 + 2 * 2)


def test_model_is_probed_once_and_probe_reused(factreasoner, tmp_path, two, monkeypatch):
    monkeypatch.delenv("FACTREASONER_ATOMS_PER_CALL")
    with FakeServer(good, logprobs=True) as server:
        flags = (two, "--model", "fake", "--api-base", server.url)
        before = factreasoner("run", *flags, "--dry-run")
        doctor = factreasoner("doctor", *flags[1:])
        done = factreasoner("run", *flags, "--out", "out")
        after = factreasoner("run", *flags, "--dry-run")
        unasked = factreasoner("run", *flags, "--judge", "word_judge:WordJudge", "--out", "unasked")
        factreasoner("run", *flags, "--atoms-per-call", 3, "--out", "given")
    assert len(server.probes) == 4
    assert "The run measures what the model can handle first" in before.stdout
    calls = f"({LEAST_PROBE_CALLS} calls; up to {MOST_PROBE_CALLS} for a weak model)"
    assert calls in " ".join(before.stdout.split())
    found = "32 claims per call (json_schema), 32 of 32 test verdicts right"
    for said in (doctor.stdout, done.stderr, after.stdout):
        assert found in " ".join(said.split())
    assert "claims per call" not in unasked.stderr
    assert summary_of(tmp_path / "given")["probes"] == {"fake": {}}
    assert not manifest_of(tmp_path / "given")["models"]["fake"]["probes"]
    summary = summary_of(tmp_path / "out")
    (probe,) = summary["probes"]["fake"].values()
    assert (probe["facts_per_call"], probe["right"]) == (32, 32)
    assert manifest_of(tmp_path / "out")["models"]["fake"]["probes"]


def test_doctor_retries_silent_server_and_names_it(factreasoner, monkeypatch):
    monkeypatch.setattr("factreasoner.report.progress.FIRST_PAUSE", 0.0)
    monkeypatch.setattr("factreasoner.llm.send.SILENCE", 0.1)
    with FakeServer(lambda request: hang(), probed=False) as server:
        done = factreasoner("doctor", *model_flags(server)[:4], "--timeout", "0.5", code=1)
        assert server.calls == 2
    assert "waiting for the probe of the model, call 1: " in done.stderr
    assert "at once; 127.0.0.1" in done.stderr
    told = "no answer within 0.5 s in 2 attempts; give a slow server a longer --timeout, fewer slots"
    assert told in " ".join(done.stdout.split())


def test_model_unused_by_judge_is_noted_once(factreasoner, one, tmp_path):
    (tmp_path / "c.txt").write_text("Paris is in France.")
    unasked = ("--model", "openai/x", "--judge", "verifier", "--atomizer", "rules", "--reviser", "none")
    for command in (("run", one, "--dry-run"), ("assess", "Paris is in France.", "--context", "c.txt")):
        told = factreasoner(*command, *unasked).stderr
        assert told.count("--judge verifier does not ask openai/x: only other parts ask it") == 1
    assert "does not ask" not in factreasoner("run", one, "--dry-run", "--model", "openai/x").stderr


@pytest.mark.parametrize(("policy", "code"), [(good, 0), (lambda request: Completion(content="Hard."), 3)])
def test_prefilter_and_excerpts_on_a_server(factreasoner, tmp_path, policy, code):
    born = "Marie Curie was born in Warsaw in 1867."
    rooms = " ".join(f"Room {n} of the depot holds {n} chairs and a lamp." for n in range(90))
    given = {"atoms": ["She was born in Warsaw."], "contexts": [f"{rooms} {born} {rooms}", "Bees sing."]}
    data = write_records(tmp_path / "d.jsonl", {"id": "r", "output": born, **given})
    with FakeServer(policy) as server:
        run(factreasoner, server, data, "--atoms-per-call", 1, "--prefilter", "bundled", code=code)
    (line,) = results(tmp_path / "out")
    assert all(born in request.asked and "Room 50" not in request.asked for request in server.requests)
    assert line["pruned"] == {"pairs": 1}
    failed = [failure["item_id"] for failure in line["failures"]]
    assert (line["partly_judged_atoms"], failed) == (([], []) if code == 0 else (["a0"], ["c0->a0"]))
    assert (f'"{born}"' in " ".join(factreasoner("explain", "out").stdout.split())) == (code == 0)
